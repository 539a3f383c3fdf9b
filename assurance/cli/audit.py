"""``./hush assurance audit``: every operation and mechanism on every pair of tables. NONPRIVATE."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from assurance.full import RUNS
from hushgram.cli.lab import conclude, finding_line
from hushgram.cli.output import Json
from hushgram.errors import BadInput


def audit(
    mechanisms: Annotated[
        list[str] | None, typer.Argument(help="Which mechanisms; all if none is named.")
    ] = None,
    runs: Annotated[
        int, typer.Option(min=4, help="Runs of a mechanism, shared by its pairs of tables.")
    ] = RUNS,
    draws: Annotated[
        int, typer.Option(min=4, help="Draws of an operation on each table.")
    ] = 10_000_000,
    minutes: Annotated[float, typer.Option(min=0, help="Minutes of the processor, about.")] = 60.0,
    resume: Annotated[
        bool, typer.Option("--resume", help="Leave out what the output's CSV has already.")
    ] = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write a CSV.")] = None,
    page: Annotated[
        Path | None, typer.Option(help="Write a page with figures into this folder.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Bound every epsilon from below by statistics, in full; a bound above the claim convicts.

    The fast audit is `hushgram lab audit`. Exits with code 1 if anything is convicted.

    \b
    Example:
      ./hush assurance audit --minutes 60 -o audit-full.csv --resume --page docs/assurance
    """
    from assurance.full import full_audit
    from assurance.pages import read_rows, write_page
    from hushgram.base.files import check_writable
    from hushgram.lab import tidy
    from hushgram.mechanisms.registry import MECHANISMS, parse_mechanism

    if (resume or page) and not output:
        raise BadInput("--resume and --page use the CSV: name it with --output.")
    if output is not None:
        check_writable(output, overwrite=True)
    chosen = [parse_mechanism(name) for name in mechanisms or MECHANISMS]
    findings: list[dict[str, Any]] = read_rows(output) if resume and output else []
    done = [(row["subject"], row["pair"]) for row in findings]
    for row in full_audit(chosen, minutes=minutes, done=done, draws=draws, runs=runs):
        findings.append(row.to_json())
        if output is not None:  # before the next row begins
            tidy.write(output, findings)
        if not as_json:
            typer.echo(f"{finding_line(findings[-1])}, {row.runs:,} runs")
    if page is not None:
        write_page(findings, page)
    conclude(findings, as_json=as_json)
