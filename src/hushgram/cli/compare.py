"""``hushgram compare``: what changed from one release to another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hushgram.cli.olap import rows_of
from hushgram.cli.output import Json, show
from hushgram.cli.parameters import Bins, Confidence, Force, Signer, Simultaneous


def add_to(app: typer.Typer) -> None:
    app.command("compare")(compare)


def compare(
    before: Annotated[Path, typer.Argument(help="A release file.")],
    after: Annotated[Path, typer.Argument(help="The release to compare it with.")],
    axes: Annotated[list[str] | None, typer.Argument(help="The axes to compare by.")] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(
            "--where", "-w", help="Only compare rows in this range of an axis. Can be repeated."
        ),
    ] = None,
    bins: Bins = None,
    together: Simultaneous = False,
    confidence: Confidence = 0.95,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write all groups to this .csv file.")
    ] = None,
    force: Force = False,
    signer: Signer = None,
    as_json: Json = False,
) -> None:
    """Show what changed between two releases.

    Compares them by group, and tests whether anything changed. Costs nothing.

    \b
    Example:
      hushgram compare 2023.hush.parquet 2024.hush.parquet age sex
      hushgram compare 2023.hush.parquet 2024.hush.parquet region --where sex=F -o change.csv
    """
    from hushgram.base.files import check_format, check_writable
    from hushgram.cli.grammar import parse_question
    from hushgram.release import load

    if output is not None:
        check_format(output, "a table of differences", ".csv")
        check_writable(output, overwrite=force)
    releases = [load(path, signer=signer) for path in (before, after)]
    if where:
        releases = [one.slice(parse_question(one.domain, where), bins=bins) for one in releases]
    found = releases[0].compare(
        releases[1], *(axes or ()), confidence=confidence, simultaneous=together, bins=bins
    )
    if output is not None:
        found.to_csv(output, overwrite=force)
    data = {**found.to_json(), "rows": rows_of(found.to_pandas())}
    text = str(found) if output is None else f"{found}\nWritten: {output}"
    show(data, text, as_json=as_json)
