"""Compiled arithmetic on rows of tables: one number for each kind of split.

A row is a tuple. Its numbers stay in registers, where an array would be written and read again for
each of them. Places are unsigned: negative ones would be counted from the end.
"""

from __future__ import annotations

from typing import Any

from hushgram.base.compiled import compiled
from hushgram.mechanisms.inference.split_kinds import KINDS

NOTHING = (0.0,) * KINDS


@compiled(nogil=True)
def row_at(table: Any, place: int) -> Any:
    """The row of a table: places x kinds."""
    return (
        table[place, 0],
        table[place, 1],
        table[place, 2],
        table[place, 3],
        table[place, 4],
        table[place, 5],
    )


@compiled(nogil=True)
def put_row(table: Any, place: int, row: Any) -> None:
    """Write a row of a table."""
    for kind in range(KINDS):
        table[place, kind] = row[kind]


@compiled(nogil=True)
def add_rows(a: Any, b: Any) -> Any:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5]


@compiled(nogil=True)
def multiply_rows(a: Any, b: Any) -> Any:
    return a[0] * b[0], a[1] * b[1], a[2] * b[2], a[3] * b[3], a[4] * b[4], a[5] * b[5]


@compiled(nogil=True)
def scale_row(a: Any, by: float) -> Any:
    return a[0] * by, a[1] * by, a[2] * by, a[3] * by, a[4] * by, a[5] * by
