"""``hushgram lab``: NONPRIVATE tools for researchers and reviewers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from hushgram.base.text import align_columns
from hushgram.cli.coverage import coverage
from hushgram.cli.evaluate import evaluate
from hushgram.cli.output import Json, show


def add_to(app: typer.Typer) -> None:
    lab = typer.Typer(
        help="Audit and compare mechanisms. NONPRIVATE: these tools read true counts.\n\n"
        "\b\nExample:\n  hushgram lab audit\n  hushgram lab evaluate\n  hushgram lab coverage",
        rich_markup_mode=None,
    )
    lab.command("audit")(audit)
    lab.command("evaluate")(evaluate)
    lab.command("coverage")(coverage)
    app.add_typer(lab, name="lab")


def audit(
    mechanisms: Annotated[
        list[str] | None, typer.Argument(help="Mechanisms to audit. Default: all.")
    ] = None,
    runs: Annotated[
        int | None,
        typer.Option(min=4, help="Number of runs on each table of a pair. Default: 20,000."),
    ] = None,
    repeat: Annotated[int, typer.Option(min=1, help="Repeat the audit this many times.")] = 1,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="CSV file to write.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Test the privacy claim of each mechanism: compute a statistical lower bound on epsilon.

    A bound above the claimed epsilon convicts the mechanism, and the exit code is 1.

    \b
    Example:
      hushgram lab audit identity --runs 20000
    """
    from hushgram.base.files import check_writable
    from hushgram.lab import tidy
    from hushgram.lab.audit import FAST_RUNS
    from hushgram.lab.audit import audit as run
    from hushgram.mechanisms.registry import MECHANISMS, parse_mechanism

    if output is not None:
        check_writable(output, overwrite=True)
    chosen = [parse_mechanism(name) for name in mechanisms or MECHANISMS]
    findings: list[dict[str, Any]] = []
    for turn in range(repeat):
        for finding in run(chosen, runs=runs or FAST_RUNS):
            findings.append({"turn": turn + 1, **finding.to_json()})
            if not as_json:
                typer.echo(finding_line(findings[-1]))
    if output is not None:
        tidy.write(output, findings)
    conclude(findings, as_json=as_json)


def conclude(findings: list[dict[str, Any]], *, as_json: bool) -> None:
    """Print the last line of an audit, and exit with a code."""
    convicted = sum(bool(f["convicted"]) for f in findings)
    summary = f"NONPRIVATE. {len(findings)} findings, {convicted} convicted."
    show({"convicted": convicted, "findings": findings}, summary, as_json=as_json)
    if convicted:
        raise typer.Exit(1)


def finding_line(finding: dict[str, object]) -> str:
    verdict = "CONVICTED" if finding["convicted"] else "ok"
    cells = (
        verdict.ljust(9),
        str(finding["subject"]).ljust(16),
        str(finding["pair"]).ljust(24),
        f"claims {finding['claimed']}, at least {finding['at_least']}",
    )
    return align_columns([cells])
