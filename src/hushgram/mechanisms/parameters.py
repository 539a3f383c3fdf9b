"""The parameters of mechanisms: their syntax, and rules for their values.

A rule converts a value to the form that is stored, or raises an error. A mechanism applies the
rules when it is created, which is before anything is charged.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from numbers import Real
from operator import index
from typing import Any

from hushgram.base.exact import parse_number, short_repr
from hushgram.errors import BadInput

Rule = Callable[[Any, str], Any]
"""A function from a value and its parameter's name to the value that is stored."""

MAX_DENOMINATOR = 10**40
"""The largest denominator of a share: noise that is wider by this factor is still a number."""

LARGEST = 2**63 - 1


def check_parameters(mechanism: object, **rules: Rule) -> None:
    """Apply the rules to the parameters of a mechanism that is being created."""
    for name, rule in rules.items():
        object.__setattr__(mechanism, name, rule(getattr(mechanism, name), name))


def positive_share(value: Any, name: str) -> Fraction:
    """A share of the budget as an exact number.

    >>> positive_share(0.1, "share"), positive_share("1/3", "share")
    (Fraction(1, 10), Fraction(1, 3))
    """
    share = parse_number(value)
    if share is None or not 0 < share < 1 or share.denominator > MAX_DENOMINATOR:
        raise BadInput(
            f"{name} must be between 0 and 1, with at most 40 digits, such as 0.1 or 1/3. "
            f"Found {short_repr(value)}."
        )
    return share


def positive_number(value: Any, name: str) -> float:
    """A positive number of a reasonable size."""
    if not 1e-9 <= as_float(value) <= 1e9:
        raise BadInput(f"{name} must be a number from 1e-9 to 1e9. Found {short_repr(value)}.")
    return float(value)


def number_from_zero(value: Any, name: str) -> float:
    """A number that is positive or 0."""
    if not 0 <= as_float(value) <= 1e99:
        raise BadInput(f"{name} must be a number from 0 to 1e99. Found {short_repr(value)}.")
    return float(value)


def whole_number(least: int, most: int = LARGEST) -> Rule:
    """The rule for whole numbers from ``least`` to ``most``, by default up to 64 bits.

    >>> whole_number(2)(7, "branching")
    7
    """

    def rule(value: Any, name: str) -> int:
        number = as_whole(value)
        if number is None or not least <= number <= most:
            end = "2^63 - 1" if most == LARGEST else most
            raise BadInput(
                f"{name} must be a whole number from {least} to {end}. Found {short_repr(value)}."
            )
        return number

    return rule


def one_of(*choices: str) -> Rule:
    """The rule for one of these texts."""

    def rule(value: Any, name: str) -> str:
        if not isinstance(value, str) or value not in choices:
            known = f"{', '.join(choices[:-1])} or {choices[-1]}"
            raise BadInput(f"Unknown {name}={short_repr(value)}. Use {known}.")
        return value

    return rule


def optional(rule: Rule) -> Rule:
    """The rule for None or a value that another rule allows."""
    return lambda value, name: None if value is None else rule(value, name)


def parse_parameters(text: str) -> dict[str, Any]:
    """Read parameters as written on the command line and in plans.

    >>> parse_parameters("bound=50, share=1/3, score=deviation")
    {'bound': 50, 'share': Fraction(1, 3), 'score': 'deviation'}
    """
    given: dict[str, Any] = {}
    for one in text.split(","):
        name, equals, value = (part.strip() for part in one.partition("="))
        if not (name and equals) or name in given:
            raise BadInput(
                f"Cannot read the parameters {short_repr(text)}. Write "
                "name:key=value,key=value, with each key once."
            )
        given[name] = parse_value(value)
    return given


def parse_value(text: str) -> Any:
    """A whole number or a fraction; other text is returned unchanged."""
    number = parse_number(text)
    if number is None:
        return text
    return number.numerator if number.denominator == 1 else number


def as_float(value: Any) -> float:
    """A number as a float; NaN if it is not a number or too large."""
    try:
        real = isinstance(value, Real) and not isinstance(value, bool)
        return float(value) if real else float("nan")
    except OverflowError:
        return float("nan")


def as_whole(value: Any) -> int | None:
    """A whole number of any type as an ``int``; None for anything else."""
    try:
        return None if isinstance(value, bool) else index(value)
    except TypeError:
        return None
