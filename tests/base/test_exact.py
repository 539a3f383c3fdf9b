"""Exact numbers as they are written, at the edges of what is read."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from hushgram.base.exact import format_number, from_text, to_text
from hushgram.declare.epsilon import LARGE, as_epsilon, refuse_large
from hushgram.errors import EpsilonError

LONGEST = 10**100 - 1


class Odd:
    """No number, though it prints as one."""

    def __str__(self) -> str:
        return "1"


@pytest.mark.parametrize(
    ("value", "exact"),
    [
        (LONGEST, LONGEST),
        (Fraction(1, LONGEST), Fraction(1, LONGEST)),
        (str(LONGEST), LONGEST),
        (f"1/{LONGEST}", Fraction(1, LONGEST)),
        (f"{LONGEST}/{LONGEST}", 1),
        ("0." + "0" * 99 + "1", Fraction(1, 10**100)),
        (" +2 ", 2),
        (".5", Fraction(1, 2)),
        ("5.", 5),
        ("1e-99", Fraction(1, 10**99)),
        (Decimal("0.1"), Fraction(1, 10)),
        (0.1, Fraction(1, 10)),
        (1, 1),
    ],
    ids=lambda value: str(value)[:20],
)
def test_what_is_a_budget(value: Any, exact: Any) -> None:
    assert as_epsilon(value) == exact
    assert from_text(to_text(as_epsilon(value))) == exact
    assert as_epsilon(format_number(as_epsilon(value))) == exact


@pytest.mark.parametrize(
    "value",
    [
        0, Fraction(0), "0", 0.0, "0/5", "-0", -1, "-1", Fraction(-1, 2), "1/0", True, None, [], "",
        "1e100", "1e-100", "nan", "inf", "1_0", "٣", b"1", LONGEST + 1, Fraction(1, LONGEST + 1),
        str(LONGEST + 1), f"1/{LONGEST + 1}", "0." + "0" * 100 + "1", "." + "0" * 100 + "1", Odd(),
    ],
    ids=lambda value: repr(value)[:20],
)  # fmt: skip
def test_what_is_none(value: Any) -> None:
    with pytest.raises(EpsilonError, match="the cap must be a positive number"):
        as_epsilon(value, "the cap")


def test_what_was_found_is_told() -> None:
    with pytest.raises(EpsilonError, match=r"epsilon must be a positive number .* Found 'abc'"):
        as_epsilon("abc")


def test_a_number_too_long_to_print_is_refused_in_words() -> None:
    with pytest.raises(EpsilonError, match="a number of thousands of digits"):
        as_epsilon(10**5000)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(2), "2"),
        (Fraction(1, 8), "0.125"),
        (Fraction(1, 20), "0.05"),
        (Fraction(101, 100), "1.01"),
        (Fraction(1, 3), "1/3"),
        (Fraction(1, 10**100), "0." + "0" * 99 + "1"),
        (Fraction(1, 10**101), "1/1" + "0" * 101),
    ],
)
def test_how_a_budget_is_format_number(value: Fraction, text: str) -> None:
    assert format_number(value) == text


@pytest.mark.parametrize("text", ["1", "1/0", "01/2", "1/02", "-1/2", "1/2 ", "1.5/2", "٣/2", "/2"])
def test_what_is_no_stored_budget(text: str) -> None:
    with pytest.raises(ValueError, match="Not a stored number:"):
        from_text(text)


def test_large_ones_must_be_wanted() -> None:
    refuse_large(Fraction(LARGE), "epsilon", allowed=False)
    above = Fraction(LARGE) + Fraction(1, 10**9)
    refuse_large(above, "epsilon", allowed=True)
    with pytest.raises(EpsilonError, match="where privacy means little"):
        refuse_large(above, "epsilon", allowed=False)
