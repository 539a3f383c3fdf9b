"""The grid's size follows the paper, and only the paid-for number of rows."""

from __future__ import annotations

import numpy as np
import pytest

import hushgram as hg
from hushgram.declare.axis import Category, Integer, Interval
from hushgram.declare.domain import Domain
from hushgram.errors import BadInput
from hushgram.geometry.partition import MAX_PARTS
from hushgram.mechanisms.grid_sizing import slices_per_axis, slices_per_side
from hushgram.mechanisms.uniform_grid import UniformGrid

PLANE = Domain(x=Interval(0, 1), y=Interval(0, 1))


@pytest.mark.parametrize(
    ("rows", "epsilon", "size"),
    [
        (1_600_000, 1, 400),
        (1_000_000, 1, 316),
        (900_000, 1, 300),
        (9_000, 1, 30),
        (1_600_000, 0.1, 126),
        (1_000_000, 0.1, 100),
        (900_000, 0.1, 95),
        (9_000, 0.1, 10),
    ],
)
def test_table_ii_of_the_paper(rows: int, epsilon: float, size: int) -> None:
    assert slices_per_axis(PLANE, rows * epsilon / 10) == (size, size)


def test_few_rows_or_none_get_a_hundred_cells() -> None:
    assert slices_per_axis(PLANE, 0) == slices_per_axis(PLANE, -50) == (10, 10)
    assert slices_per_axis(Domain(x=Interval(0, 1)), 0) == (100,)
    space = Domain(x=Interval(0, 1), y=Interval(0, 1), z=Interval(0, 1))
    assert slices_per_axis(space, 0) == (5, 5, 5)


def test_never_more_parts_than_fit() -> None:
    slices = slices_per_axis(PLANE, 1e30)
    assert slices[0] * slices[1] <= MAX_PARTS
    assert slices_per_axis(Domain(x=Interval(0, 1, resolution=32), y=Interval(0, 1)), 1e30)[0] == 32


def test_categories_keep_their_cells_and_short_axes_theirs() -> None:
    mixed = Domain(sex=Category(("F", "M")), x=Interval(0, 1), day=Integer(1, 7))
    slices = slices_per_axis(mixed, 1400 * 10.0)
    assert slices[0] == 2
    assert slices[2] == 7
    assert slices[1] == slices_per_side(1000.0, 1, MAX_PARTS)


def test_dimension_rule() -> None:
    """m = (N ε / c)^(2 / (d + 2)): doubling d from 2 to 4 takes the power from 1/2 to 1/3."""
    assert slices_per_side(1e6, 4, MAX_PARTS) == 100
    assert slices_per_side(1e6, 1, MAX_PARTS) == 10_000


def test_continuous_axes_are_cut_by_the_number_of_rows() -> None:
    import pandas as pd

    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"x": rng.random(4000), "y": rng.random(4000)})
    release = hg.publish(
        frame, PLANE, epsilon=1, mechanism="uniform-grid", account="a", ledger=hg.Ledger.in_memory()
    )
    assert 15 < release.grid.slices[0] < 30
    answer = release.count(x=(0, 0.5))
    assert abs(answer.value - 2000) < 300


def test_coarse_slices_spread_over_declared_cells() -> None:
    counts = np.full(1000, 10)
    release = hg.publish(hg.Counts(counts), epsilon=1, mechanism="uniform-grid")
    assert release.grid.size < 1000
    array = release.to_array()
    assert array.shape == (1000,)
    assert np.isclose(array.sum(), release.estimate.values.sum())


@pytest.mark.parametrize("share", [0, 1, -1, "x", float("nan")])
def test_shares_lie_between_0_and_1(share: object) -> None:
    with pytest.raises(BadInput, match="total_share"):
        UniformGrid(total_share=share)  # type: ignore[arg-type]


def test_a_given_size_is_taken_as_it_is_and_costs_nothing() -> None:
    """U_m of the paper: no number of rows is bought, and counts get the whole budget."""
    release = hg.publish(
        hg.Counts(np.zeros((100, 7), dtype=int)), epsilon=1, mechanism="uniform-grid:m=30"
    )
    assert release.grid.slices == (30, 7)
    assert [m.scale for m in release.estimate.measurements] == [1]


@pytest.mark.parametrize("m", [0, -3, 1.5, "x", True])
def test_sizes_are_whole_numbers_from_1(m: object) -> None:
    with pytest.raises(BadInput, match="m must be a whole number"):
        UniformGrid(m=m)  # type: ignore[arg-type]


def test_a_size_with_too_many_parts_is_refused_before_anything_is_charged() -> None:
    with pytest.raises(BadInput):
        UniformGrid(m=10**5).check(PLANE)
