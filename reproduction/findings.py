"""Statements of a paper, compared with what is measured here. NONPRIVATE."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

LABEL = "NONPRIVATE"


@dataclass(frozen=True)
class Claim:
    """A statement of a paper, the result here, and whether they agree."""

    what: str
    printed: str
    measured: str
    agrees: bool | None
    """None if the noise is too large to say."""
    why: str = ""
    """Why they differ, if they do."""
    untestable: str = ""
    """Why it cannot be tested here, if it cannot."""

    @classmethod
    def not_tested(cls, what: str, printed: str, reason: str) -> Claim:
        """Create a statement that cannot be tested here, with the reason."""
        return cls(what, printed, "–", None, untestable=reason)

    @property
    def verdict(self) -> str:
        if self.untestable:
            return "cannot be tested here"
        return {True: "agrees", False: "differs", None: "within noise"}[self.agrees]

    def to_json(self) -> dict[str, Any]:
        return {
            "what": self.what,
            "printed": self.printed,
            "measured": self.measured,
            "verdict": self.verdict,
            "why": self.untestable or (self.why if self.agrees is False else ""),
        }


@dataclass(frozen=True)
class Numbers:
    """A table of formatted numbers."""

    title: str
    heads: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]

    def to_json(self) -> dict[str, Any]:
        rows = [dict(zip(self.heads, row, strict=True)) for row in self.rows]
        return {"title": self.title, "rows": rows}


@dataclass(frozen=True)
class Picture:
    """A picture: its file name, its caption, and how to draw it."""

    name: str
    caption: str
    draw: Callable[[], Any]


@dataclass(frozen=True)
class PaperFinding:
    """A table or figure of a paper, recomputed."""

    title: str
    about: str
    claims: Sequence[Claim] = ()
    numbers: Sequence[Numbers] = ()
    pictures: Sequence[Picture] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "about": self.about,
            "claims": [one.to_json() for one in self.claims],
            "numbers": [one.to_json() for one in self.numbers],
            "pictures": [f"{one.name}.png" for one in self.pictures],
        }


Step = Callable[[int], PaperFinding]
"""Computes a finding from a number of runs."""


@dataclass(frozen=True)
class Paper:
    """A paper, and how to recompute its tables and figures."""

    number: str
    title: str
    reference: str
    runs: int
    """The default number of runs of each experiment."""
    steps: Sequence[Step]
    notes: Sequence[str] = field(default=())


def short(value: float, digits: int = 3) -> str:
    """Format a number with three significant digits, or as many as given.

    >>> short(0.01234), short(1234.5), short(123456.0), short(0.0), short(2.0), short(0.0567, 1)
    ('0.0123', '1,230', '123,000', '0', '2', '0.06')
    """
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    last = digits - 1 - math.floor(math.log10(abs(value)))
    if abs(value) >= 1e7 or abs(value) < 1e-4:
        return f"{value:.{digits}g}"
    text = f"{round(value, last):,.{max(last, 0)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def rank_names(values: dict[str, float]) -> str:
    """Return the names in ascending order of their values.

    >>> rank_names({"a": 2.0, "b": 1.0})
    'b < a'
    """
    return " < ".join(sorted(values, key=values.__getitem__))


def some_of(agreeing: int, all_: int) -> str:
    """Describe how many of several agree.

    >>> some_of(3, 4), some_of(4, 4)
    ('3 of 4', 'all 4')
    """
    return f"all {all_}" if agreeing == all_ else f"{agreeing} of {all_}"
