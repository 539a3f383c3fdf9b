"""A remembered table answers as the table itself does, and asks it as seldom as it should."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hushgram.declare.axis import Integer, Regular, Window
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows, Unit, User
from hushgram.geometry.partition import Boxes, Cuts, Grid, Ints, Merged, Partition, Raster, Refined
from hushgram.trusted.engine import remembered
from hushgram.trusted.engine.compiled.arrow import ArrowTable
from hushgram.trusted.engine.compiled.places import RowPlaces
from hushgram.trusted.engine.occupied import Occupied
from hushgram.trusted.engine.remembered import FEW, Remembered, few_together
from hushgram.trusted.engine.sources.source import open_table
from hushgram.trusted.engine.table import Table

pytestmark = pytest.mark.usefixtures("kernels")

X, Y = Regular(8, 0, 1), Integer(0, 3)
DOMAIN = Domain(x=X, y=Y)
TABLE = pa.table({"x": [0.1, 0.3, 0.3, 0.9, 2.0], "y": [0, 1, 3, 3, 3]})


class Plain(Table):
    """A table that is no Arrow table, notes what it is asked, and lets Arrow answer."""

    def __init__(self) -> None:
        table = open_table(TABLE)
        assert isinstance(table, ArrowTable)
        self.table = table
        self.asked: list[Any] = []

    def check(self, domain: Domain, unit: Unit) -> None:
        self.asked.append((domain, unit))

    def bound_to(self, domain: Domain, unit: Unit) -> Plain:
        self.check(domain, unit)
        return self

    def loses_rows(self, domain: Domain) -> bool:
        return domain == DOMAIN

    def empty(self) -> Plain:
        return self

    def count_grid(self, grid: Grid | Refined) -> Ints:
        self.asked.append(grid)
        return self.table.count_grid(grid)

    def occupied_cells(self, raster: Raster) -> Occupied:
        self.asked.append(raster)
        return self.table.occupied_cells(raster)


PARTITIONS: list[Partition] = [
    Grid.of_cells(DOMAIN),
    Grid(DOMAIN, (3, 2)),
    Cuts(DOMAIN, (np.array([0, 3]), np.array([0, 1, 2]))),
    Merged(Grid(DOMAIN, (2, 2)), np.array([0, 1, 1, 0])),
    Refined(Grid(DOMAIN, (2, 1)), np.array([[1, 2], [3, 1]])),
    Boxes(Raster(DOMAIN, (4, 2)), np.array([0, -1, -1]), np.array([2, 0, 0])),
]


def test_one_pass_answers_all() -> None:
    plain = Plain()
    table = Remembered(plain)
    for partition in PARTITIONS:
        assert table.count(partition).tolist() == plain.table.count(partition).tolist()
    assert plain.asked == [Grid.of_cells(DOMAIN)]


def test_what_it_cannot_know_it_asks() -> None:
    plain = Plain()
    table = Remembered(plain)
    table.check(DOMAIN, Rows())
    assert plain.asked == [(DOMAIN, Rows())]
    assert table.loses_rows(DOMAIN)
    assert not table.loses_rows(Domain(y=Y))


def test_many_cells_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    assert FEW * 8 == 32 * 2**20
    for few, asked in ((32, Grid.of_cells(DOMAIN)), (31, Grid(DOMAIN, (3, 2)))):
        monkeypatch.setattr(remembered, "FEW", few)
        plain = Plain()
        counts = Remembered(plain).count(Grid(DOMAIN, (3, 2)))
        assert counts.tolist() == plain.table.count(Grid(DOMAIN, (3, 2))).tolist()
        assert plain.asked == [asked]


def test_another_domain_is_counted_anew() -> None:
    plain = Plain()
    table, other = Remembered(plain), Domain(y=Y)
    for domain in (DOMAIN, other, other, DOMAIN):
        table.count(Grid.of_cells(domain))
    assert plain.asked == [Grid.of_cells(one) for one in (DOMAIN, other, DOMAIN)]


@pytest.mark.parametrize("arrow", [True, False])
def test_domains_that_are_foreseen_are_counted_together(arrow: bool) -> None:
    """And so are the boxes inside them."""
    plain, other = Plain(), Domain(y=Y)
    table = Remembered(plain.table if arrow else plain, [DOMAIN, other, DOMAIN])
    box = DOMAIN.box([(2, 8), (1, 4)])
    for domain in (other, DOMAIN, box):
        found = table.count(Grid.of_cells(domain)).tolist()
        assert found == plain.table.count(Grid.of_cells(domain)).tolist()
    assert plain.asked == ([] if arrow else [Grid.of_cells(DOMAIN), Grid.of_cells(other)])


def test_only_so_many_cells_are_foreseen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembered, "FEW", 36)
    small, wide, last = Domain(y=Y), Domain(x=Regular(40, 0, 1)), Domain(y=Integer(0, 4))
    assert few_together([DOMAIN, wide, small, DOMAIN, last]) == [DOMAIN, small]


def test_where_a_box_lies() -> None:
    box = DOMAIN.box([(2, 5), (0, 4)])
    assert DOMAIN.ranges_of(box) == [(2, 5), (0, 4)]
    assert box.ranges_of(box.box([(1, 2), (3, 4)])) == [(1, 2), (3, 4)]
    assert box.ranges_of(DOMAIN) is None
    assert DOMAIN.ranges_of(Domain(y=Y, x=X)) is None
    assert DOMAIN.ranges_of(Domain(x=X, y=Integer(0, 4))) is None
    left, right = Domain(x=Window(X, 0, 3)), Domain(x=Window(X, 2, 4))
    assert left.ranges_of(right) is None
    assert right.ranges_of(left) is None
    assert left.ranges_of(Domain(x=Window(X, 2, 3))) == [(2, 3)]


def test_few_cells_are_counted_and_many_sorted(monkeypatch: pytest.MonkeyPatch) -> None:
    raster = Raster(DOMAIN, (4, 2))
    for few, asked in ((32, Grid.of_cells(DOMAIN)), (7, raster)):
        monkeypatch.setattr(remembered, "FEW", few)
        plain = Plain()
        table = Remembered(plain)
        known = plain.table.occupied_cells(raster)
        for _ in range(2):
            found = table.occupied_cells(raster)
            assert found.cells.tolist() == known.cells.tolist()
            assert found.rows.tolist() == known.rows.tolist()
        assert plain.asked == [asked]


def test_halves_are_places_only_where_cells_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """And only where Arrow reads the rows; each way the boxes have the same rows."""
    raster = Raster(DOMAIN, (4, 2))
    boxes = Boxes(raster, np.array([0, -1, -1]), np.array([2, 0, 0]))
    for few, places in ((8, False), (7, True)):
        monkeypatch.setattr(remembered, "FEW", few)
        plain = Plain()
        known = plain.table.occupied_cells(raster).sum_boxes(boxes).tolist()
        quick = Remembered(plain.table)
        assert isinstance(quick.row_places(raster), RowPlaces) == places
        assert quick.count(boxes).tolist() == known
        slow = Remembered(plain)
        assert slow.row_places(raster) is None
        assert slow.count(boxes).tolist() == known


@pytest.mark.parametrize("ahead", [[], [Domain(y=Y)]])
def test_rows_are_let_go_of_unless_more_was_foreseen(
    monkeypatch: pytest.MonkeyPatch, ahead: list[Domain]
) -> None:
    monkeypatch.setattr(remembered, "FEW", 7)
    plain = Plain()
    table = Remembered(plain.table, ahead)
    table.row_places(Raster(DOMAIN, (4, 2)))
    plain.table.count(Grid(DOMAIN, (1, 1)))
    table.forget()
    assert bool(table._placed) == bool(plain.table._kept) == bool(ahead)
    Remembered(plain).forget()


def test_what_is_remembered_of_some_rows_is_not_told_of_others() -> None:
    people = pa.table({"x": [0.1] * 9, "y": [0] * 9, "who": ["a"] * 9})
    table = Remembered(open_table(people))
    for unit, rows in ((User("who", 5), 5), (User("who", 3), 3), (Rows(), 9), (User("who", 4), 4)):
        assert table.bound_to(DOMAIN, unit).count(Grid.of_cells(DOMAIN)).sum() == rows
    assert table.bound_to(DOMAIN, Rows()) is table
