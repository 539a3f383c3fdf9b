"""Differences between engines: how to read a text or a number without any chance of failure.

One value that an engine refuses would end the count of one table and not of its neighbour. Every
expression here gives NULL, or the nearest thing that exists, where an engine would complain.
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
"""The maximum number of characters of a person's name; longer ones name nobody. Engines run out of
memory for a text when they write a long one in another way."""


@ibis.udf.scalar.builtin(name="floor")
def floor(x: float) -> float:  # type: ignore[empty-body]
    """The engine's own floor, a double: Ibis's would be cast to an integer at once."""


@ibis.udf.scalar.builtin(name="timezone")
def in_zone(zone: str, x: types.Timestamp("UTC")) -> types.timestamp:  # type: ignore[valid-type]
    """The engine's own clock of a zone: a cast would show the time of the session's."""


@ibis.udf.scalar.builtin(name="encode")
def encode(text: str) -> bytes:  # type: ignore[empty-body]
    """The bytes of a text, in DuckDB."""


@ibis.udf.scalar.builtin(name="convert_to")
def convert_to(text: str, encoding: str) -> bytes:  # type: ignore[empty-body]
    """The bytes of a text in some encoding, in PostgreSQL."""


@ibis.udf.scalar.builtin(name="getdatabaseencoding")
def own_encoding() -> str:  # type: ignore[empty-body]
    """The encoding of a database of PostgreSQL, which needs no conversion that could fail."""


@ibis.udf.scalar.builtin(name="textout")
def text_out(text: str) -> str:  # type: ignore[empty-body]
    """A text as PostgreSQL hands it out: it has no collation any more."""


@ibis.udf.scalar.builtin(name="textin")
def text_in(text: str) -> str:  # type: ignore[empty-body]
    """A text as PostgreSQL takes it in, with the collation of the database."""


@ibis.udf.scalar.builtin(name="trim_scale")
def trim_scale(number: types.decimal) -> types.decimal:
    """A decimal of PostgreSQL without zeros at its end, which equal ones may have."""


def double(value: float) -> Value:
    """A double, exactly: engines may take a literal with a point for a decimal, so whole numbers
    are written without one and cast, and others go by way of text."""
    x = float(value)
    if x.is_integer() and abs(x) < 2**50:
        return ibis.literal(int(x)).cast("float64")
    return ibis.literal(repr(x)).cast("float64")


def at_most(text: Value, length: int) -> Value:
    """The texts of that many characters or fewer; NULL for all others."""
    return (text.length() <= length).ifelse(text, ibis.null())


def dialect_of(table: Table, form: TextFormat = DEFAULT) -> Dialect:
    """The dialect of the engine that a table lives in, for texts that are written in some form."""
    return {"postgres": Postgres, "pyspark": Spark}.get(table.get_backend().name, Dialect)(form)


class Dialect:
    """DuckDB's, and the best guess for engines that nobody has tested."""

    def __init__(self, form: TextFormat = DEFAULT) -> None:
        self.form = form

    def number(self, column: Column) -> Value:
        """A number or a text as a double; NULL for a text that is not a number."""
        return self.number_of(self.with_point(self.numeral(column)))

    def moment(self, column: Column) -> Value:
        """A date, time or text as a time without zone, in UTC; NULL for a text that is neither."""
        return self.moment_of(self.iso(self.date_text(column)))

    def numeral(self, column: Column) -> Value:
        """The column, of texts only those that are numbers as declared; NULL for all others."""
        return self.keep_matches(column, NUMBER.replace("[.]", f"[{self.form.decimal}]"))

    def date_text(self, column: Column) -> Value:
        """The column, of texts only those that are dates or times as declared; NULL for all
        others."""
        return self.keep_matches(column, self.form.dates.pattern if self.form.dates else MOMENT)

    def keep_matches(self, column: Column, pattern: str) -> Value:
        """The column, of texts only those of a public grammar; NULL for all others."""
        return self.where_written(column, pattern) if column.type().is_string() else column

    def with_point(self, numeral: Value) -> Value:
        """A number in a text with the decimal mark that engines read."""
        if self.form.decimal == "." or not numeral.type().is_string():
            return numeral
        return numeral.replace(self.form.decimal, ".")

    def iso(self, date_text: Value) -> Value:
        """A date in a text as ISO 8601 writes it, put together from the groups of its format."""
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
        """The double that a number, or a text of the grammar, stands for.

        Engines pass over blanks when they read a number; taking them off first costs far more.
        """
        if written.type().is_string():
            return self.number_in_text(written)
        if written.type().is_decimal():
            return self.number_in_decimal(written)
        return written.cast("float64")

    def moment_of(self, written: Value) -> Value:
        """The time that a date, a time, or a text of the grammar, stands for.

        Dates go further than times, and times of seconds further than those of microseconds: a cast
        that fails on them would reveal that they exist.
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
        """The table, its columns computed once for each row, however often they are used."""
        return table

    def whole_numbers(self, columns: Mapping[str, Ints]) -> Table:
        """A public table of whole numbers, sent to the engine as doubles."""
        sent = {name: pa.array(values, pa.float64()) for name, values in columns.items()}
        return ibis.memtable(pa.table(sent))

    def where_written(self, text: Value, pattern: str) -> Value:
        """The texts of a public grammar; NULL for all others, long ones first: a pattern may take
        more memory for them than there is."""
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
        """Whether there can be such a text in a table."""
        return True

    def text(self, text: Value) -> Value:
        """The text without its collation, if that could make a pattern fail."""
        return text

    def name(self, column: Column) -> Value:
        """What distinguishes people, the same for the same person. Texts are distinguished by their
        bytes: a collation may take two people's for one."""
        if column.type().is_string():
            return self.in_bytes(at_most(column, LONGEST_NAME))
        return column

    def in_bytes(self, text: Value) -> Value:
        return encode(text)


class Spark(Dialect):
    """Spark's patterns, which are Java's, let ``$`` match before a line's end."""

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
    """PostgreSQL has no cast that may fail. What might is found out beforehand: a number beyond
    all doubles, or so small that it is none, and a day that is in no calendar."""

    def once(self, table: Table) -> Table:
        """A limit keeps the planner from writing the columns' expressions out at every use. It
        also keeps it from sharing the work between processes, so numbers go without."""
        costly = any(kind.is_string() or kind.is_decimal() for kind in table.schema().values())
        return table.limit(2**62) if costly else table

    def whole_numbers(self, columns: Mapping[str, Ints]) -> Table:
        """One text for each column, cut up there, all of them in step: Ibis sends row by row, some
        20,000 of them a second. The limit keeps the planner from reading texts again for each
        comparison."""
        texts = {name: [" ".join(map(str, values.tolist()))] for name, values in columns.items()}
        sent = ibis.memtable(pa.table(texts))
        cut = sent.select(**{name: sent[name].split(" ").unnest() for name in columns})
        return cut.select(**{name: cut[name].cast("float64") for name in columns}).limit(2**62)

    def number_in_text(self, text: Value) -> Value:
        """Two hundred signs and an exponent of two are well inside of doubles. An exponent of
        five outweighs all digits; below that, decimals hold the number exactly, and tell how large
        it is."""
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
        """NaN is above zero and not above its own negative, which is NaN."""
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
        """Patterns refuse a collation that takes different bytes for equal, but only once there is
        a row to look at."""
        return text_in(text_out(text))

    def name(self, column: Column) -> Value:
        return trim_scale(column) if column.type().is_decimal() else super().name(column)

    def in_bytes(self, text: Value) -> Value:
        return convert_to(text, own_encoding())
