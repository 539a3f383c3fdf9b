"""The compiled walk over the parts of a refined grid (see `Refined`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from hushgram.base.compiled import compiled


@compiled()
def fill_boxes(lower: Any, upper: Any, sizes: Any, starts: Any, stops: Any) -> None:
    """Fill in the boxes of all parts, cell by cell: O(parts x axes), with one division per slice.

    In a cell of width w, index i is in slice ``(i - start) * m // w`` of m, so slice p starts at
    p w / m, rounded up.
    """
    cells, dims = sizes.shape
    most = 0
    for axis in range(dims):
        most = max(most, sizes[:, axis].max())
    edges, at = np.empty((dims, most + 1), np.int64), np.empty(dims, np.int64)
    part = 0
    for cell in range(cells):
        parts = 1
        for axis in range(dims):
            slices, start = sizes[cell, axis], lower[cell, axis]
            width = upper[cell, axis] - start
            for place in range(slices + 1):
                edges[axis, place] = start + (place * width + slices - 1) // slices
            parts *= slices
            at[axis] = 0
        for _ in range(parts):
            for axis in range(dims):
                starts[part, axis] = edges[axis, at[axis]]
                stops[part, axis] = edges[axis, at[axis] + 1]
            part += 1
            axis = dims - 1
            while axis >= 0 and at[axis] == sizes[cell, axis] - 1:
                at[axis] = 0
                axis -= 1
            if axis >= 0:
                at[axis] += 1
