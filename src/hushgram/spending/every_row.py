"""Domains on which every row has its place, for queries about all rows that fit a condition."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hushgram.declare.axis import Axis, Category, Date, Integer
from hushgram.declare.condition import columns, parse
from hushgram.declare.domain import Domain
from hushgram.declare.source import Source
from hushgram.declare.unit import Unit
from hushgram.errors import DomainError, SourceError
from hushgram.spending.identity import filter_text

if TYPE_CHECKING:
    from hushgram.trusted.engine.table import Table

EVERY_ROW: tuple[Axis, ...] = (
    Integer(0, 0, outside="other"),
    Category(["-"], outside="other"),
    Date("2000-01-01", "2000-01-01", outside="other"),
)
"""Axes on which every row has a place, by the types of columns that they fit."""


def rows_domain(source: Source, table: Table, unit: Unit) -> Domain:
    """A domain on which every row has its place: an axis of a column that the condition looks at.
    Counts bring their own."""
    own = getattr(source, "domain", None)
    if isinstance(own, Domain):
        return own
    condition = filter_text(source)
    if not condition:
        raise DomainError(
            "Say which rows to count: where=\"age >= 18\", or axes such as {'age': (0, 120)}."
        )
    return domain_of_column(table, next(columns(parse(condition))), unit)


def domain_of_column(table: Table, column: str, unit: Unit) -> Domain:
    """A domain of a column on which every row has its place."""
    for axis in EVERY_ROW:
        domain = Domain({column: axis})
        try:
            table.check(domain, unit)
        except SourceError as error:
            refused = error
        else:
            return domain
    raise refused
