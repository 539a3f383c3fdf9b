"""What leaves the ledger, and what a ledger is known by."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import pytest

from hushgram.errors import BadInput
from hushgram.trusted.ledger import Ledger
from hushgram.trusted.ledger.postgres import schema as postgres
from hushgram.trusted.ledger.receipt import Receipt, new_id, new_salt
from hushgram.trusted.ledger.request import Finished, check_id


def test_ids_and_salts_have_as_many_digits_as_receipts_need() -> None:
    assert (len(new_id()), len(new_salt())) == (32, 64)
    assert len({new_id() for _ in range(100)}) == 100
    receipt = Receipt(new_id(), Fraction(1, 3), new_salt())
    assert Receipt.from_json(receipt.to_json()) == receipt


@pytest.mark.parametrize("name", ["id", "epsilon", "seal"])
def test_a_receipt_with_a_digit_less_is_none(name: str) -> None:
    whole = Receipt("a" * 32, Fraction(1, 3), "b" * 64).to_json()
    for odd in (whole[name][:-1], whole[name] + "g", None):
        with pytest.raises(BadInput, match="Invalid receipt"):
            Receipt.from_json({**whole, name: odd})  # type: ignore[dict-item]
    with pytest.raises(BadInput, match="Invalid receipt"):
        Receipt.from_json({key: value for key, value in whole.items() if key != name})


@pytest.mark.parametrize(("length", "fits"), [(0, False), (1, True), (200, True), (201, False)])
def test_ids_of_requests(length: int, fits: bool) -> None:
    if fits:
        assert check_id("x" * length) == "x" * length
    else:
        with pytest.raises(BadInput, match="A request ID must have 1 to 200"):
            check_id("x" * length)


def test_a_finished_request_does_not_print_its_release() -> None:
    receipt = Receipt(new_id(), Fraction(1), new_salt())
    assert "secret" not in repr(Finished("q", "a", Fraction(1), receipt, b"secret"))


def test_ledgers_that_exist_are_known_by_these_numbers(tmp_path: Path) -> None:
    Ledger.open(tmp_path / "ledger.db")
    with closing(sqlite3.connect(tmp_path / "ledger.db")) as connection:
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
    assert (application.to_bytes(4, "big"), version) == (b"Hush", 1)
    assert postgres.VERSION == 1
