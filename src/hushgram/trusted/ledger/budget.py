"""Exact budgets: "0.1" three times is 0.3, in memory and on disk."""

from __future__ import annotations

import re
import reprlib
from decimal import Decimal
from fractions import Fraction
from numbers import Real

from hushgram.epsilon import LARGE
from hushgram.errors import EpsilonError

Budget = Fraction | Decimal | Real | int | float | str

_DIGITS = 100
_WRITTEN = re.compile(
    rf"[+-]?(\d{{1,{_DIGITS}}}/\d{{1,{_DIGITS}}}"
    rf"|(\d{{1,{_DIGITS}}}(\.\d{{0,{_DIGITS}}})?|\.\d{{1,{_DIGITS}}})([eE][+-]?\d{{1,2}})?)",
    re.ASCII,
)
_STORED = re.compile(r"(0|[1-9]\d*)/([1-9]\d*)", re.ASCII)


def positive(value: Budget, what: str = "epsilon") -> Fraction:
    """The number that was written, exactly; anything but a positive number is refused.

    A float stands for its shortest decimal, since that is what its author wrote.

    >>> positive(0.1) + positive("0.2"), positive("1/3")
    (Fraction(3, 10), Fraction(1, 3))
    """
    exact = _read(value)
    if exact is None or exact <= 0:
        raise EpsilonError(
            f"{what} must be a positive number of at most {_DIGITS} digits, found {_quote(value)}. "
            "Write it like 0.5, 2 or '1/3'."
        )
    return exact


def refuse_large(value: Fraction, what: str, *, allowed: bool) -> None:
    """Stop at values that are usually a slip of the keyboard."""
    if value > LARGE and not allowed:
        raise EpsilonError(
            f"{what} {written(value)} is above {LARGE}, where privacy means little. "
            f"Use at most {LARGE}, or allow it explicitly with allow_large=True (--allow-large)."
        )


def written(value: Fraction) -> str:
    """A text that reads back as exactly this number, decimal where it can be.

    >>> written(Fraction(3, 10)), written(Fraction(1, 3)), written(Fraction(12345678901234567, 100))
    ('0.3', '1/3', '123456789012345.67')
    """
    places = 0
    while places <= _DIGITS and (10**places) % value.denominator:
        places += 1
    if places > _DIGITS:
        return str(value)
    scaled = str(value.numerator * 10**places // value.denominator).rjust(places + 1, "0")
    return scaled if not places else f"{scaled[:-places]}.{scaled[-places:]}"


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
        raise ValueError(f"no stored budget: {text[:40]!r}")
    return Fraction(int(match[1]), int(match[2]))


def _read(value: Budget) -> Fraction | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | Fraction):
        # Compared by size, because merely printing a huge integer is slow or forbidden.
        size = max(abs(value.numerator), value.denominator)
        return Fraction(value) if size < 10**_DIGITS else None
    if not isinstance(value, str | Decimal | Real):
        return None
    text = str(value).strip()
    # Checked before parsing: Fraction("1e999999999") would compute all those digits.
    if not _WRITTEN.fullmatch(text):
        return None
    try:
        return Fraction(text)
    except ZeroDivisionError:
        return None


def _quote(value: object) -> str:
    try:
        return reprlib.repr(value)
    except ValueError:
        return "a number of thousands of digits"
