"""From sums of sorted groups back to a distribution."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hushgram as hg
from hushgram.declare.axis import Integer, Interval
from hushgram.declare.domain import Domain
from hushgram.errors import BadInput
from hushgram.geometry.measured.sorted_groups import SortedGroups
from hushgram.geometry.partition import Grid
from hushgram.mechanisms.inference.kinds import inference_from_json
from hushgram.mechanisms.inference.sorted_sequence import SortedSequence
from hushgram.queries import Measurement


def measured(
    counts: Any, group: int, *, rows: int | None = None, total: int | None = None, noise: Any = 0
) -> list[Measurement]:
    """Sums of groups, exact or with noise that is given, and the total."""
    cells = np.asarray(counts)
    domain = Domain(x=Integer(0, len(cells) - 1))
    rows = int(cells.sum()) if rows is None else rows
    groups = SortedGroups(domain, rows, group)
    whole = Measurement(
        Grid(domain, (1,)), np.array([rows if total is None else total]), 8.0, Fraction(2)
    )
    sums = Measurement(groups, groups.sums(np.arange(len(cells)), cells) + noise, 50.0, Fraction(5))
    return [whole, sums]


def cells_of(measurements: list[Measurement]) -> Any:
    """The estimate of every cell."""
    sequence = SortedSequence.of(measurements)
    widths = np.diff(sequence.layout.cuts(0))
    return np.repeat(sequence.push(measurements) / widths, widths)


def test_even_rows_come_back_even() -> None:
    found = cells_of(measured(np.full(100, 10), 50))
    np.testing.assert_allclose(found, 10, atol=0.2)


def test_groups_of_one_give_the_rows_themselves() -> None:
    counts = np.array([3, 0, 0, 5, 1, 0, 0, 7])
    measurements = measured(counts, 1)
    sequence = SortedSequence.of(measurements)
    positions, times = sequence.positions(measurements[1]), sequence.sorted_groups.lengths
    assert np.repeat(positions, times).tolist() == np.repeat(np.arange(8), counts).tolist()
    np.testing.assert_allclose(cells_of(measurements), counts, atol=1)


def test_a_spike_stays_a_spike() -> None:
    counts = np.full(101, 2)
    counts[40] = 5000
    found = cells_of(measured(counts, 50))
    assert abs(found[40] - 5000) < 100
    assert np.abs(np.delete(found, 40)).max() < 60


@pytest.mark.parametrize("spot", [0, 1, 50, 99, 100])
def test_all_rows_in_one_cell(spot: int) -> None:
    counts = np.zeros(101, dtype=int)
    counts[spot] = 1000
    found = cells_of(measured(counts, 40))
    assert found[spot] == pytest.approx(1000)
    assert found.sum() == pytest.approx(1000)


def test_empty_ends_stay_empty() -> None:
    counts = np.zeros(1000, dtype=int)
    counts[400:450] = 100
    found = cells_of(measured(counts, 100))
    assert found[:395].sum() == 0 == found[455:].sum()
    assert found.min() >= 0


def test_a_fine_axis_has_no_more_parts_than_groups_deserve() -> None:
    domain = Domain(x=Interval(0, 1))
    groups = SortedGroups(domain, 1000, 50)
    cells = np.bincount(np.random.default_rng(1).integers(0, groups.span, 1000), minlength=2**20)
    whole = Measurement(Grid(domain, (1,)), np.array([1000]), 1.0, Fraction(1))
    sums = Measurement(groups, groups.sums(np.arange(len(cells)), cells), 1.0, Fraction(1))
    assert SortedSequence.of([whole, sums]).layout.size <= 2 * groups.size + 3


@given(
    st.lists(st.integers(0, 9), min_size=2, max_size=12).filter(any),
    st.integers(1, 8),
    st.integers(-5, 60),
    st.integers(0, 2**32 - 1),
)
def test_the_parts_add_up_to_the_total(
    counts: list[int], group: int, total: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    rows = max(total, 1)
    size = -(-rows // group)
    noise = rng.laplace(scale=20, size=size).astype(np.int64)
    measurements = measured(counts, group, rows=rows, total=total, noise=noise)
    sequence = SortedSequence.of(measurements)
    values = sequence.push(measurements)
    assert values.shape == (sequence.layout.size,)
    assert values.sum() == pytest.approx(total)
    assert values[:-1].min(initial=0) >= 0
    positions, times = sequence.positions(measurements[1]), sequence.sorted_groups.lengths
    assert (np.diff(positions) >= 0).all()
    assert 0 <= positions[0] <= positions[-1] <= len(counts) - 1
    assert times.sum() == rows


@given(st.integers(0, 2**32 - 1), st.integers(1, 40))
def test_variances_are_those_of_the_weights(seed: int, group: int) -> None:
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 20, 30)
    counts[0] += 1
    size = -(-int(counts.sum()) // group)
    measurements = measured(counts, group, noise=rng.laplace(scale=40, size=size).astype(int))
    sequence = SortedSequence.of(measurements)
    parts = sequence.layout.size
    stated = []
    for one in np.eye(parts):
        pulled = zip(sequence.pull(one), measurements, strict=True)
        stated.append(sum(float((w**2).sum()) * m.variance for w, m in pulled))
    np.testing.assert_allclose(sequence.variances(measurements), stated, atol=1e-9)
    whole = sequence.pull(np.ones(parts))
    assert whole[0] == pytest.approx([1.0])
    assert not whole[1].any()


def test_the_linearisation_is_that_of_push_on_smooth_rows() -> None:
    """A block of groups that moves as one takes the rows with it."""
    measurements = measured(np.full(1000, 10), 500)
    sequence = SortedSequence.of(measurements)
    weights = (np.arange(sequence.layout.size) < sequence.layout.size // 2).astype(float)
    whole, sums = measurements
    shifted = Measurement(sums.partition, sums.values + 500 * 5, sums.variance, sums.scale)
    change = weights @ (sequence.push([whole, shifted]) - sequence.push(measurements))
    predicted = sequence.pull(weights)[1].sum() * 500 * 5
    assert change == pytest.approx(-50, rel=0.05)
    assert predicted == pytest.approx(change, rel=0.1)


def test_what_is_no_sorted_measurement_is_refused() -> None:
    whole, sums = measured([1, 2, 3], 2)
    cells = Measurement(Grid(sums.partition.domain, (3,)), np.arange(3), 1.0, Fraction(1))
    for odd in ([whole], [sums, whole], [cells, sums], [sums, sums]):
        with pytest.raises(BadInput):
            inference_from_json({"kind": "sorted"}, odd)
    assert isinstance(inference_from_json({"kind": "sorted"}, [whole, sums]), SortedSequence)


@pytest.mark.parametrize("regression", ["cubes", None, 3, ["squares"], {}])
def test_a_forged_regression_is_refused(regression: object) -> None:
    release = hg.publish(hg.Counts([3, 5, 9]), epsilon=1, mechanism="sorted")
    kept = release.estimate.inference
    assert isinstance(kept, SortedSequence)
    with pytest.raises(BadInput, match="regression"):
        SortedSequence.from_json({"kind": "sorted", "regression": regression}, kept.measurements)
