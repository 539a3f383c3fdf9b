"""``hushgram sample``: synthetic rows."""

from __future__ import annotations

from typing import Annotated

import typer

from hushgram.cli.output import Json, show
from hushgram.cli.parameters import Force, ReleaseFile, Signer
from hushgram.cli.view import Output


def add_to(app: typer.Typer) -> None:
    app.command("sample")(sample)


def sample(
    release: ReleaseFile,
    rows: Annotated[int, typer.Argument(help="Number of rows.", metavar="N")],
    output: Output,
    force: Force = False,
    signer: Signer = None,
    as_json: Json = False,
) -> None:
    """Draw synthetic rows from a release. Costs nothing.

    Writes them as Parquet.

    \b
    Example:
      hushgram sample checkins.hush.parquet 1000 -o rows.parquet
    """
    from hushgram.release import load

    load(release, signer=signer).sample_to(output, rows, overwrite=force)
    data = {"file": str(output), "rows": rows}
    show(data, f"Wrote {output}: {rows:,} synthetic rows.", as_json=as_json)
