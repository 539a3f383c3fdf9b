"""Exact numbers: parsing, formatting and storing them. "0.1" three times is 0.3.

All budgets, prices, caps and exact parameters are parsed and formatted here.
"""

from __future__ import annotations

import re
import reprlib
from decimal import Decimal
from fractions import Fraction
from numbers import Real

Number = Fraction | Decimal | Real | int | float | str
"""Types that `parse_number` accepts."""

DIGITS = 100
"""The most digits before the point, after it, or on either side of a slash."""

LONGEST = 10**4000
"""Python prints no integers much longer than this."""

_WRITTEN = re.compile(
    rf"[+-]?([0-9]{{1,{DIGITS}}}/[0-9]{{1,{DIGITS}}}"
    rf"|([0-9]{{1,{DIGITS}}}([.][0-9]{{0,{DIGITS}}})?|[.][0-9]{{1,{DIGITS}}})([eE][+-]?[0-9]{{1,2}})?)"
)
_STORED = re.compile(r"(0|[1-9][0-9]{0,3999})/([1-9][0-9]{0,3999})")


def parse_number(value: object) -> Fraction | None:
    """The exact value of a number; None for anything else and for very long numbers.

    A float is read as its shortest decimal, since that is what its author wrote.

    >>> parse_number(0.1), parse_number("1/3"), parse_number(" 2.5e-1 ")
    (Fraction(1, 10), Fraction(1, 3), Fraction(1, 4))
    >>> parse_number("many"), parse_number(True), parse_number(10**5000), parse_number("1e999999")
    (None, None, None, None)
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int | Fraction):
        # Compared by size, because merely printing a huge integer is slow or forbidden.
        parts = int(value.numerator), int(value.denominator)  # numpy's would wrap
        return Fraction(*parts) if max(map(abs, parts)) < 10**DIGITS else None
    if not isinstance(value, str | Decimal | Real):
        return None
    text = str(value).strip()
    # Checked before it is read: Fraction("1e999999999") would compute all those digits.
    if not _WRITTEN.fullmatch(text):
        return None
    try:
        return Fraction(text)
    except ZeroDivisionError:
        return None


def format_number(value: Fraction) -> str:
    """Text that parses back to exactly this number, a decimal if there is one.

    >>> format_number(Fraction(3, 10)), format_number(Fraction(1, 3)), format_number(Fraction(-2))
    ('0.3', '1/3', '-2')
    """
    if max(abs(value.numerator), value.denominator) >= LONGEST:
        return "a number of thousands of digits"
    places = next((n for n in range(DIGITS + 1) if 10**n % value.denominator == 0), None)
    if places is None:
        return str(value)
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    sign = "-" if value < 0 else ""
    return f"{sign}{digits[:-places]}.{digits[-places:]}" if places else f"{sign}{digits}"


def to_text(value: Fraction) -> str:
    """The stored form.

    >>> to_text(Fraction(2))
    '2/1'
    """
    return f"{value.numerator}/{value.denominator}"


def from_text(text: str) -> Fraction:
    """The inverse of `to_text`; ValueError for anything else."""
    match = _STORED.fullmatch(text)
    if match is None:
        raise ValueError(f"Not a stored number: {text[:40]!r}")
    return Fraction(int(match[1]), int(match[2]))


def short_repr(value: object) -> str:
    """A short text for any value, for messages.

    >>> short_repr("abc"), short_repr(10**5000)
    ("'abc'", 'a number of thousands of digits')
    """
    try:
        return reprlib.repr(value)
    except ValueError:
        return "a number of thousands of digits"
