"""The exponential mechanism on integer scores."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache, partial

import numpy as np

from hushgram.errors import BadInput
from hushgram.trusted.noise import entropy
from hushgram.trusted.noise.entropy import Interval, Ints, Uniform, Words
from hushgram.trusted.noise.exactexp import ceil_div, enclose, exact_number

CHUNK = 1 << 18
_LARGEST_GAP = (1 << 64) - 1


def exponential(scores: Ints, rate: Fraction, many: Ints | None = None) -> int:
    """Draw an index i with probability exactly ∝ exp(rate · scores[i]).

    A candidate's gap is the difference to the best score; candidates with the same h = floor(rate ·
    gap) form a group. Choose a group with probability ∝ (its size) · exp(-h), one of its members
    uniformly, and accept it with probability exp(h - rate · gap), which is at least 1/e; otherwise
    start again. Only the first groups are counted. The weight of the rest is bounded, and more
    groups are counted if the random number comes close to it.

    Parameters
    ----------
    scores
        Integers, one for each candidate. Scale rational scores first.
    rate
        Any rational number ≥ 0: epsilon / (2 · sensitivity), or what the score's proof says.
    many
        How many equal candidates each score stands for, possibly none; one by default. The index
        refers to ``numpy.repeat(scores, many)``, which is never created.

    Notes
    -----
    O(n) for n scores, however many are distinct; the additional memory is constant unless ``many``
    is given. The sampler is exact; its running time is not constant.

    References
    ----------
    McSherry and Talwar, *Mechanism Design via Differential Privacy*, FOCS 2007.

    Examples
    --------
    >>> exponential(np.array([0, 3, 1]), Fraction(1000))
    1
    >>> exponential(np.array([0, 3, 1]), Fraction(1000), np.array([10**6, 1, 5]))
    1000000
    """
    scores, rate = _check_arguments(scores, rate)
    groups = _Groups(scores, rate) if many is None else _group_repeated(scores, rate, many)
    if groups.level:
        return entropy.below(groups.size)
    while True:
        h = groups.choose()
        i, gap = groups.member(h, entropy.below(groups.counts[h]))
        if Uniform().below(partial(enclose, rate * gap - h)):
            return i


class _Groups:
    """The candidates by h = floor(rate · gap), counted for small h, and together for the rest."""

    def __init__(self, scores: Ints, rate: Fraction, many: Ints | None = None) -> None:
        self.scores = scores
        self.rate = rate
        self.many = np.broadcast_to(np.int64(1), scores.shape) if many is None else many
        self.size = int(self.many.sum())
        self.best = scores.max().astype(np.uint64)
        self.level = bool(scores.min() == scores.max())
        """Whether all candidates have the same score."""
        self.counts: list[int] = []
        self._bounds: dict[int, list[Interval]] = {}

    def choose(self) -> int:
        """Draw a group with probability ∝ counts[h] · exp(-h)."""
        u = Uniform()
        while True:
            for h, (low, high) in enumerate(self.cumulative(u.width)):
                if u.prefix + 1 <= low:
                    return h
                if u.prefix < high:
                    break
            u.reveal()

    def cumulative(self, width: int) -> list[Interval]:
        """Return bounds on 2**width · P(group ≤ h), for every counted group."""
        if width not in self._bounds:
            work = width + self.size.bit_length() + 8
            known = work * 7 // 10 + 1  # exp(-known) < 2**-work
            self._count(known)
            powers = _powers(known, work)
            below = [(0, 0)]
            for count, (low, high) in zip(self._near(known), powers, strict=False):
                below.append((below[-1][0] + count * low, below[-1][1] + count * high))
            least, most = below[-1]
            most += self.counts[known] * powers[known][1]
            self._bounds[width] = [
                ((low << width) // most, ceil_div(high << width, least)) for low, high in below[1:]
            ]
        return self._bounds[width]

    def member(self, h: int, rank: int) -> tuple[int, int]:
        """Return the index and the gap of the rank-th candidate of group h."""
        first, last = _start(self.rate, h), min(_start(self.rate, h + 1) - 1, _LARGEST_GAP)
        before = 0
        for many, gaps in self._gaps():
            inside = np.flatnonzero((gaps >= np.uint64(first)) & (gaps <= np.uint64(last)))
            ends = np.cumsum(many[inside])
            found = int(ends[-1]) if len(ends) else 0
            if rank < found:
                place = int(np.searchsorted(ends, rank, side="right"))
                i = inside[place]
                rank -= int(ends[place] - many[i])
                return before + int(many[:i].sum()) + rank, int(gaps[i])
            rank -= found
            before += int(many.sum())
        raise AssertionError("a rank below the group's count has a member")

    def _count(self, known: int) -> None:
        """Compute counts[h] for h < known, and counts[known] for all other candidates."""
        edges = _edges(self.rate, known)
        total = np.zeros(known + 1, dtype=np.int64)
        for many, gaps in self._gaps():
            np.add.at(total, np.searchsorted(edges, gaps, side="right") - 1, many)
        self.counts = total.tolist()

    def _near(self, known: int) -> list[int]:
        """Return the counts of the groups below ``known``, up to the last one with a candidate."""
        last = known
        while not self.counts[last - 1]:
            last -= 1
        return self.counts[:last]

    def _gaps(self) -> Iterator[tuple[Ints, Words]]:
        """Yield the numbers of candidates and their gaps, a piece at a time. Gaps are unsigned, so
        that the widest one does not wrap around."""
        for offset in range(0, self.scores.size, CHUNK):
            piece = slice(offset, offset + CHUNK)
            yield self.many[piece], self.best - self.scores[piece].astype(np.uint64)


def _start(rate: Fraction, h: int) -> int:
    """Return the smallest gap with floor(rate · gap) ≥ h."""
    if h == 0:
        return 0
    return ceil_div(h * rate.denominator, rate.numerator) if rate else _LARGEST_GAP + 1


@lru_cache(maxsize=128)
def _edges(rate: Fraction, last: int) -> Words:
    """Return where the groups 0, …, last start, up to the largest possible gap."""
    starts = [_start(rate, h) for h in range(last + 1)]
    return np.array([start for start in starts if start <= _LARGEST_GAP], dtype=np.uint64)


@lru_cache(maxsize=128)
def _powers(last: int, work: int) -> list[Interval]:
    """Return bounds on 2**work · exp(-h) for h = 0, …, last: the same for all scores and rates."""
    return [enclose(h, work) for h in range(last + 1)]


def _group_repeated(scores: Ints, rate: Fraction, many: Ints) -> _Groups:
    """Group repeated candidates. Scores without a candidate are ignored."""
    many = np.asarray(many)
    if not np.can_cast(many.dtype, np.int64) or many.shape != scores.shape:
        raise BadInput("many must have one whole number (int64) for each score.")
    if (many < 0).any() or not 0 < many.sum(dtype=np.float64) <= 1 << 62:
        raise BadInput(
            "The numbers in many must not be negative, and must add up to at least 1 and at most "
            "2^62."
        )
    present = many > 0
    return _Groups(scores[present], rate, many[present].astype(np.int64, copy=False))


def _check_arguments(scores: Ints, rate: Fraction) -> tuple[Ints, Fraction]:
    scores = np.asarray(scores)
    if not np.can_cast(scores.dtype, np.int64):
        raise BadInput(f"scores must be integers (int64). Found {scores.dtype}.")
    if scores.ndim != 1 or scores.size == 0:
        raise BadInput(f"scores must be a non-empty row of numbers. Found shape {scores.shape}.")
    rate = exact_number("rate", rate)
    if rate < 0:
        raise BadInput(f"rate must not be negative. Found {rate}.")
    return scores.astype(np.int64, copy=False), rate
