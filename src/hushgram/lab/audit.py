"""Attack every operation and mechanism with statistics. NONPRIVATE.

``hushgram lab audit`` runs each on neighbouring tables and bounds its epsilon from below (see
`hushgram.lab.bound`). All bounds of a run hold together with confidence 1 - 10^-6, so a correct
mechanism is convicted once in a million runs. With the default number of runs, one that loses
1.25 times what it claims is convicted with a chance above 99 %: see `power`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

from hushgram.declare.amount import Amount
from hushgram.declare.axis import Category, Floats, Integer, Interval
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Neighbours, Rows, Unit, User
from hushgram.errors import DomainError
from hushgram.geometry.measured.contrasts import Contrasts
from hushgram.geometry.measured.nested_nodes import NestedNodes
from hushgram.geometry.measured.sorted_cells import SortedCells
from hushgram.geometry.measured.sorted_groups import SortedGroups
from hushgram.geometry.measured.weighted_nodes import WeightedNodes
from hushgram.geometry.partition import Boxes, Cuts, Grid, Ints, Raster
from hushgram.lab.bound import Bound, log_ratio, lower_bound
from hushgram.lab.memory import IndexedTable
from hushgram.lab.stock import Stocked
from hushgram.mechanisms.base import Mechanism
from hushgram.mechanisms.estimate import Estimate
from hushgram.queries import (
    Bisections,
    Boundaries,
    CellSums,
    Decomposition,
    Linear,
    Medians,
    NestedCounts,
    NodeCounts,
    PartCounts,
    PartSums,
    Query,
    SmoothMedian,
    SortedSums,
    Total,
)
from hushgram.trusted.engine.ibis.owners import owned_by
from hushgram.trusted.engine.sources.source import open_table
from hushgram.trusted.noise import Native, Noise
from hushgram.trusted.vault import Sensitivity, TableVault
from hushgram.trusted.vault.operations import OPERATIONS, Operation

ALPHA = 1e-6
"""The chance that any correct procedure is convicted in a whole audit."""

FAST_RUNS = 20_000
"""Runs of a mechanism on a pair of tables, half of them on each."""

OPERATION_RUNS = 1_000_000

SLOWER = 40
"""How many times fewer runs there are of operations that choose instead of adding noise."""

SHOWN = 6


@dataclass(frozen=True)
class Finding:
    """One pair of tables: what is claimed, and what the runs show at least."""

    subject: str
    pair: str
    claimed: float
    bound: Bound

    @property
    def convicted(self) -> bool:
        return self.bound.epsilon > self.claimed

    def to_json(self) -> dict[str, Any]:
        return {
            "subject": self.subject,
            "pair": self.pair,
            "claimed": self.claimed,
            "at_least": round(self.bound.epsilon, 4),
            "convicted": self.convicted,
            "runs": self.bound.runs,
        }


# Operations -------------------------------------------------------------------------------


@dataclass(frozen=True)
class OperationPair:
    """A query on two neighbouring tables."""

    name: str
    query: Query
    unit: Unit
    neighbours: Neighbours
    first: IndexedTable
    second: IndexedTable


def operation_pairs() -> Iterator[OperationPair]:
    """Worst cases: a cell filled or emptied, a row moved between cells, a person with many rows."""
    domain = Domain(x=Integer(0, 3))
    cells = PartCounts(Grid.of_cells(domain), Fraction(1))
    waves = Linear(Contrasts.wavelets(domain), Fraction(1))
    tables = {
        "added": (Rows(), "add-remove", [[0], [1], [3]], [[0], [1]]),
        "moved": (Rows(), "replace-one", [[0], [1]], [[0], [3]]),
        "person": (User("who", 3), "add-remove", [[0], [3], [3], [3]], [[0]]),
        "person moved": (User("who", 3), "replace-one", [[2], [2], [2]], [[3], [3], [3]]),
    }
    for name, (unit, neighbours, first, second) in tables.items():
        pair = IndexedTable(domain, first), IndexedTable(domain, second)
        for query in (cells, Total(Fraction(1)), waves):
            yield OperationPair(name, query, unit, neighbours, *pair)  # type: ignore[arg-type]
    yield from choice_pairs()
    yield from owners_pairs()
    yield added_to_a_plane()
    yield from decomposition_pairs()
    yield from sorted_pairs()
    yield from cells_pairs()
    yield from nodes_pairs()
    yield from nested_pairs()
    yield from sums_pairs()
    yield from median_pairs()
    yield from medians_pairs()


def owners_pairs() -> Iterator[OperationPair]:
    """People by the number of rows that they own, as an engine counts them: one with a thousand
    rows comes, or has one row instead."""
    domain = Domain({owned_by("who"): Integer(1, 3, outside="clamp")})
    others = {"a": 1, "b": 2}
    tables = {
        "owner of many": ("add-remove", {**others, "c": 1000}, others),
        "owner of many replaced": ("replace-one", {**others, "c": 1000}, {**others, "c": 1}),
    }
    for name, (neighbours, first, second) in tables.items():
        pair = owners_of(domain, first), owners_of(domain, second)
        query = PartCounts(Grid.of_cells(domain), Fraction(1))
        unit = User("who", 1)
        yield OperationPair(name, query, unit, neighbours, *pair)  # type: ignore[arg-type]


def owners_of(domain: Domain, owned: Mapping[str, int]) -> IndexedTable:
    names = [name for name, rows in owned.items() for _ in range(rows)]
    people = open_table(pa.table({"who": names})).owners("who", None)
    counts = people.bound_to(domain, User("who", 1)).count(Grid.of_cells(domain))
    return IndexedTable(domain, np.repeat(np.arange(len(counts)), counts))


def added_to_a_plane() -> OperationPair:
    """A row in a cell of two axes, where it moves the products of both axes' contrasts."""
    plane = Domain(x=Integer(0, 1), y=Integer(0, 2))
    query = Linear(Contrasts.wavelets(plane), Fraction(1))
    one, none = IndexedTable(plane, [[1, 0]]), IndexedTable(plane, [])
    return OperationPair("added to a plane", query, Rows(), "add-remove", one, none)


def sorted_pairs() -> Iterator[OperationPair]:
    """The first of the sorted rows comes, goes or becomes the last, so that all others shift: on
    an axis, and along a curve through the four cells of a plane, from (0, 0) to (1, 0)."""
    domain = Domain(x=Integer(0, 3))
    query = SortedSums(SortedGroups(domain, rows=4, group=2), Fraction(1))
    tables = {
        "first removed": (Rows(), "add-remove", [[0], [1], [2], [3]], [[1], [2], [3]]),
        "first to last": (Rows(), "replace-one", [[0], [1], [2], [3]], [[1], [2], [3], [3]]),
        "cut off": (Rows(), "add-remove", [[0], [2], [2], [3], [3]], [[2], [2], [3], [3]]),
        "person": (User("who", 3), "add-remove", [[0], [0], [0], [3]], [[3]]),
        "person moved": (User("who", 3), "replace-one", [[0], [0], [0], [1]], [[1], [3], [3], [3]]),
    }
    for name, (unit, neighbours, first, second) in tables.items():
        pair = IndexedTable(domain, first), IndexedTable(domain, second)
        yield OperationPair(name, query, unit, neighbours, *pair)  # type: ignore[arg-type]
    plane = Domain(x=Integer(0, 1), y=Integer(0, 1))
    curved = SortedSums(SortedGroups(plane, rows=4, group=2), Fraction(1))
    curve = [[0, 0], [0, 1], [1, 1], [1, 0]]
    pair = IndexedTable(plane, curve), IndexedTable(plane, curve[1:])
    yield OperationPair("first of a curve removed", curved, Rows(), "add-remove", *pair)
    unequal = SortedSums(SortedGroups(domain, rows=5, group=1, profile=(3, 1)), Fraction(1))
    shifted = IndexedTable(domain, [[0], [1], [2], [3]]), IndexedTable(domain, [[1], [2], [3]])
    yield OperationPair("first of unequal groups", unequal, Rows(), "add-remove", *shifted)


def cells_pairs() -> Iterator[OperationPair]:
    """Two cells of three indices. The first row of a cell's list comes or goes; or the first of
    one cell becomes the first of the other, so that both lists shift, one back and one forth."""
    grid = Grid(Domain(x=Integer(0, 5)), (2,))
    query = CellSums(SortedCells(grid, np.array([2, 2]), np.array([1, 2])), Fraction(1))
    tables = {
        "first in a cell": (Rows(), "add-remove", [0, 2, 2, 4], [2, 2, 4]),
        "to the other cell": (Rows(), "replace-one", [0, 2, 2, 5, 5], [2, 2, 3, 5, 5]),
        "person in cells": (User("who", 2), "replace-one", [0, 0, 5, 5], [3, 3, 5, 5]),
    }
    for name, (unit, neighbours, first, second) in tables.items():
        pair = IndexedTable(grid.domain, first), IndexedTable(grid.domain, second)
        yield OperationPair(name, query, unit, neighbours, *pair)  # type: ignore[arg-type]


def nodes_pairs() -> Iterator[OperationPair]:
    """A tree over four cells, and one without its root. A row comes or goes on the heaviest path,
    or leaves one path for another that shares no node with it; in a plane, a row in a box."""
    line, plane = Domain(x=Integer(0, 3)), Domain(x=Integer(0, 1), y=Integer(0, 1))
    cells = Grid.of_cells(line)
    boxes = Boxes(Raster.of_cells(plane), np.array([0, -1, 1, -1, -1]), np.array([1, 0, 1, 0, 0]))
    starts, stops = np.array([0, 0, 2, 0, 1, 2, 3]), np.array([4, 2, 4, 1, 2, 3, 4])
    tree = WeightedNodes(cells, starts, stops, np.array([2, 1, 1, 1, 1, 1, 3]))
    branches = WeightedNodes(cells, starts[1:], stops[1:], np.array([2, 2, 1, 1, 1, 1]))
    subtrees = WeightedNodes(boxes, np.array([0, 1, 1]), np.array([3, 3, 2]), np.array([1, 2, 1]))
    tables: dict[str, tuple[WeightedNodes, Unit, Neighbours, Any, Any]] = {
        "on a path": (tree, Rows(), "add-remove", [[0], [3]], [[0]]),
        "to another path": (branches, Rows(), "replace-one", [[1], [0]], [[1], [2]]),
        "person on a path": (tree, User("who", 3), "add-remove", [[0], [3], [3], [3]], [[0]]),
        "person to a path": (branches, User("who", 2), "replace-one", [[0]] * 2, [[2]] * 2),
        "in a box": (subtrees, Rows(), "add-remove", [[0, 0], [1, 0]], [[0, 0]]),
    }
    for name, (nodes, unit, neighbours, first, second) in tables.items():
        pair = IndexedTable(nodes.domain, first), IndexedTable(nodes.domain, second)
        yield OperationPair(name, NodeCounts(nodes, Fraction(1)), unit, neighbours, *pair)


def nested_pairs() -> Iterator[OperationPair]:
    """A tree over four cells, whose first one lies four levels deep. A row comes or goes there, or
    leaves for another path; so do a person's rows. And a single cell with a budget so small that
    noise is drawn in coarse steps first."""
    line, cell = Domain(x=Integer(0, 3)), Domain(x=Integer(0, 0))
    starts, stops = np.array([0, 0, 0, 0, 1, 2, 3]), np.array([4, 3, 2, 1, 2, 3, 4])
    deep = NestedNodes(WeightedNodes(Grid.of_cells(line), starts, stops, np.full(7, 2)))
    one = np.array([1])
    single = NestedNodes(WeightedNodes(Grid.of_cells(cell), one - 1, one, one))
    tables: dict[str, tuple[NestedNodes, str, Unit, Neighbours, Any, Any]] = {
        "on a path": (deep, "1", Rows(), "add-remove", [[0], [3]], [[3]]),
        "path to path": (deep, "1", Rows(), "replace-one", [[0]], [[3]]),
        "person to a path": (deep, "1", User("who", 2), "replace-one", [[0]] * 2, [[3]] * 2),
        "in coarse steps": (single, "1/4", Rows(), "add-remove", [[0]], []),
    }
    for name, (nodes, epsilon, unit, neighbours, first, second) in tables.items():
        pair = IndexedTable(nodes.domain, first), IndexedTable(nodes.domain, second)
        yield OperationPair(name, NestedCounts(nodes, Fraction(epsilon)), unit, neighbours, *pair)


def sums_pairs() -> Iterator[OperationPair]:
    """Values at their bounds, of either sign, at a centre or far from it. A row comes or goes with
    the most that it can carry, or leaves one part for another; so does a person with all rows at a
    bound."""
    domain = Domain(x=Integer(0, 3))
    signed, negative = Amount("v", -3, 10, Fraction(1)), Amount("v", -10, 3, Fraction(1))
    positive = Amount("v", 0, 10, Fraction(1))
    person: Unit = User("who", 3)
    full = [(1, 10), (2, 10), (3, 10)]
    tables: dict[str, tuple[Amount, int, Unit, Neighbours, Any, Any]] = {
        "most added": (signed, 0, Rows(), "add-remove", [(0, 4), (3, 10)], [(0, 4)]),
        "least added": (negative, 0, Rows(), "add-remove", [(0, 3), (3, -10)], [(0, 3)]),
        "from the middle": (positive, 5, Rows(), "add-remove", [(0, 9), (1, 0)], [(0, 9)]),
        "above the middle": (positive, 5, Rows(), "add-remove", [(0, 9), (1, 10)], [(0, 9)]),
        "first of many": (positive, 0, Rows(), "add-remove", [(0, 10), *full], full),
        "lower than the middle": (signed, 10, Rows(), "add-remove", [(2, -3)], []),
        "value moved": (positive, 0, Rows(), "replace-one", [(1, 10), (0, 7)], [(2, 10), (0, 7)]),
        "sign turned": (
            Amount("v", -10, 10, Fraction(1)), 0, Rows(), "replace-one", [(1, 10)], [(1, -10)]
        ),
        "person of most": (signed, 0, person, "add-remove", [(0, 4), *[(3, 10)] * 3], [(0, 4)]),
        "person cut off": (
            Amount("v", -3, 10, Fraction(1), person=12), 0, person, "add-remove",
            [(0, 4), (3, 10), (3, 2), (3, 0)], [(0, 4)],
        ),
        "person turned": (positive, 5, person, "replace-one", [(1, 10)] * 3, [(2, 0)] * 3),
    }  # fmt: skip
    for name, (amount, centre, unit, neighbours, *both) in tables.items():
        pair = (carrying(domain, amount, rows) for rows in both)
        query = PartSums(Grid.of_cells(domain), amount, centre, Fraction(1))
        yield OperationPair(name, query, unit, neighbours, *pair)


def carrying(domain: Domain, amount: Amount, rows: Sequence[tuple[int, int]]) -> IndexedTable:
    """Rows of an index and what they carry."""
    both = np.array(rows, dtype=np.int64).reshape(-1, 2)
    return IndexedTable(domain, both[:, :1], amount, both[:, 1])


def median_pairs() -> Iterator[OperationPair]:
    """A middle that jumps over a gap, a first row, and a row that goes from end to end."""
    domain = Domain(x=Integer(0, 40))
    ends = [[0], [0], [40], [40]]
    tables = {
        "over a gap": ("add-remove", [*ends, [40]], ends),
        "first row": ("add-remove", [[0]], []),
        "end to end": ("replace-one", [*ends[:3], [0]], ends),
    }
    for name, (neighbours, first, second) in tables.items():
        pair = IndexedTable(domain, first), IndexedTable(domain, second)
        query = SmoothMedian(Fraction(1))
        yield OperationPair(name, query, Rows(), neighbours, *pair)  # type: ignore[arg-type]


def medians_pairs() -> Iterator[OperationPair]:
    """Boxes of three slices, with two cuts each. A row in the middle makes one of them better and
    the other worse; a row that moves to another box tilts the cuts of both."""
    line, longer = Domain(x=Integer(0, 2)), Domain(x=Integer(0, 5))
    whole = Medians(Boxes.whole(Raster.of_cells(line)), (0,), Fraction(1))
    halves = Boxes(Raster.of_cells(longer), np.array([0, -1, -1]), np.array([3, 0, 0]))
    both = Medians(halves, (0, 0), Fraction(1))
    tables = [
        ("in the middle", whole, "add-remove", [0, 2, 8], [0, 1, 8]),
        ("other box", both, "replace-one", [0, 1, 9, 1, 4, 2], [0, 2, 9, 0, 4, 2]),
    ]
    for name, query, neighbours, *counts in tables:
        pair = (IndexedTable(query.boxes.domain, np.repeat(np.arange(len(c)), c)) for c in counts)
        yield OperationPair(name, query, Rows(), neighbours, *pair)  # type: ignore[arg-type]


def choice_pairs() -> Iterator[OperationPair]:
    """Tables on which one row, or a row that moves to another slice, tilts a choice the most."""
    domain = Domain(x=Integer(0, 9))
    whole, halves = (Cuts(domain, (np.array(starts),)) for starts in ([0], [0, 5]))
    boundaries = Boundaries(Grid.of_cells(domain), 2, 1, Fraction(1))
    once, twice = (Bisections(cuts, "interpolation", Fraction(1)) for cuts in (whole, halves))
    end, gap = [[7], [8], [9]], [[cell] for cell in (0, *range(2, 10))]
    tables = [
        ("step moved", boundaries, "add-remove", [*end, [6]], end),
        ("before a gap", once, "add-remove", [*gap, [0]], gap),
        ("other slice", twice, "replace-one", [*gap, [0]], [*gap, [9]]),
    ]
    for name, query, neighbours, first, second in tables:
        pair = IndexedTable(domain, first), IndexedTable(domain, second)
        yield OperationPair(name, query, Rows(), neighbours, *pair)  # type: ignore[arg-type]


def decomposition_pairs() -> Iterator[OperationPair]:
    """A row in an empty table; on a path where every node can notice it (the margins of its nodes
    are 2 and -1, and -1 is the floor); and moved on to such a path from another branch, or from an
    "other" slice, which has a tree of its own."""
    line, longer = (Domain(x=Integer(0, bins - 1)) for bins in (4, 8))
    plane = Domain(x=Integer(0, 3), y=Integer(0, 3))
    open_plane = Domain(x=Integer(0, 3, outside="other"), y=Integer(0, 3))
    tables = {
        "first row": (line, "5/2", "add-remove", [[3]], []),
        "row on a path": (line, "1", "add-remove", [[3]] * 3, [[3]] * 2),
        "row moved on to a path": (longer, "1", "replace-one", [[7]] * 9, [[7]] * 8 + [[0]]),
        "first row in a plane": (plane, "5/2", "add-remove", [[3, 0]], []),
        "row from other": (open_plane, "1", "replace-one", [[3, 0]] * 5, [[3, 0]] * 4 + [[4, 0]]),
    }
    for name, (domain, epsilon, neighbours, first, second) in tables.items():
        query = Decomposition(Raster.of_cells(domain), 0, 0, Fraction(epsilon))
        pair = IndexedTable(domain, first), IndexedTable(domain, second)
        yield OperationPair(name, query, Rows(), neighbours, *pair)  # type: ignore[arg-type]


def audit_operation(pair: OperationPair, runs: int, alpha: float) -> Finding:
    """All runs at once: the exact vectors repeated, with noise on each repetition."""
    operation = OPERATIONS[type(pair.query)]
    domain = pair.first.domain
    table = Sensitivity(pair.unit, pair.neighbours, pair.first.loses_rows(domain))
    scale = operation.sensitivity(pair.query, table) / pair.query.epsilon
    exact: list[Any] = [operation.look(pair.query, t, domain) for t in (pair.first, pair.second)]
    features = [outcomes(operation, pair.query, x, scale, runs) for x in exact]
    if operation.additive:
        features = [likelihood(found, *exact) for found in features]
    name = type(pair.query).__name__.lower()
    return Finding(
        name, pair.name, float(pair.query.epsilon), lower_bound(features[0], features[1], alpha)
    )


def outcomes(operation: Operation, query: Query, exact: Any, scale: Fraction, runs: int) -> Any:
    """What comes out, a run per row. Where noise is not simply added, one run after another and
    fewer of them: how many numbers came out, their sum, and the first few."""
    if operation.additive:
        return operation.perturb(query, np.tile(exact, runs), scale, Native()).reshape(runs, -1)
    found = np.full((runs // SLOWER, 2 + SHOWN), -1.0)
    for row in found:
        noisy = operation.perturb(query, exact, scale, Native())
        row[:2] = len(noisy), noisy.sum()
        row[2 : 2 + len(noisy)] = noisy[:SHOWN]
    return found


def likelihood(noisy: Ints, first: Ints, second: Ints) -> Floats:
    """The sum of the entries, each cut to the range in which it tells the tables apart.

    For Laplace noise this is the likelihood ratio, up to a constant: no statistic does better.
    """
    low, high = np.minimum(first, second), np.maximum(first, second)
    score = (np.clip(noisy, low, high) * np.sign(first - second)).sum(axis=1)
    return np.asarray(score[:, np.newaxis], dtype=np.float64)


# Mechanisms -------------------------------------------------------------------------------


@dataclass(frozen=True)
class MechanismPair:
    """Two neighbouring tables, and the row by which they differ."""

    name: str
    first: IndexedTable
    second: IndexedTable
    row: Ints


def mechanism_pairs(mechanism: Mechanism, *, fast: bool = True) -> Iterator[MechanismPair]:
    """A row more in an empty cell of a line; in full also at a size where the papers' rules for N
    round the other way, in an empty table and in a heavy cell, and all that on planes too."""
    line = Domain(x=Integer(0, 7))
    plane = Domain(x=Interval(0, 1, resolution=64), y=Interval(0, 1, resolution=64))
    mixed = Domain(x=Interval(0, 1, resolution=16), sex=Category(("F", "M"), outside="other"))
    for place, domain in {"line": line, "plane": plane, "mixed": mixed}.items():
        if not accepts(mechanism, domain):
            continue
        corner = np.zeros(len(domain), dtype=np.int64)
        far = np.array(domain.shape) - 1
        cases = {
            "empty cell": (40, far),
            "threshold": (1102, far),
            "empty table": (0, far),
            "heavy cell": (40, corner),
        }
        for name, (count, row) in cases.items():
            if not fast or (place, name) == ("line", "empty cell"):
                rows = corner[np.newaxis].repeat(count, axis=0)
                yield neighbours_by(domain, rows, row, f"{place}, {name}")


def accepts(mechanism: Mechanism, domain: Domain) -> bool:
    try:
        mechanism.check(domain)
    except DomainError:
        return False
    return True


def neighbours_by(domain: Domain, rows: Ints, row: Ints, name: str) -> MechanismPair:
    more = IndexedTable(domain, np.concatenate([rows, row[np.newaxis]]))
    return MechanismPair(name, more, IndexedTable(domain, rows), row)


def audit_mechanism(
    mechanism: Mechanism, pair: MechanismPair, runs: int, alpha: float, epsilon: Fraction
) -> Finding:
    """End to end: a vault, the mechanism, features of what it estimates."""
    noise = Stocked()
    features = [
        np.array([run_once(mechanism, table, pair.row, epsilon, noise) for _ in range(runs // 2)])
        for table in (pair.first, pair.second)
    ]
    bound = lower_bound(features[0], features[1], alpha)
    return Finding(mechanism.name, pair.name, float(epsilon), bound)


def run_once(
    mechanism: Mechanism, table: IndexedTable, row: Ints, epsilon: Fraction, noise: Noise
) -> Any:
    vault = TableVault(
        table,
        table.domain,
        epsilon,
        unit=Rows(),
        neighbours="add-remove",
        noise=noise,
    )
    return features_of(mechanism.estimate(vault), row)


def features_of(estimate: Estimate, row: Ints) -> list[float]:
    """What an attacker would look at: the whole, the part of the row, how it compares with its
    neighbours, and the layout itself."""
    values = estimate.values
    part = int(estimate.partition.parts([row[axis : axis + 1] for axis in range(len(row))])[0])
    here, before = float(values[part]), float(values[part - 1])
    return [float(values.sum()), here, here - before, here + before, float(len(values))]


# Together ---------------------------------------------------------------------------------


def audit(
    mechanisms: list[Mechanism],
    *,
    runs: int = FAST_RUNS,
    operation_runs: int = OPERATION_RUNS,
    epsilon: Fraction = Fraction(1),
) -> Iterator[Finding]:
    """Every operation and the given mechanisms, one finding after another: the fast audit (the
    full one is `assurance.full`)."""
    operations = list(operation_pairs())
    pairs = [(m, pair) for m in mechanisms for pair in mechanism_pairs(m)]
    alpha = ALPHA / (len(operations) + len(pairs))
    for operation in operations:
        yield audit_operation(operation, operation_runs, alpha)
    for mechanism, pair in pairs:
        yield audit_mechanism(mechanism, pair, runs, alpha, epsilon)


def power(excess: float, runs: int, alpha: float, *, trials: int = 2000, seed: int = 1) -> float:
    """The chance to convict a mechanism that loses ``excess`` instead of 1, by simulation.

    The event is the best one against Laplace noise: a count at or above the larger value.
    """
    rng = np.random.default_rng(seed)
    ratio = np.exp(-excess)
    tested = runs // 4  # half on each table, and half of those to choose the event
    likely = rng.binomial(tested, 1 / (1 + ratio), trials)
    unlikely = rng.binomial(tested, ratio / (1 + ratio), trials)
    return float(np.mean(log_ratio(likely, unlikely, tested, alpha) > 1))
