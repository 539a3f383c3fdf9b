"""How measures are written, on the command line and in plans.

==========================================  ====================================================
``sum earnings 0:200000``                   what a column adds up to, between public bounds
``mean hours 0:80``                         its mean
``weighted-count weight 0:5000``            the weighted number of rows
``sum price 0:99 step=0.01``                values rounded to cents
``mean age 0:120 missing=40 outside=drop``  how to treat rows without a value, and others
``sum pay 0:9000 per_person=20000``         the maximum that all rows of a person add up to
==========================================  ====================================================
"""

from __future__ import annotations

import re
from typing import Any

from hushgram.base.text import did_you_mean, shorten
from hushgram.declare.grammar import RANGE
from hushgram.declare.measure import KINDS, OPTIONS, Sum
from hushgram.errors import DomainError

DASHED = re.compile(r"([0-9.]+)-([0-9.]+)")
"""Bounds as many people write them, which could be the end of a column's name."""


def parse_measure(text: str) -> Sum:
    """One measure.

    >>> str(parse_measure("mean usual hours 0:80 step=0.5")), parse_measure("sum x 0:1").kind
    ('mean usual hours 0:80 step=0.5', 'sum')
    """
    kind, *words = text.split()[:100] if isinstance(text, str) and text.split() else ("",)
    if kind not in KINDS:
        raise DomainError(
            f"Cannot read measure {shorten(str(text))!r}: it starts with one of {', '.join(KINDS)}."
            f"{did_you_mean(kind, KINDS)}"
        )
    place = next((n for n, word in enumerate(words) if n and RANGE.fullmatch(word)), None)
    bounds = RANGE.fullmatch(words[place]) if place is not None else None
    if place is None or bounds is None or bounds[3] is not None:
        raise DomainError(
            f"Cannot read measure {shorten(text)!r}: expected {kind} COLUMN LOW:HIGH, such as "
            f"'{kind} earnings 0:200000'."
        )
    return KINDS[kind](
        " ".join(words[:place]), bounds[1], bounds[2], **options_of(words[place + 1 :], text)
    )


def parse_aggregate(text: str) -> tuple[str | Sum, str | None]:
    """A single question: an aggregate's name, a measure, or a sum or mean of a column whose
    bounds are to be found.

    >>> parse_aggregate("count"), parse_aggregate("mean usual hours")
    (('count', None), ('mean', 'usual hours'))
    >>> str(parse_aggregate("mean hours 0:80")[0])
    'mean hours 0:80'
    """
    kind, _, column = text.strip().partition(" ")
    words = column.split()
    dashed = DASHED.fullmatch(words[-1]) if kind in KINDS and len(words) > 1 else None
    if dashed is not None:
        meant = " ".join([kind, *words[:-1], f"{dashed[1]}:{dashed[2]}"])
        raise DomainError(
            f"Cannot read {shorten(text)!r}: bounds are written LOW:HIGH. Did you mean {meant!r}?"
        )
    if not words or any(RANGE.fullmatch(word) for word in words) or kind not in ("sum", "mean"):
        return (parse_measure(text), None) if words else (kind, None)
    return kind, column.strip()


def options_of(words: list[str], text: str) -> dict[str, Any]:
    """What follows the bounds."""
    found = {}
    for word in words:
        name, sign, value = word.partition("=")
        if name not in OPTIONS or not sign or not value:
            raise DomainError(
                f"Cannot read {word!r} in measure {shorten(text)!r}: expected step=0.01, "
                "outside=drop, missing=0 or per_person=90000."
            )
        found[name] = value
    return found
