"""How commands print: for people, or as JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Annotated, Any

import typer

PROGRAM = os.environ.get("HUSHGRAM_PROGRAM", "hushgram")
"""How the program was called, for hints: ``./hush`` in a clone."""

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def show(data: Any, text: str, *, as_json: bool) -> None:
    typer.echo(json.dumps(data, indent=2, ensure_ascii=False) if as_json else text)


def table(rows: Sequence[tuple[str, ...]], *, heads: tuple[str, ...] = ()) -> str:
    """Columns of text, aligned.

    >>> print(table([("a", "1"), ("bb", "22")]))
    a   1
    bb  22
    """
    lines = [heads, *rows] if heads else list(rows)
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )
