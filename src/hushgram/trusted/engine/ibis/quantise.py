"""Convert columns to public indices, as Ibis expressions.

The rules are those of `hushgram.declare.axis`, the same for every engine. A value that does not fit
is filtered out or replaced by a harmless one before anything is computed with it: no NaN or
infinity ever reaches a cast, so no engine can fail on a value that a neighbouring table does not
have. Differences between engines are in `hushgram.trusted.engine.ibis.dialect`.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from typing import Any

import ibis
import ibis.expr.datatypes as types
import pyarrow as pa
from ibis.expr.types import Table, Value

from hushgram.base.text import did_you_mean
from hushgram.declare.amount import Amount
from hushgram.declare.axis import Axis, Category, Date, Integer, Window
from hushgram.declare.axis.numeric import Even
from hushgram.declare.domain import Domain
from hushgram.declare.text_format import DEFAULT, TextFormat
from hushgram.errors import SourceError
from hushgram.trusted.engine.ibis.areas import with_areas
from hushgram.trusted.engine.ibis.dialect import Dialect, dialect_of, double, floor
from hushgram.trusted.engine.ibis.type_names import type_name

LOOKUP = 32
"""Longer lists of categories are looked up by a join instead of a CASE expression."""


def check_columns(schema: ibis.Schema, domain: Domain, *, header: str = "") -> None:
    """Refuse a table with a missing column or a wrong type, at no cost."""
    for name, axis in domain.columns_read:
        check_present(schema, name, header=header)
        found = schema[name]
        axis = axis.whole
        if not accepts(axis, found):
            raise SourceError(
                f"Column {name!r} has type {type_name(found)}, which does not fit an axis of kind "
                f"{axis.kind} ({types_for(axis)}). Declare another axis for it, or cast "
                "the column."
            )


def check_present(schema: ibis.Schema, name: str, *, header: str = "") -> None:
    """Refuse a missing column. ``header`` replaces the list of columns in the message if that list
    may be a row of data."""
    if name not in schema:
        there = header or "It has " + ", ".join(repr(n) for n in schema.names[:20])
        more = "" if header or len(schema.names) <= 20 else f" and {len(schema.names) - 20} more"
        close = "" if header else did_you_mean(name, schema.names)
        raise SourceError(f"The table has no column {name!r}.{close} {there}{more}.")


def check_names(schema: ibis.Schema, name: str, *, header: str = "") -> None:
    """Refuse a column that cannot identify people reliably: rounding must never merge two people or
    split one."""
    check_present(schema, name, header=header)
    found = schema[name]
    if not (found.is_string() or found.is_integer() or found.is_decimal() or found.is_uuid()):
        raise SourceError(
            f"Column {name!r} has type {type_name(found)}, which cannot identify people. Use text, "
            "whole numbers, decimals or UUIDs, or cast the column, for instance to text."
        )


def types_for(axis: Axis) -> str:
    if isinstance(axis, Category):
        return "text, whole numbers or booleans"
    return "dates, times or text" if isinstance(axis, Date) else "numbers or text"


def accepts(axis: Axis, found: types.DataType) -> bool:
    if isinstance(axis, Category):
        return bool(found.is_string() or found.is_integer() or found.is_boolean())
    if isinstance(axis, Date):
        return bool(found.is_string() or found.is_date() or found.is_timestamp())
    return bool(found.is_string() or found.is_numeric())


def check_amounts(schema: ibis.Schema, amounts: Sequence[Amount], *, header: str = "") -> None:
    """Refuse a table with a missing or non-numeric column of amounts, at no cost."""
    for amount in amounts:
        check_present(schema, amount.column, header=header)
        found = schema[amount.column]
        if not accepts(amount.axis, found):
            raise SourceError(
                f"Column {amount.column!r} has type {type_name(found)}, which cannot be added up. "
                "Measure a numeric column, or cast it."
            )


def with_indices(
    table: Table,
    domain: Domain,
    user: str | None = None,
    form: TextFormat = DEFAULT,
    amounts: Sequence[Amount] = (),
) -> Table:
    """Return the rows that count as indices only: columns ``c0``, ``c1``, … become ``i0``, ``i1``,
    … and, for amounts, ``amount0``, ``amount1``, …

    Indices are whole numbers in doubles, because engines are fastest with those. They and their
    products with numbers of slices are below 2^52, where doubles are exact. A column ``user`` keeps
    its name. ``form`` is the declared text format. For areas, two columns become indices first, and
    these the index of an area.
    """
    dialect = dialect_of(table, form)
    axes = [axis for _, axis in domain.columns_read]
    every = [*axes, *(amount.axis for amount in amounts)]
    table = with_readings(with_lookups(table, every, dialect), every, dialect)
    kept, columns = [], {} if user is None else {"user": dialect.name(table[user])}
    for place, axis in enumerate(axes):
        index, inside = index_of(table, place, axis, dialect)
        columns[f"i{place}"] = index
        if inside is not None:
            kept.append(inside)
    for place, amount in enumerate(amounts):
        index, inside = amount_index(table[f"v{len(axes) + place}"], amount)
        columns[f"amount{place}"] = index
        kept.append(inside)
    indexed = (table.filter(*kept) if kept else table).select(**columns)
    return with_areas(indexed, domain, dialect)


Reading = Callable[[Any], Value]


def with_readings(table: Table, axes: Sequence[Axis], dialect: Dialect) -> Table:
    """Add the columns ``v{place}``: the numbers that columns contain, parsed once.

    Texts that do not match the pattern become NULL first.
    """
    table = with_written(table, axes, dialect)
    found = {}
    for place, axis in enumerate(axes):
        axis, column = axis.whole, table[f"c{place}"]
        if isinstance(axis, Date):
            found[f"v{place}"] = ticks(dialect.moment_of(column), axis)
        elif not isinstance(axis, Category):
            found[f"v{place}"] = dialect.number_of(column)
    return dialect.once(table.mutate(**found)) if found else table


def with_written(table: Table, axes: Sequence[Axis], dialect: Dialect) -> Table:
    """Replace texts that are not numbers or dates, where these are wanted, by NULL. Convert the
    others to the format that engines read, if another one is declared."""
    table = with_texts(table, axes, dialect, dialect.numeral, dialect.date_text)
    if dialect.form.decimal == "." and dialect.form.dates is None:
        return table
    return with_texts(table, axes, dialect, dialect.with_point, dialect.iso)


def with_texts(
    table: Table, axes: Sequence[Axis], dialect: Dialect, number: Reading, date: Reading
) -> Table:
    """Apply a function to the text columns that should contain numbers, and another to those with
    dates."""
    found = {}
    for place, axis in enumerate(axes):
        axis, column = axis.whole, table[f"c{place}"]
        if column.type().is_string() and not isinstance(axis, Category):
            found[f"c{place}"] = (date if isinstance(axis, Date) else number)(column)
    return dialect.once(table.mutate(**found)) if found else table


def index_of(table: Table, place: int, axis: Axis, dialect: Dialect) -> tuple[Value, Value | None]:
    """Return the index on an axis, and which rows have one (None: all). The table has columns
    ``v{place}``."""
    if isinstance(axis, Window):
        whole, inside = index_of(table, place, axis.axis, dialect)
        within = (whole >= axis.start) & (whole < axis.stop)
        return whole - axis.start, within if inside is None else inside & within
    if isinstance(axis, Category):
        return category_index(table, place, axis, dialect)
    return place_by_policy(table[f"v{place}"], axis)


def amount_index(x: Value, amount: Amount) -> tuple[Value, Value]:
    """Return the index of an amount, and which rows have one. A missing number is filled in or
    dropped, by the amount's policy."""
    known = x.notnull() & number(x)  # engines differ in whether NULL is NaN
    if amount.filled is None:
        index, inside = place_by_policy(x, amount.axis)
        return index, known if inside is None else known & inside
    index, inside = place_by_policy(known.ifelse(x, double(amount.filled)), amount.axis)
    return index, ibis.literal(True) if inside is None else inside


def place_by_policy(x: Value, axis: Axis) -> tuple[Value, Value | None]:
    """Return the index of a number or a time, and which rows have one (None: all)."""
    find = date_place if isinstance(axis, Date) else number_place
    inside, index, above = find(x, axis)
    if axis.outside == "drop":
        return index(x), inside
    harmless = ibis.literal(0) if isinstance(axis, Date) else double(axis.edge(0))
    fits = inside.fill_null(False)
    if axis.outside == "other":
        elsewhere = double(axis.bins)
    else:
        elsewhere = above.fill_null(False).ifelse(double(axis.bins - 1), double(0))
    return fits.ifelse(index(fits.ifelse(x, harmless)), elsewhere), None


Place = tuple[Value, Callable[[Value], Value], Value]
"""Which values fit; a function from values that fit to indices; which of the others are above."""


def number_place(x: Value, axis: Axis) -> Place:
    lower, upper = double(axis.edge(0)), double(axis.edge(axis.bins))
    if isinstance(axis, Integer):
        inside = (x >= lower) & (x < upper)
        return inside, lambda fit: floor(fit) - lower, number(x) & (x >= upper)
    inside = (x >= lower) & (x <= upper)
    search = even_index if isinstance(axis, Even) else variable_index
    return inside, lambda fit: search(fit, axis), number(x) & (x > upper)


def number(x: Value) -> Value:
    """Return whether a value is not NaN, which engines sort above infinity."""
    return ~x.isnan()


def even_index(x: Value, axis: Any) -> Value:
    """Return the index by a guess, and just below an edge by a comparison with it (see
    `Even.guess`).

    Engines evaluate the second part of a condition only for the rows that pass the first, so the
    comparison costs next to nothing. The last bin ends at ``hi``, from which the formula for edges
    may differ by a rounding error.
    """
    base, rate = axis.guess
    guess = (x - double(base)) * double(rate)
    below = floor(guess)
    edge = double(axis.lo) + ((below + double(1)) * double(axis.span)) / double(axis.bins)
    above = (guess - below > double(axis.clear)) & (x >= edge) & (below < double(axis.bins - 1))
    return above.ifelse(below + double(1), below)


def variable_index(x: Value, axis: Any) -> Value:
    """Return the index by a balanced tree of comparisons, with logarithmic depth."""

    def search(first: int, last: int) -> Value:
        if first == last:
            return double(first)
        middle = (first + last + 1) // 2
        return (x >= double(axis.edges[middle])).ifelse(
            search(middle, last), search(first, middle - 1)
        )

    return search(0, axis.bins - 1)


def with_lookups(table: Table, axes: Sequence[Axis], dialect: Dialect) -> Table:
    """Join the index ``k{place}`` of every long list of categories.

    All joins come first, because an expression on a table becomes invalid if the table is joined
    again. Texts are compared by their bytes: a collation may treat two values as equal, and a row
    would count twice.
    """
    for place, axis in enumerate(axes):
        axis = axis.whole
        if isinstance(axis, Category) and is_long(axis):
            held = {w: index for w, index in axis.spellings.items() if dialect.can_hold(w)}
            words = pa.array(list(held), pa.string())
            indices = pa.array(list(held.values()), pa.float64())
            named = {f"w{place}": words, f"k{place}": indices}
            lookup = ibis.memtable(pa.table(named))  # a mapping would be converted by pandas
            text, word = table[f"c{place}"].cast("string"), lookup[f"w{place}"]
            same = dialect.in_bytes(text) == dialect.in_bytes(word)
            joined = table.left_join(lookup, same)
            table = joined.select(*table.columns, f"k{place}")
    return table


def is_long(axis: Category) -> bool:
    """Return whether categories need a join: there are many, or one contains NUL, which ends a
    query's text."""
    return len(axis.spellings) > LOOKUP or any("\0" in word for word in axis.spellings)


def category_index(
    table: Table, place: int, axis: Category, dialect: Dialect
) -> tuple[Value, Value | None]:
    """Return the index of a category. Values are compared as text, so ``1`` and ``"1"`` are equal
    on every engine."""
    elsewhere = double(axis.bins) if axis.other else ibis.null().cast("float64")
    if is_long(axis):
        index = table[f"k{place}"].fill_null(elsewhere)
    else:
        cases = [(word, double(index)) for word, index in axis.spellings.items()]
        text = dialect.text(table[f"c{place}"].cast("string"))
        index = text.cases(*cases, else_=elsewhere)
    return index, None if axis.other else index.notnull()


FIRST_MOMENT = ibis.literal(dt.datetime(1, 1, 1))
LAST_MOMENT = ibis.literal(dt.datetime(9999, 12, 31, 23, 59, 59))
"""No axis exceeds these, and some engines cannot compute the seconds of times that do."""


def ticks(x: Value, axis: Date) -> Value:
    """Return the number of the month or the second of a time, whichever the axis uses; NULL if too
    early."""
    near = ibis.cases((x > LAST_MOMENT, LAST_MOMENT), (x >= FIRST_MOMENT, x))
    if axis.monthly:
        return near.year().cast("int64") * 12 + near.month().cast("int64") - 1
    return near.truncate("s").epoch_seconds().cast("int64")


def date_place(tick: Value, axis: Any) -> Place:
    step = axis.months if axis.monthly else axis.microseconds // 1_000_000
    start = axis.first if axis.monthly else axis.first // 1_000_000
    stop = start + step * axis.bins
    inside = (tick >= start) & (tick < stop)
    return inside, lambda fit: floor((fit - start).cast("float64") / double(step)), tick >= stop
