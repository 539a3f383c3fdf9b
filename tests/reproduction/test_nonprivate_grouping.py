"""The literal pipeline of Shi & Zhou: their example to the last digit, and Fig. 6's shape."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import hushgram as hg
from reproduction import nonprivate_grouping as lab
from reproduction.nonprivate_grouping import (
    errors,
    in_true_order,
    mean_errors,
    nonprivate_grouping,
    squared_error,
)

D = np.array([4, 3, 3, 7, 6, 5, 2, 3])
NOISY = np.array([4.3677, 3.0691, 2.9174, 7.3485, 6.1965, 5.6298, 3.7323, 3.0327])
"""Fig. 1 (b)."""


def cut(values: np.ndarray) -> np.ndarray:
    """Two decimals, the others cut off."""
    return np.trunc(values * 100 + 1e-9) / 100


def test_the_printed_errors_to_the_last_digit() -> None:
    """The paper computes with numbers cut, not rounded, to two decimals ("for convenience"): so
    its errors are 3.6712, 2.1553 and 0.4123 exactly. It says "through isotonic algorithm" of the
    first and "without" of the second, which is the wrong way round."""
    noisy = cut(NOISY)
    fitted = cut(in_true_order(D, noisy))
    assert sorted(fitted) == pytest.approx([3.18] * 4 + [4.36, 5.62, 6.19, 7.34])
    assert squared_error(D, noisy) == pytest.approx(3.6712, abs=1e-9)
    assert squared_error(D, fitted) == pytest.approx(2.1553, abs=1e-9)
    assert squared_error(noisy, fitted) == pytest.approx(0.4123, abs=1e-9)


def test_with_all_decimals_the_errors_are_near_the_printed_ones() -> None:
    fitted = in_true_order(D, NOISY)
    assert squared_error(D, NOISY) == pytest.approx(3.7054, abs=1e-4)
    assert squared_error(D, fitted) == pytest.approx(2.2089, abs=1e-4)
    assert squared_error(NOISY, fitted) == pytest.approx(0.408, abs=1e-3)
    assert fitted.round(2).tolist() == [4.37, 3.19, 3.19, 7.35, 6.2, 5.63, 3.19, 3.19]


def test_the_groups_of_the_example() -> None:
    stages = nonprivate_grouping(D, 3, 1e12, np.random.default_rng(1))
    means = [10 / 3] * 3 + [6.0] * 3 + [2.5] * 2
    assert stages.grouped == pytest.approx(means)
    assert stages.noisy == pytest.approx(means)
    assert errors(D, stages).structure == pytest.approx(2 / 3 + 2 + 0.5)
    assert (np.diff(stages.isotonic[np.argsort(D, kind="stable")]) >= 0).all()


def test_pairs_halve_the_sensitivity() -> None:
    """Fig. 3: one record less in the first category moves its pair's mean by 0.5."""
    pairs = D.reshape(-1, 2).mean(axis=1)
    assert pairs.tolist() == [3.5, 5.0, 5.5, 2.5]
    fewer = (D - np.eye(8, dtype=int)[0]).reshape(-1, 2).mean(axis=1)
    assert (pairs - fewer).tolist() == [0.5, 0, 0, 0]


def test_structure_and_noise_add_up_on_average() -> None:
    """E(Hm) = structure error + noise error, as the paper has it: what is left of a group's counts
    sums to zero, so the mixed terms cancel on average."""
    found = mean_errors(D, 3, 1.0, runs=4000, rng=np.random.default_rng(2))
    assert found.total_noisy == pytest.approx(found.structure + found.noise, rel=0.03)
    expected = 2 * (3 / 9 + 3 / 9 + 2 / 4)
    assert found.noise == pytest.approx(expected, rel=0.1)


@pytest.mark.parametrize("epsilon", [1.0, 0.1, 0.01, 0.001])
def test_fig_6_isotonic_regression_lowers_the_error(epsilon: float) -> None:
    """For every budget and every number of groups that the paper tries (1, n/15, n/10, n/5, n)."""
    rng = np.random.default_rng(6)
    counts = rng.geometric(1 / 200, 100)
    for groups in (1, 6, 10, 20, 100):
        found = mean_errors(counts, groups, epsilon, runs=25, rng=rng)
        assert found.total_isotonic < found.total_noisy
    at_one, at_all = (
        mean_errors(counts, groups, epsilon, runs=5, rng=rng).structure for groups in (1, 100)
    )
    assert at_one > at_all == 0


def test_the_gain_grows_as_epsilon_falls() -> None:
    rng = np.random.default_rng(7)
    counts = rng.geometric(1 / 200, 100)
    gains = []
    for epsilon in (1.0, 0.1, 0.01, 0.001):
        found = mean_errors(counts, 100, epsilon, runs=25, rng=rng)
        gains.append(found.total_noisy - found.total_isotonic)
    assert gains == sorted(gains)


def test_nothing_of_it_can_be_published() -> None:
    assert "NONPRIVATE" in (lab.__doc__ or "")
    assert "NONPRIVATE" in (nonprivate_grouping.__doc__ or "")
    assert not any("nonprivate" in name for name in hg.MECHANISMS)
    assert not any(
        issubclass(cls, hg.Mechanism) for _, cls in inspect.getmembers(lab, inspect.isclass)
    )
