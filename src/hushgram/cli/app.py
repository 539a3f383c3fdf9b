"""The program ``hushgram``."""

from __future__ import annotations

import json
import sys
from typing import Annotated, Any

import typer

from hushgram import __version__
from hushgram.cli import ask, demo, ledger, publish
from hushgram.errors import HushgramError

app = typer.Typer(
    name="hushgram",
    help="Publish accurate histograms and maps of private data.\n\n"
    "Stewards publish; anyone asks the release, as often as they like.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
publish.add_to(app)
ask.add_to(app)
ledger.add_to(app)
demo.add_to(app)


def say_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"hushgram {__version__}")
        raise typer.Exit


@app.callback()
def hushgram(
    version: Annotated[
        bool,
        typer.Option("--version", callback=say_version, is_eager=True, help="Say which version."),
    ] = False,
) -> None:
    """Publish accurate histograms and maps of private data."""


def main(arguments: list[str] | None = None) -> Any:
    """Run the program; bad input is one sentence and exit code 2, never a traceback."""
    words = sys.argv[1:] if arguments is None else arguments
    try:
        return app(args=words, prog_name="hushgram")
    except HushgramError as error:
        report(error, as_json="--json" in words)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.stderr.write("stopped.\n")
        sys.exit(130)


def report(error: HushgramError, *, as_json: bool) -> None:
    if as_json:
        found = {"error": type(error).__name__, "message": str(error)}
        sys.stderr.write(json.dumps(found) + "\n")
    else:
        sys.stderr.write(f"hushgram: {error}\n")
