"""Attacks on sums of what rows carry: one person with the worst values that there are."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hushgram as hg
from hushgram.declare.amount import Amount
from hushgram.declare.unit import Rows, User
from hushgram.errors import BadInput
from hushgram.geometry.partition import Grid
from hushgram.queries import PartSums
from hushgram.spending.publish_plan import open_tables
from hushgram.trusted.engine.sources.source import open_table
from hushgram.trusted.vault import Sensitivity
from hushgram.trusted.vault.operations.part_sums import PartSumsOperation

LINE = hg.Domain(x=hg.Integer(0, 1))
CELLS = Grid.of_cells(LINE)
HONEST = [3.0, 0.5, 9.75]
WORST: list[Any] = [
    1e308, -1e308, math.inf, -math.inf, math.nan, None, 5e-324, -0.0, 10.000000000000002,
    9.999999999999998, 0.5 - 2**-54, 2.0**53 + 2,
]  # fmt: skip


def table(values: list[Any], names: list[int] | None = None, cells: Any = None) -> pa.Table:
    columns: dict[str, Any] = {
        "x": [0] * len(values) if cells is None else cells,
        "v": pa.array(values, pa.float64()),
    }
    return pa.table({**columns, **({} if names is None else {"who": names})})


def sums(source: Any, amount: Amount, unit: Any = Rows(), *, fast: bool = True) -> Any:  # noqa: B008
    opened: Any = open_table(source)
    opened.fast = fast
    found = opened.carrying([amount]).bound_to(LINE, unit).add_up(CELLS, amount)
    return found.above + amount.low * found.rows, found.rows


@pytest.mark.parametrize("fast", [True, False], ids=["compiled", "engine"])
@pytest.mark.parametrize("step", [1, "0.1", "1/3", None])
@pytest.mark.parametrize("value", WORST, ids=repr)
def test_no_value_moves_a_sum_beyond_the_bounds(value: Any, step: Any, fast: bool) -> None:
    """Rounding comes before the clamp that counts, and no value poisons what others add up to."""
    amount = hg.Sum("v", -5, 10, step=step).amount
    without, _ = sums(table(HONEST), amount, fast=fast)
    moved, rows = sums(table([*HONEST, value]), amount, fast=fast)
    assert amount.low <= (moved - without)[0] <= amount.high
    assert rows[0] == 3 + (value is not None and not math.isnan(value))


def test_the_order_of_rows_and_batches_moves_no_bit() -> None:
    """Floats that are added up in another order differ in their last bits."""
    rng = np.random.default_rng(7)
    values = rng.lognormal(0, 3, 70_000)
    amount = hg.Sum("v", 0, 1).amount
    first, _ = sums(table(values.tolist()), amount)
    for order in (np.argsort(values), np.argsort(-values)):
        again, _ = sums(table(values[order].tolist()), amount)
        assert again.tolist() == first.tolist()


@pytest.mark.parametrize("bound", [7, 100])
def test_many_rows_of_one_person_move_sums_by_no_more_than_the_bound(bound: int) -> None:
    """Signs that cancel in all of the table do not in its parts."""
    amount = hg.Sum("v", -10, 10, step=1, per_person=bound).amount
    mine, unit = [10.0, -10.0] * 30, User("who", 4)
    others, names = [1.0] * 6, [1, 1, 2, 2, 3, 3]
    cells = [0] * 6
    for pattern in ([0] * 60, [0, 1] * 30, [1, 1, 0] * 20):
        both = table(others + mine, names + [9] * 60, cells + pattern)
        moved = sums(both, amount, unit)[0] - sums(table(others, names, cells), amount, unit)[0]
        assert np.abs(moved).sum() <= min(bound, 4 * amount.reach(0))
        around = moved - 5 * (
            sums(both, amount, unit)[1] - sums(table(others, names, cells), amount, unit)[1]
        )
        assert np.abs(around).sum() <= amount.reach_of(4, 5)


def test_a_bound_per_person_protects_nobody_where_rows_are_protected() -> None:
    measure = hg.Sum("v", -10, 10, per_person=1)
    book = hg.Ledger.in_memory()
    with pytest.raises(BadInput, match="Say who a person is"):
        hg.publish(table(HONEST), LINE, measures=[measure], epsilon=1, account="a", ledger=book)
    with pytest.raises(hg.UnknownAccount):
        book.entries("a")
    operation = PartSumsOperation()
    query = PartSums(CELLS, measure.amount, 0, Fraction(1))
    stated = operation.sensitivity(query, Sensitivity(Rows(), "add-remove", loses_rows=True))
    assert stated == measure.amount.reach(0)


@pytest.mark.parametrize("missing", ["drop", 0])
@pytest.mark.parametrize("outside", ["clamp", "drop"])
def test_counts_and_sums_are_of_the_same_rows(missing: Any, outside: Any) -> None:
    """A row that is counted and not added up, or the other way round, is one of two answers."""
    amount = hg.Sum("v", -5, 10, outside=outside, missing=missing).amount
    for fast in (True, False):
        opened: Any = open_table(table([*HONEST, *WORST]))
        opened.fast = fast
        laden = opened.carrying([amount])
        counted, added = laden.count(CELLS), laden.add_up(CELLS, amount)
        assert counted.tolist() == added.rows.tolist()


def test_what_is_asked_does_not_follow_from_values() -> None:
    """Centre, levels, prices and scales are the same for all tables, and so is every message."""
    asked = []
    for values in ([0.0] * 50, [10.0] * 50, WORST):
        release = hg.publish(
            table(values), LINE, measures=[hg.Mean("v", -5, 10), hg.Sum("x", 0, 1)], epsilon=1,
            account="a", ledger=hg.Ledger.in_memory(),
        )  # fmt: skip
        asked.append(
            [(one.centre, one.exact, [m.scale for m in one.estimate.measurements])
             for one in release.measured]
        )  # fmt: skip
    assert asked[0] == asked[1] == asked[2]


def test_all_releases_of_a_plan_add_up_one_version_of_a_file(tmp_path: Any) -> None:
    """Counts alone and measures have tables of their own, of one file that was opened once."""
    path = tmp_path / "rows.parquet"
    pq.write_table(table([1.0] * 4000), path)
    plan = hg.Plan(
        [
            hg.Planned("counts", LINE, 1, mechanism="identity"),
            hg.Planned("pay", LINE, 1, mechanism="identity", measures=[hg.Sum("v", 0, 2)]),
            hg.Planned("means", LINE, 1, mechanism="identity", measures=[hg.Mean("v", 0, 2)]),
        ]
    )
    tables = open_tables(path, plan)
    pq.write_table(table([2.0] * 9), tmp_path / "other.parquet")
    (tmp_path / "other.parquet").replace(path)
    amounts = [measure.amount for one in plan.releases for measure in one.measures]
    counts, *laden = tables
    assert counts.count(CELLS).tolist() == [4000, 0]
    for one, amount in zip(laden, amounts, strict=True):
        found = one.add_up(CELLS, amount)
        assert (found.rows.tolist(), found.above[0] * amount.step) == ([4000, 0], 4000)
