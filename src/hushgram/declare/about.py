"""Who publishes a release, from which data, and under which licence.

All of this text is public and written by the publisher; none of it comes from the table. The
release stores it, ``hushgram show`` prints it, and reports and exports include it.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Self

from hushgram.base.text import CONTROLS, did_you_mean
from hushgram.errors import BadInput

MAX_LENGTH = 300
"""The most characters of each text: these are credits, not documents."""

DATE = re.compile(r"\d{4}(-\d{2}(-\d{2})?)?")


def as_line(name: str, text: object) -> str:
    """The text on one line. Raises if it is too long or contains control characters."""
    if not isinstance(text, str):
        raise BadInput(f"{name} must be text. Found {text!r}.")
    line = " ".join(text.split())
    if len(line) > MAX_LENGTH:
        raise BadInput(f"{name} is too long: {len(line):,} characters. Use at most {MAX_LENGTH}.")
    if CONTROLS.search(line):
        raise BadInput(f"{name} contains control characters: {line!a}. Remove them.")
    return line


def check_date(text: str) -> None:
    """Check that a text is a day, a month or a year in ISO 8601."""
    try:
        if not DATE.fullmatch(text):
            raise ValueError("not ISO 8601")
        dt.date.fromisoformat(text + "-01-01"[len(text) - 4 :])
    except ValueError:
        raise BadInput(f"date must be YYYY-MM-DD, YYYY-MM or YYYY. Found {text!r}.") from None


@dataclass(frozen=True, kw_only=True)
class About:
    """Public credits of a release: publisher, source, contact, licence and date. All are optional.

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
        """The fields that are not empty, by name."""
        return {name: text for name, text in asdict(self).items() if text}

    def merge(self, other: Self) -> Self:
        """Combine two records. Fields that are set in the other one take precedence.

        >>> About(publisher="A", source="census").merge(About(publisher="B")).texts
        {'publisher': 'B', 'source': 'census'}
        """
        return replace(self, **other.texts)


UNCREDITED = About()

AboutOption = About | Mapping[str, Any]
"""What functions accept: ``About(publisher="…")``, or a mapping with the same names."""


def as_about(about: object) -> About:
    """Convert ``about=`` to an `About`.

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
                f"about has no field {name!r}.{did_you_mean(name, known)} Fields: "
                f"{', '.join(known)}."
            )
    return About(**{name: text for name, text in about.items() if text is not None})
