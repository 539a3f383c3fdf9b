"""Every engine adds up the same integers, those of first principles, whatever the column holds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hushgram.declare.amount import Amount
from hushgram.declare.axis import Integer, Interval
from hushgram.declare.domain import Domain
from hushgram.declare.measure import Sum
from hushgram.declare.unit import Rows, User
from hushgram.geometry.partition import Boxes, Grid, Partition, Raster, Refined
from hushgram.trusted.engine.sources.source import open_table
from tests.engines.stores import Store

DOMAIN = Domain(x=Integer(0, 5), y=Interval(0, 1))
GRID = Grid(DOMAIN, (3, 4))
PARTS: dict[str, Partition] = {
    "grid": GRID,
    "refined": Refined(GRID, np.tile([[2, 1], [1, 3]], (6, 1))),
    "boxes": Boxes(
        Raster.of_cells(DOMAIN), np.array([1, -1, 0, -1, -1]), np.array([300_000, 0, 2, 0, 0])
    ),
}
AMOUNTS = [
    Sum("v", 0, 100).amount,
    Sum("v", -50, 60, step="0.01", missing=0).amount,
    Sum("v", -50, 60, outside="drop", missing=1).amount,
    Sum("t", 0, 9).amount,
]


def rows() -> pa.Table:
    rng = np.random.default_rng(5)
    n = 400
    edges = [0.0, -0.0, 100.0, 99.999, 0.005, 0.015, -50.0, 60.0, 60.004, 60.006, 1e300, -1e300]
    values: list[Any] = [*edges, float("inf"), float("-inf"), float("nan"), None]
    values += rng.normal(20, 60, n - len(values)).tolist()
    values[40:60] = [None] * 20
    texts = [str(i % 12) if i % 5 else ("7.5" if i % 3 else "none") for i in range(n)]
    return pa.table({
        "x": rng.integers(-1, 7, n), "y": rng.uniform(-0.1, 1.1, n),
        "v": pa.array(values, pa.float64()), "t": texts, "who": rng.integers(0, 30, n),
    })  # fmt: skip


@pytest.fixture(scope="module")
def loaded(store: Store) -> Any:
    return store.load(rows())


def expected(partition: Partition, amount: Amount) -> tuple[list[int], list[int]]:
    """Row by row, in Python."""
    table = rows().to_pydict()
    counts, sums = [0] * partition.size, [0] * partition.size
    for x, y, value in zip(table["x"], table["y"], table[amount.column], strict=True):
        places = [DOMAIN["x"].index(x), DOMAIN["y"].index(y)]
        steps = amount.steps(value)
        if steps is not None and None not in places:
            part = int(partition.parts([np.array([place]) for place in places])[0])
            counts[part] += 1
            sums[part] += steps
    return counts, sums


@pytest.mark.parametrize("kind", PARTS)
@pytest.mark.parametrize("amount", AMOUNTS, ids=str)
def test_the_same_integers(loaded: Any, kind: str, amount: Amount) -> None:
    table = open_table(loaded).carrying([amount])
    table.check(DOMAIN, Rows())
    found = table.add_up(PARTS[kind], amount)
    assert (found.rows.tolist(), (found.above + amount.low * found.rows).tolist()) == expected(
        PARTS[kind], amount
    )
    assert table.count(PARTS[kind]).tolist() == found.rows.tolist()


@pytest.mark.parametrize("bound", [1, 25, 10**6])
def test_what_a_person_adds_up_to_is_cut_off(loaded: Any, bound: int) -> None:
    """Under the same lots, one person's rows are the only ones that decide what is left of them."""
    amount = Sum("v", -50, 60, step=1, per_person=bound).amount
    people = Domain(who=Integer(0, 29))
    table = open_table(loaded).carrying([amount]).bound_to(people, User("who", 3))
    found = table.add_up(Grid.of_cells(people), amount)
    sums = found.above + amount.low * found.rows
    assert (np.abs(sums) <= np.minimum(bound, 60 * found.rows)).all()
    assert (sums != 0).sum() > 20
    assert table.count(Grid.of_cells(people)).tolist() == found.rows.tolist()
    assert found.rows.max() == 3


def test_amounts_of_people_are_those_of_the_rows_that_count(loaded: Any) -> None:
    """Counts and sums see the same rows, in every pass and every box."""
    amount = AMOUNTS[1]
    table = open_table(loaded).carrying([amount]).bound_to(DOMAIN, User("who", 2))
    whole = Grid(DOMAIN, (1, 1))
    found = table.add_up(whole, amount)
    assert 0 < found.rows.sum() <= 60
    assert table.count(whole).tolist() == found.rows.tolist()
    halves = [Grid(DOMAIN.box([side, (0, 2**20)]), (1, 1)) for side in ((0, 3), (3, 6))]
    both = [table.add_up(half, amount) for half in halves]
    assert sum(int(one.above.sum()) for one in both) == int(found.above.sum())
    assert sum(int(one.rows.sum()) for one in both) == int(found.rows.sum())
