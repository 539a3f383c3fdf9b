"""ID3 on contingency counts that may be noisy.

A node is split by the feature that is most informative about the class. With noisy counts, every
feature seems informative, so the gain of a value only counts as far as it exceeds that of noise
with the known variance. If a value has n rows and a share p is expected in a class, noise of
variance v adds about v / (n p) to the likelihood ratio statistic, or less, since the classes share
their total. Without noise nothing is subtracted, and the tree is Quinlan's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from hushgram.answers.tables.contingency import Contingency
from hushgram.declare.axis import Floats
from hushgram.geometry.partition import Ints

WHOLE = -1
"""The feature of a node that is not split."""


NONE = 1e-100
"""A count that is treated as zero, because the logarithm of its share could not be computed."""


@dataclass(frozen=True, eq=False)
class Node:
    """The shares of the classes in a part of the table, and its further split, if any."""

    shares: Floats
    feature: int = WHOLE
    children: Mapping[int, Node] = field(default_factory=dict)
    """The children by the code of the feature's value; other values did not occur."""

    @property
    def leaves(self) -> int:
        return sum(child.leaves for child in self.children.values()) or 1

    def predict(self, codes: Ints) -> Floats:
        """The shares of the classes for each row of codes. O(rows x features)"""
        found = np.tile(self.shares, (len(codes), 1))
        if self.feature != WHOLE:
            column = codes[:, self.feature]
            for code in np.unique(column):
                child = self.children.get(int(code))
                if child is not None:
                    rows = column == code
                    found[rows] = child.predict(codes[rows])
        return found


def grow(table: Contingency, strictness: float = 2.0) -> Node:
    """The tree of a table. Each feature is used once on a path from the root: O(combinations x
    features) for each level, and there is at most one level per feature."""
    classes = table.counts.shape[1]
    rows, features = np.arange(len(table.counts)), tuple(range(table.codes.shape[1]))
    return node(table, rows, features, np.full(classes, 1 / classes), strictness)


def node(
    table: Contingency, rows: Ints, features: tuple[int, ...], above: Floats, strictness: float
) -> Node:
    """The subtree of some combinations; ``above`` are the shares in the node above."""
    shares = shrink_shares(table, rows, above)
    gains = [gain(table, rows, feature, strictness) for feature in features]
    if not gains or max(gains) <= 1e-9:
        return Node(shares)
    chosen = features[int(np.argmax(gains))]
    left = tuple(feature for feature in features if feature != chosen)
    column = table.codes[rows, chosen]
    children = {
        int(code): node(table, rows[column == code], left, shares, strictness)
        for code in np.unique(column)
        if table.counts[rows[column == code]].sum() > 0
    }
    return Node(shares, chosen, children)


def shrink_shares(table: Contingency, rows: Ints, above: Floats) -> Floats:
    """The shares of the classes, shrunk towards those above according to their noise: n rows with
    noise of variance v have the weight n² / (n² + v)."""
    counts = np.maximum(table.counts[rows].sum(axis=0), 0)
    total = counts.sum()
    if total <= 0:
        return above
    noise = sum(table.noise(rows, label) for label in range(len(counts)))
    weight = total**2 / (total**2 + noise)
    return np.asarray(weight * counts / total + (1 - weight) * above)


def gain(table: Contingency, rows: Ints, feature: int, strictness: float) -> float:
    """The information of a feature about the class, beyond noise. Without noise, it is twice the
    rows times the information gain in nats."""
    values, inside = np.unique(table.codes[rows, feature], return_inverse=True)
    counts = np.zeros((len(values), table.counts.shape[1]))
    np.add.at(counts, inside, table.counts[rows])
    counts = np.maximum(counts, 0)
    total = counts.sum()
    if total <= 0 or len(values) < 2:
        return 0.0
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0) / total)
    groups = [rows[inside == value] for value in range(len(values))]
    beyond = likelihood_ratios(counts, expected) - strictness * chance(table, groups, expected)
    return float(np.maximum(beyond, 0).sum())


def likelihood_ratios(counts: Floats, expected: Floats) -> Floats:
    """The contribution of each value to the likelihood ratio statistic of independence."""
    ratios = np.divide(counts, expected, out=np.ones_like(counts), where=counts > NONE)
    return np.asarray((2 * counts * np.log(ratios)).sum(axis=1))


def chance(table: Contingency, groups: list[Ints], expected: Floats) -> Floats:
    """The contribution of noise to the statistic, for each value."""
    noise = np.array(
        [[table.noise(rows, label) for label in range(expected.shape[1])] for rows in groups]
    )
    return np.asarray(
        np.divide(noise, expected, out=np.zeros_like(noise), where=expected > 0).sum(axis=1)
    )
