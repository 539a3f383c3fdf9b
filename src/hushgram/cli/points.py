"""``hushgram points``: the points that a sorted release reconstructs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hushgram.base.text import align_columns
from hushgram.cli.output import Json, show
from hushgram.cli.parameters import Force, ReleaseFile, Signer

if TYPE_CHECKING:
    from hushgram.answers.learning.points import ReconstructedPoints

SHOWN = 20
"""Points to print in the text output."""


def add_to(app: typer.Typer) -> None:
    app.command("points")(points)


def points(
    release: ReleaseFile,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="CSV file to write, with all points.")
    ] = None,
    force: Force = False,
    signer: Signer = None,
    as_json: Json = False,
) -> None:
    """List the points that a sorted release reconstructs.

    Shows how many rows each point stands for. Costs nothing.

    \b
    Example:
      hushgram publish people.parquet --account people --epsilon 1 --axis age=0..120 \\
        --mechanism sorted -o ages.hush.parquet
      hushgram points ages.hush.parquet
      hushgram points ages.hush.parquet -o points.csv
    """
    from hushgram.release import load

    found = load(release, signer=signer).points()
    if output is not None:
        write_points(found, output, overwrite=force)
        data = {"file": str(output), "points": len(found), "rows": int(found.rows.sum())}
        show(data, f"Wrote {output}: {len(found):,} points.", as_json=as_json)
        return
    frame = found.to_pandas()
    records = plain_records(frame if as_json else frame.head(SHOWN))
    lines = [tuple(map(as_text, one.values())) for one in records]
    rest = len(frame) - SHOWN
    more = [f"… and {rest:,} more. See --output or --json."] if rest > 0 else []
    show(
        records,
        "\n".join([align_columns(lines, heads=tuple(frame.columns)), *more]),
        as_json=as_json,
    )


def write_points(points: ReconstructedPoints, output: Path, *, overwrite: bool) -> None:
    import pyarrow as pa

    from hushgram.errors import OutputError
    from hushgram.release.export import write_csv_table

    if output.suffix.lower() != ".csv":
        raise OutputError(
            f'Unsupported format "{output.suffix}" of {output.name}. Points are written as .csv.'
        )
    table = pa.Table.from_pandas(points.to_pandas(), preserve_index=False)
    write_csv_table(table, output, overwrite=overwrite)


def plain_records(frame: Any) -> list[dict[str, Any]]:
    """Return the rows of a table of points as JSON values, with times as text."""
    columns = [
        [one.isoformat() for one in frame[name]] if frame[name].dtype.kind == "M"
        else frame[name].tolist()
        for name in frame
    ]  # fmt: skip
    return [dict(zip(frame.columns, row, strict=True)) for row in zip(*columns, strict=True)]


def as_text(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
