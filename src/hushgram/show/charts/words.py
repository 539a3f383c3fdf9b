"""What is said around a picture: the title above it, and the footer below it."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from hushgram.base.exact import format_number
from hushgram.base.text import shorten
from hushgram.declare.unit import User
from hushgram.show.charts.canvas import plain
from hushgram.show.charts.style import Theme

if TYPE_CHECKING:
    from hushgram.release.release import Release

LETTERS = 9
"""Of a title, on an inch; of a footer there are twice as many."""


def title_of(rows: str, names: Sequence[str], *, per: str = "", margins: bool = True) -> str:
    """What is shown, in the words of the data.

    >>> title_of("stops", ["lon", "lat"], per="km²", margins=False)
    'Stops per km²'
    >>> title_of("people", ["age", "sex"])
    'People by age and sex, with 95 % margins'
    """
    first = rows[:1].upper() + rows[1:]
    short = [shorten(name, 40) for name in names]
    listed = " and ".join([", ".join(short[:-1]), short[-1]]) if len(short) > 1 else "".join(short)
    what = f"{first} per {per}" if per else f"{first} by {listed}"
    return f"{what}, with 95 % margins" if margins else what


def footer_of(release: Release, source: str | None = None, date: str | None = None) -> str:
    """Where the numbers are from, and what was done for privacy."""
    said = [f"Source: {source}." if source else "", f"{date}." if date else "", privacy_of(release)]
    return " ".join(filter(None, said))


def privacy_of(release: Release) -> str:
    """The promise of a release in one sentence."""
    from hushgram.show.report.privacy import odds

    one = "person" if isinstance(release.unit, User) else "row"
    what = (
        f"of what any one {one} says"
        if release.neighbours == "replace-one"
        else f"that any one {one} is in the data"
    )
    return (
        f"Noise added for privacy: it keeps the odds {what} within a factor of "
        f"{odds(float(release.epsilon))} (ε = {format_number(release.epsilon)})."
    )


def add_title(figure: Any, title: str) -> None:
    """Above the whole figure, on three lines at the most."""
    wide = figure.get_figwidth()
    figure.suptitle(lines_of(title, LETTERS * wide, 3), x=0.12 / wide, ha="left", fontsize=14,
                    fontweight="bold")  # fmt: skip


def add_footer(figure: Any, footer: str, theme: Theme) -> None:
    """Below the whole figure."""
    wide = figure.get_figwidth()
    figure.supxlabel(lines_of(footer, 1.7 * LETTERS * wide, 4), x=0.12 / wide, ha="left",
                     fontsize=8, color=theme.faint)  # fmt: skip


def lines_of(text: str, letters: float, most: int) -> str:
    lines = wrap(text, int(letters), max_lines=most, placeholder=" …")
    return "\n".join(map(plain, lines))
