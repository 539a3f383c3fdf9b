"""Whatever is asked, in whatever order: the sums are exact and the cap holds."""

from __future__ import annotations

import hashlib
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hushgram.base.exact import format_number, from_text, to_text
from hushgram.declare.epsilon import as_epsilon
from hushgram.errors import BadInput, BudgetError, BudgetExceeded
from hushgram.trusted.ledger import Ledger, Receipt
from tests.trusted.ledger.ledger_contract import ROWS, pay

EPSILONS = st.fractions(min_value=Fraction(1, 1000), max_value=3, max_denominator=1000)


@given(cap=EPSILONS, epsilons=st.lists(EPSILONS, max_size=12))
@settings(max_examples=60, deadline=None)
def test_the_sum_of_the_charges_is_what_is_spent(cap: Fraction, epsilons: list[Fraction]) -> None:
    ledger = Ledger.in_memory()
    ledger.open_account("a", cap, **ROWS)
    paid = Fraction(0)
    for epsilon in epsilons:
        if paid + epsilon <= cap:
            paid += pay(ledger, "a", epsilon).epsilon
        else:
            with pytest.raises(BudgetExceeded):
                pay(ledger, "a", epsilon)
        assert ledger.account("a").spent == paid <= cap
    ledger.verify()


STEPS = st.lists(
    st.tuples(st.sampled_from(["begin", "commit", "cap"]), st.sampled_from("ab"), EPSILONS),
    max_size=15,
)


@given(steps=STEPS)
@settings(max_examples=60, deadline=None)
def test_no_history_overdraws_or_refunds(steps: list[tuple[str, str, Fraction]]) -> None:
    ledger, receipts, pending = Ledger.in_memory(), [], []
    spent = {"a": Fraction(0), "b": Fraction(0)}
    for step, name, amount in steps:
        try:
            if step == "begin":
                pending.append(pay(ledger, name, amount))
                receipts.append(pending[-1].receipt)
                spent[name] += amount
            elif step == "commit" and pending:
                ledger.commit(pending.pop(), b"release")
            elif step == "cap" and spent[name]:
                ledger.set_cap(name, amount)
        except BudgetError:
            pass
        for account in ledger.accounts():
            assert account.spent == spent[account.name] <= account.cap
    ledger.verify(receipts)


@given(st.fractions(min_value=0).filter(bool))
def test_texts_read_back_exactly(value: Fraction) -> None:
    assert from_text(to_text(value)) == value
    assert Fraction(format_number(value)) == value


@given(st.decimals(min_value="0.000001", max_value=1000, places=12))
def test_decimals_are_what_they_say(value: Decimal) -> None:
    assert as_epsilon(value) == as_epsilon(str(value)) == Fraction(value)


@pytest.mark.parametrize(
    ("value", "exact"),
    [
        (0.1, Fraction(1, 10)),
        (np.float64(0.1), Fraction(1, 10)),
        (np.float32(0.5), Fraction(1, 2)),
        (np.int64(3), Fraction(3)),
        (" 1e-3 ", Fraction(1, 1000)),
        (".5", Fraction(1, 2)),
        ("+2.", Fraction(2)),
        ("6/4", Fraction(3, 2)),
    ],
)
def test_numbers_as_people_write_them(value: float, exact: Fraction) -> None:
    assert as_epsilon(value) == exact


@pytest.mark.parametrize("text", ["", "1", "-1/2", "1/0", "01/2", "0.5", "1/2 ", "٣/٤"])
def test_stored_numbers_have_one_form(text: str) -> None:
    with pytest.raises(ValueError, match="Not a stored number"):
        from_text(text)


def test_a_receipt_travels_as_texts() -> None:
    receipt = pay(Ledger.in_memory(), epsilon="1/3").receipt
    data = receipt.to_json()
    assert data["epsilon"] == "1/3"
    assert Receipt.from_json(data) == receipt


def test_the_seal_is_salted() -> None:
    ledger = Ledger.in_memory()
    receipt, charge = pay(ledger).receipt, ledger.entries()[-1]
    salt = charge.field("salt")
    assert len(bytes.fromhex(salt)) == 32
    assert receipt.seal == hashlib.sha256((salt + charge.hash).encode()).hexdigest()


@pytest.mark.parametrize(
    "changed", [{"id": "../x"}, {"id": 3}, {"seal": ""}, {"epsilon": "0.5"}, {"epsilon": None}]
)
def test_receipts_that_are_none(changed: dict[str, object]) -> None:
    data = pay(Ledger.in_memory()).receipt.to_json()
    with pytest.raises(BadInput, match="Invalid receipt"):
        Receipt.from_json({**data, **changed})  # type: ignore[dict-item]
    for nothing in ({}, [], None):
        with pytest.raises(BadInput, match="Invalid receipt"):
            Receipt.from_json(nothing)  # type: ignore[arg-type]
