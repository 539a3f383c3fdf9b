"""Functions of rows of numbers, one per query, as arrays or sparse matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from hushgram.declare.axis import Floats

ROUNDING = 1e-12
"""The largest distance of a share from 0 or 1 that counts as a rounding error."""

SURE = 2.0
"""The number of standard deviations by which the rows of a part may exceed their noisy count."""


def as_rows(rows: Any) -> Any:
    """The array with at least two axes, so that each query is a row."""
    return np.atleast_2d(rows) if isinstance(rows, np.ndarray) else rows


def farther_end(shares: Any) -> Any:
    """The larger distance of each share to 0 and 1, for parts that are cut; else 0."""
    if isinstance(shares, np.ndarray):
        cut = (shares > ROUNDING) & (shares < 1 - ROUNDING)
        return np.where(cut, np.maximum(shares, 1 - shares), 0.0)
    found = shares.tocsr(copy=True)
    found.data[:] = farther_end(found.data)
    found.eliminate_zeros()
    return found


def clean(rows: Any) -> Any:
    """The rows with exact zeros instead of rounding errors."""
    if isinstance(rows, np.ndarray):
        return np.where(rows > ROUNDING, rows, 0.0)
    found = rows.tocsr(copy=True)
    found.data[found.data <= ROUNDING] = 0.0
    found.eliminate_zeros()
    return found


def root(rows: Any) -> Any:
    return np.sqrt(rows) if isinstance(rows, np.ndarray) else rows.sqrt()


def count_entries(rows: Any) -> Any:
    if isinstance(rows, np.ndarray):
        return np.count_nonzero(rows, axis=1)
    return np.diff(rows.tocsr().indptr)


def row_sums(rows: Any) -> Floats:
    return np.asarray(rows.sum(axis=1), dtype=np.float64).reshape(-1)


def farthest(reach: Any, rows: Floats, noise: Floats) -> Floats:
    """The largest possible effect: all rows of the parts at the largest distance, including as many
    as noise can hide."""
    rows_reach = as_rows(reach)
    sure = SURE * np.sqrt(rows_reach**2 @ noise)
    return np.asarray(rows_reach @ np.maximum(rows, 0) + sure, dtype=np.float64)
