"""Counts of leaves with noise that agrees: what is asked, what is answered, and at which price."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from hushgram.declare.axis import Integer
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows, User
from hushgram.errors import BadInput
from hushgram.geometry.measured.nested_nodes import NestedNodes
from hushgram.geometry.measured.weighted_nodes import WeightedNodes
from hushgram.geometry.partition import Grid, Ints
from hushgram.lab.audit import ALPHA, audit_operation
from hushgram.lab.audit.count_pairs import nested_pairs
from hushgram.lab.memory import IndexedTable
from hushgram.lab.replay import RecordingVault, ReplayingVault, ReplayMismatch, loss
from hushgram.queries import NestedCounts
from hushgram.trusted.noise import Native, nested, variance
from hushgram.trusted.vault import Sensitivity, TableVault
from hushgram.trusted.vault.operations.nested_counts import NestedCountsOperation

LINE = Domain(x=Integer(0, 2))
STARTS, STOPS = np.array([0, 0, 0, 1, 2]), np.array([3, 2, 1, 2, 3])
WEIGHTS = np.array([1, 2, 3, 3, 5])
TREE = NestedNodes(WeightedNodes(Grid.of_cells(LINE), STARTS, STOPS, WEIGHTS))


class Silent(Native):
    """No noise, and a note of what was asked for."""

    def __init__(self) -> None:
        self.asked: list[tuple[list[int], list[int], Fraction]] = []

    def add_nested_laplace(self, values: Ints, right: Ints, weights: Ints, scale: Fraction) -> Ints:
        self.asked.append((right.tolist(), weights.tolist(), scale))
        return values.copy()


def vault(rows: Any, kind: Any = TableVault, **more: Any) -> Any:
    terms = {"unit": Rows(), "neighbours": "add-remove", "noise": Native(), **more}
    return kind(IndexedTable(LINE, rows), LINE, Fraction(1), **terms)


@pytest.mark.parametrize(
    ("unit", "neighbours", "scale"),
    [(Rows(), "add-remove", 4), (Rows(), "replace-one", 8), (User("who", 3), "replace-one", 24)],
)
def test_leaves_are_counted_with_the_tree_its_weights_and_its_scale(
    unit: Any, neighbours: Any, scale: int
) -> None:
    noise = Silent()
    sealed = vault([[0], [2], [2]], unit=unit, neighbours=neighbours, noise=noise)
    answer = sealed.ask(NestedCounts(TREE, Fraction(1, 4)))
    assert answer.values.tolist() == [1, 0, 2]
    assert noise.asked == [([4, 3, 0, 0, 0], WEIGHTS.tolist(), Fraction(scale))]
    assert (answer.scale, answer.variance) == (scale, variance(Fraction(scale)))
    assert answer.partition is TREE
    assert sealed.remaining == Fraction(3, 4)


def test_a_row_moves_one_leaf_by_one() -> None:
    operation, query = NestedCountsOperation(), NestedCounts(TREE, Fraction(1))
    for unit, neighbours, moved in [(Rows(), "add-remove", 1), (User("who", 2), "replace-one", 4)]:
        stated = Sensitivity(unit, neighbours, loses_rows=True)  # type: ignore[arg-type]
        assert operation.sensitivity(query, stated) == moved


def test_nodes_of_another_domain_are_refused_for_free() -> None:
    other = Grid.of_cells(Domain(x=Integer(1, 3)))
    sealed = vault([[0]])
    with pytest.raises(BadInput, match="a different domain"):
        sealed.ask(
            NestedCounts(NestedNodes(WeightedNodes(other, STARTS, STOPS, WEIGHTS)), Fraction(1))
        )
    assert (sealed.remaining, sealed._table.reads) == (1, 0)


def test_a_replay_finds_the_whole_loss_and_notices_other_nodes() -> None:
    recorder = vault([[0], [2]], kind=RecordingVault.over)
    recorder.ask(NestedCounts(TREE, Fraction(1)))

    def replaying() -> Any:
        replay = lambda *given, **more: ReplayingVault.of(recorder.transcript, *given, **more)  # noqa: E731
        return vault([[0]], kind=replay)

    replayer = replaying()
    replayer.ask(NestedCounts(TREE, Fraction(1)))
    assert loss(recorder.transcript, replayer.transcript) == 1
    other = NestedNodes(WeightedNodes(Grid.of_cells(LINE), STARTS, STOPS, WEIGHTS[::-1]))
    with pytest.raises(ReplayMismatch):
        replaying().ask(NestedCounts(other, Fraction(1)))


def test_the_heaviest_node_taken_for_the_way_is_convicted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        nested, "path_sums", lambda right, weights: (weights, np.zeros_like(weights))
    )
    nested._law.cache_clear()
    pair = next(pair for pair in nested_pairs() if pair.name == "on a path")
    try:
        assert audit_operation(pair, 400_000, ALPHA / 100).convicted
    finally:
        nested._law.cache_clear()
