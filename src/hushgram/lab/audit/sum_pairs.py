"""Worst cases for sums: of sorted rows, of sorted rows by cell, and of amounts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from hushgram.declare.amount import Amount
from hushgram.declare.axis import Integer
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Neighbours, Rows, Unit, User
from hushgram.geometry.measured.sorted_cells import SortedCells
from hushgram.geometry.measured.sorted_groups import SortedGroups
from hushgram.geometry.partition import Grid
from hushgram.lab.audit.pairs import Case, OperationPair
from hushgram.lab.memory import IndexedTable
from hushgram.queries import CellSums, PartSums, SortedSums


def sum_pairs() -> Iterator[OperationPair]:
    """Yield the worst cases of every operation that adds up."""
    yield from sorted_pairs()
    yield from lists_pairs()
    yield from amount_pairs()


def sorted_pairs() -> Iterator[OperationPair]:
    """Yield pairs in which the first of the sorted rows is added, removed or becomes the last, so
    that all others shift: on an axis, and along a curve through the four cells of a plane, from (0,
    0) to (1, 0)."""
    domain = Domain(x=Integer(0, 3))
    case: Case
    query = SortedSums(SortedGroups(domain, rows=4, group=2), Fraction(1))
    cases: dict[str, Case] = {
        "first removed": (Rows(), "add-remove", [[0], [1], [2], [3]], [[1], [2], [3]]),
        "first to last": (Rows(), "replace-one", [[0], [1], [2], [3]], [[1], [2], [3], [3]]),
        "cut off": (Rows(), "add-remove", [[0], [2], [2], [3], [3]], [[2], [2], [3], [3]]),
        "person": (User("who", 3), "add-remove", [[0], [0], [0], [3]], [[3]]),
        "person moved": (User("who", 3), "replace-one", [[0], [0], [0], [1]], [[1], [3], [3], [3]]),
    }
    for name, case in cases.items():
        yield OperationPair.of_rows(name, query, domain, case)
    plane = Domain(x=Integer(0, 1), y=Integer(0, 1))
    curved = SortedSums(SortedGroups(plane, rows=4, group=2), Fraction(1))
    curve = [[0, 0], [0, 1], [1, 1], [1, 0]]
    case = (Rows(), "add-remove", curve, curve[1:])
    yield OperationPair.of_rows("first of a curve removed", curved, plane, case)
    unequal = SortedSums(SortedGroups(domain, rows=5, group=1, profile=(3, 1)), Fraction(1))
    case = (Rows(), "add-remove", [[0], [1], [2], [3]], [[1], [2], [3]])
    yield OperationPair.of_rows("first of unequal groups", unequal, domain, case)


def lists_pairs() -> Iterator[OperationPair]:
    """Yield pairs with two cells of three indices. The first row of a cell's list is added; or the
    first row of one cell becomes the first of the other, so that both lists shift, in opposite
    directions."""
    grid = Grid(Domain(x=Integer(0, 5)), (2,))
    query = CellSums(SortedCells(grid, np.array([2, 2]), np.array([1, 2])), Fraction(1))
    cases: dict[str, Case] = {
        "first in a cell": (Rows(), "add-remove", [0, 2, 2, 4], [2, 2, 4]),
        "to the other cell": (Rows(), "replace-one", [0, 2, 2, 5, 5], [2, 2, 3, 5, 5]),
        "person in cells": (User("who", 2), "replace-one", [0, 0, 5, 5], [3, 3, 5, 5]),
    }
    for name, case in cases.items():
        yield OperationPair.of_rows(name, query, grid.domain, case)


def amount_pairs() -> Iterator[OperationPair]:
    """Yield pairs with values at their bounds, of both signs, at a centre or far from it. A row
    with the largest possible amount is added, or moves to another part; so do all rows of a
    person."""
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
    """Return a table from pairs of an index and an amount."""
    both = np.array(rows, dtype=np.int64).reshape(-1, 2)
    return IndexedTable(domain, both[:, :1], amount, both[:, 1])
