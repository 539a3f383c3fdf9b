"""Who publishes a release, from which data, and on which terms: text for its readers.

All of it is public and typed by the publisher; nothing is taken from the table. A release stores
it, `hushgram show` prints it, and the report and the exports quote it.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Self

from hushgram.base.text import CONTROLS, did_you_mean
from hushgram.errors import BadInput

LONGEST = 300
"""Characters of each text: they are credits, not a place for documents."""

DATE = re.compile(r"\d{4}(-\d{2}(-\d{2})?)?")


def as_line(name: str, text: object) -> str:
    """A text on one line, of moderate length."""
    if not isinstance(text, str):
        raise BadInput(f"{name} must be a text. Found {text!r}.")
    line = " ".join(text.split())
    if len(line) > LONGEST:
        raise BadInput(
            f"{name} has {len(line):,} characters; at most {LONGEST} are stored. Shorten it."
        )
    if CONTROLS.search(line):
        raise BadInput(f"{name} contains control characters: {line!a}. Remove them.")
    return line


def check_date(text: str) -> None:
    """A day, a month or a year, as ISO 8601 writes it."""
    try:
        if not DATE.fullmatch(text):
            raise ValueError("not ISO 8601")
        dt.date.fromisoformat(text + "-01-01"[len(text) - 4 :])
    except ValueError:
        raise BadInput(f"date must be YYYY-MM-DD, YYYY-MM or YYYY. Found {text!r}.") from None


@dataclass(frozen=True, kw_only=True)
class About:
    """Publisher, source, contact, licence and date of a release; each may be empty.

    >>> About(publisher="City of Bremen", date=dt.date(2026, 5, 1))
    About(publisher='City of Bremen', source='', contact='', licence='', date='2026-05-01')
    >>> About(date="1 May")
    Traceback (most recent call last):
    hushgram.errors.BadInput: date must be YYYY-MM-DD, YYYY-MM or YYYY. Found '1 May'.
    """

    publisher: str = ""
    source: str = ""
    contact: str = ""
    licence: str = ""
    date: str = ""

    def __post_init__(self) -> None:
        if isinstance(self.date, dt.date):
            object.__setattr__(self, "date", f"{self.date:%Y-%m-%d}")
        for field in fields(self):
            object.__setattr__(self, field.name, as_line(field.name, getattr(self, field.name)))
        if self.date:
            check_date(self.date)

    def __bool__(self) -> bool:
        return any(asdict(self).values())

    @property
    def texts(self) -> dict[str, str]:
        """What is not empty, by name."""
        return {name: text for name, text in asdict(self).items() if text}

    def merge(self, other: Self) -> Self:
        """With the other's texts where it has any.

        >>> About(publisher="A", source="census").merge(About(publisher="B")).texts
        {'publisher': 'B', 'source': 'census'}
        """
        return replace(self, **other.texts)


UNCREDITED = About()

AboutOption = About | Mapping[str, Any]
"""How callers write it: ``About(publisher="…")``, or a mapping with the same names."""


def as_about(about: object) -> About:
    """
    >>> as_about({"publisher": "City of Bremen"}).texts
    {'publisher': 'City of Bremen'}
    >>> as_about({"author": "me"})
    Traceback (most recent call last):
    hushgram.errors.BadInput: about has no field 'author'. Fields: publisher, source, contact, \
licence, date.
    """
    if isinstance(about, About):
        return about
    if about is None:
        return UNCREDITED
    if not isinstance(about, Mapping):
        raise BadInput(f"about must be About(…) or a mapping. Found {type(about).__name__}.")
    known = [field.name for field in fields(About)]
    for name in about:
        if name not in known:
            raise BadInput(
                f"about has no field {name!r}.{did_you_mean(name, known)} "
                f"Fields: {', '.join(known)}."
            )
    return About(**{name: text for name, text in about.items() if text is not None})
