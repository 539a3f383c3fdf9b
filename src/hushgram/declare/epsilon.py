"""Epsilon as an exact rational number, as the user wrote it."""

from __future__ import annotations

import math
from fractions import Fraction

from hushgram.base.exact import DIGITS, format_number, parse_number, short_repr
from hushgram.errors import BudgetExceeded, EpsilonError

LARGE = Fraction(10)
"""Larger values of epsilon hardly protect anybody, and need an explicit override."""


def as_epsilon(value: object, what: str = "epsilon") -> Fraction:
    """Read an epsilon or a cap as an exact number.

    >>> as_epsilon(0.1) * 3 == as_epsilon("0.3")
    True
    >>> as_epsilon("1/3")
    Fraction(1, 3)
    """
    exact = parse_number(value)
    if exact is None or exact <= 0:
        raise EpsilonError(
            f"{what} must be a positive number of at most {DIGITS} digits, such as 1, 0.1 or 1/3. "
            f"Found {short_repr(value)}.{decimal_point_hint(value)}"
        )
    return exact


def decimal_point_hint(value: object) -> str:
    """A suggestion for a number with a decimal comma, else nothing.

    >>> decimal_point_hint("0,5"), decimal_point_hint("half")
    (' Did you mean 0.5?', '')
    """
    is_text = isinstance(value, str) and value.count(",") == 1 and len(value) <= DIGITS
    point = str(value).replace(",", ".") if is_text else ""
    return f" Did you mean {point}?" if point and parse_number(point) else ""


def refuse_large(value: Fraction, what: str, *, allowed: bool) -> None:
    """Raise for values that are usually typing mistakes."""
    if value > LARGE and not allowed:
        raise EpsilonError(
            f"{what} {format_number(value)} is above {LARGE}, where privacy means little. "
            f"Use at most {LARGE}, or allow it explicitly with allow_large=True "
            "(--allow-large)."
        )


def budget_exceeded(
    requested: Fraction, remaining: Fraction, where: str, hint: str = ""
) -> BudgetExceeded:
    """The error for a charge that exceeds the remaining budget."""
    left, asked, more = map(format_number, (remaining, requested, requested - remaining))
    reason = (
        f"Insufficient budget: {where} has epsilon {left} left, but {asked} was requested "
        f"({more} too much)."
    )
    return BudgetExceeded(requested, remaining, reason, hint)


def root_share(value: Fraction | float, of: Fraction, *, bits: int = 20) -> Fraction:
    """An irrational share of a budget, rounded down to an exact rational number.

    >>> root_share(2 ** -0.5, Fraction(1)) < Fraction(7072, 10000)
    True
    """
    return of * Fraction(math.floor(Fraction(value) * 2**bits), 2**bits)


def is_price(epsilon: object) -> bool:
    """Whether something is a positive fraction of Python integers. A fraction may also consist of
    numpy integers, which overflow silently at 64 bits.

    >>> import numpy as np
    >>> is_price(Fraction(1, 3)), is_price(Fraction(np.int64(1), np.int64(3))), is_price(1)
    (True, False, False)
    """
    return (
        type(epsilon) is Fraction
        and type(epsilon.numerator) is type(epsilon.denominator) is int
        and epsilon > 0
    )
