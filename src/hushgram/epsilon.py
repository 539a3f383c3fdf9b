"""Epsilon, exactly: budgets are rational numbers, as people write them."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import Any

from hushgram.errors import EpsilonError, show

LARGE = Fraction(10)
"""Above this, epsilon protects hardly anybody, and needs an explicit override."""

WRITTEN = re.compile(r"[+-]?[0-9]{0,40}([.][0-9]{0,40})?([eE][+-]?[0-9]{1,2})?|[+-]?[0-9]+/[0-9]+")
"""How an epsilon is written. Longer exponents would be numbers that fill the memory."""

__all__ = ["LARGE", "as_epsilon", "is_price", "root_share", "show"]


def as_epsilon(value: Any, what: str = "epsilon") -> Fraction:
    """The exact number that was written, of an epsilon or of a cap.

    >>> as_epsilon(0.1) * 3 == as_epsilon("0.3")
    True
    >>> as_epsilon("1/3")
    Fraction(1, 3)
    """
    if isinstance(value, bool):
        raise EpsilonError(f"{what} is a positive number, not {value!r}.")
    try:
        text = str(value).strip()
        if not WRITTEN.fullmatch(text):
            raise ValueError
        exact = Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise EpsilonError(
            f"{what} is a positive number such as 1, 0.1 or 1/3, not {value!r}."
        ) from None
    if exact <= 0:
        raise EpsilonError(f"{what} must be positive, not {show(exact)}.")
    return exact


def root_share(value: Fraction | float, of: Fraction, *, bits: int = 20) -> Fraction:
    """An irrational share of a budget, rounded down to a rational that is exact from then on.

    >>> root_share(2 ** -0.5, Fraction(1)) < Fraction(7072, 10000)
    True
    """
    return of * Fraction(math.floor(Fraction(value) * 2**bits), 2**bits)


def is_price(epsilon: Any) -> bool:
    """Whether something is a positive fraction of Python's own integers: those of numpy, which a
    fraction may be made of, are cut to 64 bits without a word.

    >>> import numpy as np
    >>> is_price(Fraction(1, 3)), is_price(Fraction(np.int64(1), np.int64(3))), is_price(1)
    (True, False, False)
    """
    return (
        type(epsilon) is Fraction
        and type(epsilon.numerator) is type(epsilon.denominator) is int
        and epsilon > 0
    )
