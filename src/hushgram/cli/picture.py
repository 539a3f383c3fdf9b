"""Options that the commands which draw pictures share."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, Any

import typer

from hushgram.cli.records import Shared


@dataclass(frozen=True)
class PictureOptions(Shared):
    """The text around a picture, its scale and its background."""

    log: Annotated[
        bool | None,
        typer.Option("--log/--linear", help="Colour scale. Default: whichever suits the numbers."),
    ] = None
    rows: Annotated[str, typer.Option(help="What one row is, for titles: people, stops.")] = "rows"
    title: Annotated[str | None, typer.Option(help="Title of the picture.")] = None
    source: Annotated[str | None, typer.Option(help="Data source, for the footer.")] = None
    date: Annotated[str | None, typer.Option(help="Date of the data, for the footer.")] = None
    dark: Annotated[bool, typer.Option("--dark", help="Use a dark background.")] = False

    def keywords(self) -> dict[str, Any]:
        """Return the options as keywords of the methods that draw."""
        return asdict(self)
