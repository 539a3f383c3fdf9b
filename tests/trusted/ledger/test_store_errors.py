"""Errors of SQLite and of the system become the ledger's own, with the reason they have."""

from __future__ import annotations

import sqlite3

import pytest

from hushgram.errors import LedgerCorrupted, LedgerError
from hushgram.trusted.ledger.sqlite import errors
from hushgram.trusted.ledger.sqlite.errors import translate_errors


@pytest.mark.parametrize("errno", [None, 0, *errors._SYSTEM, 9999])
def test_what_the_system_says(errno: int | None) -> None:
    known = errors._SYSTEM.get(errno, errors._NO_WAY_IN) if errno else errors._NO_WAY_IN
    with pytest.raises(LedgerError) as error, translate_errors("here"):
        raise OSError("no number") if errno is None else OSError(errno, "words")
    said = "None" if errno is None else "words"
    assert str(error.value) == f"The ledger here {known} (System: {said})"


@pytest.mark.parametrize("code", [*errors._SQLITE, None, 255])
@pytest.mark.parametrize("extended", [0, 3 << 8])
def test_what_sqlite_says(code: int | None, extended: int) -> None:
    """Extended codes are those of their low byte; an unknown one means damage."""
    problem = sqlite3.Error("words")
    if code is not None:
        problem.sqlite_errorcode = code | extended
    known = errors._SQLITE.get(sqlite3.SQLITE_ERROR if code is None else code)
    with pytest.raises(LedgerError) as error, translate_errors("here"):
        raise problem
    assert isinstance(error.value, LedgerCorrupted) == (known is None)
    told = known or f"{errors._DAMAGED} (SQLite: words)"
    assert str(error.value) == f"The ledger here {told}"


def test_bytes_of_the_file_are_not_quoted() -> None:
    with pytest.raises(LedgerCorrupted) as error, translate_errors("here"):
        b"\xff".decode()
    assert str(error.value) == f"The ledger here {errors._DAMAGED}"
