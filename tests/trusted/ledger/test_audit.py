"""The book's rules, entry by entry: what may follow what, however well it is sealed."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from hushgram.base.exact import to_text
from hushgram.errors import LedgerCorrupted
from hushgram.trusted.ledger.audit import replay
from hushgram.trusted.ledger.chain import GENESIS, Entry, check_link, next_entry

Step = tuple[str, dict[str, Any]]


def state(cap: Any, spent: Any = 0, **more: str) -> dict[str, str]:
    sums = {"cap": to_text(Fraction(cap)), "spent": to_text(Fraction(spent))}
    return {**sums, "unit": "rows", "neighbours": "add-remove", **more}


def charge(cap: Any, spent: Any, epsilon: Any, name: str = "1") -> Step:
    more = {"request": f"q{name}", "receipt": f"r{name}", "request_hash": "", "salt": ""}
    return "charge", state(cap, spent, epsilon=to_text(Fraction(epsilon)), **more)


def commit(name: str = "1", **more: str) -> Step:
    return "commit", {"receipt": f"r{name}", "sha256": "", **more}


def book(*steps: Step) -> list[Entry]:
    """A book without a gap, in which these things happen."""
    entries: list[Entry] = []
    for kind, details in steps:
        account = details.get("account", "a")
        rest = {name: value for name, value in details.items() if name != "account"}
        entries.append(next_entry(entries[-1] if entries else None, account, kind, rest))
    return entries


OPEN: Step = ("open", state(1))
SOUND = [
    OPEN,
    charge(1, "1/2", "1/2"),
    commit(),
    ("cap", state(2, "1/2")),
    charge(2, 2, "3/2", "2"),
]


def test_a_sound_book_is_followed_to_its_end() -> None:
    history = replay(book(*SOUND))
    assert history.length == 5
    assert history.accounts["a"].spent == 2
    assert set(history.charges) == {"r1", "r2"}
    assert history.requests == {"q1", "q2"}
    assert set(history.commits) == {"r1"}


@pytest.mark.parametrize(
    "steps",
    [
        [("open", state(0))],
        [("open", state(1, "1/2"))],
        [OPEN, OPEN],
        [("cap", state(1))],
        [("close", state(1))],
        [charge(1, 1, 1)],
        [OPEN, charge(1, 0, 0)],
        [OPEN, charge(1, "1/2", "1/3")],
        [OPEN, charge(2, "1/2", "1/2")],
        [OPEN, charge(1, "3/2", "3/2")],
        [OPEN, charge(1, 1, 1), ("cap", state("1/2", 1))],
        [OPEN, charge(1, 1, 1), ("cap", state(2, 0))],
        [OPEN, ("cap", state(1, unit="user:id"))],
        [OPEN, charge(1, "1/2", "1/2"), charge(1, 1, "1/2")],
        [OPEN, commit()],
        [*SOUND[:3], commit()],
        [*SOUND[:2], commit(account="b")],
        [*SOUND[:2], commit("2")],
    ],
    ids=str,
)
def test_what_cannot_have_happened(steps: list[Step]) -> None:
    replay(book(*steps[:-1]))
    with pytest.raises(LedgerCorrupted):
        replay(book(*steps))


@pytest.mark.parametrize("repeated", ["request", "receipt"])
def test_requests_and_receipts_are_used_once(repeated: str) -> None:
    first, (kind, second) = charge(1, "1/2", "1/2"), charge(1, 1, "1/2", "2")
    with pytest.raises(LedgerCorrupted, match="repeats an earlier request or receipt"):
        replay(book(OPEN, first, (kind, {**second, repeated: first[1][repeated]})))


def test_an_entry_follows_the_one_before() -> None:
    first, second, third = book(*SOUND[:3])
    assert GENESIS == "0" * 64, "books that exist begin so"
    assert (first.seq, first.prev_hash) == (1, GENESIS)
    assert (second.seq, second.prev_hash) == (2, first.hash)
    check_link(None, first)
    check_link(first, second)
    for last, entry in ((None, second), (first, third), (second, first), (first, first)):
        with pytest.raises(LedgerCorrupted, match="is missing"):
            check_link(last, entry)
    with pytest.raises(LedgerCorrupted, match="does not continue"):
        check_link(book(("open", state(7)))[0], second)


@pytest.mark.parametrize("name", ["seq", "account", "kind", "payload", "time", "prev_hash", "hash"])
def test_every_part_of_an_entry_is_sealed(name: str) -> None:
    entry = book(OPEN)[0]
    entry.check()
    changed = 7 if name == "seq" else getattr(entry, name) + " "
    with pytest.raises(LedgerCorrupted, match="does not match its hash"):
        replace(entry, **{name: changed}).check()


@pytest.mark.parametrize("payload", ["", "[]", '"cap"', "{}", '{"cap": 1}', '{"cap": null}'])
def test_a_payload_holds_texts_by_name(payload: str) -> None:
    entry = replace(book(OPEN)[0], payload=payload)
    with pytest.raises(LedgerCorrupted):
        entry.field("cap")
    with pytest.raises(LedgerCorrupted):
        replace(entry, payload=json.dumps({"cap": "1"})).budget("cap")
