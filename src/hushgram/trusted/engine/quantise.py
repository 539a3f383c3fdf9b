"""From a column to its public index, as an Ibis expression.

The rules are those of `hushgram.axis`, for every engine alike. A value that does not fit is
filtered out or replaced by a harmless one before anything is computed with it: no NaN or
infinity ever reaches a cast, so no engine can fail on a value that a neighbouring table would
not have had. Doubles are written as text and cast, because engines may read a literal as a decimal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import ibis
import ibis.expr.datatypes as types
import pyarrow as pa
from ibis.expr.types import Column, Table, Value

from hushgram.axis import NUMBER, Axis, Category, Date, Integer, Window
from hushgram.axis.date import MOMENT
from hushgram.axis.numeric import Even
from hushgram.domain import Domain
from hushgram.errors import SourceError

LOOKUP = 32
"""Longer lists of categories are joined to a table instead of compared one by one."""


def check_columns(schema: ibis.Schema, domain: Domain, *, header: str = "") -> None:
    """Refuse, for free, a table that lacks a column or has one of the wrong type."""
    for name, axis in domain.items():
        check_present(schema, name, header=header)
        found = schema[name]
        while isinstance(axis, Window):
            axis = axis.axis
        if not accepts(axis, found):
            raise SourceError(
                f"column {name!r} holds {found}, which does not fit an axis of kind {axis.kind} "
                f"({wanted(axis)}). Declare another axis for it, or cast the column."
            )


def check_present(schema: ibis.Schema, name: str, *, header: str = "") -> None:
    """``header`` replaces the list of columns where that list may itself be a row of data."""
    if name not in schema:
        there = header or "It has " + ", ".join(repr(n) for n in schema.names[:20])
        more = "" if header or len(schema.names) <= 20 else f" and {len(schema.names) - 20} more"
        raise SourceError(f"the table has no column {name!r}. {there}{more}.")


def check_names(schema: ibis.Schema, name: str, *, header: str = "") -> None:
    """Refuse a column that names nobody for certain: two people must never become one by a
    rounding, nor one person two."""
    check_present(schema, name, header=header)
    found = schema[name]
    if not (found.is_string() or found.is_integer() or found.is_decimal() or found.is_uuid()):
        raise SourceError(
            f"column {name!r} holds {found}, which cannot name people: use texts, whole numbers, "
            "decimals or UUIDs. Cast the column, for instance to text."
        )


def wanted(axis: Axis) -> str:
    if isinstance(axis, Category):
        return "texts, whole numbers or truth values"
    return "dates, times or texts" if isinstance(axis, Date) else "numbers or texts"


def accepts(axis: Axis, found: types.DataType) -> bool:
    if isinstance(axis, Category):
        return bool(found.is_string() or found.is_integer() or found.is_boolean())
    if isinstance(axis, Date):
        return bool(found.is_string() or found.is_date() or found.is_timestamp())
    return bool(found.is_string() or found.is_numeric())


@ibis.udf.scalar.builtin(name="timezone")
def in_zone(zone: str, x: types.Timestamp("UTC")) -> types.timestamp:  # type: ignore[valid-type]
    """The engine's own clock of a zone: a cast would show the time of the session's."""


@ibis.udf.scalar.builtin(name="floor")
def floor(x: float) -> float:  # type: ignore[empty-body]
    """The engine's own floor, a double: Ibis's would be cast to an integer at once."""


def with_indices(table: Table, domain: Domain, **more: str) -> Table:
    """The rows that count, as indices only: from ``c0``, ``c1``, … to ``i0``, ``i1``, …

    Indices are whole numbers in doubles, because engines are fastest with those; they and their
    products with numbers of slices stay below 2^52, where doubles are exact. ``more`` names
    columns to keep.
    """
    table = with_lookups(table, domain.axes)
    kept, columns = [], {name: table[column] for name, column in more.items()}
    for place, axis in enumerate(domain.axes):
        index, inside = index_of(table, place, axis)
        columns[f"i{place}"] = index
        if inside is not None:
            kept.append(inside)
    return (table.filter(*kept) if kept else table).select(**columns)


def index_of(table: Table, place: int, axis: Axis) -> tuple[Value, Value | None]:
    """The index in column ``c{place}`` of a table with lookups, and which rows have one."""
    if isinstance(axis, Window):
        whole, inside = index_of(table, place, axis.axis)
        within = (whole >= axis.start) & (whole < axis.stop)
        return whole - axis.start, within if inside is None else inside & within
    if isinstance(axis, Category):
        return category_index(table, place, axis)
    column = table[f"c{place}"]
    find = date_place if isinstance(axis, Date) else number_place
    x = as_moment(column) if isinstance(axis, Date) else as_double(column)
    inside, index, above = find(x, axis)
    if axis.outside == "drop":
        return index(x), inside
    harmless = ibis.literal(axis.start) if isinstance(axis, Date) else double(axis.edge(0))
    fits = inside.fill_null(False)
    if axis.outside == "other":
        elsewhere = double(axis.bins)
    else:
        elsewhere = above.fill_null(False).ifelse(double(axis.bins - 1), double(0))
    return fits.ifelse(index(fits.ifelse(x, harmless)), elsewhere), None


LAST_DAY = ibis.date(9999, 12, 31)

Place = tuple[Value, Callable[[Value], Value], Value]
"""Which values fit; the index of those that do; which of the others lie above."""


def double(value: float) -> Value:
    """A double, exactly: whole numbers are the same as decimals, others go by way of text."""
    x = float(value)
    if x.is_integer() and abs(x) < 2**50:
        return ibis.literal(x, "float64")
    return ibis.literal(repr(x)).cast("float64")


def as_double(column: Column) -> Value:
    """A number or a text as a double; NULL for a text that is no number.

    Engines pass over blanks when they read a number; taking them off first costs far more.
    """
    if column.type().is_string():
        readable = column.re_search(NUMBER)
        return readable.ifelse(column, ibis.null()).try_cast("float64")
    return column.cast("float64")


def number_place(x: Value, axis: Axis) -> Place:
    lower, upper = double(axis.edge(0)), double(axis.edge(axis.bins))
    if isinstance(axis, Integer):
        inside = (x >= lower) & (x < upper)
        return inside, lambda fit: floor(fit) - lower, number(x) & (x >= upper)
    inside = (x >= lower) & (x <= upper)
    search = even_index if isinstance(axis, Even) else variable_index
    return inside, lambda fit: search(fit, axis), number(x) & (x > upper)


def number(x: Value) -> Value:
    """Not NaN, which engines sort above infinity."""
    return ~x.isnan()


def even_index(x: Value, axis: Any) -> Value:
    """The guess, and just below an edge a comparison with it (see `Even.guess`).

    Engines evaluate a condition's next part for the rows that the first one leaves, so the
    comparison costs next to nothing.
    The last bin ends at ``hi``, which the formula for edges may miss by a rounding.
    """
    base, rate = axis.guess
    guess = (x - double(base)) * double(rate)
    below = floor(guess)
    edge = double(axis.lo) + ((below + double(1)) * double(axis.span)) / double(axis.bins)
    above = (guess - below > double(axis.clear)) & (x >= edge) & (below < double(axis.bins - 1))
    return above.ifelse(below + double(1), below)


def variable_index(x: Value, axis: Any) -> Value:
    """A balanced tree of comparisons: as many as the logarithm of the number of edges."""

    def search(first: int, last: int) -> Value:
        if first == last:
            return double(first)
        middle = (first + last + 1) // 2
        return (x >= double(axis.edges[middle])).ifelse(
            search(middle, last), search(first, middle - 1)
        )

    return search(0, axis.bins - 1)


def with_lookups(table: Table, axes: Sequence[Axis]) -> Table:
    """The table joined to the index ``k{place}`` of every long list of categories.

    All joins come first: an expression on a table that is joined again later belongs to neither.
    """
    for place, axis in enumerate(axes):
        while isinstance(axis, Window):
            axis = axis.axis
        if isinstance(axis, Category) and is_long(axis):
            words = pa.array(list(axis.spellings), pa.string())
            indices = pa.array(list(axis.spellings.values()), pa.float64())
            named = {f"w{place}": words, f"k{place}": indices}
            lookup = ibis.memtable(pa.table(named))  # a mapping would go by way of pandas
            text = table[f"c{place}"].cast("string")
            joined = table.left_join(lookup, text == lookup[f"w{place}"])
            table = joined.select(*table.columns, f"k{place}")
    return table


def is_long(axis: Category) -> bool:
    """Too long for a list of cases, or with a NUL, which would end the text of a query."""
    return len(axis.spellings) > LOOKUP or any("\0" in word for word in axis.spellings)


def category_index(table: Table, place: int, axis: Category) -> tuple[Value, Value | None]:
    """Categories are compared as texts, so that ``1`` and ``"1"`` are the same on every engine."""
    elsewhere = double(axis.bins) if axis.other else ibis.null().cast("float64")
    if is_long(axis):
        index = table[f"k{place}"].fill_null(elsewhere)
    else:
        cases = [(word, double(index)) for word, index in axis.spellings.items()]
        index = table[f"c{place}"].cast("string").cases(*cases, else_=elsewhere)
    return index, None if axis.other else index.notnull()


def as_moment(column: Column) -> Value:
    """A date, time or text as a time without zone, in UTC; NULL for a text that is neither.

    Dates go further than times, and times of seconds further than those of microseconds: a cast
    that fails on them would tell that they are there.
    """
    kind = column.type()
    if kind.is_string():
        readable = column.re_search(MOMENT)
        return readable.ifelse(column, ibis.null()).try_cast("timestamp(6)")
    if kind.is_timestamp() and kind.timezone is not None:
        return in_zone("UTC", column)
    if kind.is_date():
        column = (column > LAST_DAY).ifelse(LAST_DAY, column)
    return column.try_cast("timestamp(6)")


def date_place(x: Value, axis: Any) -> Place:
    start, stop = ibis.literal(axis.start), ibis.literal(axis.edge(axis.bins))
    return (x >= start) & (x < stop), lambda fit: date_index(fit, axis), x >= stop


def date_index(x: Value, axis: Date) -> Value:
    if axis.monthly:
        months = x.year().cast("int64") * 12 + x.month().cast("int64") - 1
        return floor((months - axis.first).cast("float64") / double(axis.months))
    seconds = x.truncate("s").epoch_seconds().cast("int64") - axis.first // 1_000_000
    return floor(seconds.cast("float64") / double(axis.microseconds // 1_000_000))
