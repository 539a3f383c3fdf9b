"""The rivals of paper 003, their divergences by several rules, and their errors. NONPRIVATE."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

import numpy as np

import hushgram as hg
from hushgram.answers.counting.nonnegative import norm_sub
from hushgram.declare.axis import Floats
from hushgram.geometry.partition import Grid, Ints
from hushgram.lab.evaluate.data import coarsen
from hushgram.lab.evaluate.measures import AnswerErrors, mse
from hushgram.lab.evaluate.random_boxes import sums
from hushgram.lab.evaluate.workloads import BoxQuestions, questions
from hushgram.mechanisms.ahp import AHP, cluster_labels
from hushgram.mechanisms.grouping_smoothing import GroupingSmoothing
from hushgram.mechanisms.noise_first import NoiseFirst, segments_of
from hushgram.mechanisms.p_hpartition import PHPartition
from reproduction.judged import Runs
from reproduction.posterior import ROUNDS, posterior_means

FIVE = ("AHP", "NF", "SF", "PHP", "GS")

ETA = 0.1
"""AHP's threshold, a tuning parameter that the paper does not state."""

GROUP_SIZE = 100
"""The number of bins in a group of GS: *one of the best group sizes used by GS*."""

COARSE = 2048
"""The maximum number of bins for StructureFirst, whose time is proportional to bins times
clusters."""

Method = Callable[[Ints, str], Floats]
"""Computes released counts from true counts and an ε."""


def publishing_method(mechanism: Any) -> Method:
    def method(counts: Ints, epsilon: str) -> Floats:
        release = hg.publish(
            hg.Counts(counts), epsilon=epsilon, mechanism=mechanism, ledger=hg.Ledger.in_memory()
        )
        return np.asarray(release.to_array(), dtype=np.float64)

    return method


def structure_first(counts: Ints, epsilon: str) -> Floats:
    """Run StructureFirst, on coarser bins if there are many."""
    method = publishing_method("structure-first")
    if len(counts) <= COARSE:
        return method(counts, epsilon)
    grid = Grid(hg.Counts(counts).domain, (COARSE,))
    widths = np.diff(grid.boxes()[0][:, 0], append=len(counts))
    coarse = method(coarsen(counts, (COARSE,), "set"), epsilon)
    return np.repeat(coarse / widths, widths)


def in_advance(counts: Ints, epsilon: str) -> Floats:
    """Run NoiseFirst with a fixed number of clusters, about a tenth of the number of bins: the best
    clusters of noisy counts under a penalty that leads to that number."""
    noisy = publishing_method("identity")(counts, epsilon)
    segments = segments_of(np.rint(noisy).astype(np.int64), penalty_for(counts.tobytes(), epsilon))
    means = np.bincount(segments, noisy) / np.bincount(segments)
    return np.asarray(means[segments])


@lru_cache(maxsize=4)
def penalty_for(counts: bytes, epsilon: str) -> float:
    """Find the penalty that leads to a tenth as many clusters as bins, within a twentieth, by
    bisection."""
    noisy = publishing_method("identity")(np.frombuffer(counts, dtype=np.int64), epsilon).astype(
        np.int64
    )
    wanted = len(noisy) / 10
    low, high = 0.0, math.log(max(float(np.square(noisy.astype(float)).sum()), 2.0))
    for _ in range(30):
        middle = (low + high) / 2
        clusters = segments_of(noisy, math.exp(middle))[-1] + 1
        if abs(clusters - wanted) <= wanted / 20:
            break
        low, high = (middle, high) if clusters > wanted else (low, middle)
    return math.exp(middle)


def literal_php(counts: Ints, epsilon: str) -> Floats:
    """Run P-HPartition as in its paper: log₂(n) / 2 rounds, half of the budget, scores of
    deviations."""
    rounds = max(round(math.log2(len(counts)) / 2), 1)
    rule = PHPartition(rounds=rounds, score="deviation", share=Fraction(1, 2))
    return publishing_method(rule)(counts, epsilon)


def posterior(rounds: int, counts: Ints, epsilon: str) -> Floats:
    noisy = publishing_method("identity")(counts, epsilon)
    return posterior_means(noisy, 1 / float(epsilon), rounds)


def ahp(**given: Any) -> Method:
    return publishing_method(AHP(**{"clustering": "greedy", "eta": ETA, **given}))


RIVALS: dict[str, Method] = {
    "AHP": ahp(),
    "NF": publishing_method(NoiseFirst(penalty="paper")),
    "SF": structure_first,
    "PHP": literal_php,
    "GS": publishing_method(GroupingSmoothing(group_size=GROUP_SIZE)),
}
"""The paper's five methods, each with the rules of its own paper."""

RATE = 0.1
"""The share of rows by which `sample_rows` sorts."""


def sample_rows(counts: Ints, epsilon: str) -> Floats:
    """Simulate GS with row sampling: bins are sorted by a tenth of the rows. On a sample, a budget
    of ε/2 allows less noise: see ``docs/proofs/grouping-smoothing.md``."""
    rng = np.random.default_rng()
    half = float(epsilon) / 2
    level = 1 / math.log1p(math.expm1(half) / RATE)
    order = np.argsort(rng.binomial(counts, RATE) + rng.laplace(0, level, len(counts)))
    groups = cluster_labels(order, np.arange(0, len(counts), GROUP_SIZE))
    sizes = np.bincount(groups)
    sums_ = np.bincount(groups, counts) + rng.laplace(0, 1 / half, len(sizes))
    return np.asarray((sums_ / sizes)[groups])


POSTERIOR = "identity, posterior means"

OURS: dict[str, Method] = {
    "identity": publishing_method("identity"),
    "ahp": publishing_method("ahp"),
    "noise-first": publishing_method("noise-first"),
    "p-hpartition": publishing_method("p-hpartition"),
    "privtree-hb": publishing_method("privtree-hb"),
    POSTERIOR: partial(posterior, ROUNDS),
    "the same after 150 rounds": partial(posterior, 150),
}
"""Plain noise on every bin, mechanisms with their defaults, and a non-negative view."""


def smooth_counts(counts: Ints, values: Floats) -> tuple[Floats, Floats]:
    """Apply norm-sub, then add one evenly spread row to both: the measure ``kl`` of the
    evaluation."""
    spread = 1 / len(counts)
    return np.asarray(counts + spread, dtype=np.float64), norm_sub(values) + spread


def floor_counts(least: float, counts: Ints, values: Floats) -> tuple[Floats, Floats]:
    """Raise values below the minimum to it."""
    return counts.astype(np.float64), np.maximum(values, least)


def left_out(counts: Ints, values: Floats) -> tuple[Floats, Floats]:
    """Leave out bins in which either is not positive, as 0 ln 0 = 0."""
    return counts.astype(np.float64), np.maximum(values, 0)


def divergence(
    counts: Ints,
    values: Floats,
    rule: Callable[[Ints, Floats], tuple[Floats, Floats]] = smooth_counts,
) -> float:
    """Return the Kullback-Leibler divergence of the true shares from the released ones."""
    true, found = rule(counts, values)
    p, q = true / true.sum(), found / found.sum()
    both = (p > 0) & (q > 0)
    return float((p[both] * np.log(p[both] / q[both])).sum())


@dataclass(eq=False)
class MethodRuns:
    """The releases of several methods for some counts at an ε, for each run, and their errors."""

    counts: Ints
    epsilon: str
    runs: int
    values: dict[str, list[Floats]] = field(default_factory=dict)

    def add(self, methods: Mapping[str, Method]) -> MethodRuns:
        for name, method in methods.items():
            self.values[name] = [method(self.counts, self.epsilon) for _ in range(self.runs)]
        return self

    def divergences(self, names: Iterable[str], rule: Any = smooth_counts) -> dict[str, Runs]:
        return {
            name: [divergence(self.counts, values, rule) for values in self.values[name]]
            for name in names
        }

    def errors(self) -> dict[str, dict[int, Runs]]:
        """Return mean squared errors of each method by the size of ranges."""
        asked = questions("sizes", self.counts.shape)
        assert isinstance(asked, BoxQuestions)
        true = asked.true(self.counts)
        found: dict[str, dict[int, Runs]] = {}
        for name, runs in self.values.items():
            off = [sums(values, asked.starts, asked.stops) - true for values in runs]
            found[name] = {
                int(size): [mse(AnswerErrors(one[of], true[of], int(true.sum()))) for one in off]
                for size, of in asked.members.items()
            }
        return found
