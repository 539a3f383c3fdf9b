"""Helpers for messages: words cut to a length, and the name somebody probably meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def shortened(text: str, width: int = 200) -> str:
    """The text, cut to ``width`` characters."""
    return text if len(text) <= width else f"{text[: width - 1]}…"


def did_you_mean(name: object, known: Iterable[object]) -> str:
    """``" Did you mean 'age'?"`` if a known name is close to the given one, else nothing.

    >>> did_you_mean("Aeg", ["age", "sex"]), did_you_mean("height", ["age", "sex"])
    (" Did you mean 'age'?", '')
    """
    spelled = {str(one).casefold(): one for one in known}
    close = difflib.get_close_matches(str(name)[:200].casefold(), spelled, n=1, cutoff=0.6)
    return f" Did you mean {spelled[close[0]]!r}?" if close else ""
