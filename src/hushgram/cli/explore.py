"""``hushgram explore``: a release as an interactive page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hushgram.cli.areas import axes_of
from hushgram.cli.output import Json, show
from hushgram.cli.parameters import Force, Signer
from hushgram.cli.view import Output


def add_to(app: typer.Typer) -> None:
    app.command("explore")(explore)


def explore(
    releases: Annotated[
        list[Path],
        typer.Argument(help="One release file, or several to compare."),
    ],
    output: Output,
    title: Annotated[str | None, typer.Option(help="Title of the page.")] = None,
    areas: Annotated[
        str | None,
        typer.Option(help="Polygons to count on the map: GeoJSON, GeoPackage or Shapefile."),
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="Column with the names of the areas. Default: name.")
    ] = None,
    on: Annotated[
        str | None, typer.Option(help="The two axes of the areas. Default: lon,lat or x,y.")
    ] = None,
    force: Force = False,
    signer: Signer = None,
    as_json: Json = False,
) -> None:
    """Write an interactive HTML page for a release.

    The page has a map, charts, groups and counts with margins. It is a single file that works
    offline, without a server.

    With several releases of the same axes, the page compares them.

    \b
    Example:
      hushgram explore checkins.hush.parquet -o checkins.html
      hushgram explore checkins.hush.parquet --areas districts.geojson -o districts.html
      hushgram explore 2023.hush.parquet 2024.hush.parquet -o years.html --title "Check-ins"
    """
    from hushgram.release import load
    from hushgram.web.explorer import GivenAreas
    from hushgram.web.explorer import explore as write_page

    loaded = [(path.name, load(path, signer=signer)) for path in releases]
    given = None if areas is None else GivenAreas(areas, name, axes_of(on))
    page = write_page(loaded, output, title=title, areas=given, overwrite=force)
    size = len(page.html.encode("utf-8", "replace"))
    text = f"Wrote {output} ({size / 1000:,.0f} kB). Open it in a browser."
    show({"page": str(output), "bytes": size}, text, as_json=as_json)
