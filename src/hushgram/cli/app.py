"""The program ``hushgram``."""

from __future__ import annotations

import sys
from typing import Annotated, NoReturn

import typer

from hushgram import __version__
from hushgram.cli import (
    areas,
    ask,
    blocks,
    columns,
    compare,
    demo,
    direct,
    explore,
    find,
    help,
    keys,
    lab,
    ledger,
    magnitudes,
    mechanisms,
    median,
    olap,
    points,
    publish,
    quantile,
    sample,
    studio,
    suggest,
    view,
)
from hushgram.cli.layout import Program, lay_out
from hushgram.cli.output import PROGRAM
from hushgram.cli.running import name_program_in_help, run

app = typer.Typer(
    name="hushgram",
    cls=Program,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
publish.add_to(app)
mechanisms.add_to(app)
suggest.add_to(app)
columns.add_to(app)
median.add_to(app)
direct.add_to(app)
find.add_to(app)
ask.add_to(app)
magnitudes.add_to(app)
quantile.add_to(app)
olap.add_to(app)
compare.add_to(app)
areas.add_to(app)
points.add_to(app)
view.add_to(app)
explore.add_to(app)
studio.add_to(app)
sample.add_to(app)
blocks.add_to(app)
ledger.add_to(app)
keys.add_to(app)
lab.add_to(app)
demo.add_to(app)
help.add_to(app)


def show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"hushgram {__version__}")
        raise typer.Exit


@app.callback()
def hushgram(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Publish accurate histograms and maps of private data.

    Publishing spends a privacy budget. The release can then be queried as often as you like.

    \b
    Example:
      hushgram demo
    """


name_program_in_help(app)
lay_out(app)


def main(arguments: list[str] | None = None) -> NoReturn:
    """The program's entry point."""
    help.offer_completions()
    run(app, sys.argv[1:] if arguments is None else arguments, PROGRAM)
