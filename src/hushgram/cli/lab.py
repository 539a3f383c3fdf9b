"""``hushgram lab``: NONPRIVATE tools for researchers and reviewers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hushgram.cli.evaluate import evaluate
from hushgram.cli.output import Json, show, table
from hushgram.cli.paper import paper


def add_to(app: typer.Typer) -> None:
    lab = typer.Typer(
        help="Audit and compare mechanisms. NONPRIVATE: these tools see true numbers.\n\n"
        "\b\nExample:\n  hushgram lab audit\n  hushgram lab evaluate\n  hushgram lab paper 003",
        rich_markup_mode=None,
    )
    lab.command("audit")(audit)
    lab.command("evaluate")(evaluate)
    lab.command("paper")(paper)
    app.add_typer(lab, name="lab")


def audit(
    mechanisms: Annotated[
        list[str] | None, typer.Argument(help="Which mechanisms; all if none is named.")
    ] = None,
    runs: Annotated[int, typer.Option(help="Runs per pair of tables and mechanism.")] = 20_000,
    repeat: Annotated[int, typer.Option(help="Repeat the whole audit so often.")] = 1,
    full: Annotated[bool, typer.Option("--full", help="Every pair of tables.")] = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write a CSV.")] = None,
    as_json: Json = False,
) -> None:
    """Bound every epsilon from below by statistics; a bound above the claim convicts.

    Exits with code 1 if anything is convicted.

    \b
    Example:
      hushgram lab audit identity --runs 20000
    """
    from hushgram.lab.audit import audit as run
    from hushgram.mechanisms.registry import MECHANISMS, named

    chosen = [named(name) for name in mechanisms or MECHANISMS]
    findings = []
    for turn in range(repeat):
        for finding in run(chosen, runs=runs, fast=not full):
            findings.append({"turn": turn + 1, **finding.to_json()})
            if not as_json:
                typer.echo(line(findings[-1]))
    convicted = sum(bool(f["convicted"]) for f in findings)
    if output is not None:
        write_csv(output, findings)
    summary = f"NONPRIVATE. {len(findings)} findings, {convicted} convicted."
    show({"convicted": convicted, "findings": findings}, summary, as_json=as_json)
    if convicted:
        raise typer.Exit(1)


def line(finding: dict[str, object]) -> str:
    verdict = "CONVICTED" if finding["convicted"] else "ok"
    cells = (
        verdict.ljust(9),
        str(finding["subject"]).ljust(16),
        str(finding["pair"]).ljust(24),
        f"claims {finding['claimed']}, at least {finding['at_least']}",
    )
    return table([cells])


def write_csv(path: Path, rows: list[dict[str, object]]) -> None:
    import csv
    import io

    from hushgram.release.files import write_new

    text = io.StringIO()
    writer = csv.DictWriter(text, rows[0].keys(), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_new(path, text.getvalue().encode(), overwrite=True)
