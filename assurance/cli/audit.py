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
        list[str] | None, typer.Argument(help="Mechanisms to audit. Default: all.")
    ] = None,
    runs: Annotated[
        int, typer.Option(min=4, help="Runs of a mechanism, over all its pairs of tables.")
    ] = RUNS,
    draws: Annotated[
        int, typer.Option(min=4, help="Draws of an operation on each table.")
    ] = 10_000_000,
    minutes: Annotated[float, typer.Option(min=0, help="Approximate CPU minutes.")] = 60.0,
    resume: Annotated[
        bool, typer.Option("--resume", help="Skip tests that the CSV file already contains.")
    ] = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write a CSV.")] = None,
    page: Annotated[
        Path | None, typer.Option(help="Write a page with figures to this folder.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Compute a lower bound on every epsilon, in full. A bound above the claim convicts.

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
        raise BadInput("--resume and --page need the CSV file. Name it with --output.")
    if output is not None:
        check_writable(output, overwrite=True)
    chosen = [parse_mechanism(name) for name in mechanisms or MECHANISMS]
    findings: list[dict[str, Any]] = read_rows(output) if resume and output else []
    done = [(row["subject"], row["pair"]) for row in findings]
    for row in full_audit(chosen, minutes=minutes, done=done, draws=draws, runs=runs):
        findings.append(row.to_json())
        if output is not None:  # before the next test starts
            tidy.write(output, findings)
        if not as_json:
            typer.echo(f"{finding_line(findings[-1])}, {row.runs:,} runs")
    if page is not None:
        write_page(findings, page)
    conclude(findings, as_json=as_json)
