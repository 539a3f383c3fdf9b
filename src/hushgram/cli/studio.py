"""``hushgram studio``: publish on a local page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hushgram.cli.output import visible


def add_to(app: typer.Typer) -> None:
    app.command("studio")(studio)


def studio(
    folder: Annotated[Path, typer.Argument(help="Where to look for tables first.")] = Path(),
    port: Annotated[
        int, typer.Option("--port", help="Port to listen on; 0 uses any free port.")
    ] = 0,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")
    ] = True,
) -> None:
    """Open a local web page to publish on.

    There you choose a table, declare axes, see the errors to expect, publish, and explore the
    release.

    Only this computer can reach the page, with an address that works once. Ctrl-C stops it.

    \b
    Example:
      hushgram studio
      hushgram studio data/ --no-browser
    """
    from hushgram.errors import BadInput
    from hushgram.web.studio.server import serve

    if not folder.is_dir():
        raise BadInput(f"{folder} is not a folder. Give one that holds tables, or leave it out.")
    serve(
        folder.resolve(),
        port=port,
        browser=browser,
        say=lambda line: typer.echo(visible(line)),
    )
