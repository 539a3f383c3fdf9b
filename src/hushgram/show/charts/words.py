"""The text around a picture: the title above and the footer below."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from hushgram.base.exact import format_number
from hushgram.declare.unit import User
from hushgram.show.charts.canvas import plain
from hushgram.show.charts.style import Theme

if TYPE_CHECKING:
    from hushgram.release.release import Release

HATCHED = "Hatched: may be zero (the 95 % interval includes zero)."

LETTERS = 9
"""Letters per inch of a title; a footer has almost twice as many."""


def title_of(rows: str, names: Sequence[str], *, per: str = "", margins: bool = True) -> str:
    """The title of a picture.

    >>> title_of("stops", ["lon", "lat"], per="per km²", margins=False)
    'Stops per km²'
    >>> title_of("people", ["age", "sex"])
    'People by age and sex, with 95 % margins'
    """
    first = rows[:1].upper() + rows[1:]
    listed = " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)
    what = f"{first} {per}" if per else f"{first} by {listed}"
    return f"{what}, with 95 % margins" if margins else what


def footer_of(
    release: Release, source: str | None = None, date: str | None = None, *, hatched: bool = False
) -> str:
    """The footer: source and date, by default those of the release, its privacy, and the meaning of
    hatching."""
    source = release.about.source if source is None else source
    date = release.about.date if date is None else date
    origin = ", ".join(filter(None, [source and f"Source: {source}", date]))
    sentences = [origin and f"{origin}.", privacy_of(release), HATCHED if hatched else ""]
    return " ".join(filter(None, sentences))


def privacy_of(release: Release) -> str:
    """The privacy promise of a release in one sentence."""
    from hushgram.show.report.privacy import odds

    one = "person" if isinstance(release.unit, User) else "row"
    what = (
        f"of what any one {one} says"
        if release.neighbours == "replace-one"
        else f"that any one {one} is in the data"
    )
    return (
        f"Noise added for privacy (ε\u00a0=\u00a0{format_number(release.epsilon)}): seeing this "
        f"changes the odds {what} at most {odds(float(release.epsilon))}-fold."
    )


def add_title(figure: Any, title: str) -> None:
    """Add a title of at most three lines above the whole figure."""
    wide = figure.get_figwidth()
    figure.suptitle(lines_of(title, LETTERS * wide, 3), x=0.12 / wide, ha="left", fontsize=14,
                    fontweight="bold")  # fmt: skip


def add_footer(figure: Any, footer: str, theme: Theme) -> None:
    """Add a footer below the whole figure."""
    wide = figure.get_figwidth()
    figure.supxlabel(lines_of(footer, 1.65 * LETTERS * wide, 4), x=0.12 / wide, ha="left",
                     fontsize=8, color=theme.faint)  # fmt: skip


def lines_of(text: str, letters: float, most: int) -> str:
    lines = wrap(text, int(letters), max_lines=most, placeholder=" …")
    return "\n".join(map(plain, lines))
