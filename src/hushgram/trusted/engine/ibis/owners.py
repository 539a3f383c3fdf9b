"""A table of people: one row per person, with their number of rows."""

from __future__ import annotations

import ibis

from hushgram.declare.domain import Domain
from hushgram.declare.unit import User
from hushgram.trusted.engine.ibis.dialect import dialect_of
from hushgram.trusted.engine.ibis.table import IbisTable
from hushgram.trusted.engine.sources.frames import Naming


def row_count_column(column: str) -> str:
    """Return the name of the column with the number of rows, which differs from the user column."""
    return f"rows of {column}"


def owners(table: IbisTable, column: str, domain: Domain | None) -> IbisTable:
    """Return a table with one row per person who has rows in the domain, or in the whole table:
    their name and number of rows.

    A person's row depends only on that person's rows, so if two tables differ by one person, their
    tables of people differ by one row (``docs/proofs/owners.md``). Does not read rows yet.
    """
    table.check_people(column)
    if domain is not None:
        table.check(domain, User(column, 1))

    def view(columns: list[str]) -> ibis.Table:
        rows = owned_rows(table, column, domain)
        named = rows.filter(rows["user"].notnull())
        people = named.group_by("user").aggregate(owned=ibis._.count())
        there = {column: people["user"], row_count_column(column): people["owned"]}
        return people.select(**{f"c{i}": there[name] for i, name in enumerate(columns)})

    schema = ibis.schema({column: table.schema[column], row_count_column(column): "int64"})
    people = IbisTable(
        table.connect,
        schema,
        view,
        header=table.header,
        lossy=True,
        no_rows=lambda: owners(table.empty(), column, domain),
        unchanged=table.unchanged,
    )
    people.rowless = table.rowless
    return people


def owned_rows(table: IbisTable, column: str, domain: Domain | None) -> ibis.Table:
    """Return the rows that count, with a column ``user``."""
    if domain is None:
        rows = table.rows([Naming(column)])
        return rows.select(user=dialect_of(rows).name(rows["c0"]))
    return table.index_columns(domain, Naming(column))
