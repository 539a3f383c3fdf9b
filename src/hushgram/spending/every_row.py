"""Domains in which every row has an index, for queries about all rows that meet a condition."""

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
"""Axes on which every row has an index, one for each kind of column type."""


def rows_domain(source: Source, table: Table, unit: Unit) -> Domain:
    """Return a domain in which every row has an index, on a column of the condition. Counts already
    have a domain."""
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
    """Return a domain on one column in which every row has an index."""
    for axis in EVERY_ROW:
        domain = Domain({column: axis})
        try:
            table.check(domain, unit)
        except SourceError as error:
            refused = error
        else:
            return domain
    raise refused
