"""Convert pandas and Polars data frames to Arrow columns, by their declared types only."""

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
"""Stands for a type that no axis accepts."""


def pandas_schema(frame: Any) -> pa.Schema:
    """Return the column types without reading a row."""
    empty = frame.iloc[:0]
    columns = [(str(name), empty.iloc[:, i]) for i, name in enumerate(frame.columns)]
    return pa.schema([(name, type_of(pandas_column, column)) for name, column in columns])


def guessed_columns(frame: Any) -> frozenset[str]:
    """Return the columns whose integer type pandas may have inferred: a missing value would have
    made them floats. Nullable types are not affected."""
    return frozenset(
        str(name)
        for place, name in enumerate(frame.columns)
        if isinstance(frame.dtypes.iloc[place], np.dtype)
    )


def type_of(read: Callable[[Any], Any], empty: Any) -> pa.DataType:
    """Return the type that a column without rows has once it is read."""
    try:
        return read(empty).type
    except Exception:  # complex numbers, sparse columns, Python objects, types of other packages
        return UNKNOWN


class Naming(str):
    """The name of a column that identifies people, as opposed to values on an axis."""


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
    """Return a table of columns named by place, because the same column may be wanted twice."""
    arrays = list(columns)
    return pa.Table.from_arrays(arrays, [f"c{place}" for place in range(len(arrays))])


def pandas_column(values: Any, text: Callable[[Any], str | None] | None = None) -> Any:
    """Convert a column. Objects become text, whatever they are. So do categories: pandas infers
    their type from the values, and one more row could change it."""
    text = text or text_of
    if hasattr(values.dtype, "categories"):
        codes = pa.array(values.cat.codes, mask=np.asarray(values.isna()))
        words = [text(value) for value in values.cat.categories]
        return pa.array(words, pa.large_string()).take(codes)
    if values.dtype == object or getattr(values.dtype, "storage", "") == "python":
        return pa.array([text(value) for value in values], pa.string())
    return pa.Array.from_pandas(values)


def name_of(value: Any) -> str | None:
    """Return the person that an object names: text or a whole number, where 1 and "1" are the same.

    Other objects name nobody, because the same person might be written as 1.0 and as 1, or
    differently in every row.
    """
    whole = isinstance(value, Integral) and not isinstance(value, bool | np.bool_)
    return text_of(value) if whole or isinstance(value, str) else None


def text_in(value: Any, form: TextFormat) -> str | None:
    """Return an object as text in the declared format, which axes read like the object itself; None
    if there is no such text."""
    text = text_of(value)
    if text is None or isinstance(value, str):
        return text
    if form.dates is not None and isinstance(value, dt.date | np.datetime64):
        moment = to_moment(value)
        return None if moment is None else form.dates.write(moment)
    number = isinstance(value, Real | Decimal) and form.decimal != "."
    return text.replace(".", form.decimal) if number else text


def text_of(value: Any) -> str | None:
    """Return an object as text that axes read like the object itself; None if there is no such
    text."""
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
    except Exception:  # str() of an arbitrary object may raise anything
        return None


def number_text(value: Any) -> str | None:
    """Return a number as the text of a double; infinities as numbers beyond all doubles."""
    x = to_float(value)
    if x is None or x != x:
        return None
    return repr(x) if abs(x) < np.inf else ("1e999" if x > 0 else "-1e999")


def polars_schema(empty: Any) -> pa.Schema:
    """Return the column types, from a frame without rows."""
    columns = [(name, empty.get_column(name)) for name in empty.columns]
    return pa.schema(
        [(name, type_of(lambda one: one.to_arrow(), column)) for name, column in columns]
    )


def polars_table(frame: Any, columns: Sequence[str]) -> pa.Table:
    return in_order(frame.get_column(name).to_arrow() for name in columns)


def lazy_table(frame: Any, columns: Iterable[str]) -> pa.Table:
    """Run a Polars query and return the wanted columns."""
    import polars.selectors

    wanted = list(columns)
    found = frame.select(polars.selectors.by_name(*dict.fromkeys(wanted))).collect()
    return polars_table(found, wanted)
