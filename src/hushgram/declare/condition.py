"""Conditions on the rows to include: public, and without errors for any value.

It looks like a SQL WHERE clause and gives the same result on every engine. Numbers are compared as
numbers, whatever the type of the column, with the same rules as for axes; days and times are
compared with dates; text and booleans only by equality. A comparison with a value that does not fit
is unknown, and rows for which the whole condition is unknown are left out, as in SQL.
"""

from __future__ import annotations

import datetime as dt
import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hushgram.errors import BadInput

if TYPE_CHECKING:
    from hushgram.declare.source import Source

Literal = float | str | bool

OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq, "!=": operator.ne,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip

HOW = (
    "Compare columns with numbers, quoted text or quoted dates using =, !=, <, <=, >, >=, "
    "IN, BETWEEN or IS NULL, and combine comparisons with AND, OR and NOT. Example: age "
    ">= 18 AND \"home town\" IN ('Bern', 'Basel')"
)


@dataclass(frozen=True)
class Compared:
    """A comparison of a column with a number, text, a date or a boolean."""

    column: str
    sign: str
    value: Literal


@dataclass(frozen=True)
class Missing:
    """A test whether a column has no value."""

    column: str


@dataclass(frozen=True)
class Not:
    part: Condition


@dataclass(frozen=True)
class All:
    parts: tuple[Condition, ...]


@dataclass(frozen=True)
class Some:
    parts: tuple[Condition, ...]


Condition = Compared | Missing | Not | All | Some


@dataclass(frozen=True, repr=False)
class Where:
    """Only the rows of a source for which a condition holds.

    The result is itself a source. The condition is public: it is stored in the release.

    >>> import hushgram as hg, pyarrow as pa
    >>> people = pa.table({"age": [10, 20, 30], "sex": ["F", "M", "F"]})
    >>> adults = Where(people, "age >= 18")
    >>> sexes, book = {"sex": hg.Category(["F", "M"])}, hg.Ledger.in_memory()
    >>> hg.publish(adults, sexes, epsilon=1, account="people", ledger=book).where
    'age >= 18'
    """

    source: Source
    condition: str

    def __post_init__(self) -> None:
        self.parsed  # noqa: B018 - raises an error if the condition cannot be read

    @cached_property
    def parsed(self) -> Condition:
        return parse(self.condition)

    def __repr__(self) -> str:
        return f"Where({source_text(self.source)}, {self.condition!r})"


def source_text(source: object) -> str:
    """A short description of a source, without its rows or secrets.

    >>> source_text("postgresql://me:secret@host/db/t"), source_text(Path("a.csv"))
    ("'postgresql://…'", "'a.csv'")
    >>> source_text([1]), source_text(Where([1], "age >= 18"))
    ('<list>', "Where(<list>, 'age >= 18')")
    """
    if isinstance(source, str | Path):
        scheme, url, _ = str(source).partition("://")
        return repr(f"{scheme}://…" if url else scheme)
    if type(source).__module__.startswith("hushgram.declare."):
        return repr(source)
    return f"<{type(source).__name__}>"


def columns(condition: Condition) -> Iterator[str]:
    """The columns that a condition uses, in order and with repetitions.

    >>> list(columns(parse("age >= 18 AND NOT (sex IS NULL OR age = 20)")))
    ['age', 'sex', 'age']
    """
    return (part.column for part in comparisons(condition))


def comparisons(condition: Condition) -> Iterator[Compared | Missing]:
    """The parts of a condition that use a column."""
    if isinstance(condition, Compared | Missing):
        yield condition
    elif isinstance(condition, Not):
        yield from comparisons(condition.part)
    else:
        for part in condition.parts:
            yield from comparisons(part)


def parse(text: str) -> Condition:
    """Read a condition.

    >>> parse("age BETWEEN 18 AND 65")
    All(parts=(Compared(column='age', sign='>=', value=18.0), ...))
    """
    import sqlglot
    from sqlglot.errors import SqlglotError

    try:
        return _condition(sqlglot.parse_one(text), text)
    except (SqlglotError, RecursionError):
        short = text if len(text) < 200 else f"{text[:200]}…"
    raise BadInput(f"Cannot read the condition {short!r}. {HOW}.")


def _condition(node: Any, text: str) -> Condition:
    from sqlglot import exp

    signs = {exp.EQ: "=", exp.NEQ: "!=", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">="}
    if isinstance(node, exp.Paren):
        return _condition(node.this, text)
    if isinstance(node, exp.And):
        return All((_condition(node.left, text), _condition(node.right, text)))
    if isinstance(node, exp.Or):
        return Some((_condition(node.left, text), _condition(node.right, text)))
    if isinstance(node, exp.Not):
        return Not(_condition(node.this, text))
    if type(node) in signs:
        return Compared(_column(node.left, text), signs[type(node)], _literal(node.right, text))
    if isinstance(node, exp.Between):
        column = _column(node.this, text)
        low, high = (_literal(node.args[end], text) for end in ("low", "high"))
        return All((Compared(column, ">=", low), Compared(column, "<=", high)))
    if isinstance(node, exp.In) and node.expressions:
        column = _column(node.this, text)
        return Some(tuple(Compared(column, "=", _literal(e, text)) for e in node.expressions))
    if isinstance(node, exp.Is) and isinstance(node.expression, exp.Null):
        return Missing(_column(node.this, text))
    raise _unknown(node, text)


def _column(node: Any, text: str) -> str:
    from sqlglot import exp

    if isinstance(node, exp.Column) and not node.table:
        return str(node.name)
    raise _unknown(node, text)


def _literal(node: Any, text: str) -> Literal:
    from sqlglot import exp

    if isinstance(node, exp.Neg) and isinstance(node.this, exp.Literal) and node.this.is_number:
        return -float(node.this.this)
    if isinstance(node, exp.Literal):
        return float(node.this) if node.is_number else str(node.this)
    if isinstance(node, exp.Boolean):
        return bool(node.this)
    raise _unknown(node, text)


def _unknown(node: Any, text: str) -> BadInput:
    return BadInput(f"Unsupported expression {node.sql()!r} in the condition {text!r}. {HOW}.")


def as_moment(value: Literal) -> dt.datetime | None:
    """The date or time of a literal, or None."""
    from hushgram.declare.axis.date import to_moment

    return to_moment(value) if isinstance(value, str) else None
