"""``./hush assurance fuzz``: spoilt files and words, given to the program itself. NONPRIVATE."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from hushgram.cli.output import Json, show
from hushgram.errors import BadInput


def fuzz(
    targets: Annotated[
        list[str] | None,
        typer.Argument(
            help="csv, parquet, release, forged, ledger, arguments, domain, plan; or all of them.",
            metavar="[TARGET]...",
        ),
    ] = None,
    minutes: Annotated[
        float, typer.Option(min=0, help="Minutes of the processor, shared evenly.")
    ] = 60.0,
    trials: Annotated[
        int | None, typer.Option(min=1, help="Stop each target after so many spoilt inputs.")
    ] = None,
    corpus: Annotated[
        Path | None,
        typer.Option(help="A folder of inputs to begin with; new ones are kept there."),
    ] = None,
    replay: Annotated[
        bool, typer.Option("--replay", help="Only try again what the corpus holds.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Which inputs are made.")] = 0,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Add to a CSV, one row per target.")
    ] = None,
    page: Annotated[Path | None, typer.Option(help="Write a page from the CSV.")] = None,
    as_json: Json = False,
) -> None:
    """Spoil tables, releases, ledgers, words, domains and plans, and see what a user sees of it.

    Findings are tracebacks, hangs, crashes, a gigabyte of memory, a budget spent on refused input,
    private values in a message, and changed files that are taken for sound. Exits with code 1 if
    there is any.

    \b
    Example:
      ./hush assurance fuzz plan --trials 200
      ./hush assurance fuzz --minutes 60 --corpus tests/fuzz/corpus -o fuzz.csv --page fuzz.md
    """
    from assurance.fuzz import TARGETS, FuzzRow, fuzz, page_of
    from hushgram.base.files import check_writable, write_new
    from hushgram.lab import tidy

    if not hasattr(os, "memfd_create"):
        raise BadInput("fuzzing forks processes and watches their memory. It needs Linux.")
    if page is not None and output is None:
        raise BadInput("--page is made of the CSV: name it with --output.")
    if replay and corpus is None:
        raise BadInput("--replay needs the folder of inputs: name it with --corpus.")
    for name in targets or []:
        if name not in TARGETS:
            raise BadInput(f"nothing is called {name!r} here. Fuzz: {', '.join(TARGETS)}.")
    for path in (output, page):
        if path is not None:
            check_writable(path, overwrite=True)
    earlier = tidy.earlier(output, FuzzRow)
    run = 1 + max((int(row["run"]) for row in earlier), default=0)
    rows: list[dict[str, Any]] = []
    told: list[str] = []

    def tell(said: str) -> None:
        told.append(said)
        if not as_json:
            typer.echo(said)

    for now in fuzz(
        [TARGETS[name] for name in targets or TARGETS], minutes=minutes, trials=trials,
        folder=corpus, seed=seed + run - 1, run=run, replay=replay, told=tell,
    ):  # fmt: skip
        changed = [row.to_json() for row in now if row.to_json() not in rows]
        rows = [row.to_json() for row in now]
        if not as_json:
            for row in changed:
                typer.echo(line(row))
        if output is not None:
            tidy.write(output, [*earlier, *rows])
    if page is not None and output is not None:
        write_new(page, page_of(tidy.read(output)).encode(), overwrite=True)
    findings = sum(row["findings"] for row in rows)
    total = sum(row["trials"] for row in rows)
    text = f"NONPRIVATE. {total:,} trials, {findings} findings."
    show({"findings": findings, "found": told, "targets": rows}, text, as_json=as_json)
    if findings:
        raise typer.Exit(1)


def line(row: dict[str, Any]) -> str:
    return (
        f"{row['target']}: {row['trials']:,} trials, {row['cpu_seconds']:,.0f} seconds of the "
        f"processor, {row['outcomes']} outcomes, {row['findings']} findings"
    )
