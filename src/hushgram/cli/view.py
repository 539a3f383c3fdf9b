"""``hushgram plot``, ``hushgram report`` and ``hushgram export``: a release as a picture, as a page
or in another format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from hushgram.cli.ask import ReleaseFile, Signer
from hushgram.cli.output import Json, show
from hushgram.errors import OutputError

Output = Annotated[Path, typer.Option("--output", "-o", help="The file to write.")]
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
    kind: Annotated[str, typer.Option(help="counts or quantiles.")] = "counts",
    coastlines: Annotated[
        bool, typer.Option("--coastlines", help="Draw the land's outlines on a map.")
    ] = False,
    title: Annotated[str | None, typer.Option(help="A title for the picture.")] = None,
    force: Force = False,
    signer: Signer = None,
    as_json: Json = False,
) -> None:
    """Draw a release as PNG, SVG or PDF: steps along one axis, a heat map of two, a matrix of up
    to six, or quantiles.

    \b
    Example:
      hushgram plot checkins.hush.parquet -o map.png --coastlines
      hushgram plot people.hush.parquet age -o age.svg --kind quantiles
    """
    from hushgram.release import load

    load(release, signer=signer).plot(
        output, title=title, kind=kind, axes=axes or None, coastlines=coastlines, overwrite=force
    )
    show({"picture": str(output)}, f"Picture: {output}", as_json=as_json)


def report(
    release: ReleaseFile,
    output: Output,
    title: Annotated[str | None, typer.Option(help="A title for the page.")] = None,
    force: Force = False,
    signer: Signer = None,
    as_json: Json = False,
) -> None:
    """Write one page of HTML about a release: what was published, how private and how accurate it
    is, pictures, and how to ask it. It needs no network.

    \b
    Example:
      hushgram report people.hush.parquet -o people.html
    """
    from hushgram.release import load

    load(release, signer=signer).report(output, title=title, file=release.name, overwrite=force)
    show({"page": str(output)}, f"Page: {output}", as_json=as_json)


def export(
    release: ReleaseFile,
    output: Output,
    force: Force = False,
    signer: Signer = None,
    as_json: Json = False,
) -> None:
    """Write a release as CSV (.csv), GeoJSON (.geojson) or GeoParquet (.geoparquet).

    \b
    Example:
      hushgram export checkins.hush.parquet -o checkins.geojson
    """
    from hushgram.release import load

    found: Any = load(release, signer=signer)
    formats: dict[str, Callable[..., None]] = {
        ".csv": found.to_csv,
        ".geojson": found.to_geojson,
        ".geoparquet": found.to_geoparquet,
    }
    write = formats.get(output.suffix.lower())
    if write is None:
        raise OutputError(f"{output.name} has no known ending: use {', '.join(formats)}.")
    write(output, overwrite=force)
    show({"file": str(output)}, f"Written: {output}", as_json=as_json)
