"""Data frames of pandas and Polars as Arrow columns, by their declared types only."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from functools import partial
from numbers import Integral, Real
from typing import Any

import numpy as np
import pyarrow as pa

from hushgram.declare.axis.category import to_text
from hushgram.declare.axis.date import to_moment
from hushgram.declare.axis.numeric import to_float
from hushgram.declare.text_format import DEFAULT, TextFormat
from hushgram.trusted.engine.sources.plain import LONGEST

UNKNOWN = pa.binary()
"""Stands for a type that has no place on any axis."""


def pandas_schema(frame: Any) -> pa.Schema:
    """The columns' types, without looking at a row."""
    empty = frame.iloc[:0]
    columns = [(str(name), empty.iloc[:, i]) for i, name in enumerate(frame.columns)]
    return pa.schema([(name, type_of(pandas_column, column)) for name, column in columns])


def guessed_columns(frame: Any) -> frozenset[str]:
    """Columns of whole numbers that pandas would have made columns of floats if one row had none.
    Its nullable types stay what they are."""
    return frozenset(
        str(name)
        for place, name in enumerate(frame.columns)
        if isinstance(frame.dtypes.iloc[place], np.dtype)
    )


def type_of(read: Callable[[Any], Any], empty: Any) -> pa.DataType:
    """The type of a column without rows, as it is read."""
    try:
        return read(empty).type
    except Exception:  # complex numbers, sparse columns, Python objects, types of other packages
        return UNKNOWN


class Naming(str):
    """A column that is asked for the people named in it, not for places on an axis."""


def pandas_table(frame: Any, columns: Sequence[str], form: TextFormat = DEFAULT) -> pa.Table:
    places = [str(name) for name in frame.columns]
    values = partial(text_in, form=form)
    return in_order(
        pandas_column(
            frame.iloc[:, places.index(name)], name_of if isinstance(name, Naming) else values
        )
        for name in columns
    )


def in_order(columns: Iterable[Any]) -> pa.Table:
    """Columns by their place: the same one may be wanted twice."""
    arrays = list(columns)
    return pa.Table.from_arrays(arrays, [f"c{place}" for place in range(len(arrays))])


def pandas_column(values: Any, text: Callable[[Any], str | None] | None = None) -> Any:
    """A column of objects is text, whatever the objects are. So is one of categories: pandas
    learns their type from the values, and one more row could make it another."""
    text = text or text_of
    if hasattr(values.dtype, "categories"):
        codes = pa.array(values.cat.codes, mask=np.asarray(values.isna()))
        words = [text(value) for value in values.cat.categories]
        return pa.array(words, pa.large_string()).take(codes)
    if values.dtype == object or getattr(values.dtype, "storage", "") == "python":
        return pa.array([text(value) for value in values], pa.string())
    return pa.Array.from_pandas(values)


def name_of(value: Any) -> str | None:
    """The person that an object names: a text or a whole number, 1 and "1" being the same.

    Others name nobody: the same person might be written as 1.0 and as 1, or in as many ways as
    there are rows.
    """
    whole = isinstance(value, Integral) and not isinstance(value, bool | np.bool_)
    return text_of(value) if whole or isinstance(value, str) else None


def text_in(value: Any, form: TextFormat) -> str | None:
    """An object as the text that axes read like the object itself, where texts are written in a
    declared form; None if there is none."""
    text = text_of(value)
    if text is None or isinstance(value, str):
        return text
    if form.dates is not None and isinstance(value, dt.date | np.datetime64):
        moment = to_moment(value)
        return None if moment is None else form.dates.write(moment)
    number = isinstance(value, Real | Decimal) and form.decimal != "."
    return text.replace(".", form.decimal) if number else text


def text_of(value: Any) -> str | None:
    """An object as the text that axes read like the object itself; None if there is none."""
    try:
        if isinstance(value, bool | np.bool_ | Integral):
            return to_text(value) or number_text(value)  # too many digits for Python to write
        if isinstance(value, Real) or (isinstance(value, Decimal) and not value.is_finite()):
            return number_text(value)
        if isinstance(value, dt.datetime | np.datetime64):
            moment = to_moment(value)
            return None if moment is None else moment.isoformat(" ")
        if value is None or type(value).__name__ == "NAType":  # pandas's own NULL
            return None
        text = str(value)
        return text if len(text.encode()) <= LONGEST else None
    except Exception:  # whatever an object does when it is asked for its text
        return None


def number_text(value: Any) -> str | None:
    """A number as a double is written; the infinite ones as numerals that no double reaches."""
    x = to_float(value)
    if x is None or x != x:
        return None
    return repr(x) if abs(x) < np.inf else ("1e999" if x > 0 else "-1e999")


def polars_schema(empty: Any) -> pa.Schema:
    """The columns' types, from a frame without rows."""
    columns = [(name, empty.get_column(name)) for name in empty.columns]
    return pa.schema(
        [(name, type_of(lambda one: one.to_arrow(), column)) for name, column in columns]
    )


def polars_table(frame: Any, columns: Sequence[str]) -> pa.Table:
    return in_order(frame.get_column(name).to_arrow() for name in columns)


def lazy_table(frame: Any, columns: Iterable[str]) -> pa.Table:
    """The wanted columns of a Polars query, which runs here."""
    import polars.selectors

    wanted = list(columns)
    found = frame.select(polars.selectors.by_name(*dict.fromkeys(wanted))).collect()
    return polars_table(found, wanted)
