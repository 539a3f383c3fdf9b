"""The exponential mechanism on integer scores."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache, partial
from numbers import Rational

import numpy as np
import numpy.typing as npt

from hushgram.errors import BadInput
from hushgram.trusted.noise import entropy
from hushgram.trusted.noise.entropy import Interval, Uniform
from hushgram.trusted.noise.exactexp import ceil_div, enclose

Gaps = npt.NDArray[np.uint64]

CHUNK = 1 << 18
_LARGEST_GAP = (1 << 64) - 1


def exponential(scores: npt.NDArray[np.int64], rate: Fraction) -> int:
    """An index i drawn with probability exactly ∝ exp(rate · scores[i]).

    A candidate's gap is what it lacks to the best score; candidates with equal
    h = floor(rate · gap) form a group. Choose a group with probability ∝ (its size) · exp(-h), one
    of its members uniformly, and accept it with probability exp(h - rate · gap), which is at least
    1/e; else begin again. Only the first groups are counted: the rest weighs between nothing
    and almost nothing, and is looked into if the random number comes that near.

    Parameters
    ----------
    scores
        Integers (scale a rational grid before), one for each candidate.
    rate
        Any rational number ≥ 0: epsilon / (2 · sensitivity), or what the score's proof says.

    Notes
    -----
    O(n) for n candidates, with any number of distinct scores; memory beside the scores is
    constant. The sampler is exact; its running time is not constant.

    References
    ----------
    McSherry and Talwar, *Mechanism Design via Differential Privacy*, FOCS 2007.

    Examples
    --------
    >>> exponential(np.array([0, 3, 1]), Fraction(1000))
    1
    """
    scores, rate = _checked(scores, rate)
    groups = _Groups(scores, rate)
    while True:
        h = groups.choose()
        i, gap = groups.member(h, entropy.below(groups.counts[h]))
        if Uniform().below(partial(enclose, rate * gap - h)):
            return i


class _Groups:
    """The candidates by h = floor(rate · gap), counted for small h and lumped beyond."""

    def __init__(self, scores: npt.NDArray[np.int64], rate: Fraction) -> None:
        self.scores = scores
        self.rate = rate
        self.best = scores.max().astype(np.uint64)
        self.counts: list[int] = []
        self._bounds: dict[int, list[Interval]] = {}

    def choose(self) -> int:
        """A group, with probability ∝ counts[h] · exp(-h)."""
        u = Uniform()
        while True:
            for h, (low, high) in enumerate(self.cumulative(u.width)):
                if u.prefix + 1 <= low:
                    return h
                if u.prefix < high:
                    break
            u.reveal()

    def cumulative(self, width: int) -> list[Interval]:
        """Bounds on 2**width · P(group ≤ h), for every counted group."""
        if width not in self._bounds:
            work = width + self.scores.size.bit_length() + 8
            known = work * 7 // 10 + 1  # exp(-known) < 2**-work
            self._count(known)
            powers = _powers(known, work)
            below = [(0, 0)]
            for count, (low, high) in zip(self.counts[:known], powers[:known], strict=True):
                below.append((below[-1][0] + count * low, below[-1][1] + count * high))
            least, most = below[-1]
            most += self.counts[known] * powers[known][1]
            self._bounds[width] = [
                ((low << width) // most, ceil_div(high << width, least)) for low, high in below[1:]
            ]
        return self._bounds[width]

    def member(self, h: int, rank: int) -> tuple[int, int]:
        """The index and the gap of the rank-th candidate of group h."""
        first, last = self._start(h), min(self._start(h + 1) - 1, _LARGEST_GAP)
        for offset, gaps in self._gaps():
            inside = np.flatnonzero((gaps >= np.uint64(first)) & (gaps <= np.uint64(last)))
            if rank < inside.size:
                return offset + int(inside[rank]), int(gaps[inside[rank]])
            rank -= inside.size
        raise AssertionError("a rank below the group's count has a member")

    def _count(self, known: int) -> None:
        """counts[h] for h < known, and counts[known] for all the others."""
        starts = [s for h in range(known + 1) if (s := self._start(h)) <= _LARGEST_GAP]
        edges = np.array(starts, dtype=np.uint64)
        total = np.zeros(known + 1, dtype=np.int64)
        for _, gaps in self._gaps():
            h = np.searchsorted(edges, gaps, side="right") - 1
            total += np.bincount(h, minlength=known + 1)
        self.counts = total.tolist()

    def _start(self, h: int) -> int:
        """The smallest gap with floor(rate · gap) ≥ h."""
        if h == 0:
            return 0
        if self.rate == 0:
            return _LARGEST_GAP + 1
        return ceil_div(h * self.rate.denominator, self.rate.numerator)

    def _gaps(self) -> Iterator[tuple[int, Gaps]]:
        """Gaps, a piece at a time. Unsigned, so that the widest of them does not wrap around."""
        for offset in range(0, self.scores.size, CHUNK):
            yield offset, self.best - self.scores[offset : offset + CHUNK].astype(np.uint64)


@lru_cache(maxsize=8)
def _powers(last: int, work: int) -> list[Interval]:
    """Bounds on 2**work · exp(-h) for h = 0, …, last: the same for all scores and rates."""
    return [enclose(h, work) for h in range(last + 1)]


def _checked(
    scores: npt.NDArray[np.int64], rate: Fraction
) -> tuple[npt.NDArray[np.int64], Fraction]:
    scores = np.asarray(scores)
    if not np.can_cast(scores.dtype, np.int64):
        raise BadInput(f"scores must be integers (int64), found {scores.dtype}.")
    if scores.ndim != 1 or scores.size == 0:
        raise BadInput(f"scores must be a non-empty row of numbers, found shape {scores.shape}.")
    if not isinstance(rate, Rational):
        raise BadInput(
            f"rate must be an exact rational number, found {rate!r} "
            f"({type(rate).__name__}). Use fractions.Fraction."
        )
    if rate < 0:
        raise BadInput(f"rate must not be negative, found {rate}.")
    return scores.astype(np.int64, copy=False), Fraction(rate)
