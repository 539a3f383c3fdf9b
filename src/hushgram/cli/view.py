"""``hushgram plot``, ``hushgram report`` and ``hushgram export``: a release as a picture, a page or
another file format."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from hushgram.cli.options import AboutOptions
from hushgram.cli.output import Json, show
from hushgram.cli.parameters import Bins, Force, ReleaseFile, Signer
from hushgram.cli.picture import PictureOptions
from hushgram.cli.records import with_records
from hushgram.errors import BadInput, OutputError, QuestionError

Output = Annotated[Path, typer.Option("--output", "-o", help="File to write.")]
WRITERS = {
    ".sdmx.csv": "to_sdmx",
    ".csv": "to_csv",
    ".xlsx": "to_excel",
    ".geojson": "to_geojson",
    ".geoparquet": "to_geoparquet",
    ".gpkg": "to_geopackage",
}
"""The methods of a release that write files, by file extension, the longest first."""


def add_to(app: typer.Typer) -> None:
    app.command("plot")(plot)
    app.command("report")(report)
    app.command("export")(export)


@dataclass(frozen=True)
class PlotOptions:
    """What to draw, of which part of a release."""

    axes: Annotated[
        list[str] | None,
        typer.Argument(help="Axes to draw. Counts are added up over the others."),
    ] = None
    kind: Annotated[str, typer.Option(help="What to draw: counts, quantiles or matrix.")] = "counts"
    by: Annotated[
        str | None, typer.Option(help="Draw one small picture for each value of this axis.")
    ] = None
    bins: Bins = None
    bbox: Annotated[
        str | None, typer.Option(help="Only draw this window: WEST,SOUTH,EAST,NORTH.")
    ] = None
    coastlines: Annotated[
        bool | None,
        typer.Option(
            "--coastlines/--no-coastlines",
            help="Show coastlines and borders on maps. Default: if the map is at least one "
            "degree wide.",
        ),
    ] = None
    uncertain: Annotated[
        bool, typer.Option("--uncertain", help="Hatch cells that may be zero (95 % interval).")
    ] = False
    sort: Annotated[bool, typer.Option("--sort", help="Sort categories, the largest first.")] = (
        False
    )
    sum: Annotated[str | None, typer.Option("--sum", help="Draw sums of this measured column.")] = (
        None
    )
    mean: Annotated[
        str | None, typer.Option("--mean", help="Draw means of this measured column.")
    ] = None

    def keywords(self) -> dict[str, Any]:
        """Return the options as keywords of `Release.plot`."""
        window = None if self.bbox is None else parse_bbox(self.bbox)
        return {**asdict(self), "axes": self.axes or None, "bbox": window}


@with_records
def plot(
    *,
    release: ReleaseFile,
    output: Output,
    drawn: PlotOptions,
    look: PictureOptions,
    force: Force = False,
    signer: Signer = None,
    as_json: Json = False,
) -> None:
    """Draw a release as PNG, SVG or PDF. Draws a histogram or bars for one axis, a map, heat map or
    table for two, small multiples for three, a matrix for up to six, or quantiles.

    \b
    Example:
      hushgram plot checkins.hush.parquet -o map.png --rows check-ins
      hushgram plot checkins.hush.parquet -o europe.pdf --bbox=-12,35,32,60 --dark
      hushgram plot people.hush.parquet age -o age.svg --kind quantiles
      hushgram plot people.hush.parquet age sex -o ages.png --by sex --source "Census 2020"
      hushgram plot people.hush.parquet region -o pay.png --mean earnings
    """
    from hushgram.release import load

    options = {**drawn.keywords(), **look.keywords()}
    load(release, signer=signer).plot(output, **options, overwrite=force)
    show({"picture": str(output)}, f"Wrote {output}.", as_json=as_json)


def parse_bbox(text: str) -> list[float]:
    """
    >>> parse_bbox("-12,35, 32,60")
    [-12.0, 35.0, 32.0, 60.0]
    """
    try:
        return [float(end) for end in text.split(",")]
    except ValueError:
        raise QuestionError(
            f'Cannot read --bbox "{text}". Write WEST,SOUTH,EAST,NORTH in numbers, for '
            "example --bbox=-12,35,32,60."
        ) from None


@with_records
def report(
    *,
    release: ReleaseFile,
    output: Output,
    title: Annotated[str | None, typer.Option(help="Title of the page.")] = None,
    about: AboutOptions,
    force: Force = False,
    signer: Signer = None,
    as_json: Json = False,
) -> None:
    """Write an HTML report about a release.

    Contains a picture, key findings, the numbers, how private and how accurate they are, and how to
    query more. The page works offline.

    \b
    Example:
      hushgram report people.hush.parquet -o people.html
      hushgram report people.hush.parquet -o people.html --title "Ages in Bremen" \\
        --publisher "City of Bremen" --licence "CC BY 4.0" --date 2026-05-01
    """
    from hushgram.release import load

    load(release, signer=signer).report(
        output, title=title, file=release.name, about=about.as_about(), overwrite=force
    )
    show({"page": str(output)}, f"Wrote {output}.", as_json=as_json)


def export(
    release: ReleaseFile,
    output: Output,
    whole: Annotated[
        bool,
        typer.Option(
            "--whole",
            help="Also write whole, non-negative counts that add up. They are slightly biased.",
        ),
    ] = False,
    structure: Annotated[
        str | None, typer.Option(help="SDMX dataflow: AGENCY:ID(VERSION).")
    ] = None,
    force: Force = False,
    signer: Signer = None,
    as_json: Json = False,
) -> None:
    """Convert a release to CSV, Excel, GeoJSON and other formats.

    The extension decides: .csv, .xlsx (Excel), .sdmx.csv (SDMX-CSV 2.0), .geojson, .geoparquet or
    .gpkg (GeoPackage).

    \b
    Example:
      hushgram export checkins.hush.parquet -o checkins.geojson
      hushgram export people.hush.parquet -o people.xlsx --whole
      hushgram export people.hush.parquet -o people.sdmx.csv --structure "XYZ:PEOPLE(1.0.0)"
    """
    from hushgram.release import load

    ending = next((one for one in WRITERS if output.name.lower().endswith(one)), None)
    if ending is None:
        raise OutputError(
            f'Unsupported export format "{output.suffix}". Use {", ".join(sorted(WRITERS))}.'
        )
    if structure is not None and ending != ".sdmx.csv":
        raise BadInput("--structure only applies to SDMX. Use an output file ending in .sdmx.csv.")
    more = {} if structure is None else {"structure": structure}
    write = getattr(load(release, signer=signer), WRITERS[ending])
    write(output, whole=whole, overwrite=force, **more)
    show({"file": str(output)}, f"Wrote {output}.", as_json=as_json)
