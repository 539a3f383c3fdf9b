"""What is left of a budget when something was paid from it."""

from __future__ import annotations

from fractions import Fraction

from hushgram.declare.epsilon import budget_exceeded, is_price
from hushgram.errors import BadInput


def after_paying(epsilon: Fraction, remaining: Fraction, thing: str, payer: str) -> Fraction:
    """Exactly; what is no price, or more than there is, is refused."""
    if not is_price(epsilon):
        raise BadInput(f"a {thing} costs a positive fraction, not {epsilon!r}.")
    if epsilon > remaining:
        raise budget_exceeded(epsilon, remaining, payer)
    return remaining - epsilon
