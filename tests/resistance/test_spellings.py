"""Spellings of one name that nobody can tell apart share one budget, or are refused."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

import hushgram as hg
from hushgram.errors import BadInput, HushgramError
from hushgram.trusted.ledger import Account
from hushgram.trusted.ledger.journal import Journal

NINE = (
    "stops",
    "Stops",
    "STOPS",
    "ｓｔｏｐｓ",
    "stops\ufe0f",
    "sto\u034fps",
    "st\u200dops",
    "\u0455t\u043e\u0440\u0455",  # Cyrillic but for the t
    "st\u03bfps",  # with a Greek omicron
)


def released(ledger: hg.Ledger, account: str) -> bool:
    source = hg.Counts([5, 6, 7])
    try:
        hg.publish(source, epsilon=1, account=account, ledger=ledger, mechanism="identity")
    except HushgramError:
        return False
    return True


@pytest.mark.parametrize("first", range(len(NINE)))
def test_nine_spellings_of_one_name_give_one_release(tmp_path: Path, first: int) -> None:
    for ledger in (hg.Ledger.in_memory(), hg.Ledger.open(tmp_path / "ledger.db")):
        turns = NINE[first:] + NINE[:first]
        assert sum(released(ledger, spelling) for spelling in turns) == 1
        assert len(ledger.accounts()) == 1


def test_names_that_were_told_apart_before_stay_reachable() -> None:
    """Accounts of an earlier Hushgram, which compared names letter by letter."""
    ledger = hg.Ledger.in_memory()
    with ledger._store.writing() as rows:
        journal = Journal(rows)
        for name in ("Stops", "stops", "st\u043eps"):
            journal.record(Account(name, Fraction(2), "rows", "add-remove"), "open")
    assert all(released(ledger, name) for name in ("Stops", "stops", "st\u043eps"))
    with pytest.raises(
        BadInput, match=r"could be any of 'Stops', 'stops'\. Write one of these exactly"
    ):
        ledger.account("STOPS")
    assert [account.spent for account in ledger.accounts()] == [1, 1, 1]
    assert ledger.verify() == 9
