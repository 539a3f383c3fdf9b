"""The exception tree: what it says of itself, and that messages carry their values."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest

from hushgram import errors
from hushgram.base.exact import format_number
from hushgram.declare.epsilon import budget_exceeded
from hushgram.errors import HushgramError, MissingExtra, UnknownMechanism


def drawn() -> dict[str, str]:
    """Each error and its parent, as the picture at the top of the file has them."""
    parents: dict[str, str] = {}
    above: list[str] = []
    for line in (errors.__doc__ or "").splitlines():
        match = re.match(r"^    ([│├└─ ]*)([A-Z]\w+)", line)
        if match:
            depth = len(match[1]) // 4
            above[depth:] = [match[2]]
            parents[match[2]] = above[depth - 1] if depth else ""
    return parents


def test_the_picture_shows_the_tree() -> None:
    real = {
        name: kind for name, kind in vars(errors).items()
        if isinstance(kind, type) and issubclass(kind, HushgramError)
    }  # fmt: skip
    parents = drawn()
    assert set(parents) == set(real)
    for name, parent in parents.items():
        assert not parent or real[parent] in real[name].__bases__
        assert real[name].__doc__


def test_errors_carry_their_values() -> None:
    short = budget_exceeded(Fraction(1, 2), Fraction(3, 10), "account 'a'", "Do this.")
    assert (short.requested, short.remaining) == (Fraction(1, 2), Fraction(3, 10))
    assert str(short) == (
        "Insufficient budget: account 'a' has epsilon 0.3 left, but 0.5 was requested (0.2 too "
        "much). Do this."
    )
    unknown = UnknownMechanism("x", ("a", "b"))
    assert (unknown.name, unknown.known) == ("x", ("a", "b"))
    missing = MissingExtra("opendp", "opendp", "This noise")
    assert isinstance(missing, ImportError)
    assert 'pip install "opendp"' in str(missing)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("2", "2"), ("-2", "-2"), ("0", "0"), ("1/2", "0.5"), ("1/3", "1/3"), ("-1/4", "-0.25"),
        ("-5/4", "-1.25"), ("1/1000", "0.001"), ("10001/100", "100.01"), ("1/1024", "0.0009765625"),
        ("22/7", "22/7"),
    ],
)  # fmt: skip
def test_budgets_print_as_people_write_them(value: str, text: str) -> None:
    assert format_number(Fraction(value)) == text
    assert Fraction(format_number(Fraction(value))) == Fraction(value)
