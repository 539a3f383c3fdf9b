"""``hushgram plot`` and ``hushgram export``: a release as a picture or in another format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from hushgram.cli.ask import ReleaseFile
from hushgram.cli.output import Json, show
from hushgram.errors import OutputError

Output = Annotated[Path, typer.Option("--output", "-o", help="The file to write.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite the output.")]

PICTURES = (".png", ".svg", ".pdf")


def add_to(app: typer.Typer) -> None:
    app.command("plot")(plot)
    app.command("export")(export)


def plot(
    release: ReleaseFile,
    output: Output,
    title: Annotated[str | None, typer.Option(help="A title for the picture.")] = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Draw a release of one or two axes as PNG, SVG or PDF.

    \b
    Example:
      hushgram plot checkins.hush.parquet -o map.png
    """
    from hushgram.release import load
    from hushgram.release.files import check_writable

    if output.suffix.lower() not in PICTURES:
        raise OutputError(f"{output.name} is no picture's name: end it in {', '.join(PICTURES)}.")
    check_writable(output, overwrite=force)
    load(release).plot(output, title=title)
    show({"picture": str(output)}, f"Picture: {output}", as_json=as_json)


def export(
    release: ReleaseFile, output: Output, force: Force = False, as_json: Json = False
) -> None:
    """Write a release as CSV (.csv), GeoJSON (.geojson) or GeoParquet (.geoparquet).

    \b
    Example:
      hushgram export checkins.hush.parquet -o checkins.geojson
    """
    from hushgram.release import load

    found: Any = load(release)
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
