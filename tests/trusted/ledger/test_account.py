"""The rules of an account, at their edges."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from hushgram.declare.epsilon import LARGE
from hushgram.errors import (
    AccountMismatch,
    BadInput,
    BudgetError,
    BudgetExceeded,
    EpsilonError,
    HushgramError,
)
from hushgram.trusted.ledger.account import (
    Account,
    check_name,
    check_promise,
    unknown_account_error,
)


def account(**more: Any) -> Account:
    terms: dict[str, Any] = {"name": "a", "cap": Fraction(1), "unit": "rows"}
    return Account(**{**terms, "neighbours": "add-remove", **more})


def test_the_last_bit_of_a_budget_can_be_spent_and_no_more() -> None:
    empty = account().with_charge(Fraction(2, 3)).with_charge(Fraction(1, 3))
    assert (empty.spent, empty.remaining) == (1, 0)
    with pytest.raises(BudgetExceeded):
        empty.with_charge(Fraction(1, 10**9))


@pytest.mark.parametrize(("cap", "flag"), [(LARGE - 1, False), (LARGE, True), (LARGE + 5, True)])
def test_the_suggested_cap_says_if_it_must_be_wanted(cap: int, flag: bool) -> None:
    full = account(cap=Fraction(cap), spent=Fraction(cap))
    with pytest.raises(BudgetExceeded) as told:
        full.with_charge(Fraction(1))
    assert f"set-cap a {cap + 1}" in str(told.value)
    assert ("--allow-large" in str(told.value)) == flag


@pytest.mark.parametrize(("bits", "stored"), [(10_000, True), (10_001, False)])
def test_sums_have_a_denominator_of_so_many_bits(bits: int, stored: bool) -> None:
    epsilon = Fraction(1, 2 ** (bits - 1))
    if stored:
        assert account().with_charge(epsilon).spent == epsilon
    else:
        with pytest.raises(EpsilonError, match="thousands of digits"):
            account().with_charge(epsilon)


def test_a_cap_may_be_what_is_spent_and_not_less() -> None:
    used = account(spent=Fraction(1, 2))
    assert used.with_cap(Fraction(1, 2)).remaining == 0
    assert used.with_cap(Fraction(2)).remaining == Fraction(3, 2)
    with pytest.raises(BudgetError, match=r"0\.5 is already spent"):
        used.with_cap(Fraction(499, 1000))


@pytest.mark.parametrize(
    ("unit", "neighbours", "same"),
    [
        ("rows", "add-remove", True),
        ("rows", "replace-one", False),
        ("user:id", "add-remove", False),
        ("user:id", "replace-one", False),
    ],
)
def test_epsilons_add_up_for_one_promise_only(unit: str, neighbours: str, same: bool) -> None:
    if same:
        account().require(unit, neighbours)
    else:
        with pytest.raises(AccountMismatch):
            account().require(unit, neighbours)


NAMES = {
    "a": True,
    "_": True,
    "7": True,
    "a b": True,
    "x" * 100: True,
    "x" * 101: False,
    "": False,
    "a ": False,
    " a": False,
    "-a": False,
    "a/b": False,
    "/a": False,
    "a!": False,
}


@pytest.mark.parametrize("name", [*NAMES, None, 7, b"a"], ids=repr)
def test_names(name: Any) -> None:
    if NAMES.get(name, False):
        assert check_name(name) == name
    else:
        with pytest.raises(BadInput, match="Invalid account name"):
            check_name(name)


@pytest.mark.parametrize(
    ("unit", "fits"),
    [("u", True), ("u" * 1000, True), ("u" * 1001, False), ("", False), ("\0", False), (1, False)],
)
def test_units(unit: Any, fits: bool) -> None:
    if fits:
        assert check_promise(unit, "add-remove") == (unit, "add-remove")
    else:
        with pytest.raises(BadInput, match="A privacy unit must be text"):
            check_promise(unit, "add-remove")


def test_half_a_surrogate_pair_is_no_unit() -> None:
    for half in (0xD800, 0xDC00, 0xDFFF):
        with pytest.raises(BadInput):
            check_promise(f"a{chr(half)}", "add-remove")
    assert check_promise("\ud7ff\ue000", "add-remove")


@pytest.mark.parametrize(
    ("count", "listed", "more"), [(0, 0, False), (10, 10, False), (11, 10, True)]
)
def test_an_unknown_name_is_told_ten_others(count: int, listed: int, more: bool) -> None:
    error: HushgramError = unknown_account_error("x", [f"n{number}" for number in range(count)])
    assert str(error).count("'n") == listed
    assert ("…" in str(error)) == more
    assert ("none yet" in str(error)) == (count == 0)


def test_long_values_are_told_in_short() -> None:
    with pytest.raises(BadInput, match=r"Invalid account name"):
        check_name("x" * 101)
    for length, cut in ((58, False), (59, True)):
        with pytest.raises(BadInput) as told:
            check_name("/" * length)
        assert ("…" in str(told.value)) == cut
