"""What a mechanism may ask: frozen requests, each with its price, and the vault that answers.

The catalogue is closed. Each kind of query has one trusted operation, one proof in
``docs/proofs`` and one audit. A mechanism sees noisy answers only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol, overload

from hushgram.declare.amount import Amount
from hushgram.declare.domain import Domain
from hushgram.declare.epsilon import is_price
from hushgram.errors import BudgetError
from hushgram.geometry.measured.contrasts import Contrasts
from hushgram.geometry.measured.nested_nodes import NestedNodes
from hushgram.geometry.measured.sorted_cells import SortedCells
from hushgram.geometry.measured.sorted_groups import SortedGroups
from hushgram.geometry.measured.weighted_nodes import WeightedNodes
from hushgram.geometry.partition import Boxes, Cuts, Grid, Partition, Raster
from hushgram.queries.measurement import Measurement, NoisyTotal


class Query:
    """A request with its price."""

    epsilon: Fraction

    def __post_init__(self) -> None:
        if not is_price(self.epsilon):
            raise BudgetError(
                f"The cost of a query must be a positive fraction. Found {self.epsilon!r}."
            )


@dataclass(frozen=True)
class Total(Query):
    """How many rows are in the domain?"""

    epsilon: Fraction


@dataclass(frozen=True)
class PartCounts(Query):
    """How many rows are in each part? Every part is answered, empty or not."""

    partition: Partition
    epsilon: Fraction


@dataclass(frozen=True)
class PartSums(Query):
    """What do the amounts that rows carry add up to in each part, in steps above the ``centre``?
    Every part is answered, empty or not."""

    partition: Partition
    amount: Amount
    centre: int
    epsilon: Fraction


@dataclass(frozen=True)
class Linear(Query):
    """What do signed sums of cells come to? Every contrast is answered."""

    contrasts: Contrasts
    epsilon: Fraction


@dataclass(frozen=True)
class NodeCounts(Query):
    """How many rows does each node hold, times its weight? Every node is answered, empty or not."""

    nodes: WeightedNodes
    epsilon: Fraction


@dataclass(frozen=True)
class NestedCounts(Query):
    """How many rows does each leaf hold, with noise that adds up to little in every node that
    weighs much? Every leaf is answered, empty or not."""

    nodes: NestedNodes
    epsilon: Fraction


@dataclass(frozen=True)
class Decomposition(Query):
    """Where do the leaves lie, if all axes are halved where a node has more than ``threshold`` rows
    and some for its depth below ``start``? Nodes above that depth are halved in any case, and none
    is below the raster's cells: see `Halving`."""

    raster: Raster
    start: int
    threshold: int
    epsilon: Fraction


@dataclass(frozen=True)
class Boundaries(Query):
    """Where do adjacent cells fall into that many groups of similar counts? Counts above the public
    ``bound`` look like it. One axis."""

    grid: Grid
    groups: int
    bound: int
    epsilon: Fraction


@dataclass(frozen=True)
class Bisections(Query):
    """Where is each slice of two or more cells best cut in two? One axis; ``score`` says what is
    best: see `hushgram.trusted.vault.scores.bisection`."""

    cuts: Cuts
    score: str
    epsilon: Fraction


@dataclass(frozen=True)
class Medians(Query):
    """Where along its axis is each box cut, so that about half of its rows are on either side?
    ``axes`` has an axis for every box, or -1 where it stays whole."""

    boxes: Boxes
    axes: tuple[int, ...]
    epsilon: Fraction


@dataclass(frozen=True)
class SortedSums(Query):
    """What do the indices in each group of the sorted rows add up to?"""

    groups: SortedGroups
    epsilon: Fraction


@dataclass(frozen=True)
class CellSums(Query):
    """What do the places in each group of the sorted rows of each cell add up to?"""

    cells: SortedCells
    epsilon: Fraction


@dataclass(frozen=True)
class SmoothMedian(Query):
    """Which index is in the middle, as exactly as the rows around it allow? One ordered axis."""

    epsilon: Fraction


class Vault(Protocol):
    """What a mechanism is given: a sealed table with a budget."""

    @property
    def domain(self) -> Domain: ...

    @property
    def epsilon(self) -> Fraction:
        """The whole budget."""

    @property
    def remaining(self) -> Fraction:
        """What is left of it."""

    @overload
    def ask(self, query: Total) -> NoisyTotal: ...

    @overload
    def ask(self, query: PartCounts) -> Measurement: ...

    @overload
    def ask(self, query: PartSums) -> Measurement: ...

    @overload
    def ask(self, query: SmoothMedian) -> Fraction: ...

    @overload
    def ask(self, query: SortedSums) -> Measurement: ...

    @overload
    def ask(self, query: CellSums) -> Measurement: ...

    @overload
    def ask(self, query: Linear) -> Measurement: ...

    @overload
    def ask(self, query: NodeCounts) -> Measurement: ...

    @overload
    def ask(self, query: NestedCounts) -> Measurement: ...

    @overload
    def ask(self, query: Decomposition) -> Cuts | Boxes: ...

    @overload
    def ask(self, query: Boundaries) -> Cuts: ...

    @overload
    def ask(self, query: Bisections) -> Cuts: ...

    @overload
    def ask(self, query: Medians) -> Boxes: ...

    def ask(self, query: Query) -> NoisyTotal | Measurement | Cuts | Boxes | Fraction:
        """Charge, then count, then add noise."""

    def variance(self, query: Query) -> float:
        """The variance that the noise would have which a query adds to numbers. Public, free."""

    def split(self, partition: Partition, epsilon: Fraction) -> Sequence[Vault]:
        """One vault per part of a grid; the parts are disjoint, so all cost ``epsilon`` once."""
