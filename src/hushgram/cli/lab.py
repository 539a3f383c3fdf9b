"""``hushgram lab``: NONPRIVATE tools for researchers and reviewers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hushgram.cli.evaluate import evaluate
from hushgram.cli.fire import fire
from hushgram.cli.fuzz import fuzz
from hushgram.cli.output import Json, show
from hushgram.cli.paper import paper
from hushgram.cli.planted import planted
from hushgram.cli.replay import replay
from hushgram.errors import BadInput
from hushgram.text import aligned

if TYPE_CHECKING:
    from hushgram.mechanisms.base import Mechanism


def add_to(app: typer.Typer) -> None:
    lab = typer.Typer(
        help="Audit and compare mechanisms. NONPRIVATE: these tools see true numbers.\n\n"
        "\b\nExample:\n  hushgram lab audit\n  hushgram lab planted\n"
        "  hushgram lab evaluate\n  hushgram lab paper 003\n"
        "  hushgram lab replay --pairs 100\n  hushgram lab fire --kills 100\n"
        "  hushgram lab fuzz plan --trials 200",
        rich_markup_mode=None,
    )
    lab.command("audit")(audit)
    lab.command("planted")(planted)
    lab.command("replay")(replay)
    lab.command("fire")(fire)
    lab.command("fuzz")(fuzz)
    lab.command("evaluate")(evaluate)
    lab.command("paper")(paper)
    app.add_typer(lab, name="lab")


def audit(
    mechanisms: Annotated[
        list[str] | None, typer.Argument(help="Which mechanisms; all if none is named.")
    ] = None,
    runs: Annotated[
        int | None,
        typer.Option(
            min=4,
            help="Runs of a mechanism: 20,000 on a pair of tables; in full 10^6 on all its pairs.",
        ),
    ] = None,
    repeat: Annotated[int, typer.Option(min=1, help="Repeat the fast audit so often.")] = 1,
    full: Annotated[bool, typer.Option("--full", help="Every pair of tables.")] = False,
    minutes: Annotated[
        float, typer.Option(min=0, help="Minutes of processor time for the full audit, about.")
    ] = 60.0,
    draws: Annotated[
        int, typer.Option(min=4, help="Draws of an operation on each table, in full.")
    ] = 10_000_000,
    resume: Annotated[
        bool, typer.Option("--resume", help="Leave out what the output's CSV has already.")
    ] = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write a CSV.")] = None,
    page: Annotated[
        Path | None, typer.Option(help="A folder for a page with figures of the full audit.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Bound every epsilon from below by statistics; a bound above the claim convicts.

    Exits with code 1 if anything is convicted.

    \b
    Example:
      hushgram lab audit identity --runs 20000
      hushgram lab audit --full --minutes 60 -o audit-full.csv --resume --page docs/assurance
    """
    from hushgram.lab import tidy
    from hushgram.mechanisms.registry import MECHANISMS, named
    from hushgram.release.files import check_writable

    if output is not None:
        check_writable(output, overwrite=True)
    if (resume or page) and not (full and output):
        raise BadInput("--resume and --page are for --full with --output: name a CSV file.")
    chosen = [named(name) for name in mechanisms or MECHANISMS]
    if full:
        findings = full_findings(chosen, runs, draws, minutes, output, resume, quiet=as_json)
        if page is not None:
            from hushgram.lab.assurance import write_page

            write_page(findings, page)
    else:
        findings = fast_findings(chosen, runs, repeat, quiet=as_json)
        if output is not None:
            tidy.write(output, findings)
    convicted = sum(bool(f["convicted"]) for f in findings)
    summary = f"NONPRIVATE. {len(findings)} findings, {convicted} convicted."
    show({"convicted": convicted, "findings": findings}, summary, as_json=as_json)
    if convicted:
        raise typer.Exit(1)


def fast_findings(
    mechanisms: list[Mechanism], runs: int | None, repeat: int, *, quiet: bool
) -> list[dict[str, Any]]:
    from hushgram.lab.audit import FAST_RUNS
    from hushgram.lab.audit import audit as run

    findings = []
    for turn in range(repeat):
        for finding in run(mechanisms, runs=runs or FAST_RUNS):
            findings.append({"turn": turn + 1, **finding.to_json()})
            if not quiet:
                typer.echo(line(findings[-1]))
    return findings


def full_findings(
    mechanisms: list[Mechanism],
    runs: int | None,
    draws: int,
    minutes: float,
    output: Path | None,
    resume: bool,
    *,
    quiet: bool,
) -> list[dict[str, Any]]:
    """Row after row, each in the file before the next begins."""
    from hushgram.lab import tidy
    from hushgram.lab.assurance import read_rows
    from hushgram.lab.full import RUNS, full_audit

    findings = read_rows(output) if resume and output else []
    done = [(row["subject"], row["pair"]) for row in findings]
    most = runs or RUNS
    for row in full_audit(mechanisms, minutes=minutes, done=done, draws=draws, runs=most):
        findings.append(row.to_json())
        if output is not None:
            tidy.write(output, findings)
        if not quiet:
            typer.echo(f"{line(findings[-1])}, {row.runs:,} runs")
    return findings


def line(finding: dict[str, object]) -> str:
    verdict = "CONVICTED" if finding["convicted"] else "ok"
    cells = (
        verdict.ljust(9),
        str(finding["subject"]).ljust(16),
        str(finding["pair"]).ljust(24),
        f"claims {finding['claimed']}, at least {finding['at_least']}",
    )
    return aligned([cells])
