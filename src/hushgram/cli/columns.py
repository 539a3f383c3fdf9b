"""``hushgram columns``: names and types of columns, and how to declare axes for them."""

from __future__ import annotations

import shlex

import typer

from hushgram.cli.options import TableOptions
from hushgram.cli.output import PROGRAM, Json, show
from hushgram.cli.records import with_records


def add_to(app: typer.Typer) -> None:
    app.command("columns")(columns)


@with_records
def columns(table: TableOptions, as_json: Json = False) -> None:
    """List the columns of a table, and how to declare them.

    Reads the schema, never a row, and spends nothing. The first line of a CSV file and the first
    row of a sheet are assumed to be column names. If there is no header, they are a row of data.

    \b
    Example:
      hushgram columns people.parquet
    """
    from hushgram.spending.columns import columns as find_columns

    types = find_columns(table.as_source())
    show(
        [{"name": name, "type": kind} for name, kind in types.items()],
        listing(types) if types else NO_SCHEMA,
        as_json=as_json,
    )


NO_SCHEMA = "This table has no schema to list: JSON lines name their fields in each row."


def listing(types: dict[str, str]) -> str:
    """Return the columns, one per line, and what to do next.

    >>> print(listing({"age": "int64", "city": "string"}))
    age   int64   --axis age=LOW..HIGH
    city  string  --axis city=VALUE,VALUE,…, LOW:HIGH or FIRST..LAST/1mo
    <BLANKLINE>
    Fill in values (of categories) or bounds (of numbers and dates) that you know without looking \
at the rows. See: hushgram help axes
    """
    widest = max(len(name) for name in types)
    longest = max(len(kind) for kind in types.values())
    lines = [
        f"{name:{widest}}  {kind:{longest}}  {option_for(name, kind)}"
        for name, kind in types.items()
    ]
    hint = (
        "Fill in values (of categories) or bounds (of numbers and dates) that you know without "
        "looking at the rows."
    )
    return "\n".join([*lines, "", f"{hint} See: {PROGRAM} help axes"])


def option_for(name: str, type_name: str) -> str:
    """Return how to declare a column as an axis, if possible, with the name quoted for a shell.

    >>> option_for("visit date", "date")
    "--axis 'visit date'=FIRST..LAST/1mo"
    """
    from hushgram.declare.axis_kinds import has_axis

    if not has_axis(type_name):
        return "(no axis supports this type: cast the column)"
    return f"--axis {shlex.quote(name)}={template(type_name)}"


def template(type_name: str) -> str:
    """Return what to write after ``--axis NAME=`` for a column of this type.

    >>> template("date"), template("string")
    ('FIRST..LAST/1mo', 'VALUE,VALUE,…, LOW:HIGH or FIRST..LAST/1mo')
    """
    from hushgram.declare.axis_kinds import TEMPLATES, kinds_for

    kinds = kinds_for(type_name)
    if len(kinds) == len(TEMPLATES):  # text, which may contain anything
        return f"{TEMPLATES['category']}, {TEMPLATES['interval']} or {TEMPLATES['date']}"
    return TEMPLATES[kinds[0]]
