"""Compiled arithmetic on rows of six numbers, one for each kind of split, and of four.

A row is a tuple, so its numbers stay in registers instead of being written to an array and read
again. Rows are stored one after the other in flat arrays, without creating views, and are
identified by the position of their first number. Positions are unsigned, since negative ones would
count from the end.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hushgram.base.compiled import compiled
from hushgram.mechanisms.inference.split_kinds import KINDS

NOTHING = (0.0,) * KINDS
NO_FOUR = (0.0,) * 4

ONE, TWO, THREE, FOUR, FIVE = (np.uint64(n) for n in range(1, 6))


@compiled(nogil=True, side_by_side=True)
def row_at(flat: Any, p: Any) -> Any:
    """The row at a position of a table."""
    return (flat[p], flat[p + ONE], flat[p + TWO], flat[p + THREE], flat[p + FOUR], flat[p + FIVE])


@compiled(nogil=True, side_by_side=True)
def put_row(flat: Any, p: Any, row: Any) -> None:
    """Write a row to a position of a table."""
    flat[p], flat[p + ONE], flat[p + TWO] = row[0], row[1], row[2]
    flat[p + THREE], flat[p + FOUR], flat[p + FIVE] = row[3], row[4], row[5]


@compiled(nogil=True, side_by_side=True)
def add_rows(a: Any, b: Any) -> Any:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5]


@compiled(nogil=True, side_by_side=True)
def multiply_rows(a: Any, b: Any) -> Any:
    return a[0] * b[0], a[1] * b[1], a[2] * b[2], a[3] * b[3], a[4] * b[4], a[5] * b[5]


@compiled(nogil=True, side_by_side=True)
def scale_row(a: Any, by: float) -> Any:
    return a[0] * by, a[1] * by, a[2] * by, a[3] * by, a[4] * by, a[5] * by


@compiled(nogil=True, side_by_side=True)
def sum_row(a: Any) -> float:
    return float(a[0] + a[1] + a[2] + a[3] + a[4] + a[5])


@compiled(nogil=True, side_by_side=True)
def four_at(flat: Any, p: Any) -> Any:
    return flat[p], flat[p + ONE], flat[p + TWO], flat[p + THREE]


@compiled(nogil=True, side_by_side=True)
def put_four(flat: Any, p: Any, row: Any) -> None:
    flat[p], flat[p + ONE], flat[p + TWO], flat[p + THREE] = row[0], row[1], row[2], row[3]


@compiled(nogil=True, side_by_side=True)
def add_fours(a: Any, b: Any) -> Any:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]


@compiled(nogil=True, side_by_side=True)
def multiply_fours(a: Any, b: Any) -> Any:
    return a[0] * b[0], a[1] * b[1], a[2] * b[2], a[3] * b[3]
