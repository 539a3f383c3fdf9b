"""What is left of a budget after a charge."""

from __future__ import annotations

from fractions import Fraction

from hushgram.declare.epsilon import budget_exceeded, is_price
from hushgram.errors import BadInput


def deduct(epsilon: Fraction, remaining: Fraction, thing: str, payer: str) -> Fraction:
    """What remains, exactly; a charge that is not a positive fraction, or too large, is refused."""
    if not is_price(epsilon):
        raise BadInput(f"a {thing} costs a positive fraction, not {epsilon!r}.")
    if epsilon > remaining:
        raise budget_exceeded(epsilon, remaining, payer)
    return remaining - epsilon
