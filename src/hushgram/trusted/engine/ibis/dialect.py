"""Differences between engines: how to read text or numbers without any chance of failure.

A value that an engine refuses would stop the count of one table but not of its neighbour. Every
expression here returns NULL, or the nearest valid value, where an engine would fail.
"""

from __future__ import annotations

from collections.abc import Mapping

import ibis
import ibis.expr.datatypes as types
import pyarrow as pa
from ibis.expr.types import Column, Table, Value

from hushgram.declare.axis import LONGEST_NUMBER, NUMBER
from hushgram.declare.axis.base import Ints
from hushgram.declare.axis.date import MOMENT
from hushgram.declare.date_format import LAST_CENTURY
from hushgram.declare.text_format import DEFAULT, TextFormat

TESTED = ("duckdb", "postgres", "pyspark")
"""The engines, by Ibis's names, that the tests compare number by number."""

LAST_DAY = ibis.date(9999, 12, 31)

LONGEST_NAME = 10_000
"""The maximum number of characters of a person's name; rows with longer names belong to nobody.
Engines can run out of memory when they convert very long text."""


@ibis.udf.scalar.builtin(name="floor")
def floor(x: float) -> float:  # type: ignore[empty-body]
    """The engine's own floor, which returns a double. Ibis's floor casts to an integer."""


@ibis.udf.scalar.builtin(name="timezone")
def in_zone(zone: str, x: types.Timestamp("UTC")) -> types.timestamp:  # type: ignore[valid-type]
    """Return the local time in a zone. A cast would use the session's zone."""


@ibis.udf.scalar.builtin(name="encode")
def encode(text: str) -> bytes:  # type: ignore[empty-body]
    """Return the bytes of a text, in DuckDB."""


@ibis.udf.scalar.builtin(name="convert_to")
def convert_to(text: str, encoding: str) -> bytes:  # type: ignore[empty-body]
    """Return the bytes of a text in an encoding, in PostgreSQL."""


@ibis.udf.scalar.builtin(name="getdatabaseencoding")
def own_encoding() -> str:  # type: ignore[empty-body]
    """Return the encoding of a PostgreSQL database, for which no conversion can fail."""


@ibis.udf.scalar.builtin(name="textout")
def text_out(text: str) -> str:  # type: ignore[empty-body]
    """Return a text as PostgreSQL prints it, without its collation."""


@ibis.udf.scalar.builtin(name="textin")
def text_in(text: str) -> str:  # type: ignore[empty-body]
    """Return a text as PostgreSQL reads it, with the collation of the database."""


@ibis.udf.scalar.builtin(name="trim_scale")
def trim_scale(number: types.decimal) -> types.decimal:
    """Return a PostgreSQL decimal without trailing zeros, in which equal numbers may differ."""


def double(value: float) -> Value:
    """Return an exact double literal. Engines may read a literal with a point as a decimal, so
    whole numbers are written without one and cast, and other numbers are cast from text."""
    x = float(value)
    if x.is_integer() and abs(x) < 2**50:
        return ibis.literal(int(x)).cast("float64")
    return ibis.literal(repr(x)).cast("float64")


def at_most(text: Value, length: int) -> Value:
    """Return texts of at most this many characters, NULL for longer ones."""
    return (text.length() <= length).ifelse(text, ibis.null())


def dialect_of(table: Table, form: TextFormat = DEFAULT) -> Dialect:
    """Return the dialect of a table's engine, for texts in a declared format."""
    return {"postgres": Postgres, "pyspark": Spark}.get(table.get_backend().name, Dialect)(form)


class Dialect:
    """DuckDB's dialect, and the best guess for untested engines."""

    def __init__(self, form: TextFormat = DEFAULT) -> None:
        self.form = form

    def number(self, column: Column) -> Value:
        """Convert a number or a text to a double; NULL if a text is not a number."""
        return self.number_of(self.with_point(self.numeral(column)))

    def moment(self, column: Column) -> Value:
        """Convert a date, time or text to a time without zone, in UTC; NULL if a text is
        neither."""
        return self.moment_of(self.iso(self.date_text(column)))

    def numeral(self, column: Column) -> Value:
        """Return the column, with NULL for texts that are not numbers in the declared format."""
        return self.keep_matches(column, NUMBER.replace("[.]", f"[{self.form.decimal}]"))

    def date_text(self, column: Column) -> Value:
        """Return the column, with NULL for texts that are not dates or times in the declared
        format."""
        return self.keep_matches(column, self.form.dates.pattern if self.form.dates else MOMENT)

    def keep_matches(self, column: Column, pattern: str) -> Value:
        """Return the column, with NULL for texts that do not match a public pattern."""
        return self.where_written(column, pattern) if column.type().is_string() else column

    def with_point(self, numeral: Value) -> Value:
        """Replace the declared decimal mark of a number by a point."""
        if self.form.decimal == "." or not numeral.type().is_string():
            return numeral
        return numeral.replace(self.form.decimal, ".")

    def iso(self, date_text: Value) -> Value:
        """Convert a date from its declared format to ISO 8601, using the groups of the format's
        pattern."""
        dates = self.form.dates
        if dates is None or not date_text.type().is_string():
            return date_text

        def field(letter: str) -> Value:
            group = date_text.re_extract(dates.pattern, dates.groups[letter])
            return group if letter in "Yyf" else (ibis.literal("0") + group).right(2)

        def century(year: Value) -> Value:
            return year.re_search(LAST_CENTURY).ifelse("19", "20")

        return dates.compose(field, century)

    def number_of(self, written: Value) -> Value:
        """Return the double for a number, or for a text that matches the pattern.

        Engines skip blanks when they read a number; removing them first costs far more.
        """
        if written.type().is_string():
            return self.number_in_text(written)
        if written.type().is_decimal():
            return self.number_in_decimal(written)
        return written.cast("float64")

    def moment_of(self, written: Value) -> Value:
        """Return the time for a date, a time, or a text that matches the pattern.

        The range of dates is larger than that of times, and the range of seconds larger than that
        of microseconds. A cast that fails on such a value would reveal that it exists.
        """
        kind = written.type()
        if kind.is_string():
            return self.moment_in_text(written)
        if kind.is_timestamp() and kind.timezone is not None:
            return in_zone("UTC", written)
        if kind.is_date():
            written = (written > LAST_DAY).ifelse(LAST_DAY, written)
        return self.moment_in_date(written)

    def once(self, table: Table) -> Table:
        """Return the table with each column computed once per row, however often it is used."""
        return table

    def whole_numbers(self, columns: Mapping[str, Ints]) -> Table:
        """Send a public table of whole numbers to the engine, as doubles."""
        sent = {name: pa.array(values, pa.float64()) for name, values in columns.items()}
        return ibis.memtable(pa.table(sent))

    def where_written(self, text: Value, pattern: str) -> Value:
        """Return texts that match a public pattern, NULL for all others. Long texts are excluded
        first, because matching them may need too much memory."""
        short = self.text(at_most(text, LONGEST_NUMBER))
        return short.re_search(pattern).ifelse(short, ibis.null())

    def number_in_text(self, text: Value) -> Value:
        return text.try_cast("float64")

    def number_in_decimal(self, number: Column) -> Value:
        return number.cast("float64")

    def moment_in_text(self, text: Value) -> Value:
        return text.try_cast("timestamp(6)")

    def moment_in_date(self, column: Value) -> Value:
        return column.try_cast("timestamp(6)")

    def can_hold(self, text: str) -> bool:
        """Return whether a table can contain such a text."""
        return True

    def text(self, text: Value) -> Value:
        """Return the text without its collation, if the collation could make a pattern fail."""
        return text

    def name(self, column: Column) -> Value:
        """Return what identifies a person. Texts are compared by their bytes, because a collation
        may treat two people's names as equal."""
        if column.type().is_string():
            return self.in_bytes(at_most(column, LONGEST_NAME))
        return column

    def in_bytes(self, text: Value) -> Value:
        return encode(text)


class Spark(Dialect):
    """Spark. Its patterns are Java's, where ``$`` also matches before a final line break."""

    def where_written(self, text: Value, pattern: str) -> Value:
        return super().where_written(text, pattern.removesuffix("$") + r"\z")

    def in_bytes(self, text: Value) -> Value:
        return text.cast("binary")


INFINITE = ibis.literal("Infinity").cast("float64")
TOO_LARGE = ibis.literal(str(2**1024 - 2**970)).cast("decimal")
"""The smallest number that is rounded to infinity."""

TOO_SMALL = ibis.literal(f"{5**1075}e-1075").cast("decimal")
"""2^-1075, the largest number that is rounded to zero."""


class Postgres(Dialect):
    """PostgreSQL, which has no TRY_CAST. Values that would fail are excluded beforehand: numbers
    too large or too small for a double, and days that do not exist."""

    def once(self, table: Table) -> Table:
        """Add a limit if columns are costly: it keeps the planner from repeating their expressions
        at every use. It also prevents parallel plans, so plain numbers get no limit."""
        costly = any(kind.is_string() or kind.is_decimal() for kind in table.schema().values())
        return table.limit(2**62) if costly else table

    def whole_numbers(self, columns: Mapping[str, Ints]) -> Table:
        """Send one text per column and split it in the database, because Ibis sends only about
        20,000 rows a second. The limit keeps the planner from parsing the texts again for each
        comparison."""
        texts = {name: [" ".join(map(str, values.tolist()))] for name, values in columns.items()}
        sent = ibis.memtable(pa.table(texts))
        cut = sent.select(**{name: sent[name].split(" ").unnest() for name in columns})
        return cut.select(**{name: cut[name].cast("float64") for name in columns}).limit(2**62)

    def number_in_text(self, text: Value) -> Value:
        """Convert text to a double. Numbers with up to 200 characters and a two-digit exponent fit
        into a double. An exponent with five digits outweighs all other digits. For the rest,
        decimals represent the number exactly and show how large it is."""
        usual = (text.length() <= 200) & text.re_search(r"^[^eE]*([eE][+-]?[0-9]{1,2}[ \t]*)?$")
        sign = text.re_search(r"^[ \t]*-").ifelse(double(-1), double(1))
        size = text.cast("decimal").abs()
        return ibis.cases(
            (usual, text.cast("float64")),
            (~text.re_search(r"^[^eE]*[1-9]"), double(0)),
            (text.re_search(r"[eE][+]?0*[1-9][0-9]{4,}[ \t]*$"), sign * INFINITE),
            (text.re_search(r"[eE]-0*[1-9][0-9]{4,}[ \t]*$"), double(0)),
            (size >= TOO_LARGE, sign * INFINITE),
            (size <= TOO_SMALL, double(0)),
            else_=text.cast("float64"),
        )

    def number_in_decimal(self, number: Column) -> Value:
        """Convert a decimal to a double. NaN is recognised because it is above zero but not above
        its own negative."""
        return ibis.cases(
            ((number > 0) & ~(number > -number), ibis.null()),
            (number >= TOO_LARGE, INFINITE),
            (number <= -TOO_LARGE, -INFINITE),
            (number.abs() <= TOO_SMALL, double(0)),
            else_=number.cast("float64"),
        )

    def moment_in_text(self, text: Value) -> Value:
        year, month, day = (
            text.substr(start, length).cast("int64") for start, length in ((0, 4), (5, 2), (8, 2))
        )
        leap = (year % 4 == 0) & ((year % 100 != 0) | (year % 400 == 0))
        february = leap.ifelse(29, 28)
        last = month.cases((2, february), (4, 30), (6, 30), (9, 30), (11, 30), else_=31)
        exists = (year >= 1) & month.between(1, 12) & day.between(1, last)
        return exists.ifelse(text, ibis.null()).cast("timestamp(6)")

    def moment_in_date(self, column: Value) -> Value:
        return column.cast("timestamp(6)")

    def can_hold(self, text: str) -> bool:
        return "\0" not in text

    def text(self, text: Value) -> Value:
        """Return the text with the database's collation. Patterns raise an error for a collation
        that treats different bytes as equal, but only if there is a row."""
        return text_in(text_out(text))

    def name(self, column: Column) -> Value:
        return trim_scale(column) if column.type().is_decimal() else super().name(column)

    def in_bytes(self, text: Value) -> Value:
        return convert_to(text, own_encoding())
