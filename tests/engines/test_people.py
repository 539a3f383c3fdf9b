"""One person with many rows, on every engine: at most L of them count, whatever engine counts."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hushgram.declare.axis import Integer
from hushgram.declare.domain import Domain
from hushgram.declare.unit import User
from hushgram.geometry.partition import Grid
from hushgram.trusted.engine.sources.source import open_table
from tests.engines.stores import Store

DOMAIN = Domain(x=Integer(0, 9))
CELLS = Grid.of_cells(DOMAIN)


def counts(source: Any, most: int, domain: Domain = DOMAIN) -> list[int]:
    table = open_table(source).bound_to(domain, User("who", most))
    first = table.count(Grid.of_cells(domain))
    assert table.count(Grid.of_cells(domain)).tolist() == first.tolist()  # every pass is the same
    return list(first.tolist())


def people(rows: dict[Any, list[int]], kind: pa.DataType) -> pa.Table:
    pairs = [(who, x) for who, own in rows.items() for x in own]
    return pa.table({
        "who": pa.array([who for who, _ in pairs], kind),
        "x": pa.array([x for _, x in pairs], pa.int64()),
    })  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        (pa.string(), ["Ada", "ada", "Ada ", "", "ä", "a\u0308", None]),
        (pa.int64(), [0, 1, -1, 2**63 - 1, -(2**63), 2**53 + 1, 2**53, None]),
    ],
)
def test_who_has_few_rows_keeps_them_all(store: Store, kind: pa.DataType, names: list[Any]) -> None:
    rows = {who: [place % 10, 9] for place, who in enumerate(names)}
    expected = Counter(x for who, own in rows.items() if who is not None for x in own)
    found = counts(store.load(people(rows, kind)), most=2)
    assert found == [expected[x] for x in range(10)]


def test_a_person_with_many_rows_moves_the_counts_by_few(store: Store) -> None:
    others: dict[Any, list[int]] = {f"u{i}": [i % 10] * 3 for i in range(50)}
    many = np.random.default_rng(3).integers(-5, 15, 20_000).tolist()
    without = counts(store.load(people(others, pa.string())), most=3)
    with_them = counts(store.load(people({**others, "many": many}, pa.string())), most=3)
    assert sum(without) == 150
    moved = np.subtract(with_them, without)
    assert moved.min() >= 0
    assert moved.sum() == 3


def test_the_bound_holds_over_all_boxes_together(store: Store) -> None:
    rows: dict[Any, list[int]] = {"one": [1] * 40 + [8] * 40}
    table = open_table(store.load(people(rows, pa.string()))).bound_to(DOMAIN, User("who", 5))
    halves = [DOMAIN.box([(0, 5)]), DOMAIN.box([(5, 10)])]
    assert sum(int(table.count(Grid.of_cells(half)).sum()) for half in halves) == 5


def test_rows_are_chosen_evenly(store: Store) -> None:
    """Of 400 people with rows in ten places, each place is chosen about as often."""
    rows: dict[Any, list[int]] = {i: list(range(10)) for i in range(400)}
    found = np.array(counts(store.load(people(rows, pa.int64())), most=2))
    assert found.sum() == 800
    assert np.abs(found - 80).max() < 60  # seven standard deviations


def test_releases_of_a_plan_choose_rows_of_one_table_each_for_itself(store: Store) -> None:
    """The table is opened once; what one release chose stays while others are counted."""
    rows: dict[Any, list[int]] = {f"u{i}": list(range(10)) for i in range(40)}
    table = open_table(store.load(people(rows, pa.string())))
    views = [table.bound_to(DOMAIN, User("who", most)) for most in (1, 3, 10)]
    first = [view.count(CELLS).tolist() for view in views]
    assert [sum(one) for one in first] == [40, 120, 400]
    assert [view.count(CELLS).tolist() for view in reversed(views)] == first[::-1]
