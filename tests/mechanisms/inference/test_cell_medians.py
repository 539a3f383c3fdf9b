from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hushgram.declare.axis import Floats
from hushgram.geometry.partition.arranged import PackedCells
from hushgram.mechanisms.inference.cell_medians import CellMedians
from hushgram.mechanisms.kd import next_axes
from tests.geometry.test_arranged import RASTER, trees


def middle(values: Floats, axis: int) -> int:
    """Where along an axis the sums on both sides differ the least: all cells added up."""
    below = np.cumsum(np.moveaxis(values, axis, 0).reshape(values.shape[axis], -1).sum(axis=1))
    return 1 + int(np.argmin(np.abs(2 * below[:-1] - below[-1])))


@given(st.integers(0, 10**6), st.integers(0, 63))
def test_boxes_are_cut_where_a_sum_of_all_cells_says(seed: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    cells = np.sort(rng.choice(RASTER.size, size, replace=False))
    values = np.zeros(RASTER.size)
    values[cells] = rng.integers(1, 4, size)
    medians = CellMedians(PackedCells.of(RASTER, cells, values[cells]))
    for boxes in trees(rng):
        axes = next_axes(boxes, rng.integers(0, 2, boxes.size) > 0, int(rng.integers(3)))
        expected = np.zeros(boxes.size, dtype=np.int64)
        for box, (lower, upper) in enumerate(zip(*boxes.corners, strict=True)):
            if axes[box] >= 0:
                inside = values.reshape(RASTER.shape)[tuple(map(slice, lower, upper))]
                expected[box] = lower[axes[box]] + middle(inside, axes[box])
        assert medians.cut(boxes, axes).cuts.tolist() == boxes.cut(axes, expected).cuts.tolist()
