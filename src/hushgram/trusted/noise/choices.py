"""The exponential mechanism on many lists of scores at once.

Each draw has the same distribution as `hushgram.trusted.noise.choice.exponential`, with another
algorithm: the cumulative weights of a list are enclosed between integers, and one random word falls
between two of them. If a word is too close to one of them to decide, further bits of the random
number are drawn until it is decided. Nothing is ever rounded: ``docs/proofs/noise.md``, section 6.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

import numpy as np

from hushgram.errors import BadInput
from hushgram.trusted.noise import entropy
from hushgram.trusted.noise.choice import exponential
from hushgram.trusted.noise.entropy import WORD, Ints, Uniform, Words
from hushgram.trusted.noise.exactexp import ceil_div, enclose, exact_number

LARGEST_SUM = 62
"""The maximum number of bits of a list's cumulative weights."""

LEAST_PRECISION = 24
"""The minimum number of bits of a weight: with fewer, words would often be too close to decide."""

LONGEST_TABLE = 1 << 20
"""The maximum number of gaps in a table of weights."""


def exponential_each(scores: Ints, starts: Ints, rate: Fraction, many: Ints) -> Ints:
    """Draw an index for each list of scores independently, as `exponential` does.

    List k is ``scores[starts[k] : starts[k + 1]]``, and each of its scores stands for ``many``
    equal candidates. O(scores), compiled, with a few random words per list. Lists are drawn
    individually if their weights do not fit into 64 bits, or if the rate is so small that a table
    would be too long.

    >>> scores, many = np.array([0, 9, 5, 5]), np.array([3, 2, 0, 1])
    >>> exponential_each(scores, np.array([0, 2, 4]), Fraction(1000), many)[1]
    np.int64(0)
    """
    if not all(np.can_cast(one.dtype, np.int64) for one in (scores, starts, many)):
        raise BadInput("scores, starts and many must be integers (int64).")
    scores, many, starts = (one.astype(np.int64, copy=False) for one in (scores, many, starts))
    rate = exact_number("rate", rate)
    table = _table_for(_candidates(starts, many), rate)
    if table is None:
        each = [slice(start, stop) for start, stop in pairwise(starts)]
        return np.array([exponential(scores[k], rate, many[k]) for k in each], dtype=np.int64)
    return _draw(scores, many, starts, table)


@dataclass(frozen=True, eq=False)
class WeightTable:
    """Bounds on 2**precision · exp(-rate · gap) for each gap from 0. Beyond the table, they are 0
    and 1."""

    rate: Fraction
    precision: int
    low: Words
    high: Words


def _candidates(starts: Ints, many: Ints) -> Ints:
    """Return how many candidates each list has."""
    if (many < 0).any() or (np.diff(starts) < 1).any():
        raise BadInput(
            "Each list needs at least one score, and the numbers in many must not be negative."
        )
    if not len(starts[1:]):
        return many[:0]
    may_wrap = int(many.max()) > (1 << 62) // len(many)
    if may_wrap and np.add.reduceat(many.astype(np.float64), starts[:-1]).max() > 1 << 62:
        raise BadInput("many must add up to at most 2^62.")
    sums = np.add.reduceat(many, starts[:-1])
    if (sums < 1).any():
        raise BadInput("Each list needs at least one candidate.")
    return sums


def _table_for(candidates: Ints, rate: Fraction) -> WeightTable | None:
    """Return the weights for lists with these numbers of candidates; None if sums or the table
    would be too large."""
    if not len(candidates):
        return None
    precision = LARGEST_SUM - int(candidates.max()).bit_length()
    if precision < LEAST_PRECISION or rate <= 0:
        return None
    if _reach(rate, precision) > LONGEST_TABLE:
        return None
    return _tabulate(rate, precision)


def _reach(rate: Fraction, precision: int) -> int:
    """Return a gap from which 2**precision · exp(-rate · gap) is at most 1, because 0.7 > log 2."""
    return ceil_div(7 * precision * rate.denominator, 10 * rate.numerator)


@lru_cache(maxsize=4)
def _tabulate(rate: Fraction, precision: int) -> WeightTable:
    """Tabulate powers of exp(-rate) in units of 2**-64, each rounded outwards, then shortened."""
    from hushgram.trusted.noise.choices_kernel import fill_powers

    low, high = np.empty((2, max(_reach(rate, precision), 1)), dtype=np.uint64)
    base = [np.uint64(min(bound, (1 << WORD) - 1)) for bound in enclose(rate, WORD)]
    fill_powers(*base, low, high)
    shift = np.uint64(WORD - precision)
    low, high = low >> shift, (high >> shift) + np.uint64(1)
    low[0] = high[0] = 1 << precision
    return WeightTable(rate, precision, low, high)


def _draw(scores: Ints, many: Ints, starts: Ints, table: WeightTable) -> Ints:
    """Draw with the compiled loop, except for the few lists whose word does not decide."""
    from hushgram.trusted.noise.choices_kernel import choose_each

    words = entropy.words(len(starts) - 1)
    chosen = np.empty(len(words), dtype=np.int64)
    choose_each(scores, many, starts, words, table.low, table.high, chosen)
    for k in np.flatnonzero(chosen < 0).tolist():
        inside = slice(starts[k], starts[k + 1])
        chosen[k] = starts[k] + settle(
            scores[inside], many[inside], table.rate, Uniform(int(words[k]), WORD)
        )
    sums = np.cumsum(many)
    before = sums[chosen] - many[chosen]
    first = sums[starts[:-1]] - many[starts[:-1]]
    return np.asarray(before - first + below_each(many[chosen]), dtype=np.int64)


def settle(scores: Ints, many: Ints, rate: Fraction, u: Uniform) -> int:
    """Return the score whose share of the total weight contains u, drawing as many bits of u as
    needed."""
    best = int(scores[many > 0].max())
    gaps, each = [best - int(score) for score in scores], many.tolist()
    while True:
        work = u.width + sum(each).bit_length() + 8
        sums = [(0, 0)]
        for gap, times in zip(gaps, each, strict=True):
            low, high = enclose(rate * gap, work) if times else (0, 0)
            sums.append((sums[-1][0] + times * low, sums[-1][1] + times * high))
        least, most = u.prefix * sums[-1][0], (u.prefix + 1) * sums[-1][1]
        for k, (before, after) in enumerate(pairwise(sums)):
            if before[1] << u.width <= least and most <= after[0] << u.width:
                return k
        u.reveal()


def below_each(bounds: Ints) -> Ints:
    """Draw a uniform integer below each bound, by rejection.

    >>> below_each(np.array([1, 1])).tolist()
    [0, 0]
    """
    lengths = bit_lengths(bounds - 1)
    drawn = np.zeros(len(bounds), dtype=np.int64)
    open_ = np.flatnonzero(lengths)
    while len(open_):
        shifts = (WORD - lengths[open_]).astype(np.uint64)
        drawn[open_] = (entropy.words(len(open_)) >> shifts).astype(np.int64)
        open_ = open_[drawn[open_] >= bounds[open_]]
    return drawn


def bit_lengths(values: Ints) -> Ints:
    """Return the bit length of each non-negative number.

    >>> bit_lengths(np.array([0, 1, 4, 2**62])).tolist()
    [0, 1, 3, 63]
    """
    lengths = np.zeros(len(values), dtype=np.int64)
    while (values > 0).any():
        lengths += values > 0
        values = values >> 1
    return lengths
