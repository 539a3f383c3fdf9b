"""Check sums of amounts in real engines: they are exact and clamped, and one unit moves them by no
more than the stated sensitivity. NONPRIVATE.

Values are those that an adversary would choose: at the bounds and beyond, halfway between steps,
infinite, missing, of both signs, and many of them for one person.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any
from unittest import mock

import numpy as np
import pyarrow as pa

from hushgram.declare.amount import Amount
from hushgram.declare.axis import Integer
from hushgram.declare.domain import Domain
from hushgram.declare.measure import Sum
from hushgram.declare.unit import Rows, Unit, User
from hushgram.geometry.partition import Grid, Ints, Refined
from hushgram.lab.checks import check_measures
from hushgram.mechanisms.identity import Identity
from hushgram.mechanisms.quadtree import Quadtree
from hushgram.queries import PartSums, Total
from hushgram.trusted.engine.sources.source import open_table
from hushgram.trusted.engine.table import Table
from hushgram.trusted.vault import Sensitivity
from hushgram.trusted.vault.operations import OPERATIONS

DOMAIN = Domain(x=Integer(0, 3, outside="clamp"))
CELLS = Grid.of_cells(DOMAIN)
PARTS = (CELLS, Refined(Grid(DOMAIN, (2,)), np.array([[2], [1]])))

WORST = (
    0.0, -0.0, 1.0, 39.5, 40.0, 40.4, 40.6, 41.0, 1e300, math.inf, -math.inf, -19.6, -20.0, -20.5,
    -1e300, math.nan, None, 7.25, 7.75, 7.5, 33.3,
)  # fmt: skip

AMOUNTS = tuple(
    measure.amount
    for measure in (
        Sum("v", -20, 40, step=1),
        Sum("v", -20, 40, step="1/4", missing=3),
        Sum("v", 0, 40, outside="drop", missing=0),
        Sum("v", -20, 40, outside="drop"),
        Sum("v", 1, 2, step="0.1"),
    )
)


def table_of(values: Any, amount: Amount, fast: bool, names: Any = None) -> Table:
    """Return a table of rows with values, in alternating cells, counted here or by the engine."""
    columns = {"x": pa.array(np.arange(len(values)) % 4), "v": pa.array(values, pa.float64())}
    if names is not None:
        columns["who"] = pa.array(names)
    opened: Any = open_table(pa.table(columns))
    opened.fast = fast
    return opened.carrying([amount])  # type: ignore[no-any-return]


def whole_steps(value: float | None, amount: Amount) -> int | None:
    """Return a value in steps, with exact fractions instead of the product's rule."""
    if value is None or math.isnan(value):
        return amount.missing
    lowest, highest = (
        (end + side) * amount.step
        for end, side in ((amount.low, Fraction(-1, 2)), (amount.high, Fraction(1, 2)))
    )
    if math.isinf(value) or not lowest <= Fraction(value) <= highest:
        if amount.outside == "drop":
            return None
        return amount.high if value > 0 and value > lowest else amount.low
    nearest = math.floor(Fraction(value) / amount.step + Fraction(1, 2))
    return min(max(nearest, amount.low), amount.high)


def engines() -> Iterator[tuple[Amount, bool]]:
    for amount in AMOUNTS:
        for fast in (True, False):
            yield amount, fast


def exact_sums() -> None:
    """Engines add up the same integers as exact fractions do."""
    values = [*WORST] * 5
    for amount, fast in engines():
        steps = [whole_steps(value, amount) for value in values]
        kept = [row for row, one in enumerate(steps) if one is not None]
        for parts in PARTS:
            table = table_of(values, amount, fast)
            found = table.add_up(parts, amount)
            counted = table.count(parts)
            assert found.rows.tolist() == counted.tolist(), (
                f"counts are of {counted.sum()} rows, and sums of {found.rows.sum()}: {amount}"
            )
            places = parts.parts([np.array(kept, dtype=np.int64) % 4])
            expected = np.zeros(parts.size, dtype=np.int64)
            np.add.at(expected, places, np.array([steps[row] for row in kept]))
            assert found.rows.tolist() == np.bincount(places, minlength=parts.size).tolist(), (
                f"different rows are left out for {amount}"
            )
            off = int(np.abs(found.above + amount.low * found.rows - expected).max())
            assert off == 0, f"sums are off by {off} steps: {amount}"


def large_sums() -> None:
    """Sums beyond the range of exact floats are exact."""
    amount = Sum("v", 0, 2**25, step=1).amount
    values = np.full(1000, float(2**25 - 1))
    for fast in (True, False):
        found = int(table_of(values, amount, fast).add_up(CELLS, amount).above.sum())
        assert found == 1000 * (2**25 - 1), f"a sum is off by {found - 1000 * (2**25 - 1)}"


def one_row() -> None:
    """Adding a row, whatever its amount, moves sums by no more than stated."""
    others = [5.0, 12.0, 33.0]
    for amount, fast in engines():
        for centre in (amount.low, amount.middle, amount.high):
            for value in WORST if fast else WORST[8:14:5]:
                both = ([*others, value], others)
                check_moved(amount, centre, Rows(), [table_of(one, amount, fast) for one in both])


def people_at_their_bound() -> None:
    """A person with many rows at a bound moves sums by no more than stated."""
    bounded = Sum("v", -20, 40, step=1, per_person=50).amount
    person = User("who", 3)
    names, values = ["a"] * 20 + ["b"] * 2, [1e9] * 20 + [4.0] * 2
    with mock.patch("secrets.token_hex", lambda size: "5a" * size):
        for amount in (AMOUNTS[0], bounded):
            for centre in (0, amount.middle, amount.low):
                pair = (table_of(values, amount, True, names),
                        table_of(values[20:], amount, True, names[20:]))  # fmt: skip
                # The others keep their cells: rows are shifted by whole rounds.
                check_moved(amount, centre, person, [one.bound_to(DOMAIN, person) for one in pair])


def check_moved(amount: Amount, centre: int, unit: Unit, pair: list[Table]) -> None:
    query, operation = PartSums(CELLS, amount, centre, Fraction(1)), OPERATIONS[PartSums]
    stated = operation.sensitivity(query, Sensitivity(unit, "add-remove", loses_rows=True))
    first, second = (exact(operation.count(query, table, DOMAIN)) for table in pair)
    moved = int(np.abs(first - second).sum())
    assert moved <= stated, f"moved by {moved} steps, stated {stated}: {amount}"


def exact(found: Any) -> Ints:
    return np.asarray(found).astype(object)


def rows_that_vanish() -> None:
    """If a row can be dropped because of its amount, the number of rows is private."""
    operation = OPERATIONS[Total]
    for amount in AMOUNTS:
        table = table_of([1.0, None, -1e9], amount, True)
        stated = operation.sensitivity(
            Total(Fraction(1)), Sensitivity(Rows(), "replace-one", table.loses_rows(DOMAIN))
        )
        kept = [
            int(table_of([1.0, value], amount, True).count(CELLS).sum())
            for value in (2.0, None, 1e9)
        ]
        moved = max(kept) - min(kept)
        assert moved <= stated, f"the total moves by {moved}, stated {stated}: {amount}"


def replayed_measures() -> None:
    """Nothing but paid answers decides what is published."""
    for mechanism in (Identity(), Quadtree()):
        check_measures(mechanism)


TRIALS = (
    exact_sums,
    large_sums,
    people_at_their_bound,
    rows_that_vanish,
    replayed_measures,
    one_row,
)
