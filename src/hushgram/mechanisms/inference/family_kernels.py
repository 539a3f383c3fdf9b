"""Compiled: the messages between a node and its two halves in belief propagation.

These are the innermost loops of `posterior`: over the counts of the lower half, of the upper half,
and the kinds of splits. The probability of a split is a product, which each kind factors
differently:

- With an empty half, only its count 0 contributes.
- Clumped and mild splits have the weights of both halves and of the whole as factors. These are
  multiplied in before and after the loop, so that only a convolution remains. Three kinds and an
  unused number are processed together in one vector instruction.
- There are few nearly even splits for each count of the whole, so only these are added up. The
  upper half is reversed, so that all factors are read in the same order.

All intermediate results are in one array, the ``room``, in sections for ``places`` counts each.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hushgram.base.compiled import compiled
from hushgram.mechanisms.inference.kind_rows import (
    FIVE,
    FOUR,
    NO_FOUR,
    ONE,
    THREE,
    TWO,
    add_fours,
    four_at,
    multiply_fours,
    put_four,
)
from hushgram.mechanisms.inference.split_kernels import Stretch, half_weights, whole_weights
from hushgram.mechanisms.inference.split_kinds import KINDS

CLUMPED, TO_CLUMPED, EVEN, TO_EVEN, HALF = 0, 4, 8, 10, 12
"""Offsets, in ``places``, of a half's sections: of the messages from its counts and those to them,
for clumped and mild splits and for nearly even ones; and the size of all of them."""

UPPER, WHOLE, MIXED, ROOM = HALF, 2 * HALF, 2 * HALF + 4, 2 * HALF + 4 + KINDS
"""Offsets of the sections of the upper half and of the whole; and the size of the room."""


class Family(NamedTuple):
    """A node and its halves: their windows, and the position of their nearly even splits."""

    low: Stretch
    high: Stretch
    whole: Stretch
    evens: int
    """The position of the first count of the whole in the table."""


@compiled(nogil=True, side_by_side=True)
def load(known: Any, at: int, window: Stretch, halves: Any, room: Any, own: int, places: int,
         step: int) -> None:  # fmt: skip
    """Separate the messages from a half by kinds. Those of nearly even splits are stored forwards
    or, with a ``step`` of -1, backwards."""
    four, two, row = np.uint64(own * places), np.uint64((own + EVEN) * places), np.uint64(at)
    two += np.uint64(0 if step > 0 else 2 * (window.size - 1))
    k = np.uint64(window.lo)
    for _ in range(window.size):
        weights = four_at(halves, FOUR * k) if FOUR * k < len(halves) else half_weights(k)
        kinds = known[row + ONE], known[row + TWO], known[row + THREE], 0.0
        put_four(room, four, multiply_fours(weights, kinds))
        room[two], room[two + ONE] = known[row + FOUR], known[row + FIVE]
        four += FOUR
        row += np.uint64(KINDS)
        two = two + TWO if step > 0 else two - TWO
        k += ONE


@compiled(nogil=True, side_by_side=True)
def unload(down: Any, at: int, window: Stretch, halves: Any, room: Any, own: int, places: int,
           step: int) -> None:  # fmt: skip
    """Combine the messages to a half from all kinds."""
    four, row = np.uint64((own + TO_CLUMPED) * places), np.uint64(at)
    two = np.uint64((own + TO_EVEN) * places + (0 if step > 0 else 2 * (window.size - 1)))
    k = np.uint64(window.lo)
    for _ in range(window.size):
        weights = four_at(halves, FOUR * k) if FOUR * k < len(halves) else half_weights(k)
        kinds = multiply_fours(weights, four_at(room, four))
        down[row + ONE], down[row + TWO], down[row + THREE] = kinds[0], kinds[1], kinds[2]
        down[row + FOUR], down[row + FIVE] = room[two], room[two + ONE]
        four += FOUR
        row += np.uint64(KINDS)
        two = two + TWO if step > 0 else two - TWO
        k += ONE


@compiled(nogil=True, side_by_side=True)
def base_of(family: Family) -> int:
    """The first count of the node's window minus the smallest sum of the halves' counts."""
    return family.whole.lo - family.low.lo - family.high.lo


@compiled(nogil=True, side_by_side=True)
def gather_empty(family: Family, up: Any, one: int, two: int, room: Any, places: int) -> None:
    """The message from the halves to each count of the whole if one of them is empty. ``up`` has
    the messages from the lower half at ``one`` and from the upper half at ``two``."""
    low, high, size, base = family.low, family.high, family.whole.size, base_of(family)
    mixed = MIXED * places
    for i in range(size):
        room[np.uint64(mixed + KINDS * i)] = 0.0
    if low.lo == 0:
        none = 0.5 * up[np.uint64(one)]
        for m in range(max(base, 0), min(base + size, high.size)):
            room[np.uint64(mixed + KINDS * (m - base))] += none * up[np.uint64(two + KINDS * m)]
    if high.lo == 0:
        none = 0.5 * up[np.uint64(two)]
        for j in range(max(base, 0), min(base + size, low.size)):
            room[np.uint64(mixed + KINDS * (j - base))] += none * up[np.uint64(one + KINDS * j)]


@compiled(nogil=True, side_by_side=True)
def share_empty(family: Family, up: Any, one: int, two: int, room: Any, places: int, down: Any,
                to_one: int, to_two: int) -> None:  # fmt: skip
    """Add the messages to each half if one of them is empty."""
    low, high, size, base = family.low, family.high, family.whole.size, base_of(family)
    mixed = MIXED * places
    for j in range(low.size):
        down[np.uint64(to_one + KINDS * j)] = 0.0
    for m in range(high.size):
        down[np.uint64(to_two + KINDS * m)] = 0.0
    if low.lo == 0:
        none, total = up[np.uint64(one)], 0.0
        for m in range(max(base, 0), min(base + size, high.size)):
            known = 0.5 * room[np.uint64(mixed + KINDS * (m - base))]
            total += known * up[np.uint64(two + KINDS * m)]
            down[np.uint64(to_two + KINDS * m)] += known * none
        down[np.uint64(to_one)] += total
    if high.lo == 0:
        none, total = up[np.uint64(two)], 0.0
        for j in range(max(base, 0), min(base + size, low.size)):
            known = 0.5 * room[np.uint64(mixed + KINDS * (j - base))]
            total += known * up[np.uint64(one + KINDS * j)]
            down[np.uint64(to_one + KINDS * j)] += known * none
        down[np.uint64(to_two)] += total


@compiled(nogil=True, side_by_side=True)
def gather_clumped(family: Family, wholes: Any, room: Any, places: int) -> None:
    """The message from the halves to each count of the whole for clumped and mild splits."""
    low, high, whole, base = family.low, family.high, family.whole, base_of(family)
    one, two, sums = CLUMPED * places, (UPPER + CLUMPED) * places, WHOLE * places
    for i in range(whole.size):
        put_four(room, np.uint64(sums + 4 * i), NO_FOUR)
    for j in range(low.size):
        own = four_at(room, np.uint64(one + 4 * j))
        first, last = max(base - j, 0), min(base - j + whole.size, high.size)
        b, s = np.uint64(two + 4 * first), np.uint64(sums + 4 * (j + first - base))
        for _ in range(last - first):
            put_four(room, s, add_fours(four_at(room, s), multiply_fours(own, four_at(room, b))))
            b += FOUR
            s += FOUR
    k, s = np.uint64(whole.lo), np.uint64(sums)
    row = np.uint64(MIXED * places)
    for _ in range(whole.size):
        weights = four_at(wholes, FOUR * k) if FOUR * k < len(wholes) else whole_weights(k)
        kinds = multiply_fours(weights, four_at(room, s))
        room[row + ONE], room[row + TWO], room[row + THREE] = kinds[0], kinds[1], kinds[2]
        k += ONE
        s += FOUR
        row += np.uint64(KINDS)


@compiled(nogil=True, side_by_side=True)
def share_clumped(family: Family, wholes: Any, room: Any, places: int) -> None:
    """The messages to the halves for clumped and mild splits."""
    low, high, whole, base = family.low, family.high, family.whole, base_of(family)
    one, two, known = CLUMPED * places, (UPPER + CLUMPED) * places, WHOLE * places
    to_one, to_two = one + TO_CLUMPED * places, two + TO_CLUMPED * places
    k, s, row = np.uint64(whole.lo), np.uint64(known), np.uint64(MIXED * places)
    for _ in range(whole.size):
        weights = four_at(wholes, FOUR * k) if FOUR * k < len(wholes) else whole_weights(k)
        kinds = room[row + ONE], room[row + TWO], room[row + THREE], 0.0
        put_four(room, s, multiply_fours(weights, kinds))
        k += ONE
        s += FOUR
        row += np.uint64(KINDS)
    for m in range(high.size):
        put_four(room, np.uint64(to_two + 4 * m), NO_FOUR)
    for j in range(low.size):
        own, total = four_at(room, np.uint64(one + 4 * j)), NO_FOUR
        first, last = max(base - j, 0), min(base - j + whole.size, high.size)
        s, b = np.uint64(known + 4 * (j + first - base)), np.uint64(two + 4 * first)
        d = np.uint64(to_two + 4 * first)
        for _ in range(last - first):
            from_whole = four_at(room, s)
            total = add_fours(total, multiply_fours(from_whole, four_at(room, b)))
            put_four(room, d, add_fours(four_at(room, d), multiply_fours(from_whole, own)))
            s += FOUR
            b += FOUR
            d += FOUR
        put_four(room, np.uint64(to_one + 4 * j), total)


class Band(NamedTuple):
    """The nearly even splits of one count: the starts of their probabilities and of the counts of
    both halves, and their number."""

    chance: int
    low: int
    high: int
    size: int


@compiled(nogil=True, side_by_side=True)
def band_of(family: Family, i: int, lows: Any, starts: Any) -> Band:
    """The band of the i-th count of the whole. The upper half is reversed."""
    low, high, k = family.low, family.high, family.whole.lo + i
    place = np.uint64(family.evens + i)
    begin, start = lows[place], starts[place]
    first = max(max(begin, low.lo), k - high.lo - high.size + 1)
    last = min(min(begin + starts[place + ONE] - start, low.lo + low.size), k - high.lo + 1)
    return Band(start + first - begin, first - low.lo, high.size - 1 - (k - first - high.lo),
                max(last - first, 0))  # fmt: skip


@compiled(nogil=True, side_by_side=True)
def gather_even(family: Family, lows: Any, starts: Any, chances: Any, room: Any,
                places: int) -> None:  # fmt: skip
    """The message from the halves to each count of the whole for nearly even splits."""
    row = np.uint64(MIXED * places)
    for i in range(family.whole.size):
        band, total = band_of(family, i, lows, starts), NO_FOUR
        t, a = np.uint64(2 * band.chance), np.uint64(EVEN * places + 2 * band.low)
        b = np.uint64((UPPER + EVEN) * places + 2 * band.high)
        for _ in range(band.size // 2):
            both = multiply_fours(four_at(room, a), four_at(room, b))
            total = add_fours(total, multiply_fours(four_at(chances, t), both))
            t += FOUR
            a += FOUR
            b += FOUR
        nearly, even = total[0] + total[2], total[1] + total[3]
        if band.size % 2:
            nearly += chances[t] * room[a] * room[b]
            even += chances[t + ONE] * room[a + ONE] * room[b + ONE]
        room[row + FOUR], room[row + FIVE] = nearly, even
        row += np.uint64(KINDS)


@compiled(nogil=True, side_by_side=True)
def share_even(family: Family, lows: Any, starts: Any, chances: Any, room: Any,
               places: int) -> None:  # fmt: skip
    """The messages to the halves for nearly even splits."""
    ahead = np.uint64((TO_EVEN - EVEN) * places)
    for n in range(2 * family.low.size):
        room[np.uint64(TO_EVEN * places + n)] = 0.0
    for n in range(2 * family.high.size):
        room[np.uint64((UPPER + TO_EVEN) * places + n)] = 0.0
    row = np.uint64(MIXED * places)
    for i in range(family.whole.size):
        band, nearly, even = band_of(family, i, lows, starts), room[row + FOUR], room[row + FIVE]
        t, a = np.uint64(2 * band.chance), np.uint64(EVEN * places + 2 * band.low)
        b = np.uint64((UPPER + EVEN) * places + 2 * band.high)
        for _ in range(band.size // 2):
            known = multiply_fours(four_at(chances, t), (nearly, even, nearly, even))
            for_one = multiply_fours(known, four_at(room, b))
            for_two = multiply_fours(known, four_at(room, a))
            put_four(room, a + ahead, add_fours(four_at(room, a + ahead), for_one))
            put_four(room, b + ahead, add_fours(four_at(room, b + ahead), for_two))
            t += FOUR
            a += FOUR
            b += FOUR
        if band.size % 2:
            nearly, even = nearly * chances[t], even * chances[t + ONE]
            room[a + ahead] += nearly * room[b]
            room[b + ahead] += nearly * room[a]
            room[a + ahead + ONE] += even * room[b + ONE]
            room[b + ahead + ONE] += even * room[a + ONE]
        row += np.uint64(KINDS)


@compiled(nogil=True, side_by_side=True)
def gather(family: Family, up: Any, one: int, two: int, halves: Any, wholes: Any, lows: Any,
           starts: Any, chances: Any, room: Any, places: int) -> None:  # fmt: skip
    """Put the message from the halves to each count of the whole, for each kind, into the room."""
    load(up, one, family.low, halves, room, 0, places, 1)
    load(up, two, family.high, halves, room, UPPER, places, -1)
    gather_empty(family, up, one, two, room, places)
    gather_clumped(family, wholes, room, places)
    gather_even(family, lows, starts, chances, room, places)


@compiled(nogil=True, side_by_side=True)
def share_out(family: Family, up: Any, one: int, two: int, halves: Any, wholes: Any, lows: Any,
              starts: Any, chances: Any, room: Any, places: int, down: Any, to_one: int,
              to_two: int) -> None:  # fmt: skip
    """Compute the messages to both halves. The room has the message to each count of the whole from
    the rest of the tree."""
    load(up, one, family.low, halves, room, 0, places, 1)
    load(up, two, family.high, halves, room, UPPER, places, -1)
    share_clumped(family, wholes, room, places)
    share_even(family, lows, starts, chances, room, places)
    unload(down, to_one, family.low, halves, room, 0, places, 1)
    unload(down, to_two, family.high, halves, room, UPPER, places, -1)
    share_empty(family, up, one, two, room, places, down, to_one, to_two)
