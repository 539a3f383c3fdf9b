"""Texts and decimals that engines read: as long, as large and as odd as they may be."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from hushgram.declare.axis import LONGEST_NUMBER, Axis, Date, Integer, Regular
from hushgram.declare.domain import Domain
from hushgram.declare.unit import User
from hushgram.geometry.partition import Grid
from hushgram.trusted.engine.ibis.dialect import LONGEST_NAME
from tests import reference
from tests.servers.postgres import Postgres
from tests.trusted.engine.tables import cells


@pytest.mark.parametrize(("further", "counted"), [(0, 1), (1, 0)])
def test_the_longest_number(further: int, counted: int) -> None:
    text = "2".zfill(LONGEST_NUMBER + further)
    assert cells(pa.table({"x": [text]}), Domain(x=Integer(0, 3))) == [0, 0, counted, 0]


@pytest.mark.parametrize(("further", "counted"), [(0, 1), (1, 0)])
def test_the_longest_name(further: int, counted: int) -> None:
    table = pa.table({"x": [2, 2], "who": ["a" * (LONGEST_NAME + further)] * 2})
    found = cells(table, Domain(x=Integer(0, 3)), User("who", max_rows=1))
    assert found == [0, 0, counted, 0]


def test_only_texts_of_the_grammar_are_read() -> None:
    """Engines know more ways to write a number or a day, and each engine others."""
    numbers = ["1", " 1 ", "+1.0", "1e0", "inf", "nan", "1_0", "0x1", "١", "1,0", ""]
    domain = Domain(x=Regular(2, 0, 2, outside="other"))
    assert cells(pa.table({"x": numbers}), domain) == [0, 4, 7]
    days = ["2024-01-02", "2024-01-02 10:00:00", "20240102", "2024-1-2", "infinity", "epoch", ""]
    domain = Domain(x=Date("2024-01-01", "2024-01-03", outside="other"))
    assert cells(pa.table({"x": days}), domain) == [0, 2, 0, 5]


def in_postgres(server: Postgres, kind: str, values: Sequence[Any], axis: Axis) -> list[int]:
    url = server.fresh()
    with server.connect(url) as connection:
        connection.execute(f"CREATE TABLE odd (x {kind})")
        connection.cursor().executemany("INSERT INTO odd VALUES (%s)", [(v,) for v in values])
    return cells(f"{url}/odd", Domain(x=axis))


def known(values: Sequence[Any], axis: Axis) -> list[int]:
    return reference.count(Grid.of_cells(Domain(x=axis)), [[value] for value in values])


SIGNS = Regular(4, -1, 1, outside="clamp")
HUGE = 2**1024 - 2**970
"""The smallest number that is rounded to infinity."""


def test_decimals_beyond_all_doubles(postgres: Postgres) -> None:
    """One that PostgreSQL refuses to cast would end the count."""
    tiny = Decimal(5) ** 1075 * Decimal(10) ** -1075
    values = [
        *(Decimal(text) for text in ("NaN", "NaN", "1e400", "1e400", "1e400", "-1e400", "0.5")),
        *(Decimal(text) for text in ("1e-400", "-1e-400", "-0.5", "Infinity", "-Infinity")),
        *(Decimal(number) for number in (HUGE, HUGE - 1, -HUGE, 1 - HUGE)),
        *(tiny, -tiny, tiny * 2, -tiny * 2), None,
    ]  # fmt: skip
    assert in_postgres(postgres, "numeric", values, SIGNS) == known(values, SIGNS)
    other = Regular(4, -1, 1, outside="other")
    assert in_postgres(postgres, "numeric", values, other) == known(values, other)


def test_texts_of_numbers_beyond_all_doubles(postgres: Postgres) -> None:
    digits = "1" + "0" * 400
    values = [
        "1", "-1", "0.5e0", "5e-1", " -5E-1\t", "1e99", "-1e99", "1e100", "-1e100", "1e308",
        "1e309", "-1e309", "1e-308", "1e-330", "-1e-330", "1e99999", "-1e99999", "1e-99999",
        "-1e-99999", "0e99999", "0e309", "-0e99999", "1e+00000000000000000005", "1e00099999",
        digits, f"-{digits}", f"{digits}e-401", f"-{digits}e-401", f"0.{'0' * 400}1",
        f"0.{'0' * 400}1e401", "NaN", "inf", "1e", "", "x", "9" * 200, "-" + "9" * 200,
        "0." + "9" * 300, str(HUGE), str(1 - HUGE), None,
    ]  # fmt: skip
    assert in_postgres(postgres, "text", values, SIGNS) == known(values, SIGNS)


def test_days_that_are_in_no_calendar(postgres: Postgres) -> None:
    days = [f"{year}-02-{day}" for year in (1900, 2000, 2023, 2024) for day in (28, 29, 30)]
    days += [f"2024-{month:02}-{day}" for month in range(14) for day in (30, 31, 32)]
    days += [
        "2024-01-00",
        "2024-01-01",
        "0000-01-01",
        "0001-01-01",
        "9999-12-31",
        "2024-01-01 24:00",
    ]
    days += ["2024-01-01 23:59:59.999999", "2024-01-01T10:00", "2024-1-1", "epoch", ""]
    axis = Date("2023-12-01", "2025-01-31", "1mo", outside="clamp")
    assert in_postgres(postgres, "text", days, axis) == known(days, axis)
