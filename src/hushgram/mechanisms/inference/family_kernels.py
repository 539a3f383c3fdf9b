"""Compiled: the messages between a node and its two halves in belief propagation.

These are the innermost loops of `posterior`: over the counts of the lower half, of the upper half,
and the kinds of splits. The probability of a split is a product, which each kind factors
differently:

- With an empty half, only its count 0 contributes.
- Clumped and mild splits have the weights of both halves and of the whole as factors. These are
  multiplied in before and after the loop, so that only a convolution remains. The kinds are
  processed together in one vector instruction. A fourth number is multiplied along with them, where
  the message of an empty half is written afterwards.
- There are few nearly even splits for each count of the lower half, so only these are added up.

Messages are stored as in `kind_rows`. Those from halves (``up``) and to them (``down``) start at
the same positions, ``one`` for the lower half and ``two`` for the upper one. The message from or to
the whole is at the start of the ``room``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hushgram.base.compiled import compiled
from hushgram.mechanisms.inference.kind_rows import (
    EMPTY,
    FOUR,
    FOURS,
    NO_FOUR,
    NO_TWO,
    ONE,
    TWO,
    TWOS,
    add_fours,
    add_twos,
    four_at,
    multiply_fours,
    multiply_twos,
    put_four,
    put_two,
    two_at,
)
from hushgram.mechanisms.inference.split_kernels import Stretch


class Family(NamedTuple):
    """The windows of a node and its halves."""

    low: Stretch
    high: Stretch
    whole: Stretch


@compiled(nogil=True, side_by_side=True, forceinline=True)
def base_of(family: Family) -> int:
    """The first count of the node's window minus the smallest sum of the halves' counts."""
    return family.whole.lo - family.low.lo - family.high.lo


@compiled(nogil=True, side_by_side=True, forceinline=True)
def gather_clumped(family: Family, up: Any, one: int, two: int, room: Any) -> None:
    """The message from the halves to each count of the whole for clumped and mild splits."""
    low, high, size, base = family.low, family.high, family.whole.size, base_of(family)
    for i in range(size):
        put_four(room, np.uint64(FOURS * i), NO_FOUR)
    for j in range(low.size):
        own = four_at(up, np.uint64(one + FOURS * j))
        first, last = max(base - j, 0), min(base - j + size, high.size)
        b, s = np.uint64(two + FOURS * first), np.uint64(FOURS * (j + first - base))
        for _ in range(last - first):
            put_four(room, s, add_fours(four_at(room, s), multiply_fours(own, four_at(up, b))))
            b += FOUR
            s += FOUR


@compiled(nogil=True, side_by_side=True, forceinline=True)
def share_clumped(family: Family, room: Any, up: Any, down: Any, one: int, two: int) -> None:
    """The messages to the halves for clumped and mild splits."""
    low, high, size, base = family.low, family.high, family.whole.size, base_of(family)
    for m in range(high.size):
        put_four(down, np.uint64(two + FOURS * m), NO_FOUR)
    for j in range(low.size):
        own, total = four_at(up, np.uint64(one + FOURS * j)), NO_FOUR
        first, last = max(base - j, 0), min(base - j + size, high.size)
        s, b = np.uint64(FOURS * (j + first - base)), np.uint64(two + FOURS * first)
        for _ in range(last - first):
            from_whole = four_at(room, s)
            total = add_fours(total, multiply_fours(from_whole, four_at(up, b)))
            put_four(down, b, add_fours(four_at(down, b), multiply_fours(from_whole, own)))
            s += FOUR
            b += FOUR
        put_four(down, np.uint64(one + FOURS * j), total)


@compiled(nogil=True, side_by_side=True, forceinline=True)
def gather_empty(family: Family, up: Any, one: int, two: int, room: Any) -> None:
    """The message from the halves to each count of the whole if one of them is empty."""
    low, high, size, base = family.low, family.high, family.whole.size, base_of(family)
    at, a, b = EMPTY - FOURS * base, one + EMPTY, two + EMPTY
    for i in range(size):
        room[np.uint64(EMPTY + FOURS * i)] = 0.0
    if low.lo == 0:
        none = 0.5 * up[np.uint64(a)]
        for m in range(max(base, 0), min(base + size, high.size)):
            room[np.uint64(at + FOURS * m)] += none * up[np.uint64(b + FOURS * m)]
    if high.lo == 0:
        none = 0.5 * up[np.uint64(b)]
        for j in range(max(base, 0), min(base + size, low.size)):
            room[np.uint64(at + FOURS * j)] += none * up[np.uint64(a + FOURS * j)]


@compiled(nogil=True, side_by_side=True, forceinline=True)
def share_empty(family: Family, room: Any, up: Any, down: Any, one: int, two: int) -> None:
    """The messages to each half if one of them is empty."""
    low, high, size, base = family.low, family.high, family.whole.size, base_of(family)
    at, a, b = EMPTY - FOURS * base, one + EMPTY, two + EMPTY
    for j in range(low.size):
        down[np.uint64(a + FOURS * j)] = 0.0
    for m in range(high.size):
        down[np.uint64(b + FOURS * m)] = 0.0
    if low.lo == 0:
        none, total = up[np.uint64(a)], 0.0
        for m in range(max(base, 0), min(base + size, high.size)):
            known = 0.5 * room[np.uint64(at + FOURS * m)]
            total += known * up[np.uint64(b + FOURS * m)]
            down[np.uint64(b + FOURS * m)] += known * none
        down[np.uint64(a)] += total
    if high.lo == 0:
        none, total = up[np.uint64(b)], 0.0
        for j in range(max(base, 0), min(base + size, low.size)):
            known = 0.5 * room[np.uint64(at + FOURS * j)]
            total += known * up[np.uint64(a + FOURS * j)]
            down[np.uint64(a + FOURS * j)] += known * none
        down[np.uint64(b)] += total


@compiled(nogil=True, side_by_side=True, forceinline=True)
def gather_even(family: Family, lows: Any, starts: Any, chances: Any, place: int, up: Any, one: int,
                two: int, room: Any) -> None:  # fmt: skip
    """The message from the halves to each count of the whole for nearly even splits. The table has
    the first count of the lower half in a ``place``."""
    low, high, size, base = family.low, family.high, family.whole.size, base_of(family)
    one, two, sums = one + FOURS * low.size, two + FOURS * high.size, FOURS * size
    for i in range(size):
        put_two(room, np.uint64(sums + TWOS * i), NO_TWO)
    for j in range(low.size):
        p, own = np.uint64(place + j), two_at(up, np.uint64(one + TWOS * j))
        start, offset = starts[p], lows[p] - high.lo
        first = max(max(base - j, offset), 0)
        last = min(min(base - j + size, offset + starts[p + ONE] - start), high.size)
        t, b = np.uint64(TWOS * (start + first - offset)), np.uint64(two + TWOS * first)
        s = np.uint64(sums + TWOS * (j + first - base))
        for _ in range(last - first):
            split = multiply_twos(two_at(chances, t), multiply_twos(own, two_at(up, b)))
            put_two(room, s, add_twos(two_at(room, s), split))
            t += TWO
            b += TWO
            s += TWO


@compiled(nogil=True, side_by_side=True, forceinline=True)
def share_even(family: Family, lows: Any, starts: Any, chances: Any, place: int, room: Any, up: Any,
               down: Any, one: int, two: int) -> None:  # fmt: skip
    """The messages to the halves for nearly even splits."""
    low, high, size, base = family.low, family.high, family.whole.size, base_of(family)
    one, two, known = one + FOURS * low.size, two + FOURS * high.size, FOURS * size
    for m in range(high.size):
        put_two(down, np.uint64(two + TWOS * m), NO_TWO)
    for j in range(low.size):
        p, own, total = np.uint64(place + j), two_at(up, np.uint64(one + TWOS * j)), NO_TWO
        start, offset = starts[p], lows[p] - high.lo
        first = max(max(base - j, offset), 0)
        last = min(min(base - j + size, offset + starts[p + ONE] - start), high.size)
        t, b = np.uint64(TWOS * (start + first - offset)), np.uint64(two + TWOS * first)
        s = np.uint64(known + TWOS * (j + first - base))
        for _ in range(last - first):
            from_whole = multiply_twos(two_at(chances, t), two_at(room, s))
            total = add_twos(total, multiply_twos(from_whole, two_at(up, b)))
            put_two(down, b, add_twos(two_at(down, b), multiply_twos(from_whole, own)))
            t += TWO
            b += TWO
            s += TWO
        put_two(down, np.uint64(one + TWOS * j), total)
