"""Helpers for messages: shortened text, aligned columns, suggestions for misspelled names."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence

CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u2028-\u202e\u2066-\u2069]")
"""Control characters, lone surrogates, line separators and marks that change text direction."""


def shorten(text: str, width: int = 200) -> str:
    """The text, cut to ``width`` characters."""
    return text if len(text) <= width else f"{text[: width - 1]}…"


def lower_first(message: str) -> str:
    """A message to put after a colon: its first letter in lower case, unless it is a name.

    >>> lower_first("Bounds are reversed."), lower_first("NUL is not allowed.")
    ('bounds are reversed.', 'NUL is not allowed.')
    """
    second = message[1:2]
    return message[:1].lower() + message[1:] if second.islower() or second == " " else message


def did_you_mean(name: object, known: Iterable[object]) -> str:
    """``" Did you mean 'age'?"`` if a known name is close to the given one, else nothing.

    >>> did_you_mean("Aeg", ["age", "sex"]), did_you_mean("height", ["age", "sex"])
    (" Did you mean 'age'?", '')
    """
    spelled = {str(one).casefold(): one for one in known}
    close = difflib.get_close_matches(str(name)[:200].casefold(), spelled, n=1, cutoff=0.6)
    return f" Did you mean {spelled[close[0]]!r}?" if close else ""


def align_columns(rows: Sequence[tuple[str, ...]], *, heads: tuple[str, ...] = ()) -> str:
    """Columns of text, aligned.

    >>> print(align_columns([("a", "1"), ("bb", "22")]))
    a   1
    bb  22
    """
    lines = [heads, *rows] if heads else list(rows)
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def markdown_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown.

    >>> print(markdown_table(("a", "b"), [("1", "2|3")]))
    | a | b |
    | --- | --- |
    | 1 | 2\\|3 |
    """
    lines = [heads, ["---"] * len(heads), *rows]
    escaped = [[cell.replace("|", "\\|") for cell in line] for line in lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in escaped)
