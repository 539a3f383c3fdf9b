"""The discrete Cauchy distribution: P(z) ∝ 1 / (scale² + z²) on the integers."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

from hushgram.errors import BadInput
from hushgram.trusted.noise import entropy
from hushgram.trusted.noise.laplace import check_arguments


def discrete_cauchy(scale: Fraction) -> int:
    """Draw an integer of any size with probability exactly P(z) ∝ 1 / (scale² + z²).

    Rejection sampling: propose block b of width w = ceil(scale) with probability 1 / ((b + 1)(b +
    2)), and a uniform magnitude in it. The proposal falls off like the distribution itself, so it
    is accepted with a rational probability of at least 0.4. The tail is so heavy that neither mean
    nor variance exists.

    Parameters
    ----------
    scale
        A rational number of at least 1.

    Examples
    --------
    >>> isinstance(discrete_cauchy(Fraction(5, 2)), int)
    True
    """
    scale, _ = check_arguments(scale, 1)
    if scale < 1:
        raise BadInput(f"The scale of a discrete Cauchy draw must be at least 1. Found {scale}.")
    width = ceil(scale)
    p, q = scale.numerator**2, scale.denominator**2  # scale² = p / q
    most = max(Fraction(2, p), Fraction(6, p + q * width * width))
    while True:
        negative, block = entropy.bits(1), heavy_block()
        magnitude = block * width + entropy.below(width)
        if negative and not magnitude:
            continue  # otherwise zero would be drawn twice as often
        weight = (block + 1) * (block + 2) * most.denominator
        if entropy.below(most.numerator * (p + q * magnitude * magnitude)) < weight:
            return -magnitude if negative else magnitude


def heavy_block() -> int:
    """Draw a number b with P(b) = 1 / ((b + 1)(b + 2)): floor(1 / u) - 1 for a uniform number u.

    Only as many bits of u are drawn as are needed to determine the floor.
    """
    u = entropy.Uniform()
    while True:
        one = 1 << u.width
        floor = one // (u.prefix + 1)
        if one <= (floor + 1) * u.prefix:  # the whole interval that contains u has this floor
            return floor - 1
        u.reveal()
