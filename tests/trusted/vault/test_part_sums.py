"""Sums of amounts: what one unit can do to them, and what the vault refuses."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hushgram.declare.amount import Amount
from hushgram.declare.axis import Category, Integer
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows, User
from hushgram.errors import BadInput, BudgetExceeded, SourceError
from hushgram.geometry.partition import Boxes, Grid, Ints, Raster
from hushgram.lab.audit import ALPHA, audit_operation
from hushgram.lab.audit.sum_pairs import amount_pairs, carrying
from hushgram.lab.memory import IndexedTable
from hushgram.queries import PartCounts, PartSums
from hushgram.trusted.engine.keyed import Keyed
from hushgram.trusted.engine.remembered import Remembered
from hushgram.trusted.engine.sources.counted import CountedTable, Counts
from hushgram.trusted.engine.sources.source import open_table
from hushgram.trusted.noise import Native
from hushgram.trusted.vault import Sensitivity, TableVault
from hushgram.trusted.vault.operations.part_sums import PartSumsOperation

LINE = Domain(x=Integer(0, 1))
CELLS = Grid.of_cells(LINE)
SMALL = Amount("v", -1, 3, Fraction(1))


class Silent(Native):
    """No noise."""

    def add_discrete_laplace(self, values: Ints, scale: Fraction) -> Ints:
        return values.copy()


def vault(table: Any, domain: Domain = LINE, **more: Any) -> Any:
    terms = {"unit": Rows(), "neighbours": "add-remove", "noise": Silent(), **more}
    return TableVault(table, domain, Fraction(1), **terms)


@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
@pytest.mark.parametrize("unit", [Rows(), User("who", 2)], ids=str)
@pytest.mark.parametrize("centre", [-1, 0, 1, 3])
def test_no_unit_moves_sums_further_than_stated(unit: Any, neighbours: Any, centre: int) -> None:
    """All that a unit can hold before and after; and some unit moves them as far."""
    operation, query = PartSumsOperation(), PartSums(CELLS, SMALL, centre, Fraction(1))
    limit = operation.sensitivity(query, Sensitivity(unit, neighbours, loses_rows=True))
    row = [None, *product((0, 1), (SMALL.low, 0, SMALL.high))]
    held = [[one for one in rows if one] for rows in product(row, repeat=unit.rows)]
    looks = [operation.count(query, carrying(LINE, SMALL, rows), LINE) for rows in held]
    others = looks if neighbours == "replace-one" else [np.zeros(2, dtype=np.int64)]
    furthest = max(int(np.abs(a - b).sum()) for a in looks for b in others)
    assert furthest == limit


def test_the_audited_pairs_are_worst_cases() -> None:
    operation = PartSumsOperation()
    reached = []
    for pair in amount_pairs():
        query: Any = pair.query
        exact = [operation.count(query, t, pair.first.domain) for t in (pair.first, pair.second)]
        stated = operation.sensitivity(query, Sensitivity(pair.unit, pair.neighbours, True))
        assert np.abs(exact[0] - exact[1]).sum() <= stated
        reached.append(np.abs(exact[0] - exact[1]).sum() == stated)
    assert all(reached)


def test_half_of_the_noise_is_convicted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Amount, "reach", lambda self, centre: (self.high - self.low) // 2)
    pair = next(p for p in amount_pairs() if p.name == "most added")
    assert audit_operation(pair, 100_000, ALPHA / 100).convicted


def test_a_vault_adds_up_around_the_centre() -> None:
    table = carrying(LINE, SMALL, [(0, 3), (0, -1), (1, 2)])
    sealed = vault(table)
    answer = sealed.ask(PartSums(CELLS, SMALL, 1, Fraction(1, 2)))
    assert answer.values.tolist() == [0, 1]
    assert answer.scale == 2 * SMALL.reach(1) == 4
    assert sealed.remaining == Fraction(1, 2)


def test_children_of_a_split_are_measured_row_by_row() -> None:
    sealed = vault(carrying(LINE, SMALL, [(0, 3), (1, -1)]), neighbours="replace-one")
    found = [
        child.ask(PartSums(Grid.of_cells(child.domain), SMALL, 0, child.remaining))
        for child in sealed.split(CELLS, Fraction(1))
    ]
    assert [one.values.tolist() for one in found] == [[3], [-1]]
    assert [one.scale for one in found] == [6, 6]


def test_a_bound_per_person_is_none_in_a_child_of_a_split() -> None:
    """One child adds up the row that carries all of it, the other one counts the other rows."""
    bounded, unit = Amount("v", -4, 4, Fraction(1), person=4), User("who", 3)
    table = IndexedTable(LINE, [[0], [1], [1]], bounded, [4, 0, 0])
    whole = vault(table, unit=unit)
    assert whole.ask(PartSums(CELLS, bounded, 0, Fraction(1, 2))).scale == 2 * 4
    first, second = vault(table, unit=unit).split(CELLS, Fraction(1))
    added = first.ask(PartSums(Grid.of_cells(first.domain), bounded, 0, Fraction(1)))
    counted = second.ask(PartCounts(Grid.of_cells(second.domain), Fraction(1)))
    assert (added.scale, counted.scale) == (12, 3)
    assert 4 / added.scale + 2 / counted.scale <= 1


def test_what_does_not_fit_is_refused_for_free() -> None:
    table = carrying(LINE, SMALL, [(0, 3)])
    sealed = vault(table)
    other = Grid.of_cells(Domain(x=Integer(0, 4)))
    with pytest.raises(BadInput, match="a different domain"):
        sealed.ask(PartSums(other, SMALL, 0, Fraction(1)))
    for centre in (4, -2, 0.5, True):
        with pytest.raises(BadInput, match="centre"):
            sealed.ask(PartSums(CELLS, SMALL, centre, Fraction(1)))  # type: ignore[arg-type]
    with pytest.raises(BudgetExceeded):
        sealed.ask(PartSums(CELLS, SMALL, 0, Fraction(2)))

    class Forged(Amount):
        def reach(self, centre: int) -> int:
            return 1

    with pytest.raises(BadInput, match="not a built-in partition or measurement"):
        sealed.ask(PartSums(CELLS, Forged("v", -1, 3, Fraction(1)), 0, Fraction(1)))
    assert (sealed.remaining, table.reads) == (1, 0)


def test_another_amount_than_the_table_s_is_refused() -> None:
    """The clamp and the noise follow from the same bounds."""
    sealed = vault(carrying(LINE, SMALL, [(0, 3)]))
    narrow = Amount("v", 0, 1, Fraction(1))
    with pytest.raises(BadInput, match="do not have this amount"):
        sealed.ask(PartSums(CELLS, narrow, 0, Fraction(1)))


def test_a_table_with_an_amount_that_drops_rows_loses_rows() -> None:
    table = open_table(pa.table({"x": [0, 1], "v": [1.0, None]}))
    domain = Domain(x=Integer(0, 1, outside="clamp"))
    assert not table.loses_rows(domain)
    assert table.carrying([SMALL]).loses_rows(domain)
    filled = Amount("v", -1, 3, Fraction(1), missing=0)
    assert not table.carrying([filled]).loses_rows(domain)
    assert vault(table.carrying([SMALL])).ask(PartCounts(CELLS, Fraction(1))).values.sum() == 1


def test_remembered_and_keyed_tables_add_up_alike() -> None:
    rng = np.random.default_rng(2)
    columns = {
        "x": rng.integers(0, 4, 200),
        "k": rng.choice(["a", "b"], 200),
        "v": rng.integers(-3, 6, 200),
    }
    whole = Domain(k=Category(["a", "b"]), x=Integer(0, 3))
    rest = Domain(x=Integer(0, 3))
    boxes = Boxes(Raster.of_cells(rest), np.array([0, -1, -1]), np.array([1, 0, 0]))
    plain = open_table(pa.table(columns)).carrying([SMALL])
    for table in (plain, Remembered(plain), Remembered(plain, [whole])):
        cells = table.add_up(Grid.of_cells(whole), SMALL)
        for index in (0, 1):
            keyed = Keyed(table, whole, "k", index)
            found = keyed.add_up(Grid.of_cells(rest), SMALL)
            assert found.above.tolist() == cells.above.reshape(2, 4)[index].tolist()
            halves = keyed.add_up(boxes, SMALL)
            assert halves.above.tolist() == [found.above[0], found.above[1:].sum()]


def test_counts_carry_nothing() -> None:
    with pytest.raises(SourceError, match="cannot be added up"):
        CountedTable(Counts([1, 2])).carrying([SMALL])
