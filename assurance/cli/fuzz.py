"""``./hush assurance fuzz``: run the program on mutated files and arguments. NONPRIVATE."""

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
            help="csv, parquet, release, forged, ledger, arguments, domain or plan. Default: all.",
            metavar="[TARGET]...",
        ),
    ] = None,
    minutes: Annotated[float, typer.Option(min=0, help="CPU minutes, shared evenly.")] = 60.0,
    trials: Annotated[
        int | None, typer.Option(min=1, help="Stop each target after this many mutated inputs.")
    ] = None,
    corpus: Annotated[
        Path | None,
        typer.Option(help="Folder of inputs to start with. New ones are stored there."),
    ] = None,
    replay: Annotated[
        bool, typer.Option("--replay", help="Only run the inputs of the corpus.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Which inputs are made.")] = 0,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="CSV file to append to, one row per target."),
    ] = None,
    page: Annotated[Path | None, typer.Option(help="Page to write from the CSV file.")] = None,
    as_json: Json = False,
) -> None:
    """Mutate tables, releases, ledgers, arguments, domains and plans, and check what users see.

    Findings are tracebacks, hangs, crashes, a gigabyte of memory, a budget spent on refused input,
    private values in a message, and changed files that are accepted. Exits with code 1 if there is
    any.

    \b
    Example:
      ./hush assurance fuzz plan --trials 200
      ./hush assurance fuzz --minutes 60 --corpus tests/fuzz/corpus -o fuzz.csv --page fuzz.md
    """
    from assurance.fuzz import TARGETS, FuzzRow, fuzz, page_of
    from hushgram.base.files import write_new
    from hushgram.lab import tidy

    check_options(targets or [], corpus, output, page, replay=replay)
    earlier = tidy.earlier(output, FuzzRow)
    run = 1 + max((int(row["run"]) for row in earlier), default=0)
    rows: list[dict[str, Any]] = []
    found: list[str] = []

    def tell(message: str) -> None:
        found.append(message)
        if not as_json:
            typer.echo(message)

    for now in fuzz(
        [TARGETS[name] for name in targets or TARGETS], minutes=minutes, trials=trials,
        folder=corpus, seed=seed + run - 1, run=run, replay=replay, report=tell,
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
    show({"findings": findings, "found": found, "targets": rows}, text, as_json=as_json)
    if findings:
        raise typer.Exit(1)


def check_options(
    targets: list[str], corpus: Path | None, output: Path | None, page: Path | None, *, replay: bool
) -> None:
    """Raise for options that do not fit together, before anything runs."""
    from assurance.fuzz import TARGETS
    from hushgram.base.files import check_writable

    if not hasattr(os, "memfd_create"):
        raise BadInput("Fuzzing forks processes and measures their memory, which needs Linux.")
    if page is not None and output is None:
        raise BadInput("--page needs the CSV file. Name it with --output.")
    if replay and corpus is None:
        raise BadInput("--replay needs the folder of inputs. Name it with --corpus.")
    for name in targets:
        if name not in TARGETS:
            raise BadInput(f"Unknown target {name!r}. Targets: {', '.join(TARGETS)}.")
    for path in (output, page):
        if path is not None:
            check_writable(path, overwrite=True)


def line(row: dict[str, Any]) -> str:
    return (
        f"{row['target']}: {row['trials']:,} trials, {row['cpu_seconds']:,.0f} CPU seconds, "
        f"{row['outcomes']} outcomes, {row['findings']} findings"
    )
