"""How far one unit moves the sums of sorted groups in cells: every neighbour of small tables."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement as multisets
from typing import Any

import numpy as np
import pytest

from hushgram.declare.axis import Integer
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows, User
from hushgram.errors import BadInput
from hushgram.geometry.measured.sorted_cells import SortedCells
from hushgram.geometry.partition import Grid
from hushgram.lab.audit import ALPHA, audit_operation
from hushgram.lab.audit.sum_pairs import lists_pairs
from hushgram.lab.memory import IndexedTable
from hushgram.queries import CellSums
from hushgram.trusted.noise import Native
from hushgram.trusted.vault import Sensitivity, TableVault
from hushgram.trusted.vault.operations.cell_sums import CellSumsOperation

GRID = Grid(Domain(x=Integer(0, 5)), (2,))
INDICES = range(6)


def changes(unit: Any, neighbours: str, loses: bool) -> Iterator[tuple[Any, Any]]:
    """What one unit holds before and after; a row that drops out holds nothing."""
    least = 0 if loses or isinstance(unit, User) else unit.rows
    held = [kept for size in range(least, unit.rows + 1) for kept in multisets(INDICES, size)]
    for before in held:
        for after in held if neighbours == "replace-one" else [()]:
            yield before, after


@pytest.mark.parametrize("unit", [Rows(), User("who", 2)], ids=str)
@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
@pytest.mark.parametrize("loses", [False, True])
def test_no_unit_moves_the_sums_further_than_stated(
    unit: Any, neighbours: Any, loses: bool
) -> None:
    """And some unit moves them as far, so no noise is wasted."""
    stated = Sensitivity(unit, neighbours, loses)
    for lengths, group in (([2, 2], [1, 2]), ([0, 2], [1, 1]), ([3, 2], [2, 2])):
        cells = SortedCells(GRID, np.array(lengths), np.array(group))
        limit = CellSumsOperation().sensitivity(CellSums(cells, Fraction(1)), stated)
        furthest = max(
            moved(cells, [*rest, *before], [*rest, *after])
            for size in range(3)
            for rest in multisets(INDICES, size)
            for before, after in changes(unit, neighbours, loses)
        )
        assert furthest <= limit == stated.counts * 2
        assert furthest == limit or lengths[0] == 0


def moved(cells: SortedCells, first: Any, second: Any) -> int:
    before, after = (sums(cells, tuple(sorted(rows))) for rows in (first, second))
    return int(np.abs(before - after).sum())


@cache
def sums(cells: SortedCells, rows: tuple[int, ...]) -> Any:
    """The same few tables are neighbours of many."""
    return cells.sums(*np.unique(np.array(rows, dtype=int), return_counts=True))


def test_the_audited_pairs_are_worst_cases() -> None:
    for pair in lists_pairs():
        operation = CellSumsOperation()
        exact = [operation.count(pair.query, t, GRID.domain) for t in (pair.first, pair.second)]  # type: ignore[arg-type]
        stated = Sensitivity(pair.unit, pair.neighbours, loses_rows=False)
        distance = int(np.abs(exact[0] - exact[1]).sum())
        assert distance == operation.sensitivity(pair.query, stated)  # type: ignore[arg-type]


def test_the_sensitivity_of_one_list_is_convicted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A row that changes its cell moves two lists."""
    pair = next(p for p in lists_pairs() if p.name == "to the other cell")
    monkeypatch.setattr(
        CellSumsOperation, "sensitivity", lambda _, query, table: table.below * query.cells.span
    )
    assert audit_operation(pair, 100_000, ALPHA / 100).convicted


def test_what_does_not_fit_is_refused_for_free() -> None:
    table = IndexedTable(GRID.domain, [[0], [5]])
    sealed = TableVault(
        table, GRID.domain, Fraction(1), unit=Rows(), neighbours="add-remove", noise=Native()
    )
    other = Grid(Domain(x=Integer(0, 6)), (2,))
    with pytest.raises(BadInput, match="a different domain"):
        sealed.ask(CellSums(SortedCells(other, np.ones(2), np.ones(2)), Fraction(1)))
    with pytest.raises(BadInput, match="No cell"):
        sealed.ask(CellSums(SortedCells(GRID, np.zeros(2), np.ones(2)), Fraction(1)))
    assert (sealed.remaining, table.reads) == (1, 0)
    answer = sealed.ask(CellSums(SortedCells(GRID, np.array([2, 0]), np.ones(2)), Fraction(1, 4)))
    assert answer.scale == 8
    assert answer.values.shape == (2,)
