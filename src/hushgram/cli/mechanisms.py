"""``hushgram mechanisms``."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import typer

from hushgram.cli.output import Json, show

if TYPE_CHECKING:
    from hushgram.mechanisms import Mechanism

WIDTH = 98
COLUMN = 20
"""Column where the descriptions start."""


def add_to(app: typer.Typer) -> None:
    app.command("mechanisms")(mechanisms)


def mechanisms(as_json: Json = False) -> None:
    """List the mechanisms, and when to use each.

    \b
    Example:
      hushgram mechanisms --json
    """
    from hushgram.mechanisms import MECHANISMS

    kinds = dict(MECHANISMS)
    refused = [str(error) for error in MECHANISMS.plugin_errors().values()]
    text = "\n".join([*map(describe, kinds.values()), *refused])
    show([facts_of(kind) for kind in kinds.values()], text, as_json=as_json)


def facts_of(kind: type[Mechanism]) -> dict[str, Any]:
    return {
        "name": kind.name,
        "summary": kind.summary(),
        "use": kind.use_for(),
        "parameters": kind().parameters(),
    }


def describe(kind: type[Mechanism]) -> str:
    """Return the name, with the description in a column next to it."""
    sentences = f"{kind.summary()} {kind.use_for()}".strip()
    return textwrap.fill(
        sentences, WIDTH, initial_indent=f"{kind.name:{COLUMN}}", subsequent_indent=" " * COLUMN
    )
