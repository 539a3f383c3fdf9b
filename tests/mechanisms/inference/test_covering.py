"""Where rows lie: thresholds that noise seldom reaches, and the run of bins they leave."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from hushgram.declare.axis import Integer
from hushgram.declare.domain import Domain
from hushgram.geometry.partition import Grid
from hushgram.mechanisms.inference.covering import BinRun, covering_run, narrowest_run, threshold
from hushgram.queries import Measurement
from hushgram.trusted.noise import Native, variance


def measured(values: Any, scale: Fraction = Fraction(1)) -> Measurement:
    counts = np.array(values, dtype=np.int64)
    domain = Domain(x=Integer(0, len(counts) - 1))
    return Measurement(Grid.of_cells(domain), counts, variance(scale), scale)


def noisy(values: Any, scale: Fraction) -> Measurement:
    exact = np.array(values, dtype=np.int64)
    return measured(Native().add_discrete_laplace(exact, scale), scale)


@pytest.mark.parametrize("scale", [Fraction(1, 5), Fraction(1), Fraction(20)])
@pytest.mark.parametrize("length", [1, 2, 8, 64])
def test_noise_reaches_a_threshold_as_seldom_as_is_said(scale: Fraction, length: int) -> None:
    """A hundredth of 4,000 runs is 40; 90 would happen once in a billion."""
    runs, chance = 4000, 0.01
    draws = Native().add_discrete_laplace(np.zeros(runs * length, dtype=np.int64), scale)
    bound = threshold(measured([0], scale), length, chance)
    assert (draws.reshape(runs, length).sum(axis=1) >= bound).sum() < 90


def test_one_draw_s_tail_is_exact() -> None:
    """P[Z >= t] = exp(-t/b) / (1 + exp(-1/b))."""
    scale = Fraction(7, 2)
    for chance in (0.2, 1e-4, 1e-9):
        bound = threshold(measured([0], scale), 1, chance)
        a = np.exp(-1 / 3.5)
        assert a**bound / (1 + a) == pytest.approx(chance)


def test_longer_windows_have_higher_thresholds_but_not_per_bin() -> None:
    bounds = [threshold(measured([0]), length, 1e-6) for length in (1, 2, 4, 8, 16, 32)]
    assert bounds == sorted(bounds)
    assert bounds[-1] < 32 * bounds[0] / 8


def test_nothing_is_seen_in_noise() -> None:
    """In one run of a hundred at most something is: in 300 runs, 20 would be a wonder."""
    runs = [covering_run(noisy(np.zeros(100), Fraction(3)), 0.01) for _ in range(300)]
    assert sum(run is not None for run in runs) < 20


def test_dense_bins_are_found_exactly() -> None:
    values = np.zeros(50)
    values[20:31] = 1000
    for reach in (False, True):
        assert covering_run(measured(values), 0.01, reach=reach) == BinRun(20, 31)
    assert covering_run(measured([0, 0, 500, 0]), 0.01) == BinRun(2, 3)
    assert covering_run(measured([500]), 0.01) == BinRun(0, 1)
    assert covering_run(measured([0]), 0.01) is None
    assert covering_run(measured([500, 0, 0, 500]), 0.01) == BinRun(0, 4)


def test_thin_bins_are_seen_together_and_reached_for() -> None:
    values = np.zeros(64)
    values[16:48] = 8  # one alone is below every threshold
    assert threshold(measured([0], Fraction(1)), 1, 0.01 / 400) > 8
    plain = covering_run(measured(values), 0.01)
    further = covering_run(measured(values), 0.01, reach=True)
    assert plain is not None
    assert further is not None
    assert 16 <= plain.start <= 20
    assert 44 <= plain.stop <= 48
    assert further.start <= plain.start
    assert further.stop >= plain.stop
    assert covering_run(measured([8] * 4), 0.01, reach=True) == BinRun(0, 4)


def test_the_narrowest_part_is_the_best_of_all() -> None:
    rng = np.random.default_rng(2)
    for _ in range(30):
        values = rng.integers(0, 50, 12)
        values[0] = 60
        widths = rng.uniform(0.1, 3, 12)
        run = BinRun(1, 11)
        found = narrowest_run(measured(values), run, widths, 0.8)
        need = 0.8 * values[1:11].sum()
        allowed = [
            widths[i:j].sum()
            for i in range(1, 11)
            for j in range(i + 1, 12)
            if values[i:j].sum() >= need
        ]
        assert 1 <= found.start < found.stop <= 11
        assert values[found.start : found.stop].sum() >= need
        assert widths[found.start : found.stop].sum() == pytest.approx(min(allowed))
