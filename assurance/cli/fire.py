"""``./hush assurance fire``: stress tests of the ledger. NONPRIVATE."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from hushgram.cli.output import Json, show
from hushgram.errors import BadInput


def fire(
    kills: Annotated[int, typer.Option(min=1, help="How often to kill a publish.")] = 1000,
    processes: Annotated[int, typer.Option(min=1, help="How many spend at once.")] = 64,
    attempts: Annotated[int, typer.Option(min=1, help="Attempts of each process.")] = 200,
    minutes: Annotated[
        float, typer.Option(min=0, help="Stop killing after this many minutes.")
    ] = 30.0,
    trials: Annotated[
        int, typer.Option(min=1, help="Number of steps with a full disk, and of flipped bits.")
    ] = 100,
    ledger: Annotated[
        str | None,
        typer.Option(help="A PostgreSQL ledger to use up. Default: ledgers in files."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="CSV file to write. Rows of the other store are kept."),
    ] = None,
    page: Annotated[Path | None, typer.Option(help="Page to write from the CSV file.")] = None,
    as_json: Json = False,
) -> None:
    """Kill processes, crowd and edit a ledger, fill its disk, turn back its clock; count broken
    promises.

    Takes about ten minutes. Exits with code 1 if a promise was broken.

    \b
    Example:
      ./hush assurance fire --kills 100 --processes 8 --attempts 20
      ./hush assurance fire -o ledger-fire.csv --page ledger.md
    """
    from assurance.fire import FireRow, Scale, fire, page_of
    from hushgram.base.files import check_writable, write_new
    from hushgram.lab import tidy
    from hushgram.trusted.ledger.location import ledger_url

    if not hasattr(os, "fork"):
        raise BadInput("These tests fork processes, which this system cannot. Use Linux or macOS.")
    if page is not None and output is None:
        raise BadInput("--page needs the CSV file. Name it with --output.")
    if ledger is not None and ledger_url(ledger) is None:
        raise BadInput("--ledger must be a postgresql:// address. Ledgers in files are created.")
    for path in (output, page):
        if path is not None:
            check_writable(path, overwrite=True)
    earlier = tidy.earlier(output, FireRow)
    scale = Scale(kills, processes, attempts, minutes, disks=trials, flips=trials)
    rows = list(fire(ledger, scale, (lambda message: None) if as_json else typer.echo))
    violations = sum(row.violations for row in rows)
    table = [row.to_json() for row in rows]
    if output is not None:
        others = [row for row in earlier if row["store"] != rows[0].store]
        tidy.write(output, [*others, *table])
        if page is not None:
            write_new(page, page_of(tidy.read(output)).encode(), overwrite=True)
    killed = sum(row.value for row in rows if (row.part, row.measure) == ("kills", "kills"))
    text = f"NONPRIVATE. {killed} kills, {len(rows)} numbers, {violations} broken promises."
    show({"violations": violations, "rows": table}, text, as_json=as_json)
    if violations:
        raise typer.Exit(1)
