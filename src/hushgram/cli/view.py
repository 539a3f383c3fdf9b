"""``hushgram plot``, ``hushgram report`` and ``hushgram export``: a release as a picture, as a page
or in another format."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hushgram.cli.ask import ReleaseFile, Signer
from hushgram.cli.options import AboutOptions, with_records
from hushgram.cli.output import Json, show
from hushgram.errors import BadInput, OutputError, QuestionError

Output = Annotated[Path, typer.Option("--output", "-o", help="The file to write.")]
WRITERS = {
    ".sdmx.csv": "to_sdmx",
    ".csv": "to_csv",
    ".xlsx": "to_excel",
    ".geojson": "to_geojson",
    ".geoparquet": "to_geoparquet",
    ".gpkg": "to_geopackage",
}
"""The methods of a release that write files, by the ending of a name; the longest come first."""

Force = Annotated[bool, typer.Option("--force", help="Overwrite the output.")]


def add_to(app: typer.Typer) -> None:
    app.command("plot")(plot)
    app.command("report")(report)
    app.command("export")(export)


def plot(
    release: ReleaseFile,
    output: Output,
    axes: Annotated[
        list[str] | None,
        typer.Argument(help="The axes to draw; the others are added up.", metavar="[AXIS]..."),
    ] = None,
    kind: Annotated[str, typer.Option(help="counts, quantiles or matrix.")] = "counts",
    by: Annotated[
        str | None, typer.Option(help="One small picture for each value of this axis.")
    ] = None,
    bins: Annotated[int | None, typer.Option(help="Slices of an axis, at the most.")] = None,
    bbox: Annotated[
        str | None, typer.Option(help="Draw only this window: WEST,SOUTH,EAST,NORTH.")
    ] = None,
    log: Annotated[
        bool | None,
        typer.Option("--log/--linear", help="Scale. By default the one that suits the numbers."),
    ] = None,
    coastlines: Annotated[
        bool | None,
        typer.Option(
            "--coastlines/--no-coastlines",
            help="Coastlines and borders on a map. By default from a width of one degree.",
        ),
    ] = None,
    uncertain: Annotated[
        bool, typer.Option("--uncertain", help="Hatch what may be zero (95 % interval).")
    ] = False,
    sort: Annotated[bool, typer.Option("--sort", help="The largest category first.")] = False,
    add_up: Annotated[
        str | None, typer.Option("--sum", help="The sums of this measured column.")
    ] = None,
    mean: Annotated[
        str | None, typer.Option("--mean", help="The means of this measured column.")
    ] = None,
    rows: Annotated[str, typer.Option(help="What a row is, for titles: people, stops.")] = "rows",
    title: Annotated[str | None, typer.Option(help="Title of the picture.")] = None,
    source: Annotated[str | None, typer.Option(help="Source of the data, for the footer.")] = None,
    date: Annotated[str | None, typer.Option(help="Date of the data, for the footer.")] = None,
    dark: Annotated[bool, typer.Option("--dark", help="Light on dark.")] = False,
    force: Force = False,
    signer: Signer = None,
    as_json: Json = False,
) -> None:
    """Draw a release as PNG, SVG or PDF: a histogram or bars of one axis, a map, heat map or table
    of two, small multiples of three, a matrix of up to six, or quantiles.

    \b
    Example:
      hushgram plot checkins.hush.parquet -o map.png --rows check-ins
      hushgram plot checkins.hush.parquet -o europe.pdf --bbox=-12,35,32,60 --dark
      hushgram plot people.hush.parquet age -o age.svg --kind quantiles
      hushgram plot people.hush.parquet age sex -o ages.png --by sex --source "Census 2020"
      hushgram plot people.hush.parquet region -o pay.png --mean earnings
    """
    from hushgram.release import load

    load(release, signer=signer).plot(
        output, title=title, kind=kind, axes=axes or None, by=by, bins=bins,
        bbox=None if bbox is None else parse_bbox(bbox), log=log, coastlines=coastlines,
        uncertain=uncertain, sort=sort, rows=rows, source=source, date=date, dark=dark,
        overwrite=force, sum=add_up, mean=mean,
    )  # fmt: skip
    show({"picture": str(output)}, f"Picture: {output}", as_json=as_json)


def parse_bbox(text: str) -> list[float]:
    """
    >>> parse_bbox("-12,35, 32,60")
    [-12.0, 35.0, 32.0, 60.0]
    """
    try:
        return [float(end) for end in text.split(",")]
    except ValueError:
        raise QuestionError(
            f'Cannot read --bbox "{text}": expected WEST,SOUTH,EAST,NORTH in numbers, for example '
            "--bbox=-12,35,32,60."
        ) from None


@with_records
def report(
    release: ReleaseFile,
    output: Output,
    title: Annotated[str | None, typer.Option(help="A title for the page.")] = None,
    about: AboutOptions = AboutOptions(),  # noqa: B008 - frozen
    force: Force = False,
    signer: Signer = None,
    as_json: Json = False,
) -> None:
    """Write one page of HTML about a release: a picture, what can be read from it, the numbers, how
    private and how accurate they are, and how to ask for more. It needs no network.

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
    show({"page": str(output)}, f"Page: {output}", as_json=as_json)


def export(
    release: ReleaseFile,
    output: Output,
    whole: Annotated[
        bool,
        typer.Option(
            "--whole", help="Add whole numbers that are not negative and add up; slightly biased."
        ),
    ] = False,
    structure: Annotated[
        str | None, typer.Option(help="For SDMX: the dataflow, AGENCY:ID(VERSION).")
    ] = None,
    force: Force = False,
    signer: Signer = None,
    as_json: Json = False,
) -> None:
    """Write a release as CSV (.csv), Excel (.xlsx), SDMX-CSV 2.0 (.sdmx.csv), GeoJSON (.geojson),
    GeoParquet (.geoparquet) or GeoPackage (.gpkg).

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
        raise BadInput("--structure is for SDMX. Name the output with the ending .sdmx.csv.")
    more = {} if structure is None else {"structure": structure}
    write = getattr(load(release, signer=signer), WRITERS[ending])
    write(output, whole=whole, overwrite=force, **more)
    show({"file": str(output)}, f"Written: {output}", as_json=as_json)
