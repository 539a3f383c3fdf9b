"""One row, or all rows of one person, move sums by no more than the noise is made for, whatever
they hold, whatever is declared, and whatever type the column has."""

from __future__ import annotations

import math
import secrets
from decimal import Decimal
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import hushgram as hg
from hushgram.declare.unit import Rows, User
from hushgram.errors import DomainError
from hushgram.geometry.partition import Grid
from hushgram.trusted.engine.sources.source import open_table
from hushgram.trusted.vault import Sensitivity

CELLS = Grid.of_cells(hg.Domain(x=hg.Integer(0, 2)))
ODD = [0.0, -0.0, 1e308, -1e308, math.nan, math.inf, -math.inf, 10.4, 10.5, -5.5, 0.5, 0.3]
VALUES: dict[pa.DataType, st.SearchStrategy[Any]] = {
    pa.float64(): st.sampled_from(ODD) | st.floats(),
    pa.int64(): st.integers(-12, 12) | st.integers(-(2**63), 2**63 - 1),
    pa.decimal128(38, 9): st.decimals(-(10**28), 10**28, places=9) | st.just(Decimal("10.5")),
    pa.string(): st.sampled_from(["9", "1e400", "-1e400", "nan", "7.5 ", "", "many", "-5.5"]),
}


@st.composite
def measures(draw: st.DrawFn) -> hg.Sum:
    lo, hi = draw(st.sampled_from([(-5, 10), (0, 10), (-10, 0), (3, 10), (0, "0.3"), (0, 10**18)]))
    options = {
        "step": draw(st.sampled_from([None, "0.1", "1/3", 3])),
        "outside": draw(st.sampled_from(["clamp", "drop"])),
        "missing": draw(st.sampled_from(["drop", hi])),
        "per_person": draw(st.sampled_from([None, 1, 12])),
    }
    try:
        return hg.Sum("v", lo, hi, **options)  # type: ignore[arg-type]
    except DomainError:
        return hg.Sum("v", -5, 10, per_person=options["per_person"])  # type: ignore[arg-type]


def looks(rows: list[Any], kind: pa.DataType, measure: hg.Sum, unit: Any, fast: bool) -> Any:
    """Counts, and how far amounts are above the lower bound."""
    columns = list(zip(*rows, strict=True)) or [(), (), ()]
    kinds = (pa.int64(), kind, pa.string())
    named = zip(("x", "v", "who"), columns, kinds, strict=True)
    table: Any = open_table(pa.table({name: pa.array(held, type_) for name, held, type_ in named}))
    table.fast = fast
    with patch.object(secrets, "token_hex", lambda size: "7" * size):
        return table.carrying([measure.amount]).bound_to(CELLS.domain, unit).add_up(
            CELLS, measure.amount
        )  # fmt: skip


@given(st.data())
@settings(
    max_examples=25, phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)  # fmt: skip
def test_no_unit_moves_sums_further_than_stated(data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(list(VALUES)))
    unit = data.draw(st.sampled_from([Rows(), User("who", 1), User("who", 3)]))
    measure = data.draw(measures())
    if isinstance(unit, Rows) and measure.per_person is not None:
        measure = hg.Sum("v", measure.lo, measure.hi)

    def rows(names: list[str], most: int, least: int = 0) -> Any:
        row = st.tuples(st.integers(-1, 3), st.none() | VALUES[kind], st.sampled_from(names))
        return data.draw(st.lists(row, min_size=least, max_size=most))

    others, most = rows(["p", "q"], 8), 1 if isinstance(unit, Rows) else 5
    neighbours = data.draw(st.sampled_from(["add-remove", "replace-one"]))
    first = [*others, *rows(["z"], most, 1)]
    second = [*others, *(rows(["z"], most, 1) if neighbours == "replace-one" else [])]
    fast = data.draw(st.booleans())
    one, two = (looks(table, kind, measure, unit, fast) for table in (first, second))
    limit, amount = Sensitivity(unit, neighbours, loses_rows=True), measure.amount
    counted = one.rows - two.rows
    assert np.abs(counted).sum() <= limit.counts
    for centre in {amount.low, 0, amount.middle, amount.high}:
        if amount.low <= centre <= amount.high:
            moved = one.above - two.above - (centre - amount.low) * counted
            assert np.abs(moved).sum() <= limit.sums(amount, centre)
