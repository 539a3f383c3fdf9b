"""``./hush assurance planted``: plant bugs, which the checks must find. NONPRIVATE."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hushgram.base.text import align_columns
from hushgram.cli.output import Json, show


def plant_bugs(
    bugs: Annotated[list[str] | None, typer.Argument(help="Bugs to plant. Default: all.")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write a CSV.")] = None,
    page: Annotated[
        Path | None, typer.Option(help="Write a page with the table to this folder.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Plant one bug after another, and list the check that catches each.

    Each bug replaces one function of the real code. The same checks then run on the original code
    and must find nothing. Exits with code 1 if a bug is missed or a check raises a false alarm.

    \b
    Example:
      ./hush assurance planted
      ./hush assurance planted half-scale true-total -o planted.csv
    """
    from assurance.pages import write_planted
    from assurance.planted import alarms, bugs_by_name, hunt_bug
    from hushgram.base.files import check_writable
    from hushgram.lab import tidy

    if output is not None:
        check_writable(output, overwrite=True)
    found = []
    for bug in bugs_by_name(bugs or ()):
        found.append(hunt_bug(bug).to_json())
        if not as_json:
            last = found[-1]
            cells = str(last["bug"]).ljust(24), str(last["caught_by"] or "ESCAPED").ljust(26)
            typer.echo(align_columns([(*cells, str(last["figure"]))]))
    false = alarms(bugs_by_name(bugs or ()))
    escaped = [one["bug"] for one in found if not one["caught_by"]]
    if output is not None:
        tidy.write(output, found)
    if page is not None:
        write_planted(found, false, page)
    summary = (
        f"NONPRIVATE. {len(found)} bugs planted, {len(found) - len(escaped)} caught. "
        f"Without a bug the same checks find {len(false)} faults."
    )
    data = {"bugs": found, "escaped": escaped, "false_alarms": false}
    show(data, "\n".join([*false, summary]), as_json=as_json)
    if escaped or false:
        raise typer.Exit(1)
