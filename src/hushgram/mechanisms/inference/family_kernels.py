"""Compiled: the messages between a node and its two halves in belief propagation.

These are the innermost loops of `posterior`: over the counts of the lower half, of the upper half,
and the kinds of splits. The probability of a split is a product, which each kind factors
differently:

- With an empty half, only its count 0 contributes.
- Clumped and mild splits have the weights of both halves and of the whole as factors. These are
  multiplied in before and after the loop, so that only a convolution remains. The kinds are
  processed together in one vector instruction. A fourth number is multiplied along with them, where
  the message of an empty half is written afterwards.
- There are few nearly even splits for each count of the whole, so only these are added up. Those of
  an upper half are stored backwards, so that all factors are read in the same order.

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
    ONE,
    TWO,
    TWOS,
    add_fours,
    four_at,
    multiply_fours,
    put_four,
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


class Band(NamedTuple):
    """The nearly even splits of one count: the starts of their probabilities and of the counts of
    both halves, and their number."""

    chance: int
    low: int
    high: int
    size: int


@compiled(nogil=True, side_by_side=True, forceinline=True)
def band_of(family: Family, i: int, lows: Any, starts: Any, place: int) -> Band:
    """The band of the i-th count of the whole. The upper half is backwards."""
    low, high, k = family.low, family.high, family.whole.lo + i
    p = np.uint64(place + i)
    begin, start = lows[p], starts[p]
    first = max(max(begin, low.lo), k - high.lo - high.size + 1)
    last = min(min(begin + starts[p + ONE] - start, low.lo + low.size), k - high.lo + 1)
    return Band(start + first - begin, first - low.lo, high.size - 1 - (k - first - high.lo),
                max(last - first, 0))  # fmt: skip


@compiled(nogil=True, side_by_side=True, forceinline=True)
def gather_even(family: Family, lows: Any, starts: Any, chances: Any, place: int, up: Any, one: int,
                two: int, room: Any) -> None:  # fmt: skip
    """The message from the halves to each count of the whole for nearly even splits. The table has
    the first of these counts in a ``place``."""
    one, two = one + FOURS * family.low.size, two + FOURS * family.high.size
    row = np.uint64(FOURS * family.whole.size)
    for i in range(family.whole.size):
        band, total = band_of(family, i, lows, starts, place), NO_FOUR
        t, a = np.uint64(TWOS * band.chance), np.uint64(one + TWOS * band.low)
        b = np.uint64(two + TWOS * band.high)
        for _ in range(band.size // 2):
            both = multiply_fours(four_at(up, a), four_at(up, b))
            total = add_fours(total, multiply_fours(four_at(chances, t), both))
            t += FOUR
            a += FOUR
            b += FOUR
        nearly, even = total[0] + total[2], total[1] + total[3]
        if band.size % 2:
            nearly += chances[t] * up[a] * up[b]
            even += chances[t + ONE] * up[a + ONE] * up[b + ONE]
        room[row], room[row + ONE] = nearly, even
        row += TWO


@compiled(nogil=True, side_by_side=True, forceinline=True)
def share_even(family: Family, lows: Any, starts: Any, chances: Any, place: int, room: Any, up: Any,
               down: Any, one: int, two: int) -> None:  # fmt: skip
    """The messages to the halves for nearly even splits."""
    one, two = one + FOURS * family.low.size, two + FOURS * family.high.size
    row = np.uint64(FOURS * family.whole.size)
    for n in range(one, one + TWOS * family.low.size):
        down[np.uint64(n)] = 0.0
    for n in range(two, two + TWOS * family.high.size):
        down[np.uint64(n)] = 0.0
    for i in range(family.whole.size):
        band, nearly, even = band_of(family, i, lows, starts, place), room[row], room[row + ONE]
        t, a = np.uint64(TWOS * band.chance), np.uint64(one + TWOS * band.low)
        b = np.uint64(two + TWOS * band.high)
        for _ in range(band.size // 2):
            known = multiply_fours(four_at(chances, t), (nearly, even, nearly, even))
            put_four(down, a, add_fours(four_at(down, a), multiply_fours(known, four_at(up, b))))
            put_four(down, b, add_fours(four_at(down, b), multiply_fours(known, four_at(up, a))))
            t += FOUR
            a += FOUR
            b += FOUR
        if band.size % 2:
            nearly, even = nearly * chances[t], even * chances[t + ONE]
            down[a] += nearly * up[b]
            down[b] += nearly * up[a]
            down[a + ONE] += even * up[b + ONE]
            down[b + ONE] += even * up[a + ONE]
        row += TWO
