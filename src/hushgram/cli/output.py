"""How commands print: as text or as JSON."""

from __future__ import annotations

import json
import os
import re
from typing import Annotated, Any

import typer

from hushgram.base.text import CONTROLS

PROGRAM = os.environ.get("HUSHGRAM_PROGRAM", "hushgram")
"""The name under which the program was called, for hints: ``./hush`` in a clone."""

LONGEST = 1000
"""The maximum number of characters of a message."""

Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


def show(data: Any, text: str, *, as_json: bool) -> None:
    typer.echo(visible(json.dumps(data, indent=2, ensure_ascii=False) if as_json else text))


def visible(text: str) -> str:
    """Return text without terminal control characters, which an untrusted file may contain.

    >>> print(visible("a\\x1b[2Jb"))
    a\\u001b[2Jb
    """
    return CONTROLS.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text)


def one_line(message: str) -> str:
    """Return a message on one line, shortened if it quotes long text.

    >>> print(one_line("no file is called 'a\\nb'."))
    no file is called 'a\\u000ab'.
    >>> len(one_line("x" * 10_000))
    1000
    """
    if len(message) > LONGEST:
        message = f"{message[: LONGEST // 2]}…{message[1 - LONGEST // 2 :]}"
    return re.sub("[\n\t]", lambda sign: f"\\u{ord(sign[0]):04x}", visible(message))
