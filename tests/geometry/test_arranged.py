"""Cells that lie in the order of boxes are where a look from the root finds them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushgram.declare.axis import Integer
from hushgram.declare.domain import Domain
from hushgram.geometry.partition import Boxes, Ints, Raster
from hushgram.geometry.partition.arranged import Arranged, PackedCells

RASTER = Raster.of_cells(Domain(x=Integer(0, 8), y=Integer(0, 6), z=Integer(0, 0)))


def cut_at_random(boxes: Boxes, rng: np.random.Generator) -> Boxes:
    """Some of the boxes cut along some axis."""
    lower, upper = boxes.corners
    axes = rng.integers(-1, 3, boxes.size)
    wide = (upper - lower)[np.arange(boxes.size), axes] > 1
    axes = np.where((axes >= 0) & wide, axes, -1)
    first = lower[np.arange(boxes.size), axes] + 1
    places = rng.integers(first, np.maximum(upper[np.arange(boxes.size), axes], first + 1))
    return boxes.cut(axes, places)


def trees(rng: np.random.Generator) -> list[Boxes]:
    """Trees that grow, by one level and by several, shrink again and start anew."""
    grown = [Boxes.whole(RASTER)]
    for _ in range(5):
        grown.append(cut_at_random(grown[-1], rng))
    return [*grown[:4], grown[5], cut_at_random(grown[0], rng), grown[2], grown[4], grown[1]]


def slices_of(packed: Ints, cells: PackedCells) -> Ints:
    return (packed[:, np.newaxis] >> cells.shifts) & cells.masks


@given(st.integers(0, 10**6), st.integers(0, 40))
def test_each_box_has_its_cells_in_order(seed: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    numbers = np.sort(rng.choice(RASTER.size, size, replace=False))
    rows = rng.integers(1, 9, size)
    slices = np.stack(np.unravel_index(numbers, RASTER.shape), axis=1)
    cells = PackedCells.of(RASTER, numbers, rows)
    assert slices_of(cells.slices, cells).tolist() == slices.tolist()
    arranged = [Arranged(cells, axis) for axis in range(3)]
    for boxes in trees(rng):
        parts = boxes.parts_of_slices(slices)
        for axis, one in enumerate(arranged):
            if rng.integers(3) == 0:  # it falls behind
                continue
            inside = one.within(boxes)
            assert one.within(boxes) is inside
            order = np.lexsort((slices[:, axis], parts))
            starts = np.searchsorted(parts[order], range(boxes.size + 1))
            assert inside.starts.tolist() == starts.tolist()
            found = slices_of(inside.slices, cells)
            assert found[:, axis].tolist() == slices[order, axis].tolist()
            assert boxes.parts_of_slices(found).tolist() == parts[order].tolist()
            together = sorted(map(tuple, np.column_stack([found, inside.rows]).tolist()))
            assert together == sorted(map(tuple, np.column_stack([slices, rows]).tolist()))
            assert one.sum_boxes(boxes).tolist() == boxes.sum_slices(slices, rows).tolist()


@given(st.integers(0, 10**6))
def test_boxes_count_those_inside(seed: int) -> None:
    found = trees(np.random.default_rng(seed))
    for above in found:
        for below in found:
            parents = above.parts_of_slices(below.corners[0])
            last = above.parts_of_slices(below.corners[1] - 1)
            inside = below.count_inside(above)
            if inside is not None:
                assert parents.tolist() == last.tolist()
                assert inside.tolist() == np.bincount(parents, minlength=above.size).tolist()
    for above, below in pairwise(found[:5]):
        assert below.count_inside(above) is not None


def test_boxes_of_another_raster_are_refused() -> None:
    other = Boxes.whole(Raster.of_cells(Domain(x=Integer(0, 8), y=Integer(0, 7))))
    assert other.count_inside(Boxes.whole(RASTER)) is None
    none = np.empty(0, dtype=np.int64)
    with pytest.raises(ValueError, match="a different raster"):
        Arranged(PackedCells.of(RASTER, none, none), 0).within(other)


def test_the_most_bits_that_slices_can_take() -> None:
    """21 axes of five slices and one of two: 2^49.8 cells, and 64 bits."""
    ends = [4] * 21 + [1]
    raster = Raster.of_cells(Domain({f"a{k}": Integer(0, end) for k, end in enumerate(ends)}))
    numbers = np.array([0, 12345678901234, raster.size - 1])
    cells = PackedCells.of(raster, numbers, np.array([1, 2, 3]))
    expected = np.stack(np.unravel_index(numbers, raster.shape), axis=1)
    assert slices_of(cells.slices, cells).tolist() == expected.tolist()
    halves = Boxes.whole(raster).cut(np.array([0]), np.array([4]))
    assert Arranged(cells, 20).sum_boxes(halves).tolist() == [3, 3]
