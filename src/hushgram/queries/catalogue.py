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
    """How many rows are in each part? Every part gets an answer, empty or not."""

    partition: Partition
    epsilon: Fraction


@dataclass(frozen=True)
class PartSums(Query):
    """What is the sum of the rows' amounts in each part, in steps above ``centre``? Every part gets
    an answer, empty or not."""

    partition: Partition
    amount: Amount
    centre: int
    epsilon: Fraction


@dataclass(frozen=True)
class Linear(Query):
    """What is each signed sum of cells? Every contrast gets an answer."""

    contrasts: Contrasts
    epsilon: Fraction


@dataclass(frozen=True)
class NodeCounts(Query):
    """How many rows are in each node, times its weight? Every node gets an answer, empty or not."""

    nodes: WeightedNodes
    epsilon: Fraction


@dataclass(frozen=True)
class NestedCounts(Query):
    """How many rows are in each leaf, with noise that adds up to little in nodes of large weight?
    Every leaf gets an answer, empty or not."""

    nodes: NestedNodes
    epsilon: Fraction


@dataclass(frozen=True)
class Decomposition(Query):
    """What are the leaves if a node is halved along all axes when it has more than ``threshold``
    rows plus a bias for its depth below ``start``? Nodes above depth ``start`` are always halved,
    and cells of the raster never: see `Halving`."""

    raster: Raster
    start: int
    threshold: int
    epsilon: Fraction


@dataclass(frozen=True)
class Boundaries(Query):
    """Which boundaries divide one axis into ``groups`` groups of adjacent cells with similar
    counts? Counts above the public ``bound`` are treated as the bound."""

    grid: Grid
    groups: int
    bound: int
    epsilon: Fraction


@dataclass(frozen=True)
class Bisections(Query):
    """Where is each slice of two or more cells best cut in two, according to ``score``? One axis:
    see `hushgram.trusted.vault.scores.bisection`."""

    cuts: Cuts
    score: str
    epsilon: Fraction


@dataclass(frozen=True)
class Medians(Query):
    """Where must each box be cut along its axis to have about half of its rows on either side?
    ``axes`` has an axis for every box, or -1 if it is not cut."""

    boxes: Boxes
    axes: tuple[int, ...]
    epsilon: Fraction


@dataclass(frozen=True)
class SortedSums(Query):
    """What is the sum of the places in each group of the sorted rows?"""

    groups: SortedGroups
    epsilon: Fraction


@dataclass(frozen=True)
class CellSums(Query):
    """What is the sum of the places in each group of the sorted rows of each cell?"""

    cells: SortedCells
    epsilon: Fraction


@dataclass(frozen=True)
class SmoothMedian(Query):
    """Which index is the median, as accurately as the rows around it allow? One ordered axis."""

    epsilon: Fraction


class Vault(Protocol):
    """The only access that a mechanism has to a table: a budget, and noisy answers."""

    @property
    def domain(self) -> Domain: ...

    @property
    def epsilon(self) -> Fraction:
        """The whole budget."""

    @property
    def remaining(self) -> Fraction:
        """What is left of the budget."""

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
        """Charge the budget, then count, then add noise."""

    def variance(self, query: Query) -> float:
        """The variance of the noise that a query would add. Public and free."""

    def split(self, partition: Partition, epsilon: Fraction) -> Sequence[Vault]:
        """One vault per part of a grid. The parts are disjoint, so together they cost
        ``epsilon``."""
