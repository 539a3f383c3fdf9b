"""Compiled arithmetic on a number for each kind of split: four of them, and two.

A message says for each count of a node how likely it is, for each kind of split. It is stored in
two sections of a flat array: ``FOURS`` numbers for each count, for the three beta-binomial kinds
and for an empty half, then ``TWOS`` numbers for each count, for the nearly even kinds. So each
section has what is processed together.

Numbers are in tuples, so they stay in registers instead of being written to an array and read
again. They are identified by the position of the first one. Positions are unsigned, since negative
ones would count from the end.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hushgram.base.compiled import compiled
from hushgram.mechanisms.inference.split_kinds import KINDS

ORDER = 1, 2, 3, 0, 4, 5
"""The kinds in the order of a message."""

EMPTY = 3
"""The place of an empty half among the four."""

NO_FOUR = (0.0,) * 4
NO_TWO = (0.0,) * 2

FOURS, TWOS = 4, 2

ONE, TWO, THREE, FOUR, FIVE = (np.uint64(n) for n in range(1, 6))
NONE, SIX = np.uint64(0), np.uint64(KINDS)


@compiled(nogil=True, side_by_side=True, forceinline=True)
def four_at(flat: Any, p: Any) -> Any:
    return flat[p], flat[p + ONE], flat[p + TWO], flat[p + THREE]


@compiled(nogil=True, side_by_side=True, forceinline=True)
def put_four(flat: Any, p: Any, row: Any) -> None:
    flat[p], flat[p + ONE], flat[p + TWO], flat[p + THREE] = row[0], row[1], row[2], row[3]


@compiled(nogil=True, side_by_side=True, forceinline=True)
def add_fours(a: Any, b: Any) -> Any:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]


@compiled(nogil=True, side_by_side=True, forceinline=True)
def multiply_fours(a: Any, b: Any) -> Any:
    return a[0] * b[0], a[1] * b[1], a[2] * b[2], a[3] * b[3]


@compiled(nogil=True, side_by_side=True, forceinline=True)
def scale_four(a: Any, by: float) -> Any:
    return a[0] * by, a[1] * by, a[2] * by, a[3] * by


@compiled(nogil=True, side_by_side=True, forceinline=True)
def sum_four(a: Any) -> float:
    return float((a[0] + a[1]) + (a[2] + a[3]))


@compiled(nogil=True, side_by_side=True, forceinline=True)
def two_at(flat: Any, p: Any) -> Any:
    return flat[p], flat[p + ONE]


@compiled(nogil=True, side_by_side=True, forceinline=True)
def put_two(flat: Any, p: Any, row: Any) -> None:
    flat[p], flat[p + ONE] = row[0], row[1]


@compiled(nogil=True, side_by_side=True, forceinline=True)
def add_twos(a: Any, b: Any) -> Any:
    return a[0] + b[0], a[1] + b[1]


@compiled(nogil=True, side_by_side=True, forceinline=True)
def multiply_twos(a: Any, b: Any) -> Any:
    return a[0] * b[0], a[1] * b[1]


@compiled(nogil=True, side_by_side=True, forceinline=True)
def scale_two(a: Any, by: float) -> Any:
    return a[0] * by, a[1] * by


@compiled(nogil=True, side_by_side=True, forceinline=True)
def sum_two(a: Any) -> float:
    return float(a[0] + a[1])
