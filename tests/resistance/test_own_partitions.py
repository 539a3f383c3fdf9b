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
from hushgram.errors import BadInput, DomainError
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


def test_what_was_put_in_the_place_of_a_method_does_not_count() -> None:
    """The class is the catalogue's, but the object adds up true counts by a method of its own."""
    SEEN.clear()
    grid = Grid(DOMAIN, (8,))
    object.__setattr__(grid, "sums", lambda counts: SEEN.append(counts) or 1000 * counts)
    nodes = whole(Grid(DOMAIN, (8,)))
    object.__setattr__(nodes, "sums", lambda counts: SEEN.append(counts) or counts[:1])
    vault = TableVault(
        IndexedTable(DOMAIN, np.array([[1], [1], [5]])), DOMAIN, Fraction(100),
        unit=Rows(), neighbours="add-remove", noise=Native(),
    )  # fmt: skip
    assert vault.ask(PartCounts(grid, Fraction(50))).values.tolist() == [0, 2, 0, 0, 0, 1, 0, 0]
    assert vault.ask(NodeCounts(nodes, Fraction(50))).values.tolist() == [3]
    assert SEEN == []


@pytest.mark.parametrize("way", ["stated", "changed"])
def test_a_sensitivity_is_that_of_the_weights_that_count(way: str) -> None:
    """The attack: weights of 65,536 for the noise of 1, by a cover that is stated, or that was
    computed before the weights were changed."""
    nodes = whole(Grid(DOMAIN, (8,)))
    assert nodes.cover == 1
    nodes.weights.flags.writeable = True
    nodes.weights[:] = 1 << 16
    if way == "stated":
        object.__setattr__(nodes, "cover", 1)
    vault = TableVault(
        IndexedTable(DOMAIN, np.array([[1], [1], [5]])), DOMAIN, Fraction(1),
        unit=Rows(), neighbours="add-remove", noise=Native(),
    )  # fmt: skip
    assert vault.ask(NodeCounts(nodes, Fraction(1))).scale == 1 << 16


def test_weights_that_were_changed_are_checked_again() -> None:
    nodes = whole(Grid(DOMAIN, (8,)))
    nodes.weights.flags.writeable = True
    nodes.weights[:] = -1
    vault = TableVault(
        IndexedTable(DOMAIN, np.array([[1]])), DOMAIN, Fraction(1),
        unit=Rows(), neighbours="add-remove", noise=Native(),
    )  # fmt: skip
    with pytest.raises(DomainError, match="Weights must be from 1"):
        vault.ask(NodeCounts(nodes, Fraction(1)))
    assert vault.remaining == 1
