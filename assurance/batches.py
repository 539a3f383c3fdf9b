"""Draw millions of outcomes of an operation in few calls. NONPRIVATE.

There are four ways, depending on how an operation uses noise:

- Noise that is simply added: the exact vector is repeated, and all copies get noise in one call.
- Choices: `perturb` is a function of the table and of the results of its choices. It runs once for
  each sequence of results, and each choice is made for all runs at once, with the distribution of
  the product's sampler (`assurance.trials.samplers` compares the two).
- Joint noise: many copies of the forest get noise in one call.
- Trees: many copies of a small table are put next to each other in a large one, below the depth at
  which a `Decomposition` starts, and the noise of all their nodes is drawn together.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from assurance.nested_law import Repeated
from assurance.tally import Tally, tally_of
from hushgram.declare.axis import Floats, Integer
from hushgram.declare.domain import Domain
from hushgram.geometry.partition import Halving, Ints, Raster
from hushgram.lab.audit import OperationPair
from hushgram.lab.memory import IndexedTable
from hushgram.queries import Decomposition, NestedCounts
from hushgram.trusted.noise import Native, entropy
from hushgram.trusted.noise.choice import _group_repeated, _Groups
from hushgram.trusted.noise.exactexp import enclose
from hushgram.trusted.vault import Sensitivity
from hushgram.trusted.vault.operations import OPERATIONS, Operation
from hushgram.trusted.vault.operations.smooth_median import STEPS

AT_ONCE = 1 << 21
"""The number of draws in one call."""

FAR = 256
"""A distance at which all medians of the audits' axes are at an end."""

TREES = 1 << 16
"""The approximate number of trees next to each other."""

FEWER = 1 << 8
"""The same if an axis has an "other" slice. Trees in that slice have one axis less, so there are
fewer of them, and in a larger table more of the other trees have no partner."""


class Sampler(Protocol):
    """Draws outcomes on the first (0) or the second (1) of two tables."""

    def __call__(self, which: int, runs: int) -> Tally: ...


def sampler_for(pair: OperationPair) -> Sampler:
    """Return the sampler for the outcomes of a pair."""
    if OPERATIONS[type(pair.query)].additive:
        return Added(pair)
    if isinstance(pair.query, Decomposition):
        return SideBySide(pair)
    if isinstance(pair.query, NestedCounts):
        return JointNoise(pair)
    return Courses(pair)


def scale_of(pair: OperationPair) -> Fraction:
    operation = OPERATIONS[type(pair.query)]
    table = Sensitivity(pair.unit, pair.neighbours, pair.first.loses_rows(pair.first.domain))
    return operation.sensitivity(pair.query, table) / pair.query.epsilon


def exact_of(pair: OperationPair) -> tuple[Any, Any]:
    operation, domain = OPERATIONS[type(pair.query)], pair.first.domain
    first, second = (operation.count(pair.query, t, domain) for t in (pair.first, pair.second))
    return first, second


class Added:
    """Samples sums of the entries, each clamped to the range in which it distinguishes the tables:
    for Laplace noise, this is the likelihood ratio, up to a constant."""

    def __init__(self, pair: OperationPair) -> None:
        self.pair, self.scale, self.exact = pair, scale_of(pair), exact_of(pair)
        first, second = self.exact
        self.low, self.high = np.minimum(first, second), np.maximum(first, second)
        self.sign = np.sign(first - second)

    def __call__(self, which: int, runs: int) -> Tally:
        operation, exact = OPERATIONS[type(self.pair.query)], self.exact[which]
        found: Tally = Counter()
        for many in pieces(runs, max(AT_ONCE // len(exact), 1)):
            noisy = operation.perturb(
                self.pair.query, np.tile(exact, many), self.scale, Native()
            ).reshape(many, -1)
            found += tally_of((np.clip(noisy, self.low, self.high) * self.sign).sum(axis=1))
        return found


class SideBySide:
    """Samples copies of a small table in a large one, each under a node of the depth where trees
    start.

    With "other" slices there are several roots, and a copy has a node under each of them.
    """

    def __init__(self, pair: OperationPair) -> None:
        assert isinstance(pair.query, Decomposition)
        self.operation, self.scale = OPERATIONS[Decomposition], scale_of(pair)
        axes, small = pair.query.raster.domain.axes, Halving.of(pair.query.raster)
        depth = round(math.log2(FEWER if small.others else TREES) / len(axes))
        self.times, self.bits = 1 << depth, sum(small.bits)
        domain = Domain(
            {
                f"x{place}": Integer(0, axis.bins * self.times - 1, outside=axis.outside)
                for place, axis in enumerate(axes)
            }
        )
        self.query = replace(pair.query, raster=Raster.of_cells(domain), start=depth)
        self.exact = [self._copy_table(table) for table in (pair.first, pair.second)]
        nodes = Halving.of(self.query.raster).nodes_at(depth)
        self.nodes, self.roots = nodes.paths, nodes.paths >> len(axes) * depth
        self.copies = np.arange(len(nodes)) - np.searchsorted(self.roots, self.roots)
        self.trees = int(np.unique(self.roots[~nodes.single], return_counts=True)[1].min())
        self.copies[nodes.single] = self.trees

    def _copy_table(self, table: IndexedTable) -> Any:
        axes = table.domain.axes
        rows = [np.empty((0, len(axes)), dtype=np.int64)]
        for row in table.rows:
            each = [
                axis.bins * self.times if index == axis.bins
                else np.arange(self.times) * axis.bins + index
                for index, axis in zip(row, axes, strict=True)
            ]  # fmt: skip
            rows.append(np.stack(np.meshgrid(*each), axis=-1).reshape(-1, len(axes)))
        domain = self.query.raster.domain
        return self.operation.count(self.query, IndexedTable(domain, np.concatenate(rows)), domain)

    def __call__(self, which: int, runs: int) -> Tally:
        found: Tally = Counter()
        for many in pieces(runs, self.trees):
            starts = self.operation.perturb(self.query, self.exact[which], self.scale, Native())
            found += tally_of(self._leaves(starts)[:many])
        return found

    def _leaves(self, starts: Ints) -> Ints:
        """Return, for each copy, the places where its leaves start, as the bits of one number."""
        node = np.searchsorted(self.nodes, starts >> self.bits)
        inside = starts & ((1 << self.bits) - 1)
        codes = np.zeros(self.copies.max() + 1, dtype=np.int64)
        np.bitwise_or.at(codes, self.copies[node], 1 << (self.roots[node] << self.bits | inside))
        return codes[: self.trees]


class Courses:
    """Samples choices with one call of `perturb` for each sequence of results."""

    def __init__(self, pair: OperationPair) -> None:
        self.pair, self.scale, self.exact = pair, scale_of(pair), exact_of(pair)

    def __call__(self, which: int, runs: int) -> Tally:
        operation: Operation = OPERATIONS[type(self.pair.query)]
        found: Tally = Counter()
        courses: list[tuple[tuple[int, ...], int]] = [((), runs)]
        while courses:
            course, many = courses.pop()
            try:
                noisy = operation.perturb(
                    self.pair.query, self.exact[which], self.scale, Scripted(course)
                )
            except Undecided as choice:
                values, times = np.unique(choice.draws(many), return_counts=True)
                each = zip(values.tolist(), times.tolist(), strict=True)
                courses += [((*course, value), n) for value, n in each]
            else:
                found[tuple(noisy.tolist())] += many
        return found


class Undecided(Exception):
    """A choice that a script does not determine: functions that draw it many times, and that return
    its probabilities."""

    def __init__(self, draws: Callable[[int], Ints], logs: Callable[[], list[float]]) -> None:
        self.draws = draws
        self.logs = logs


class JointNoise:
    """Samples joint noise for many copies of the forest at once."""

    def __init__(self, pair: OperationPair) -> None:
        self.pair, self.scale, self.exact = pair, scale_of(pair), exact_of(pair)

    def __call__(self, which: int, runs: int) -> Tally:
        operation: Operation = OPERATIONS[type(self.pair.query)]
        noisy = operation.perturb(self.pair.query, self.exact[which], self.scale, Repeated(runs))
        return tally_of(self.codes(noisy))

    def codes(self, noisy: Ints) -> Ints:
        """Return codes of the outcomes: the positions of the sums of the first leaves relative to
        those of the two tables, and whether the first number is odd. Four leaves fit into nine
        bits."""
        lower = np.minimum(*(np.cumsum(exact) for exact in self.exact))
        digits = np.clip(np.cumsum(noisy, axis=1) - lower, -1, 2) + 1
        return np.asarray(
            (digits << 2 * np.arange(digits.shape[1])).sum(axis=1) << 1 | noisy[:, 0] & 1
        )


class Scripted:
    """A source of noise that returns the results in a script, and raises where the script ends."""

    def __init__(self, course: tuple[int, ...]) -> None:
        self._left = list(course)

    def exponential(self, scores: Ints, rate: Fraction, many: Ints | None = None) -> int:
        if self._left:
            return self._left.pop(0)
        raise Undecided(
            lambda size: choices(scores, rate, many, size), lambda: log_chances(scores, rate, many)
        )

    def exponential_each(self, scores: Ints, starts: Ints, rate: Fraction, many: Ints) -> Ints:
        each = [slice(*ends) for ends in pairwise(starts.tolist())]
        return np.array([self.exponential(scores[k], rate, many[k]) for k in each], dtype=np.int64)

    def discrete_cauchy(self, scale: Fraction) -> int:
        if self._left:
            return self._left.pop(0)
        raise Undecided(lambda size: near_draws(scale, size), list)

    def add_discrete_laplace(self, values: Ints, scale: Fraction) -> Ints:
        raise NotImplementedError("added noise has too many outcomes for a script")

    def add_nested_laplace(self, values: Ints, right: Ints, weights: Ints, scale: Fraction) -> Ints:
        raise NotImplementedError("added noise has too many outcomes for a script")

    def discrete_laplace_wide(self, scale: Fraction, size: int) -> list[int]:
        raise NotImplementedError("added noise has too many outcomes for a script")


def near_draws(scale: Fraction, size: int) -> Ints:
    """Return sorted draws of P(z) ∝ 1 / (scale² + z²), each rounded to halves of an index like the
    median, and limited to `FAR`."""
    places = np.arange(-FAR, FAR + 1)
    chances = cauchy_mass(scale, places * STEPS - STEPS // 2, STEPS)
    chances[[0, -1]] += (1 - chances.sum()) / 2
    halves = np.repeat(places, np.random.default_rng().multinomial(size, chances / chances.sum()))
    return halves * STEPS


def cauchy_mass(scale: Fraction, starts: Ints, width: int) -> Floats:
    """Return the probability of ``width`` consecutive integers under P(z) ∝ 1 / (scale² + z²).

    The sum of s / (s² + z²) from a to b - 1 is the imaginary part of ψ(a + is) - ψ(b + is), and
    that of all integers π coth πs.
    """
    from scipy.special import digamma

    s = float(scale)
    mass = (digamma(starts + 1j * s) - digamma(starts + width + 1j * s)).imag
    return np.asarray(mass * math.tanh(math.pi * s) / math.pi)


def log_chances(scores: Ints, rate: Fraction, many: Ints | None) -> list[float]:
    """Return the logarithm of each candidate's probability in the exponential mechanism."""
    each = scores if many is None else np.repeat(scores, many)
    weights = [float(rate * int(score - each.max())) for score in each]
    most = float(np.logaddexp.reduce(weights))
    return [weight - most for weight in weights]


def choices(scores: Ints, rate: Fraction, many: Ints | None, size: int) -> Ints:
    """Draw many results of `hushgram.trusted.noise.exponential`, with the same groups and the same
    comparisons of 64-bit words. A word that does not decide (one in 2⁶⁰) is drawn again."""
    groups = _Groups(scores, rate) if many is None else _group_repeated(scores, rate, many)
    found = np.empty(size, dtype=np.int64)
    if groups.level:
        return uniform(groups.size, size)
    ends = np.array([low for low, _ in groups.cumulative(64)], dtype=object)
    ends = np.minimum(ends, (1 << 64) - 1).astype(np.uint64)
    open_ = np.arange(size)
    while len(open_):
        group = np.searchsorted(ends, entropy.words(len(open_)), side="right")
        accepted = np.zeros(len(open_), dtype=bool)
        for h in np.unique(group[group < len(ends)]).tolist():
            here = np.flatnonzero(group == h)
            ranks = uniform(groups.counts[h], len(here))
            words = entropy.words(len(here))
            for rank in np.unique(ranks).tolist():
                index, gap = groups.member(h, rank)
                limit = min(enclose(rate * gap - h, 64)[0], (1 << 64) - 1)
                taken = here[(ranks == rank) & (words < np.uint64(limit))]
                found[open_[taken]] = index
                accepted[taken] = True
        open_ = open_[~accepted]
    return found


def uniform(bound: int, size: int) -> Ints:
    """Draw integers below a bound, by rejection."""
    length = (bound - 1).bit_length()
    if not length:
        return np.zeros(size, dtype=np.int64)
    found = (entropy.words(size) >> np.uint64(64 - length)).astype(np.int64)
    while len(beyond := np.flatnonzero(found >= bound)):
        found[beyond] = (entropy.words(len(beyond)) >> np.uint64(64 - length)).astype(np.int64)
    return found


def pieces(runs: int, at_once: int) -> list[int]:
    """Split a number of runs into batches.

    >>> pieces(10, 4)
    [4, 4, 2]
    """
    return [min(at_once, runs - start) for start in range(0, runs, at_once)]
