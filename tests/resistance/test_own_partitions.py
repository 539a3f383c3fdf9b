"""A mechanism brings a partition of its own, which sees or repeats true counts."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from hushgram.declare.axis import Integer
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows
from hushgram.errors import BadInput
from hushgram.geometry.measured.contrasts import Contrasts
from hushgram.geometry.measured.weighted_nodes import WeightedNodes
from hushgram.geometry.partition import Grid, Ints, Merged
from hushgram.lab.memory import IndexedTable
from hushgram.queries import Linear, NodeCounts, PartCounts
from hushgram.trusted.noise import Native
from hushgram.trusted.vault import TableVault

DOMAIN = Domain(x=Integer(0, 7))
SEEN: list[Any] = []


@dataclass(frozen=True)
class Peeking(Grid):
    """Keeps the true counts that it adds up."""

    def sums(self, counts: Ints) -> Ints:
        SEEN.append(counts.copy())
        return counts


@dataclass(frozen=True)
class Repeating(Grid):
    """Counts every row a thousand times, for the noise of one."""

    def sums(self, counts: Ints) -> Ints:
        return counts * 1000


@dataclass(frozen=True)
class Doubling(Contrasts):
    """Takes every signed sum twice."""

    def sums(self, counts: Ints) -> Ints:
        SEEN.append(counts.copy())
        return 2 * super().sums(counts)


class Light(WeightedNodes):
    """States a sensitivity of its own."""

    cover = 0


class Borrowed:
    """No partition at all, but it has the methods of one."""

    domain, size, base = DOMAIN, 8, Grid.of_cells(DOMAIN)

    def sums(self, counts: Ints) -> Ints:
        SEEN.append(counts.copy())
        return counts


def joined() -> Merged:
    """A partition of the catalogue, over one that is not."""
    return Merged(Peeking(DOMAIN, (8,)), np.array([0, 0, 1, 1, 2, 2, 3, 3]))


def whole(leaves: Grid, kind: Any = WeightedNodes) -> WeightedNodes:
    nodes: WeightedNodes = kind(leaves, np.array([0]), np.array([8]), np.array([1]))
    return nodes


@pytest.mark.parametrize(
    "query",
    [
        PartCounts(Peeking(DOMAIN, (8,)), Fraction(1)),
        PartCounts(Repeating(DOMAIN, (8,)), Fraction(1)),
        PartCounts(joined(), Fraction(1)),
        PartCounts(Borrowed(), Fraction(1)),  # type: ignore[arg-type]
        Linear(Doubling(DOMAIN, ("haar",)), Fraction(1)),
        NodeCounts(whole(Peeking(DOMAIN, (8,))), Fraction(1)),
        NodeCounts(whole(Grid(DOMAIN, (8,)), Light), Fraction(1)),
    ],
    ids=["peeks", "repeats", "hides in another", "is none", "doubles", "hides in nodes", "light"],
)
def test_a_partition_of_ones_own_is_refused_before_the_charge(query: Any) -> None:
    SEEN.clear()
    rows = np.array([[1], [1], [5]])
    vault = TableVault(
        IndexedTable(DOMAIN, rows), DOMAIN, Fraction(1),
        unit=Rows(), neighbours="add-remove", noise=Native(),
    )  # fmt: skip
    with pytest.raises(BadInput, match="is not a built-in partition or measurement"):
        vault.ask(query)
    assert vault.remaining == 1
    assert SEEN == []


def test_a_vault_is_not_split_along_one_either() -> None:
    vault = TableVault(
        IndexedTable(DOMAIN, np.array([[1]])), DOMAIN, Fraction(1),
        unit=Rows(), neighbours="add-remove", noise=Native(),
    )  # fmt: skip
    with pytest.raises(BadInput, match="not a built-in partition"):
        vault.split(Peeking(DOMAIN, (8,)), Fraction(1))
    assert vault.remaining == 1
