"""Worst cases for counts and linear measurements: of cells, of people, of nodes of trees."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

import numpy as np
import pyarrow as pa

from hushgram.declare.axis import Integer
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Neighbours, Rows, User
from hushgram.geometry.measured.contrasts import Contrasts
from hushgram.geometry.measured.nested_nodes import NestedNodes
from hushgram.geometry.measured.weighted_nodes import WeightedNodes
from hushgram.geometry.partition import Boxes, Grid, Raster
from hushgram.lab.audit.pairs import Case, OperationPair
from hushgram.lab.memory import IndexedTable
from hushgram.queries import Linear, NestedCounts, NodeCounts, PartCounts, Total
from hushgram.trusted.engine.ibis.owners import row_count_column
from hushgram.trusted.engine.sources.source import open_table


def count_pairs() -> Iterator[OperationPair]:
    """Yield the worst cases of every operation that counts."""
    yield from cells_pairs()
    yield from owners_pairs()
    yield added_to_a_plane()
    yield from nodes_pairs()
    yield from nested_pairs()


def cells_pairs() -> Iterator[OperationPair]:
    """Yield pairs with a row added, a row moved between cells, and a person with many rows."""
    domain = Domain(x=Integer(0, 3))
    cells = PartCounts(Grid.of_cells(domain), Fraction(1))
    waves = Linear(Contrasts.wavelets(domain), Fraction(1))
    cases: dict[str, Case] = {
        "added": (Rows(), "add-remove", [[0], [1], [3]], [[0], [1]]),
        "moved": (Rows(), "replace-one", [[0], [1]], [[0], [3]]),
        "person": (User("who", 3), "add-remove", [[0], [3], [3], [3]], [[0]]),
        "person moved": (User("who", 3), "replace-one", [[2], [2], [2]], [[3], [3], [3]]),
    }
    for name, case in cases.items():
        for query in (cells, Total(Fraction(1)), waves):
            yield OperationPair.of_rows(name, query, domain, case)


def owners_pairs() -> Iterator[OperationPair]:
    """Yield pairs of tables of people by their number of rows, as counted by an engine: a person
    with a thousand rows is added, or has one row instead."""
    domain = Domain({row_count_column("who"): Integer(1, 3, outside="clamp")})
    others = {"a": 1, "b": 2}
    tables: dict[str, tuple[Neighbours, Mapping[str, int], Mapping[str, int]]] = {
        "owner of many": ("add-remove", {**others, "c": 1000}, others),
        "owner of many replaced": ("replace-one", {**others, "c": 1000}, {**others, "c": 1}),
    }
    for name, (neighbours, first, second) in tables.items():
        pair = owners_of(domain, first), owners_of(domain, second)
        query = PartCounts(Grid.of_cells(domain), Fraction(1))
        unit = User("who", 1)
        yield OperationPair(name, query, unit, neighbours, *pair)


def owners_of(domain: Domain, owned: Mapping[str, int]) -> IndexedTable:
    names = [name for name, rows in owned.items() for _ in range(rows)]
    people = open_table(pa.table({"who": names})).owners("who", None)
    counts = people.bound_to(domain, User("who", 1)).count(Grid.of_cells(domain))
    return IndexedTable(domain, np.repeat(np.arange(len(counts)), counts))


def added_to_a_plane() -> OperationPair:
    """Return a pair with a row in a cell of two axes, where it moves the products of both axes'
    contrasts."""
    plane = Domain(x=Integer(0, 1), y=Integer(0, 2))
    query = Linear(Contrasts.wavelets(plane), Fraction(1))
    case: Case = (Rows(), "add-remove", [[1, 0]], [])
    return OperationPair.of_rows("added to a plane", query, plane, case)


def nodes_pairs() -> Iterator[OperationPair]:
    """Yield pairs on a tree over four cells, and on one without its root. A row is added on the
    heaviest path, or moves to a path that shares no node with its own; in a plane, a row in a
    box."""
    line, plane = Domain(x=Integer(0, 3)), Domain(x=Integer(0, 1), y=Integer(0, 1))
    cells = Grid.of_cells(line)
    boxes = Boxes(Raster.of_cells(plane), np.array([0, -1, 1, -1, -1]), np.array([1, 0, 1, 0, 0]))
    starts, stops = np.array([0, 0, 2, 0, 1, 2, 3]), np.array([4, 2, 4, 1, 2, 3, 4])
    tree = WeightedNodes(cells, starts, stops, np.array([2, 1, 1, 1, 1, 1, 3]))
    branches = WeightedNodes(cells, starts[1:], stops[1:], np.array([2, 2, 1, 1, 1, 1]))
    subtrees = WeightedNodes(boxes, np.array([0, 1, 1]), np.array([3, 3, 2]), np.array([1, 2, 1]))
    cases: dict[str, tuple[WeightedNodes, Case]] = {
        "on a path": (tree, (Rows(), "add-remove", [[0], [3]], [[0]])),
        "to another path": (branches, (Rows(), "replace-one", [[1], [0]], [[1], [2]])),
        "person on a path": (tree, (User("who", 3), "add-remove", [[0], [3], [3], [3]], [[0]])),
        "person to a path": (branches, (User("who", 2), "replace-one", [[0]] * 2, [[2]] * 2)),
        "in a box": (subtrees, (Rows(), "add-remove", [[0, 0], [1, 0]], [[0, 0]])),
    }
    for name, (nodes, case) in cases.items():
        yield OperationPair.of_rows(name, NodeCounts(nodes, Fraction(1)), nodes.domain, case)


def nested_pairs() -> Iterator[OperationPair]:
    """Yield pairs on a tree over four cells, with the first cell four levels deep. A row is added
    there, or moves to another path; so do a person's rows. Also a single cell with a budget so
    small that noise is drawn in coarse steps first."""
    line, cell = Domain(x=Integer(0, 3)), Domain(x=Integer(0, 0))
    starts, stops = np.array([0, 0, 0, 0, 1, 2, 3]), np.array([4, 3, 2, 1, 2, 3, 4])
    deep = NestedNodes(WeightedNodes(Grid.of_cells(line), starts, stops, np.full(7, 2)))
    one = np.array([1])
    single = NestedNodes(WeightedNodes(Grid.of_cells(cell), one - 1, one, one))
    cases: dict[str, tuple[NestedNodes, str, Case]] = {
        "on a path": (deep, "1", (Rows(), "add-remove", [[0], [3]], [[3]])),
        "path to path": (deep, "1", (Rows(), "replace-one", [[0]], [[3]])),
        "person to a path": (deep, "1", (User("who", 2), "replace-one", [[0]] * 2, [[3]] * 2)),
        "in coarse steps": (single, "1/4", (Rows(), "add-remove", [[0]], [])),
    }
    for name, (nodes, epsilon, case) in cases.items():
        query = NestedCounts(nodes, Fraction(epsilon))
        yield OperationPair.of_rows(name, query, nodes.domain, case)
