"""Draw a discrete Laplace number digit by digit: tables that turn one random word into one digit.

**The digits.** With r = exp(-1/scale), a discrete Laplace number is G or -1-G, with odds 1 : r,
where G is geometric: P(G = g) ∝ rᵍ. Written in a mixed radix, the digits of G are independent, so
they are drawn separately. For a scale of 10⁶ there are three::

    G =     top digit, any size          7 bits              7 bits
                 │                         │                   │
            with the sign                  │                   │
                 │                         │                   │
    word 0 ► tables[0] << 14    word 2 ► tables[2] << 7    word 1 ► tables[1] << 0
             law `TopDigit`              law `LowDigit`             law `LowDigit`

The number of low bits (here 14) is the smallest that leaves the top digit a scale of at most 64.
They are split into digits of at most 12 bits.

**The look-up.** A table holds t[k] = floor(2⁶⁴ · C(k)) for the cumulative probabilities
C(k) = P(digit ≤ k), and a uniform word of 64 bits falls between two of them::

    0         t[0]           t[1]      t[2]   t[3]           2⁶⁴
    ├──────────┼──────────────┼─────────┼──────┼────  …  ─────┤
      digit 0      digit 1      digit 2    3               beyond: see `TopDigit`
                        ▲
                      word

A word that differs from all thresholds determines the digit with certainty. A number that starts
with a threshold (probability at most 2⁻⁵²) may be on either side of C: then further bits are drawn,
and C is computed to more digits, until the side is known. Nothing is ever rounded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache, partial
from itertools import pairwise
from math import ceil

import numpy as np

from hushgram.trusted.noise import entropy
from hushgram.trusted.noise.entropy import WORD, Interval, Ints, Uniform, Words
from hushgram.trusted.noise.exactexp import ceil_div, ceil_shift, enclose

TOP_SCALE = 64
DIGIT_BITS = 12
REACH = 32  # the top table ends where the tail is exp(-32); beyond that, it is used again
GUIDE_BITS = 12
LOW_BITS = 52  # with more, a top digit of 11 bits would not fit into an int64

Bounds = Callable[[int], Interval]
"""Returns bounds on 2**work · cₖ for a number k, where c is a sequence of real numbers."""


@dataclass(frozen=True)
class LowDigit:
    """P(d) ∝ xᵈ on 0 ≤ d < 2**bits, with x = exp(-rate): a digit below the top one."""

    rate: Fraction
    bits: int

    @property
    def size(self) -> int:
        """The number of tabulated cumulative probabilities."""
        return (1 << self.bits) - 1

    def cumulative(self, powers: Bounds, work: int) -> Bounds:
        """Return P(· ≤ k) from the powers of x: (1 - xᵏ⁺¹) / (1 - xⁿ) with n = 2**bits."""
        one = 1 << work
        end_low, end_high = powers(self.size + 1)
        most, least = one - end_low, one - end_high

        def bounds(k: int) -> Interval:
            low, high = powers(k + 1)
            return (one - high << work) // most, ceil_div(one - low << work, least)

        return bounds


@dataclass(frozen=True)
class TopDigit:
    """P(2t + s) ∝ xᵗ rˢ for t ≥ 0 and s in {0, 1}: the top digit t and the sign s.

    Here x = exp(-rate) and r = exp(-step). Only t < size/2 is tabulated. Given that t is not
    smaller, t - size/2 has the same distribution again.
    """

    rate: Fraction
    step: Fraction

    @property
    def size(self) -> int:
        """The number of tabulated cumulative probabilities."""
        return 2 * ceil(REACH / self.rate)

    def cumulative(self, powers: Bounds, work: int) -> Bounds:
        """Return P(· ≤ k) from the powers of x: 1 - xᵗ⁺¹ for k = 2t + 1, and 1 - xᵗ (r + x) / (1 +
        r) for k = 2t."""
        one = 1 << work
        x_low, x_high = powers(1)
        r_low, r_high = enclose(self.step, work)
        # The share increases in r and in x.
        share_low = (r_low + x_low << work) // (one + r_low)
        share_high = ceil_div(r_high + x_high << work, one + r_high)

        def bounds(k: int) -> Interval:
            low, high = powers((k + 1) // 2)
            if k % 2 == 0:
                low, high = low * share_low >> work, ceil_shift(high * share_high, work)
            return one - high, one - low

        return bounds


Law = LowDigit | TopDigit


class CumulativeTable:
    """The cumulative probabilities of a distribution, truncated after `width` binary places.

    `width` is 64, except in tests that enumerate every word of a table with 8.
    """

    def __init__(self, law: Law, width: int = WORD) -> None:
        self.law = law
        self.width = width
        self.thresholds = np.array(_thresholds(law, width), dtype=np.uint64)
        self.size = self.thresholds.size

    def locate(self, word: int) -> int:
        """Return how many cumulative probabilities are at most u, a uniform number that starts with
        ``word``."""
        k = int(np.searchsorted(self.thresholds, np.uint64(word)))
        u = Uniform(word, self.width)
        while k < self.size and self.thresholds[k] == word:
            if u.below(partial(self.enclose, k)):
                break
            k += 1
        return k

    def enclose(self, k: int, precision: int) -> Interval:
        """Return bounds on 2**precision times the k-th cumulative probability."""
        guard = _guard(self.law)
        work = precision + guard
        low, high = self.law.cumulative(lambda j: enclose(j * self.law.rate, work), work)(k)
        return low >> guard, ceil_shift(high, guard)


def _guard(law: Law) -> int:
    """Return the number of guard bits: 1 - x is about `rate`, and its leading zeros carry no
    information."""
    return 64 + ceil(1 / law.rate).bit_length()


def _thresholds(law: Law, width: int) -> list[int]:
    """Return ``floor(2**width * C)`` for every tabulated C, with as much precision as needed.

    The loop ends because C is transcendental (Lindemann): 2**width · C is not an integer.
    """
    guard = _guard(law)
    while (floors := _certain_floors(law, width, guard)) is None:
        guard *= 2
    return floors


def _certain_floors(law: Law, width: int, guard: int) -> list[int] | None:
    """Return the thresholds if `guard` bits are enough to be certain of all of them, else None."""
    work, last = width + guard, (1 << width) - 1  # C < 1, however close
    bounds = law.cumulative(_powers(law, work), work)
    floors = []
    for k in range(law.size):
        low, high = bounds(k)
        if low >> guard != min(high >> guard, last):
            return None
        floors.append(low >> guard)
    return floors


def _powers(law: Law, work: int) -> Bounds:
    """Return bounds on all powers, with one multiplication each.

    Because every product is rounded down, the j-th is at most j·(1 + error of the first) too small.
    """
    one = 1 << work
    first, above = enclose(law.rate, work)
    error = above - first + 1
    lows = [one]
    for _ in range(law.size + 1):
        lows.append(lows[-1] * first >> work)
    return lambda j: (lows[j], min(lows[j] + j * error, one))


@dataclass(frozen=True, eq=False)
class MixedRadix:
    """The tables for one scale, and the number of bits by which their digits are shifted.

    ``tables[0]`` is for the top digit and the sign; the others start with the lowest digit.
    """

    tables: Sequence[CumulativeTable]
    shifts: Sequence[int]

    def draw(self, words: Sequence[int]) -> int:
        """Return the exact draw for these words, one for each table."""
        sign, top = draw_top(self.tables[0], words[0])
        magnitude = top << self.shifts[0]
        for table, shift, word in zip(self.tables[1:], self.shifts[1:], words[1:], strict=True):
            magnitude += table.locate(word) << shift
        return magnitude ^ -sign

    @cached_property
    def packed(self) -> tuple[Words, Ints]:
        """All thresholds, in one row per table that ends with a sentinel, and where to start
        searching.

        ``guide[j, p]`` is the first threshold of table j with which a word with leading bits p may
        have to be compared.
        """
        rows = len(self.tables)
        longest = max(table.size for table in self.tables)
        thresholds = np.full((rows, longest + 1), np.iinfo(np.uint64).max, dtype=np.uint64)
        guide = np.empty((rows, 1 << GUIDE_BITS), dtype=np.int64)
        firsts = np.arange(1 << GUIDE_BITS, dtype=np.uint64) << np.uint64(WORD - GUIDE_BITS)
        for j, table in enumerate(self.tables):
            thresholds[j, : table.size] = table.thresholds
            guide[j] = np.searchsorted(table.thresholds, firsts)
        return thresholds, guide


def draw_top(table: CumulativeTable, word: int | None = None) -> tuple[int, int]:
    """Draw the sign (1 for negative) and the top digit, from `word` and as many more words as
    needed."""
    turn = table.size
    beyond = 0
    while (k := table.locate(entropy.bits(WORD) if word is None else word)) == turn:
        beyond += turn // 2
        word = None
    return k & 1, beyond + (k >> 1)


def low_bits(scale: Fraction) -> int:
    """Return the smallest number of low bits that leaves the top digit a scale of at most 64.

    >>> [low_bits(Fraction(b)) for b in (64, 65, 128, 129, 2**62)]
    [0, 1, 1, 2, 56]
    """
    return (ceil(scale / TOP_SCALE) - 1).bit_length()


@lru_cache(maxsize=64)
def top_table(scale: Fraction) -> CumulativeTable:
    """Return the table of the top digit and the sign."""
    return CumulativeTable(TopDigit((1 << low_bits(scale)) / scale, 1 / scale))


@lru_cache(maxsize=64)
def mixed_radix(scale: Fraction) -> MixedRadix:
    """Return the tables for a scale: one for a scale up to 64, two up to 2¹⁸, five up to 2⁵⁴.

    >>> mixed_radix(Fraction(10**6)).shifts
    [14, 0, 7]
    """
    low = low_bits(scale)
    count = -(-low // DIGIT_BITS)
    edges = [low * i // count for i in range(count + 1)] if count else [0]
    lower = [
        CumulativeTable(LowDigit((1 << start) / scale, stop - start))
        for start, stop in pairwise(edges)
    ]
    return MixedRadix([top_table(scale), *lower], [low, *edges[:-1]])
