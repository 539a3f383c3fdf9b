"""Measurements and estimates."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hushgram as hg
from hushgram.errors import BadInput
from hushgram.geometry.partition import Grid
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.inference.base import Inference
from hushgram.mechanisms.inference.direct import Direct
from hushgram.mechanisms.inference.kinds import inference_from_json
from hushgram.mechanisms.inference.tree import Tree
from hushgram.queries import Measurement
from tests.samples import cells, estimate_of

GRID = cells(x=hg.Integer(0, 2))


def test_a_measurement_is_frozen() -> None:
    measurement = Measurement(GRID, np.array([1, 2, 3]), 8.0, Fraction(2))
    with pytest.raises(ValueError, match="read-only"):
        measurement.values[0] = 5
    with pytest.raises(AttributeError):
        measurement.variance = 0.0  # type: ignore[misc]


@pytest.mark.parametrize("values", [[1, 2], [[1, 2, 3]], 5])
def test_a_measurement_has_a_value_per_part(values: Any) -> None:
    with pytest.raises(BadInput, match="3 parts need 3 values"):
        Measurement(GRID, np.array(values), 8.0, Fraction(2))


def test_a_direct_estimate_is_its_measurement() -> None:
    estimate = estimate_of(GRID, [5, -1, 0], Fraction(1))
    assert estimate.partition is GRID
    assert estimate.values.tolist() == [5, -1, 0]
    assert estimate.variances().tolist() == [estimate.measurements[0].variance] * 3


@given(st.lists(st.floats(-1, 1), min_size=3, max_size=3))
def test_moments_are_those_of_independent_laplace_noise(weights: list[float]) -> None:
    variance, kurtosis = estimate_of(GRID).moments(np.array(weights))
    terms = [w**2 * estimate_of(GRID).measurements[0].variance for w in weights]
    assert variance == pytest.approx(sum(terms), abs=1e-300)
    if variance > 1e-100:
        assert kurtosis == pytest.approx(3 * sum(t**2 for t in terms) / sum(terms) ** 2)
        assert 1 - 1e-9 < kurtosis < 3 + 1e-9


def test_a_sum_of_nothing_has_no_noise() -> None:
    assert estimate_of(GRID).moments(np.zeros(3)) == (0.0, 0.0)


def test_an_inference_reads_back() -> None:
    measured = [Measurement(GRID, np.array([1, 2, 3]), 8.0, Fraction(2))]
    assert inference_from_json(Direct().to_json(), measured) == Direct()
    tree = inference_from_json(Tree.of(measured).to_json(), measured)
    assert tree.push(measured).tolist() == [1, 2, 3]
    with pytest.raises(BadInput, match="Unknown inference 'magic'"):
        inference_from_json({"kind": "magic"}, [])


class Doubled(Inference):
    """An inference that is not direct, to see what follows from the base class alone."""

    kind = "doubled"

    def push(self, measurements: Any) -> Any:
        return measurements[0].values * 2.0

    def pull(self, weights: Any) -> Any:
        return [weights * 2]

    def variances(self, measurements: Any) -> Any:
        return Direct().variances(measurements) * 4

    def check(self, partition: Any, measurements: Any) -> None:
        pass

    @classmethod
    def from_json(cls, data: Any, measurements: Any) -> Doubled:
        return cls()


def test_variances_follow_the_inference() -> None:
    direct = estimate_of(GRID, [1, 2, 3])
    double = Estimate.infer(GRID, direct.measurements, Doubled())
    assert double.values.tolist() == [2, 4, 6]
    assert double.moments(np.ones(3))[0] == 4 * direct.moments(np.ones(3))[0]
    assert double.variances().tolist() == (4 * direct.variances()).tolist()


def test_a_count_of_another_inference_uses_its_covariances() -> None:
    from hushgram.answers.counting.counts import counts_of

    grid = Grid(hg.Domain(x=hg.Integer(0, 3)), (4,))
    direct = estimate_of(grid, [1, 2, 3, 4])
    double = Estimate.infer(grid, direct.measurements, Doubled())
    one = counts_of(direct).one({"x": (0, 2)})
    two = counts_of(double).one({"x": (0, 2)})
    assert two.value == 2 * one.value
    width = two.interval[1] - two.value
    assert width == pytest.approx(2 * (one.interval[1] - one.value), abs=2)
