"""Segments: the least penalised cost over all ways to cut."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hushgram.errors import BadInput
from hushgram.mechanisms.inference.segments import best_segments
from tests.mechanisms.inference.programmes import (
    SCALES,
    Cost,
    cost_of,
    least_cost,
    least_cost_of_many,
    rows,
)
from tests.strategies import up_to

penalties = st.builds(
    lambda a, b: a * b * b, st.sampled_from([0.0, 0.1, 0.5, 1.0, 2.0, 9.3, 50.0]), SCALES
)


def penalised(penalty: float) -> Cost:
    return lambda error, size: error + penalty


@settings(max_examples=up_to(1000))
@given(rows(max_size=14), penalties)
def test_the_least_of_all(values: list[float], penalty: float) -> None:
    found = cost_of(values, best_segments(values, penalty), penalised(penalty))
    assert found == pytest.approx(least_cost(values, penalised(penalty)), rel=1e-9, abs=0)


def noisy(kind: str, n: int) -> np.ndarray:
    rng = np.random.default_rng(n)
    level = {
        "flat": np.zeros(n),
        "many changes": np.repeat(rng.integers(0, 100, n // 5), 5),
        "few changes": np.repeat(rng.integers(0, 20, n // 250), 250),
        "trend": np.linspace(0, 100, n),
    }[kind]
    return level + np.round(rng.laplace(0, 2, n))


@pytest.mark.parametrize("kind", ["flat", "many changes", "few changes", "trend"])
@pytest.mark.parametrize("penalty", [16.0, 16.0 * np.log(1500)])
def test_on_a_whole_histogram(kind: str, penalty: float) -> None:
    values = noisy(kind, 1500)
    found = cost_of(values.tolist(), best_segments(values, penalty), penalised(penalty))
    least = least_cost_of_many(values, lambda error, size: error + penalty)
    assert found == pytest.approx(least, rel=1e-9)


def test_the_default_penalty_keeps_flat_data_whole() -> None:
    """2σ² keeps one segment in seven values of noise; 2σ² ln n next to none."""
    values = noisy("flat", 1024)
    assert len(best_segments(values, 16.0)) > 100
    assert len(best_segments(values, 16.0 * np.log(1024))) < 10


@pytest.mark.parametrize("kind", ["flat", "many changes"])
def test_what_lies_far_away_does_not_blur_the_rest(kind: str) -> None:
    values = noisy(kind, 1000)
    both = [*values, *(values + 1e9)]
    found = cost_of(both, best_segments(both, 20.0), penalised(20.0))
    alone = cost_of(values.tolist(), best_segments(values, 20.0), penalised(20.0))
    assert found == pytest.approx(2 * alone, rel=1e-9)


@pytest.mark.parametrize("kind", ["flat", "many changes"])
def test_many_values(kind: str) -> None:
    starts = best_segments(noisy(kind, 300_000), 100.0)
    assert starts[0] == 0
    assert (np.diff(starts) > 0).all()


def test_all_equal_is_one_segment() -> None:
    assert best_segments([7.0] * 5, 0.0).tolist() == [0]
    assert best_segments([7.0], 1.0).tolist() == [0]


@pytest.mark.parametrize("penalty", [-1.0, np.nan, np.inf])
def test_bad_penalty(penalty: float) -> None:
    with pytest.raises(BadInput, match=r"must not be negative. Found"):
        best_segments([1, 2], penalty)


@pytest.mark.parametrize("values", [[], [[1.0]], [np.nan], [1e101]])
def test_bad_values(values: list[float]) -> None:
    with pytest.raises(BadInput):
        best_segments(values, 1.0)
