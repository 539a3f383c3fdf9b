"""Joint noise for the leaves of a forest: integers whose sums are small in every node.

Let c be the numbers of the leaves and c(v) their sum in node v. The distribution is P(c) ∝ exp(-Σ
rate(v) |c(v)|) on multiples of a spacing, interpolated between them. One row moves a leaf by one,
so no probability changes by more than a factor exp(1 / scale). Independent noise in every node
costs as much but gives less accurate counts. See ``docs/proofs/nested-counts.md``:

- the rates on the path to any leaf add up to 1 / scale;
- inner nodes use their sums modulo a ring, so that tables are finite; leaves use the numbers;
- tables may be rounded: they define the distribution, and the rates leave room for it;
- multiples of the spacing are spread over the integers between them by sinh, at no cost.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from hushgram.errors import BadInput
from hushgram.trusted.noise import entropy
from hushgram.trusted.noise.choices import below_each
from hushgram.trusted.noise.entropy import WORD, Interval, Ints, Uniform
from hushgram.trusted.noise.exactexp import ceil_div
from hushgram.trusted.noise.laplace import INT64_MAX, INT64_MIN, check_arguments

COARSEST = Fraction(1, 2)
"""The maximum of the spacing times the cost of one row."""

SPREAD = 60
"""The maximum of the square of that product times the number of leaves: the spread between
multiples adds up over the leaves."""

REACH = 3
"""Half of the ring, in standard deviations of the node with the widest noise, at least. Larger sums
wrap around, and look small to the nodes above."""

TAIL = 13
"""The same in units of the noise that a light leaf would have alone, which has wider tails."""

LIGHT = 0.05
"""The quantile of the weights of leaves that defines a light leaf."""

STEEPEST = 8
"""The maximum cost of one row: with more, there would be no noise in practice."""

ROOM = Fraction(1, 1 << 38)
"""The maximum cost of rounding at one node, on a ring of fewer than 2048 places."""

LONGEST = 1000
"""The maximum half of a ring: see `ROOM`."""

FAINTEST = 300
"""The maximum half of the ring times the cost of a multiple: no entry of a table, and no product of
two, underflows a double."""

SURE = 19 * (1 << WORD) // 20
"""Smaller words are certainly accepted: they are below every ratio of sinh(x) / x up to x = 1/2."""

FEW = 16
"""Up to this many numbers are drawn individually."""

DOUBT = 2.0**-40
"""A word this close to a probability does not decide."""


def add_nested_laplace(values: Ints, right: Ints, weights: Ints, scale: Fraction) -> Ints:
    """Add joint noise to the ``values`` of the leaves of a forest, and clamp the exact sums to
    int64.

    Nodes are in preorder: the lower half of node v is v + 1, the upper half ``right[v]``, which is
    0 if v is a leaf. Each rate is at most the node's share of the weights on its path.

    Parameters
    ----------
    scale
        The reciprocal of what one row may cost.
    """
    scale, _ = check_arguments(scale, len(values))
    law = _law(right.astype(np.int64).tobytes(), weights.astype(np.int64).tobytes(), scale)
    if len(values) != len(law.leaves):
        raise BadInput(f"{len(law.leaves)} leaves need as many values. Found {len(values)}.")
    noise = law.draw()
    sums = np.asarray(values, dtype=np.int64).astype(object) + noise
    found: Ints = np.clip(sums, INT64_MIN, INT64_MAX).astype(np.int64)
    return found


@dataclass(frozen=True, eq=False)
class NestedLaw:
    """The parameters and tables for draws. They are public, and the same for every data set."""

    right: Ints
    is_root: npt.NDArray[np.bool_]
    leaves: Ints
    spacing: int
    ring: int
    decays: npt.NDArray[np.float64]
    """The factor by which a node's likelihood falls with each multiple of the spacing."""
    alike: Ints
    """The number of each node's table. Identical subtrees share a table."""
    tables: npt.NDArray[np.float64]
    cost: Fraction
    """The cost of one row."""

    @classmethod
    def of(cls, right: Ints, weights: Ints, scale: Fraction) -> NestedLaw:
        from hushgram.trusted.noise.nested_kernel import fill_tables, find_widest

        below = np.zeros(len(right), dtype=np.bool_)
        inner = np.flatnonzero(right)
        below[inner + 1] = below[right[inner]] = True
        leaves = np.flatnonzero(right == 0)
        cost = min(1 / scale, Fraction(STEEPEST))
        spacing = spacing_for(cost, len(leaves))
        step = cost * spacing
        sums, depths = path_sums(right, weights)
        share = step - ROOM * (int(depths.max()) + 2)
        if share < step / 2 or (weights < 1).any():
            raise BadInput("The forest is too large or too deep for joint noise.")
        decays = decays_for(weights, int(sums.max()), share)
        rates = weights * (float(step) / int(sums.max()))
        light = float(np.quantile(rates[leaves], LIGHT))
        reach = max(TAIL / light, REACH * find_widest(right, rates))
        half = min(math.ceil(reach), LONGEST, int(FAINTEST / step))
        ring = 2 * half + 1
        alike, low, high, kinds = subtrees_alike(right, weights)
        tables = np.empty((len(kinds), ring // 2 + 1))
        fill_tables(low, high, decays[kinds], ring, tables)
        return cls(right, ~below, leaves, spacing, ring, decays, alike, tables, cost)

    def draw(self) -> Any:
        """Draw noise for every leaf, as integers of any size."""
        multiples = self.draw_multiples()
        if self.spacing == 1:
            return multiples
        return multiples * self.spacing + spread_each(self.spacing, self.cost, len(self.leaves))

    def draw_multiples(self) -> Any:
        """Draw a multiple of the spacing for every leaf: first its place on the ring, then one of
        the numbers at that place."""
        from hushgram.trusted.noise.nested_kernel import find_near

        places = self.draw_places()[self.leaves]
        decays = self.decays[self.leaves]
        words = entropy.words(len(places))
        near = np.empty(len(places), dtype=np.bool_)
        find_near(places, decays, self.ring, words, near)
        found = np.where(places > self.ring // 2, places - self.ring, places).astype(object)
        for leaf in np.flatnonzero(~near).tolist():
            found[leaf] = lift(found[leaf], float(decays[leaf]), self.ring, int(words[leaf]))
        return found

    def draw_places(self) -> Ints:
        """Draw each node's place with the compiled loop, and in exact arithmetic if a word does not
        decide."""
        from hushgram.trusted.noise.nested_kernel import draw_places

        words = entropy.words(len(self.right))
        places = np.full(len(self.right), -1)
        turn, end = 0, 2 * len(self.right)
        while True:
            turn = draw_places(
                self.right, self.is_root, self.alike, self.tables, self.ring, words, turn, places
            )
            if turn == end:
                return places
            node, is_split = divmod(turn, 2)
            asked = node + is_split
            places[asked] = self.settle(node, int(places[node]), Uniform(int(words[asked]), WORD))
            turn += 1 - is_split

    def settle(self, node: int, whole: int, u: Uniform) -> int:
        """Return the place whose share of the weights contains u, in exact arithmetic: for a root
        or, given the ``whole`` of an inner node, for its lower half."""
        weights = self.unfold(node if whole < 0 else node + 1)
        if whole >= 0:
            upper = self.unfold(int(self.right[node]))
            weights = [w * upper[(whole - j) % self.ring] for j, w in enumerate(weights)]
        sums = [0, *accumulate(weights)]
        while True:
            least, most = u.prefix * sums[-1], (u.prefix + 1) * sums[-1]
            for place, (before, after) in enumerate(pairwise(sums)):
                if before << u.width <= least and most <= after << u.width:
                    return place
            u.reveal()

    def unfold(self, node: int) -> list[int]:
        """Return a table for all places as whole numbers: the entries times a common power of
        two."""
        exact = [Fraction(weight) for weight in self.tables[self.alike[node]].tolist()]
        unit = max(weight.denominator for weight in exact)
        near = [int(weight * unit) for weight in exact]
        return near + near[:0:-1]


@lru_cache(maxsize=1)
def _law(right: bytes, weights: bytes, scale: Fraction) -> NestedLaw:
    both = [np.frombuffer(one, dtype=np.int64) for one in (right, weights)]
    return NestedLaw.of(both[0], both[1], scale)


def spacing_for(cost: Fraction, leaves: int) -> int:
    """Return the spacing: as coarse as possible, for speed, without a noticeable effect."""
    coarsest = min(COARSEST, Fraction(math.isqrt((SPREAD << 20) // leaves), 1 << 10))
    return max(1, int(coarsest / cost))


def path_sums(right: Ints, weights: Ints) -> tuple[Ints, Ints]:
    """Return the sum of the weights on the path to each node, and the node's depth."""
    sums, depths = weights.copy(), np.zeros(len(right), dtype=np.int64)
    for node in np.flatnonzero(right).tolist():
        for half in (node + 1, int(right[node])):
            sums[half] += sums[node]
            depths[half] = depths[node] + 1
    return sums, depths


def subtrees_alike(right: Ints, weights: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """Return a number for each node, the same for subtrees with the same weights; and for each
    number, the numbers of its halves, and a node with this number. The halves of a leaf are the
    leaf itself; numbers of halves are smaller than those of their parents.

    >>> subtrees_alike(np.array([2, 0, 0]), np.array([1, 5, 5]))[0].tolist()
    [1, 0, 0]
    """
    numbers: dict[tuple[int, int, int], int] = {}
    found = [0] * len(right)
    kinds: list[tuple[int, int, int]] = []
    uppers, own = right.tolist(), weights.tolist()
    for node in range(len(found) - 1, -1, -1):
        upper = uppers[node]
        kind = (found[node + 1], found[upper], own[node]) if upper else (-1, -1, own[node])
        found[node] = numbers.setdefault(kind, len(numbers))
        if found[node] == len(kinds):
            itself = found[node]
            kinds.append((kind[0], kind[1], node) if upper else (itself, itself, node))
    low, high, node = np.array(kinds, dtype=np.int64).T
    return np.array(found), low, high, node


def decays_for(weights: Ints, whole: int, share: Fraction) -> npt.NDArray[np.float64]:
    """Return exp(-share · weight / whole) for each node, within a factor exp(±2⁻⁴⁰): the Taylor
    series of an argument below 1/8, then six squarings."""
    arguments = weights * (float(share) / whole / 64)
    term = np.ones(len(weights))
    total = np.ones(len(weights))
    for n in range(1, 14):
        term = term * arguments / n
        total = total + term
    for _ in range(6):
        total = total * total
    return np.asarray(1.0 / total)


# From places to numbers --------------------------------------------------------------------


def lift(nearest: int, decay: float, ring: int, word: int) -> int:
    """Draw one of the numbers at the same place of a ring as ``nearest``, z with probability ∝
    decay^|z|. The word decides whether it is ``nearest`` itself. If not, one of the others is
    drawn: first the number of turns around the ring, then the side."""
    top, unit = decay.as_integer_ratio()
    distance = abs(nearest)
    beyond, whole = top**ring, unit**ring
    apart, other = top ** (ring - 2 * distance), unit ** (ring - 2 * distance)
    if happens((whole - beyond) * other, whole * (other + apart), Uniform(word, WORD)):
        return nearest
    sign = 1 if nearest > 0 else -1
    turns = 1
    while happens(beyond, whole):
        turns += 1
    twice, unit_twice = top ** (2 * distance), unit ** (2 * distance)
    if happens(unit_twice, unit_twice + twice):
        return sign * (distance - ring * turns)
    return sign * (distance + ring * turns)


def happens(above: int, below: int, u: Uniform | None = None) -> bool:
    """Return whether an event of probability above / below happens."""

    def enclosure(precision: int) -> Interval:
        scaled = above << precision
        return scaled // below, ceil_div(scaled, below)

    return (u or Uniform()).below(enclosure)


# Between multiples --------------------------------------------------------------------------


def spread_each(spacing: int, cost: Fraction, size: int) -> Any:
    """Draw ``size`` numbers t with P(t) ∝ sinh(cost (spacing - |t|)) for |t| < spacing.

    The difference of two uniform numbers below the spacing has nearly this distribution. It is
    accepted with the ratio of the two probabilities, which is more than 0.95.
    """
    if size <= FEW or spacing >= 1 << 62:
        return np.array([spread_one(spacing, cost) for _ in range(size)], dtype=object)
    found = np.zeros(size, dtype=np.int64)
    open_ = np.arange(size)
    while len(open_):
        one, two = (below_each(np.full(len(open_), spacing)) for _ in range(2))
        words = entropy.words(len(open_))
        found[open_] = one - two
        likely = sinh_ratio(float(cost) * (spacing - np.abs(one - two)).astype(np.float64)) / (
            sinh_ratio(np.array(float(cost) * spacing))
        )
        shares = words.astype(np.float64) * 2.0**-64
        accepted = shares < likely
        for k in np.flatnonzero(np.abs(shares - likely) <= DOUBT).tolist():
            u = Uniform(int(words[k]), WORD)
            accepted[k] = u.below(partial(enclose_ratio, spacing, cost, int(found[open_[k]])))
        open_ = open_[~accepted]
    return found.astype(object)


def spread_one(spacing: int, cost: Fraction) -> int:
    """Draw one such number, for any spacing."""
    while True:
        drawn = entropy.below(spacing) - entropy.below(spacing)
        u = Uniform()
        if u.prefix < SURE or u.below(partial(enclose_ratio, spacing, cost, drawn)):
            return drawn


def sinh_ratio(x: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return sinh(x) / x for x up to 1/2, within a factor of 1 ± 2⁻⁴⁵."""
    square = x * x
    term = total = np.ones_like(square)
    for n in range(1, 9):
        term = term * square / (2 * n * (2 * n + 1))
        total = total + term
    return np.asarray(total)


def enclose_ratio(spacing: int, cost: Fraction, drawn: int, precision: int) -> Interval:
    """Return bounds on 2**precision times the probability that a number is accepted."""
    low, high = enclose_sinh(cost * (spacing - abs(drawn)), precision + 4)
    whole_low, whole_high = enclose_sinh(cost * spacing, precision + 4)
    return (low << precision) // whole_high, ceil_div(high << precision, whole_low)


def enclose_sinh(x: Fraction, precision: int) -> Interval:
    """Return bounds on 2**precision · sinh(x) / x, for x up to 1/2. Each term of the series is less
    than a twentieth of the previous one, so the remainder is smaller than the last term."""
    square, unit = x * x, Fraction(1 << precision)
    term, total, n = unit, unit, 0
    while term >= 1:
        n += 1
        term = term * square / (2 * n * (2 * n + 1))
        total += term
    return int(total), int(total) + 3
