"""What is left of a budget when something was paid from it."""

from __future__ import annotations

from fractions import Fraction

from hushgram.epsilon import is_price
from hushgram.errors import BadInput, BudgetExceeded


def after_paying(epsilon: Fraction, remaining: Fraction, thing: str, payer: str) -> Fraction:
    """Exactly; what is no price, or more than there is, is refused."""
    if not is_price(epsilon):
        raise BadInput(f"a {thing} costs a positive fraction, not {epsilon!r}.")
    if epsilon > remaining:
        raise BudgetExceeded(epsilon, remaining, payer)
    return remaining - epsilon
