"""An explanation of a release's mechanism and parameters, from the release alone."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from hushgram.base.exact import format_number
from hushgram.mechanisms import MECHANISMS, Mechanism

if TYPE_CHECKING:
    from hushgram.release.release import Release

WIDTH = 88
NAMED = "The publisher chose this mechanism."


def explain(release: Release) -> str:
    """The mechanism, why it was chosen, what it does, its parameters and error bars, as text."""
    known = MECHANISMS.find(release.mechanism)
    paragraphs = [
        f"This release was made by {release.mechanism} with ε = {format_number(release.epsilon)}.",
        f"Why: {release.why or NAMED}",
        f"What it does: {known.summary()} {known.use_for()}".strip()
        if known
        else (
            f"This version of Hushgram does not know {release.mechanism}, so it cannot explain "
            "what it does."
        ),
    ]
    text = "\n\n".join(textwrap.fill(one, WIDTH) for one in paragraphs)
    described = meanings(known) if known else {}
    listed = [
        entry(name, value, described.get(name, "")) for name, value in release.parameters.items()
    ]
    if listed:
        text += "\n\nIts parameters:\n" + "\n".join(listed)
    bars = (
        "Error bars contain the true answer as often as they say. They account for the "
        "noise, and for unevenly spread rows where a question cuts through parts."
    )
    return f"{text}\n\n{textwrap.fill(bars, WIDTH)}"


def entry(name: str, value: Any, meaning: str) -> str:
    shown = "default" if value is None else value
    line = f"{name} = {shown}{'.' if meaning else ''} {meaning}".strip()
    return textwrap.fill(line, WIDTH, initial_indent="  ", subsequent_indent="    ")


def meanings(mechanism: type[Mechanism]) -> dict[str, str]:
    """A description of each parameter of a mechanism, in one sentence.

    >>> meanings(MECHANISMS["uniform-grid"])["total_share"]
    'The share of the budget for the number of rows N.'
    """
    return {
        name: sentence(plain(text))
        for names, text in entries(mechanism)
        for name in names.split(", ")
    }


def entries(mechanism: type[Mechanism]) -> Iterator[tuple[str, str]]:
    """The names and the descriptions in the docstring's section on parameters."""
    section = docstring_of(mechanism).partition("\nParameters\n----------\n")[2]
    section = re.split(r"\n\w+\n-{3,}\n", section)[0]
    for match in re.finditer(r"^(\w[\w, ]*)\n((?:(?:    .*)?\n?)+)", section, re.M):
        yield match[1], match[2]


def docstring_of(mechanism: type[Mechanism]) -> str:
    return inspect.cleandoc(mechanism.__doc__ or "")


def plain(text: str) -> str:
    """Text on one line, without docstring markup."""
    return re.sub(r"`+", "", " ".join(text.split()))


def sentence(text: str) -> str:
    """The first sentence of a text.

    >>> sentence("The paper's c = 10. Or 0.5 of it.")
    "The paper's c = 10."
    """
    found = re.match(r".*?[.:](?= [A-Z]|$)", text)
    return found[0] if found else text
