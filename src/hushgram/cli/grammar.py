"""The syntax of questions on the command line.

It follows the syntax of axes (`hushgram.declare.grammar`): ``lon=-74.3:-73.7`` excludes the upper
end, ``age=17..29`` includes both ends, ``sex=F`` and ``sex=F,M`` select categories.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from hushgram.answers.counting.question import check_names
from hushgram.base.text import shorten
from hushgram.declare.axis import Axis, Category, Date, Integer
from hushgram.declare.axis.date import to_moment
from hushgram.declare.domain import Domain
from hushgram.declare.grammar import parse_axis, parse_domain
from hushgram.errors import QuestionError

__all__ = ["parse_axis", "parse_domain", "parse_question"]


def parse_question(domain: Domain, texts: list[str]) -> dict[str, Any]:
    """Parse a question such as ``lon=-74.3:-73.7 sex=F``.

    >>> parse_question(Domain(age=Integer(0, 99)), ["age=17..29"])
    {'age': (17.0, 30.0)}
    """
    question: dict[str, Any] = {}
    for text in texts:
        name, _, asked = (part.strip() for part in text.partition("="))
        if not name or not asked:
            raise QuestionError(
                f"Cannot read the range {shorten(text)!r}. Write axis=lo:hi or axis=value. "
                "An end may be left out: axis=lo: or axis=:hi."
            )
        if name in question:
            raise QuestionError(
                f"Axis {name!r} is given twice. Combine both into one range or list."
            )
        compared = name.rstrip("<>! ")
        if name not in domain and compared in domain:
            raise QuestionError(
                f"Cannot read {shorten(text)!r}: comparisons are not supported. Write "
                f"{compared}=lo:hi, which excludes hi, or leave out an end: {compared}=lo: "
                f"or {compared}=:hi."
            )
        check_names(domain, [name])
        question[name] = parse_asked(name, domain[name], asked)
    return question


def parse_asked(name: str, axis: Axis, asked: str) -> Any:
    whole = axis.whole
    if asked == "other":
        return asked
    if isinstance(whole, Category):
        return [value.strip() for value in asked.split(",")]
    if isinstance(whole, Date):
        return parse_dates(name, whole, asked)
    low, colon, high = asked.partition(":")
    if colon:
        return tuple(float_or_none(name, end) for end in (low, high))
    first, dots, last = asked.partition("..")
    if dots:
        ends = float_or_none(name, first), float_or_none(name, last)
        step = 1 if isinstance(whole, Integer) else 0
        return ends[0], None if ends[1] is None else ends[1] + step
    return [float_or_none(name, value) for value in asked.split(",")]


def parse_dates(name: str, axis: Date, asked: str) -> Any:
    first, dots, last = (part.strip() for part in asked.partition(".."))
    if not dots:
        return [moment(name, text.strip()) for text in asked.split(",")]
    start = moment(name, first) if first else None
    if not last:
        return start, None
    return start, after_step(axis, moment(name, last))


def moment(name: str, text: str) -> datetime:
    found = to_moment(text)
    if found is None:
        raise QuestionError(
            f"Axis {name}: {shorten(text)!r} is not a date. Write it like 2024-12-31."
        )
    return found


def after_step(axis: Date, last: datetime) -> datetime | None:
    """Return the end of a range that includes the step of its last date; None for the end of the
    axis."""
    if last < axis.start:
        return last
    step = int(axis.positions([last])[0])
    return axis.edge(step + 1) if step + 1 < axis.bins else None


def float_or_none(name: str, text: str) -> float | None:
    if not text.strip():
        return None
    try:
        return float(text)
    except ValueError:
        raise QuestionError(f"Axis {name}: {shorten(text)!r} is not a number.") from None
