"""Occupied cells know their boxes, whatever was asked before."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hushgram.declare.axis import Integer
from hushgram.declare.domain import Domain
from hushgram.geometry.partition import Boxes, Raster
from hushgram.trusted.engine.occupied import Occupied, argsort_slices

RASTER = Raster.of_cells(Domain(x=Integer(0, 8), y=Integer(0, 6)))


def cut_at_random(boxes: Boxes, rng: np.random.Generator) -> Boxes:
    """Some of the boxes cut along some axis."""
    lower, upper = boxes.corners
    axes = rng.integers(-1, 2, boxes.size)
    wide = (upper - lower)[np.arange(boxes.size), axes] > 1
    axes = np.where((axes >= 0) & wide, axes, -1)
    places = (lower + upper + 1)[np.arange(boxes.size), axes] // 2
    return boxes.cut(axes, places)


@given(st.integers(0, 10**6))
def test_boxes_are_found_from_those_asked_about_before(seed: int) -> None:
    """Trees that grow, shrink again and start anew give what a look from the root gives."""
    rng = np.random.default_rng(seed)
    exact = Occupied.of(RASTER, rng.integers(0, RASTER.size, 30))
    boxes = [Boxes.whole(RASTER)]
    for _ in range(4):
        boxes.append(cut_at_random(boxes[-1], rng))
    boxes += [cut_at_random(Boxes.whole(RASTER), rng), boxes[2], boxes[4], boxes[1]]
    for one in boxes:
        expected = one.parts_of_slices(exact.slices)
        assert exact.parts_of(one).tolist() == expected.tolist()
        assert exact.parts_of(one) is exact.parts_of(one)
        counts = np.bincount(expected, exact.rows, one.size).astype(int)
        assert exact.sum_boxes(one).tolist() == counts.tolist()


def test_boxes_of_another_raster_are_not_below() -> None:
    whole = Boxes.whole(RASTER)
    other = Boxes.whole(Raster.of_cells(Domain(x=Integer(0, 8), y=Integer(0, 7))))
    none: Any = np.zeros(1, dtype=np.int64)
    assert whole.parts_below(other, none, np.zeros((1, 2), dtype=np.int64)) is None


def test_cells_in_the_order_of_each_axis() -> None:
    exact = Occupied.of(RASTER, np.random.default_rng(3).integers(0, RASTER.size, 50))
    for axis in (0, 1):
        along = exact.sorted_along(axis)
        order = np.argsort(exact.slices[:, axis], kind="stable")
        assert along.slices.tolist() == exact.slices[order, axis].tolist()
        assert along.rows.tolist() == exact.rows[order].tolist()


def test_slices_beyond_16_bits_are_sorted_too() -> None:
    slices = np.array([65_536, 3, 65_535, 65_536, 0])
    assert argsort_slices(slices, 65_537).tolist() == [4, 1, 2, 0, 3]
    assert argsort_slices(slices[1:3], 65_536).tolist() == [0, 1]
