"""The program ``hushgram``."""

from __future__ import annotations

import json
import sys
from typing import Annotated, Any, NoReturn

import typer

from hushgram import __version__
from hushgram.cli import (
    ask,
    blocks,
    demo,
    find,
    keys,
    lab,
    ledger,
    median,
    olap,
    publish,
    quantile,
    sample,
    suggest,
    view,
)
from hushgram.cli.output import one_line
from hushgram.errors import HushgramError

UsageError: Any = typer.BadParameter.__base__
"""Typer names only this child of it, and newer ones bring their own copy of Click."""

app = typer.Typer(
    name="hushgram",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
publish.add_to(app)
suggest.add_to(app)
median.add_to(app)
find.add_to(app)
ask.add_to(app)
quantile.add_to(app)
olap.add_to(app)
view.add_to(app)
sample.add_to(app)
blocks.add_to(app)
ledger.add_to(app)
keys.add_to(app)
lab.add_to(app)
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
    """Publish accurate histograms and maps of private data.

    Stewards publish; anyone asks the release, as often as they like.

    \b
    Example:
      hushgram demo
    """


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the program; bad input is one sentence and exit code 2, never a traceback."""
    words = sys.argv[1:] if arguments is None else arguments
    as_json = "--json" in words
    try:
        code = app(args=words or ["--help"], prog_name="hushgram", standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except HushgramError as error:
        report(type(error).__name__, str(error), as_json=as_json)
    except UsageError as error:
        report("BadInput", usage(error), as_json=as_json)
    except (KeyboardInterrupt, typer.Abort):
        sys.stderr.write("stopped.\n")
        sys.exit(130)
    sys.exit(2)


def usage(error: Any) -> str:
    """What is wrong with the words of a command, and where to read how it goes."""
    command = error.ctx.command_path if error.ctx else "hushgram"
    said = error.format_message().rstrip(".")
    return f"{said}{'' if said.endswith('?') else '.'} See: {command} --help"


def report(kind: str, message: str, *, as_json: bool) -> None:
    """One line, whatever the words that a message repeats."""
    message = one_line(message)
    if as_json:
        message = json.dumps({"error": kind, "message": message}, ensure_ascii=False)
    else:
        message = f"hushgram: {message}"
    sys.stderr.write(message + "\n")
