"""Conditions choose the same rows on every engine, those of first principles, and never fail."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hushgram as hg
from hushgram.declare.condition import Compared, Condition, Missing, Not, Some, columns, parse
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows, User
from hushgram.errors import BadInput, SourceError
from hushgram.geometry.partition import Grid
from hushgram.trusted.engine.sources.source import open_table
from tests import reference
from tests.engines import cases
from tests.engines.stores import Store

QUOTED = '"x""; DROP TABLE table0; --"'

CONDITIONS = [
    "number >= 0.3",
    "number < 0.3 OR number IS NULL",
    "NOT number = 0",
    "number BETWEEN -1 AND 1 AND größe != 7",
    '"single ""float""" > 0',
    "größe IN (0, 7, 9223372036854775807)",
    '"select" <= 0.3',
    f"{QUOTED} >= 0.3",
    f"{QUOTED} != 7 AND NOT {QUOTED} IS NULL",
    f"{QUOTED} = '0.3' OR {QUOTED} = ''",
    "\"слово `word`\" IN ('F', 'ä', '\"', '\\', '''')",
    "NOT (\"слово `word`\" = 'F' OR \"слово `word`\" != 'f')",
    '"flag\'s" = TRUE OR "flag\'s" IS NULL',
    "\"the day\" >= '2024-01-01' AND \"the day\" < '2024-03-01'",
    "moment > '2024-02-29 12:00' OR moment = '1969-12-31 23:59:59.500000'",
    "zoned <= '2024-03-01T04:59:59.999999'",
]


@pytest.fixture(scope="module")
def stacked(store: Store) -> Any:
    return store.load(cases.stack().table())


@pytest.mark.parametrize("text", CONDITIONS)
def test_the_same_rows_on_every_engine(stacked: Any, text: str) -> None:
    condition = parse(text)
    table = open_table(hg.Where(stacked, text))
    domain = Domain(case=hg.Integer(0, cases.CASES - 1))
    table.check(domain, Rows())
    kept = chosen(condition)
    expected = np.bincount(cases.stack().case[kept], minlength=cases.CASES)
    assert 0 < kept.sum() < len(kept)
    assert np.array_equal(table.count(Grid.of_cells(domain)), expected)


def chosen(condition: Condition) -> Any:
    """Which rows of the stack are meant, value by value."""
    names = list(dict.fromkeys(columns(condition)))
    pools = [cases.POOLS[name][1] for name in names]
    held = [[cases.as_held(n, v) for v in pool] for n, pool in zip(names, pools, strict=True)]
    verdicts = [
        truth(condition, dict(zip(names, row, strict=True))) is True
        for row in itertools.product(*held)
    ]
    shaped = np.array(verdicts).reshape([len(pool) for pool in pools])
    return shaped[tuple(cases.stack().chosen[name] for name in names)]


def truth(condition: Condition, row: dict[str, Any]) -> bool | None:
    """SQL's three values, from first principles."""
    if isinstance(condition, Compared):
        return compared(row[condition.column], condition.sign, condition.value)
    if isinstance(condition, Missing):
        value = row[condition.column]
        return value is None or (isinstance(value, float) and math.isnan(value))
    if isinstance(condition, Not):
        inner = truth(condition.part, row)
        return None if inner is None else not inner
    parts = [truth(part, row) for part in condition.parts]
    decisive = isinstance(condition, Some)
    if decisive in parts:
        return decisive
    return None if None in parts else not decisive


SIGNS: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
}  # fmt: skip


def compared(value: Any, sign: str, literal: Any) -> bool | None:
    if isinstance(literal, float):
        value = reference.number(value)
    elif not isinstance(literal, bool) and not isinstance(value, str):
        value, literal = reference.moment(value), reference.moment(literal)
    return None if value is None else SIGNS[sign](value, literal)


@pytest.mark.parametrize(
    "text",
    [
        "", "age", "age >", "age > height", "age > 1 + 1", "length(name) > 3", "1 = 1",
        "age LIKE 'a'", "age > (SELECT 1)", "t.age > 1", "age > 1; DROP TABLE t",
        "age IN (SELECT 1)", "age = NULL", "(" * 5000 + "age = 1" + ")" * 5000,
    ],
)  # fmt: skip
def test_what_is_no_condition(text: str) -> None:
    with pytest.raises(BadInput, match="Compare columns"):
        hg.Where("table.csv", text)


@pytest.mark.parametrize(
    "text",
    [
        "word > 'a'", "number = 'a'", "number = TRUE", "day > 3", "day > 'soon'", "flag = 1",
        "word = TRUE", "flag > TRUE",
    ],
)  # fmt: skip
def test_what_cannot_be_compared(text: str) -> None:
    import pyarrow as pa

    table = pa.table({
        "word": ["a"], "number": [1.0], "day": pa.array([0], pa.date32()), "flag": [True],
    })  # fmt: skip
    with pytest.raises(BadInput, match="compared"):
        open_table(hg.Where(table, text))


def test_a_column_that_is_not_there() -> None:
    import pyarrow as pa

    with pytest.raises(SourceError, match="no column 'age'"):
        open_table(hg.Where(pa.table({"x": [1]}), "age > 1"))
    with pytest.raises(BadInput, match="no rows"):
        open_table(hg.Where(hg.Counts([1]), "age > 1"))


def test_the_release_says_what_was_meant(tmp_path: Any) -> None:
    import pyarrow as pa

    table = pa.table({"x": [1, 2, 3] * 2000, "who": list(range(6000))})
    release = hg.publish(
        hg.Where(table, "x > 1"), {"x": hg.Integer(0, 4)}, epsilon=5, account="a",
        unit=User("who", 1),
    )  # fmt: skip
    release.save(tmp_path / "a.hush.parquet")
    again = hg.load(tmp_path / "a.hush.parquet")
    assert again.where == "x > 1"
    assert again.count(x=(1, 2)).value < 100 < 1900 < again.count(x=(2, 3)).value


def test_a_condition_on_a_condition() -> None:
    import pyarrow as pa

    table = pa.table({"x": [1, 2, 3, 4]})
    some = hg.Where(hg.Where(table, "x > 1"), "x < 4")
    release = hg.publish(some, {"x": hg.Integer(0, 4)}, epsilon=1, account="a")
    assert release.where == "(x > 1) AND (x < 4)"
    opened = open_table(some)
    domain = Domain(x=hg.Integer(0, 4))
    opened.check(domain, Rows())
    assert opened.count(Grid.of_cells(domain)).tolist() == [0, 0, 1, 1, 0]
