"""Occupied cells know how many rows boxes have, whatever was asked before."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hushgram.geometry.partition import Boxes
from hushgram.trusted.engine.occupied import Occupied
from tests.geometry.test_arranged import RASTER, trees


@given(st.integers(0, 10**6), st.integers(0, 60))
def test_boxes_are_summed_after_any_others(seed: int, rows: int) -> None:
    rng = np.random.default_rng(seed)
    exact = Occupied.of(RASTER, rng.integers(0, RASTER.size, rows))
    slices = np.stack(np.unravel_index(exact.cells, RASTER.shape), axis=1)
    for boxes in trees(rng):
        exact.arranged_along(int(rng.integers(3))).within(boxes)
        assert exact.sum_boxes(boxes).tolist() == boxes.sum_slices(slices, exact.rows).tolist()


def test_a_table_without_rows_has_empty_boxes() -> None:
    exact = Occupied.of(RASTER, np.empty(0, dtype=np.int64))
    assert exact.sum_boxes(Boxes.whole(RASTER)).tolist() == [0]


@given(st.lists(st.tuples(st.integers(0, 62), st.integers(-3, 9)), min_size=1, max_size=30))
def test_rows_of_the_same_cell_are_added(pairs: list[tuple[int, int]]) -> None:
    cells, rows = np.array(pairs).T
    found = Occupied.of(RASTER, cells, rows)
    assert found.cells.tolist() == sorted(set(cells.tolist()))
    assert found.rows.tolist() == [rows[cells == cell].sum() for cell in found.cells]
