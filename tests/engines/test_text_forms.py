"""Numbers and dates in texts, written in a declared form: the same integers on every engine."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import hushgram as hg
from hushgram.declare.axis import Date, Variable
from hushgram.declare.domain import Domain
from hushgram.declare.text_format import TextFormat
from hushgram.declare.unit import Rows, User
from hushgram.geometry.partition import Grid
from hushgram.trusted.engine.sources.source import open_table
from tests import reference
from tests.engines import cases
from tests.engines.stores import Store

FORMATS = [
    "%d.%m.%Y", "%m/%d/%Y %H:%M", "%Y%m%d", "%d-%m-%y", "%d.%m.%Y %H:%M:%S.%f", "%y%m%d%H%M%S",
    "%H Uhr, %d. %m. %Y", "%Y年%m月%d日", "%Y-%m-%dT%H:%M:%SZ",
    "%%%d:%m=%Y", "'%d'%m'%Y", "%d*%m+%Y", "%d|%m$%Y",
]  # fmt: skip
"""Among them, characters that mean something in patterns and queries."""

MOMENTS = [
    dt.datetime(2024, 2, 29, 23, 59, 59, 999_999), dt.datetime(2024, 1, 1), dt.datetime(2068, 1, 1),
    dt.datetime(1969, 12, 31, 7, 5), dt.datetime(2023, 12, 31), dt.datetime(2024, 11, 3, 1, 30),
]  # fmt: skip
DAYS = Date("1969-01-01", "2068-12-31", "1mo", outside="other")
HOURS = Date("2024-02-01", "2024-12-01", "1h", outside="other")
NUMBERS = Variable([-10, 0, 0.25, 0.3, 1.5, 7, 1e300], outside="other")


def numerals() -> list[str | None]:
    plain: list[str | None] = [*cases.TEXTS]
    return [*plain, *(text.replace(".", ",") for text in plain if text is not None)]


def dates(form: str) -> list[str | None]:
    """Dates in the format, spoilt ones, and those of all other formats."""
    texts = [moment.strftime(other) for other in FORMATS for moment in MOMENTS]
    own = [moment.strftime(form) for moment in MOMENTS]
    short = [text.replace("01", "1").replace("05", "5") for text in own]
    spoilt = [text.replace("29", "30").replace("12", "13").replace("23", "24") for text in own]
    return [*cases.TEXTS, *texts, *short, *spoilt, *(f"{text}\n" for text in own)]


def numbers_of(texts: list[str | None], mark: str) -> list[float | None]:
    other = {",": ".", ".": ","}[mark]
    return [
        None if text is None or other in text else reference.number(text.replace(mark, "."))
        for text in texts
    ]


def places(axis: Any, values: list[Any]) -> list[int]:
    found = [reference.place(axis, value) for value in values]
    return np.bincount(
        [place for place in found if place is not None], minlength=axis.size
    ).tolist()


def counted(source: Any, axis: Any, unit: Any = None) -> list[int]:
    domain = Domain({"the text": axis})
    table = open_table(source).bound_to(domain, unit or Rows())
    found: list[int] = table.count(Grid.of_cells(domain)).tolist()
    return found


def loaded(store: Store, texts: list[str | None]) -> Any:
    who = pa.array(range(len(texts)), pa.int64())
    return store.load(pa.table({"the text": pa.array(texts, pa.string()), "who": who}))


@pytest.mark.parametrize("mark", [",", "."])
def test_decimals(store: Store, mark: str) -> None:
    texts = numerals()
    source = loaded(store, texts)
    declared = hg.Text(source, decimal=mark)
    values = numbers_of(texts, mark)
    assert sum(value is not None for value in values) > 20
    assert counted(declared, NUMBERS) == places(NUMBERS, values)
    assert counted(declared, NUMBERS, User("who", 1)) == places(NUMBERS, values)
    above = [value for value in values if value is not None and value >= 0.3]
    kept = hg.Where(declared, '"the text" >= 0.3')
    assert counted(kept, NUMBERS) == places(NUMBERS, above)


@pytest.mark.parametrize("form", FORMATS)
def test_dates(store: Store, form: str) -> None:
    """Python's own path is the expectation; it is held against its standard library elsewhere."""
    texts = dates(form)
    format_ = TextFormat(date_format=form).dates
    assert format_ is not None
    isos = [None if text is None else format_.iso(text) for text in texts]
    values = [None if iso is None else reference.moment(iso) for iso in isos]
    assert sum(value is not None for value in values) >= len(MOMENTS)
    declared = hg.Text(loaded(store, texts), date_format=form)
    for axis in (DAYS, HOURS):
        assert counted(declared, axis) == places(axis, values)
