"""``./hush reproduce``: recompute a paper's tables and figures. NONPRIVATE."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from hushgram.cli.output import Json, show
from hushgram.cli.running import run

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.command()
def reproduce(
    number: Annotated[str, typer.Argument(help="000, 001, 002, 003 or 004.", metavar="PAPER")],
    runs: Annotated[
        int | None,
        typer.Option(min=1, help="Runs of each experiment. Default: 6 to 200, by paper."),
    ] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for the page and its pictures.")
    ] = Path("docs/reproduction"),
    as_json: Json = False,
) -> None:
    """Recompute a paper's tables and figures, and compare them with the printed ones.

    Writes a page with pictures. Uses the public tables in the folder HUSHGRAM_DATA, or bundled and
    generated data without it. Everything is NONPRIVATE.

    \b
    Example:
      ./hush reproduce 003
      ./hush reproduce 002 --runs 10 -o pages
    """
    from reproduction import page
    from reproduction import paper as named

    asked = named(number)
    many = runs or asked.runs
    page.check_folder(output)
    findings = page.make_findings(asked, many)
    files = [str(file) for file in page.write(asked, findings, many, output)]
    text = (
        f"{page.text(asked, findings, many)}\n\nPage: {files[0]}, with {len(files) - 1} pictures."
    )
    show({**page.to_json(asked, findings, many), "files": files}, text, as_json=as_json)


if __name__ == "__main__":
    run(app, sys.argv[1:], "./hush reproduce")
