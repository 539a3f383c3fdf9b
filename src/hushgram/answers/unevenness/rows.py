"""Rows of numbers, a question each, as arrays or as sparse matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from hushgram.declare.axis import Floats

ROUNDING = 1e-12
"""How far from 1 the share of a part may be and still be all of it."""

SURE = 2.0
"""Standard deviations by which the rows of a part may be more than they seem."""


def as_rows(rows: Any) -> Any:
    """At least two axes: a question is a row."""
    return np.atleast_2d(rows) if isinstance(rows, np.ndarray) else rows


def farther_end(shares: Any) -> Any:
    """How far 0 and 1 are at most from the shares of parts that are cut."""
    if isinstance(shares, np.ndarray):
        cut = (shares > ROUNDING) & (shares < 1 - ROUNDING)
        return np.where(cut, np.maximum(shares, 1 - shares), 0.0)
    found = shares.tocsr(copy=True)
    found.data[:] = farther_end(found.data)
    found.eliminate_zeros()
    return found


def clean(rows: Any) -> Any:
    """Without entries that are zero except for rounding."""
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
    """All rows of the parts as far as they can reach, and as many as there may be of them."""
    rows_reach = as_rows(reach)
    sure = SURE * np.sqrt(rows_reach**2 @ noise)
    return np.asarray(rows_reach @ np.maximum(rows, 0) + sure, dtype=np.float64)
