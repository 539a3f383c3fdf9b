"""Weighted counts of nodes: the vault itself works out how far one unit can move them."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations_with_replacement as multisets
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hushgram.declare.axis import Integer
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows, User
from hushgram.errors import BadInput, BudgetError, BudgetExceeded
from hushgram.geometry.measured.weighted_nodes import WeightedNodes
from hushgram.geometry.partition import Boxes, Cuts, Grid, Ints, Raster
from hushgram.lab.audit import ALPHA, audit_operation
from hushgram.lab.audit.count_pairs import nodes_pairs
from hushgram.lab.memory import IndexedTable
from hushgram.lab.replay import RecordingVault, ReplayingVault, ReplayMismatch, loss
from hushgram.queries import NodeCounts
from hushgram.trusted.engine.sources.source import open_table
from hushgram.trusted.noise import Native, variance
from hushgram.trusted.vault import Sensitivity, TableVault
from hushgram.trusted.vault.operations.node_counts import NodeCountsOperation
from tests.geometry.measured.test_weighted_nodes import dense, nodes

LINE = Domain(x=Integer(0, 3))
CELLS = Grid.of_cells(LINE)
TREE = WeightedNodes(
    CELLS, np.array([0, 0, 2, 0, 3]), np.array([4, 2, 4, 1, 4]), np.array([1, 2, 2, 1, 4])
)
FOREST = WeightedNodes(
    CELLS, np.array([0, 2, 0, 3]), np.array([2, 4, 1, 4]), np.array([2, 2, 1, 1])
)
ONE_ROW = Sensitivity(Rows(), "add-remove", loses_rows=True)


class Silent(Native):
    """No noise."""

    def add_discrete_laplace(self, values: Ints, scale: Fraction) -> Ints:
        return values.copy()


def vault(rows: Any, domain: Domain = LINE, kind: Any = TableVault, **more: Any) -> Any:
    table = IndexedTable(domain, rows)
    terms = {"unit": Rows(), "neighbours": "add-remove", "noise": Native(), **more}
    return kind(table, domain, Fraction(1), **terms)


# Sensitivity ------------------------------------------------------------------------------


@given(nodes())
def test_the_sensitivity_is_the_largest_column_of_the_matrix(asked: WeightedNodes) -> None:
    column = dense(asked).sum(axis=0).max()
    query = NodeCounts(asked, Fraction(1))
    for unit, neighbours, factor in [
        (Rows(), "add-remove", 1),
        (Rows(), "replace-one", 2),
        (User("who", 5), "add-remove", 5),
        (User("who", 5), "replace-one", 10),
    ]:
        table = Sensitivity(unit, neighbours, loses_rows=True)  # type: ignore[arg-type]
        assert NodeCountsOperation().sensitivity(query, table) == factor * column


@given(nodes(), st.integers(0, 2**32))
@settings(max_examples=50)
def test_one_row_moves_the_exact_vector_by_a_column(asked: WeightedNodes, seed: int) -> None:
    """And some row by the whole sensitivity."""
    operation, query, domain = NodeCountsOperation(), NodeCounts(asked, Fraction(1)), asked.domain
    corners = asked.leaves.boxes()[0]
    rows = corners[np.random.default_rng(seed).integers(0, len(corners), 20)]
    before = operation.count(query, IndexedTable(domain, rows), domain)
    moved = []
    for corner in corners:
        table = IndexedTable(domain, np.concatenate([rows, corner[np.newaxis]]))
        moved.append(int(np.abs(operation.count(query, table, domain) - before).sum()))
    assert moved == dense(asked).sum(axis=0).tolist()
    assert max(moved) == operation.sensitivity(query, ONE_ROW)


def changes(unit: Any, neighbours: str) -> Iterator[tuple[Any, Any]]:
    """What one unit holds before and after; a row that drops out holds nothing."""
    held = [kept for size in range(unit.rows + 1) for kept in multisets(range(4), size)]
    for before in held:
        for after in held if neighbours == "replace-one" else [()]:
            yield before, after


@pytest.mark.parametrize("unit", [Rows(), User("who", 2)], ids=str)
@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
def test_no_unit_moves_the_counts_further_than_stated(unit: Any, neighbours: Any) -> None:
    """And some unit moves them as far, unless a root holds both ends of every move."""
    stated = Sensitivity(unit, neighbours, loses_rows=True)
    for asked in (TREE, FOREST):
        limit = NodeCountsOperation().sensitivity(NodeCounts(asked, Fraction(1)), stated)
        furthest = max(
            int(np.abs(sums(asked, before) - sums(asked, after)).sum())
            for before, after in changes(unit, neighbours)
        )
        assert furthest <= limit == stated.counts * asked.cover
        assert furthest == limit or (asked is TREE and neighbours == "replace-one")


def sums(asked: WeightedNodes, rows: tuple[int, ...]) -> Any:
    return asked.sums(np.bincount(np.array(rows, dtype=int), minlength=4))


def test_the_audited_pairs_are_worst_cases() -> None:
    operation = NodeCountsOperation()
    for pair in nodes_pairs():
        query: Any = pair.query
        exact = [operation.count(query, t, pair.first.domain) for t in (pair.first, pair.second)]
        stated = Sensitivity(pair.unit, pair.neighbours, loses_rows=False)
        assert np.abs(exact[0] - exact[1]).sum() == operation.sensitivity(query, stated)


def test_the_sensitivity_of_one_node_is_convicted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A row moves all nodes that hold it."""
    monkeypatch.setattr(WeightedNodes, "cover", property(lambda self: int(self.weights.max())))
    pair = next(p for p in nodes_pairs() if p.name == "on a path")
    assert audit_operation(pair, 100_000, ALPHA / 100).convicted


# Answers ----------------------------------------------------------------------------------


def test_without_noise_the_answer_is_exact() -> None:
    sealed = vault([[0], [1], [1], [3]], noise=Silent())
    answer = sealed.ask(NodeCounts(TREE, Fraction(1)))
    assert answer.values.tolist() == [4, 6, 2, 1, 4]


def test_boxes_of_a_fine_raster_are_counted() -> None:
    """More cells than can be counted one by one."""
    fine = Domain(x=Integer(0, 2**20 - 1), y=Integer(0, 2**20 - 1))
    half = 2**19
    boxes = Boxes(
        Raster.of_cells(fine), np.array([0, -1, 1, -1, -1]), np.array([half, 0, half, 0, 0])
    )
    asked = WeightedNodes(boxes, np.array([0, 1, 2]), np.array([3, 3, 3]), np.array([1, 10, 100]))
    rows = [[0, 0], [half - 1, half], [half, half - 1], [half, half], [2**20 - 1, 2**20 - 1]]
    answer = vault(rows, fine, noise=Silent()).ask(NodeCounts(asked, Fraction(1)))
    assert answer.values.tolist() == [5, 30, 200]


def test_cuts_of_a_table_are_counted() -> None:
    cuts = Cuts(LINE, (np.array([0, 1, 3]),))
    asked = WeightedNodes(cuts, np.array([0, 1]), np.array([1, 3]), np.array([5, 1]))
    table = open_table(pa.table({"x": [0, 0, 1, 2, 3, 9, None]}))
    terms: Any = {"unit": Rows(), "neighbours": "add-remove", "noise": Silent()}
    answer = TableVault(table, LINE, Fraction(1), **terms).ask(NodeCounts(asked, Fraction(1)))
    assert answer.values.tolist() == [10, 3]


def test_the_answer_carries_its_noise() -> None:
    sealed, query = vault([[0], [3]]), NodeCounts(TREE, Fraction(1, 2))
    answer = sealed.ask(query)
    assert sealed.remaining == Fraction(1, 2)
    assert answer.partition is TREE
    assert answer.scale == 14
    assert answer.variance == variance(Fraction(14)) == sealed.variance(query)
    assert answer.values.shape == (5,)


def test_what_does_not_fit_is_refused_for_free() -> None:
    sealed = vault([[0]])
    other = Grid.of_cells(Domain(x=Integer(0, 4)))
    asked = WeightedNodes(other, np.array([0]), np.array([4]), np.array([1]))
    with pytest.raises(BadInput, match="a different domain"):
        sealed.ask(NodeCounts(asked, Fraction(1)))
    with pytest.raises(BudgetExceeded, match="the vault has epsilon 1 left"):
        sealed.ask(NodeCounts(TREE, Fraction(2)))
    assert (sealed.remaining, sealed._table.reads) == (1, 0)
    with pytest.raises(BudgetError, match="positive fraction"):
        NodeCounts(TREE, 0.5)  # type: ignore[arg-type]


def test_children_of_a_split_are_measured_row_by_row() -> None:
    for child in vault([[1], [3]]).split(Grid(LINE, (2,)), Fraction(1)):
        cells = Grid.of_cells(child.domain)
        asked = WeightedNodes(cells, np.array([0, 1]), np.array([2, 2]), np.array([1, 3]))
        assert child.ask(NodeCounts(asked, child.remaining)).scale == 4


# Replay -----------------------------------------------------------------------------------


def test_a_replay_finds_the_whole_loss_and_no_more() -> None:
    recorder = vault([[0], [3]], kind=RecordingVault.over)
    said = recorder.ask(NodeCounts(TREE, Fraction(1)))
    replayer = replaying(recorder, [[0]])
    assert replayer.ask(NodeCounts(TREE, Fraction(1))) is said
    assert loss(recorder.transcript, replayer.transcript) == 1


@pytest.mark.parametrize(
    "other",
    [
        WeightedNodes(CELLS, TREE.starts, TREE.stops, TREE.weights[::-1]),
        WeightedNodes(CELLS, TREE.starts, np.array([4, 2, 4, 2, 4]), TREE.weights),
        WeightedNodes(CELLS, np.array([0, 0, 1, 0, 3]), TREE.stops, TREE.weights),
        WeightedNodes(Cuts(LINE, (np.arange(4),)), TREE.starts, TREE.stops, TREE.weights),
        FOREST,
    ],
    ids=["weights", "stops", "starts", "leaves", "number"],
)
def test_a_replay_notices_other_nodes(other: WeightedNodes) -> None:
    recorder = vault([[0], [3]], kind=RecordingVault.over)
    recorder.ask(NodeCounts(TREE, Fraction(1)))
    with pytest.raises(ReplayMismatch):
        replaying(recorder, [[0]]).ask(NodeCounts(other, Fraction(1)))


def replaying(recorder: Any, rows: Any) -> Any:
    return vault(
        rows, kind=lambda *given, **more: ReplayingVault.of(recorder.transcript, *given, **more)
    )
