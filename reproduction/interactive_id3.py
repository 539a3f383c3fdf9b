"""The private interactive ID3 of Friedman & Schuster, for comparison. NONPRIVATE.

`hushgram.HistogramClassifier` is trained on a public release; this tree is trained on the table
itself, query by query: a noisy count of a node's rows decides whether to go on, the exponential
mechanism chooses the feature, and the leaves get noisy counts of the classes. Children are
disjoint, so a level costs as much as one node. With depth d, a path from the root has 2 (d + 1)
queries, and each gets an equal share of the budget. If a path ends early, the rest is not spent, as
in the paper.

All queries go through a vault, which charges them. Choosing a feature is not in the catalogue of
queries, so the vault is extended here with the exponential mechanism on integer scores. Two of the
paper's scores are available: ``"max"``, the number of rows in the most frequent class of their
value, which one row moves by at most 1; and ``"gain"``, the information gain up to a constant, in
1024ths of a bit, which one row of at most N moves by at most log2(N + 1) + 1 / ln 2, plus 1/1024
for rounding. The unit is a row, and neighbours differ by adding or removing one.

Friedman & Schuster, *Data mining with differential privacy*, KDD 2010.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from hushgram.answers.learning.id3 import Node
from hushgram.declare.domain import Domain
from hushgram.errors import BadInput
from hushgram.geometry.partition import Grid, Ints
from hushgram.queries import PartCounts, Total
from hushgram.trusted.vault import TableVault

STEPS = 1024
"""Steps of the information gain per bit."""


@dataclass(frozen=True)
class TreeSettings:
    """Settings that are the same at every node."""

    target: int
    """The index of the class among the axes."""
    price: Fraction
    """The cost of every query."""
    quality: str
    most_rows: int


class ChoosingVault(TableVault):
    """A vault that also chooses the feature that best predicts a class."""

    def choose(self, features: list[int], plan: TreeSettings) -> int:
        """Choose one of several features by the exponential mechanism."""
        if self._sensitivity.counts != 1:
            raise BadInput("Features can only be chosen for neighbours that add or remove a row.")
        self._charge(plan.price)
        tables = [self._by_class(feature, plan.target) for feature in features]
        scores = np.array([score(table, plan.quality) for table in tables], dtype=np.int64)
        rate = plan.price / (2 * sensitivity(plan.quality, plan.most_rows))
        return features[self._noise.exponential(scores, rate)]

    def _by_class(self, feature: int, target: int) -> Ints:
        """Return true counts: values x classes."""
        grid = slices(self._domain, feature, target)
        table = np.moveaxis(self._table.count(grid).reshape(grid.shape), target, -1)
        return table.reshape(-1, table.shape[-1])


def score(table: Ints, quality: str) -> int:
    """Return how well a feature predicts the class, as an integer; larger is better.

    >>> score(np.array([[5, 1], [2, 4]]), "max"), score(np.array([[5, 0], [0, 4]]), "gain")
    (9, 0)
    """
    if quality == "max":
        return int(table.max(axis=1).sum())
    rows = table.sum(axis=1, keepdims=True)
    shares = np.divide(table, rows, out=np.ones(table.shape), where=table > 0)
    return math.floor(STEPS * float((table * np.log2(shares)).sum()))


def sensitivity(quality: str, most_rows: int) -> Fraction:
    """Return how far one row moves a score."""
    if quality == "max":
        return Fraction(1)
    return Fraction(math.ceil(STEPS * (math.log2(most_rows + 1) + 1 / math.log(2))) + 1)


def interactive_id3(
    vault: ChoosingVault,
    target: str,
    *,
    depth: int,
    quality: str = "max",
    most_rows: int = 1 << 20,
) -> Node:
    """Train a tree with at most this many levels of features. Codes are the axes' indices, without
    the target's."""
    if quality not in ("max", "gain"):
        raise BadInput(f'Unknown quality={quality!r}. Use "max" or "gain".')
    if any(axis.other or axis.continuous for axis in vault.domain.axes):
        raise BadInput('Features must have declared values, without "other".')
    place = vault.domain.names.index(target)
    depth = min(depth, len(vault.domain) - 1)
    plan = TreeSettings(place, vault.epsilon / (2 * (depth + 1)), quality, most_rows)
    features = [axis for axis in range(len(vault.domain)) if axis != place]
    return grown(vault, features, depth, plan)


def grown(vault: ChoosingVault, features: list[int], depth: int, plan: TreeSettings) -> Node:
    rows = vault.ask(Total(plan.price)).value
    if depth == 0 or too_few(rows, vault.domain, features, plan):
        return leaf(vault, plan)
    chosen = vault.choose(features, plan)
    left = [axis for axis in features if axis != chosen]
    children = []
    for child in vault.split(slices(vault.domain, chosen), vault.remaining):
        assert isinstance(child, ChoosingVault)
        children.append(grown(child, left, depth - 1, plan))
    shares = np.mean([child.shares for child in children], axis=0)
    return Node(shares, chosen - (chosen > plan.target), dict(enumerate(children)))


def too_few(rows: int, domain: Domain, features: list[int], plan: TreeSettings) -> bool:
    """Return whether noise would hide the classes of a typical child, as in the paper."""
    children = max(domain.axes[axis].size for axis in features)
    classes = domain.axes[plan.target].size
    return rows / (children * classes) < math.sqrt(2) / plan.price


def leaf(vault: ChoosingVault, plan: TreeSettings) -> Node:
    """Return a leaf with the shares of the classes by noisy counts; equal shares if there seem to
    be no rows."""
    noisy = vault.ask(PartCounts(slices(vault.domain, plan.target), plan.price))
    counts = np.maximum(noisy.values, 0).astype(np.float64)
    if counts.sum() == 0:
        counts += 1
    return Node(counts / counts.sum())


def slices(domain: Domain, *axes: int) -> Grid:
    """Return a grid with all values of some axes, and one slice on each of the others."""
    return Grid(domain, tuple(a.bins if n in axes else 1 for n, a in enumerate(domain.axes)))
