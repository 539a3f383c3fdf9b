"""What is read from a book, whatever database it lies in."""

from __future__ import annotations

from typing import Any

import pytest

from hushgram.errors import LedgerCorrupted
from hushgram.trusted.ledger.journal import Journal

SOUND = (1, "a", "open", "{}", "2026-01-01", "0", "1")


class Rows:
    """A table with one line."""

    def __init__(self, row: tuple[Any, ...]) -> None:
        self._row = row

    def execute(self, query: str, values: Any = ()) -> list[tuple[Any, ...]]:
        return [self._row]


def test_a_line_is_a_number_and_six_texts() -> None:
    (entry,) = Journal(Rows(SOUND)).entries()  # type: ignore[arg-type]
    assert (entry.seq, entry.account, entry.hash) == (1, "a", "1")


@pytest.mark.parametrize("place", range(7))
@pytest.mark.parametrize("odd", [None, b"a", 1.5])
def test_a_line_of_other_types_is_not_readable(place: int, odd: Any) -> None:
    row = (*SOUND[:place], odd, *SOUND[place + 1 :])
    with pytest.raises(LedgerCorrupted, match="is not readable"):
        list(Journal(Rows(row)).entries())  # type: ignore[arg-type]
