"""Exact parameters, and guaranteed integer bounds on exp(-x) to any precision."""

from __future__ import annotations

from fractions import Fraction
from numbers import Rational

from hushgram.errors import BadInput
from hushgram.trusted.noise.entropy import Interval


def enclose(x: Fraction | int, precision: int) -> Interval:
    """Return integers ``low <= 2**precision * exp(-x) <= high`` at most 2 apart, for x ≥ 0.

    The Taylor series of ``exp(-x / 2**h)``, whose argument is below 2⁻⁸, then h squarings, each
    step rounded outwards. Every bound is derived in ``docs/proofs/noise.md``, section 2.

    Examples
    --------
    >>> enclose(Fraction(1), 20)  # 2**20 / e = 385749.6...
    (385749, 385750)
    >>> enclose(0, 20) == (2**20, 2**20)
    True
    """
    one = 1 << precision
    if x == 0:
        return one, one
    if x >= precision:  # exp(-x) < 2**-x
        return 0, 1
    halvings = int(x).bit_length() + 8
    work = precision + halvings + precision.bit_length() + 16
    numerator, denominator = x.numerator, x.denominator << halvings
    term = total = 1 << work
    n = 0
    while term:
        n += 1
        term = term * numerator // (denominator * n)
        total += -term if n & 1 else term
    slack = 2 * n + 2
    low, high = total - slack, min(total + slack, 1 << work)
    for _ in range(halvings):
        low = low * low >> work
        high = ceil_shift(high * high, work)
    return low >> (work - precision), ceil_shift(high, work - precision)


def exact_number(name: str, value: Fraction) -> Fraction:
    """Return a parameter as a fraction. Floats are refused."""
    if not isinstance(value, Rational):
        raise BadInput(
            f"{name} must be an exact rational number. Found {value!r} ({type(value).__name__}). "
            "Use fractions.Fraction."
        )
    return Fraction(value)


def ceil_shift(value: int, by: int) -> int:
    """``ceil(value / 2**by)``."""
    return -(-value >> by)


def ceil_div(value: int, by: int) -> int:
    """``ceil(value / by)``."""
    return -(-value // by)
