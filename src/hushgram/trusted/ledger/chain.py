"""The ledger's entries, each sealed with the hash of the one before.

An entry's payload is the text that was hashed, not a parsed value, because two parsers could
disagree about a text, for example with a duplicate key.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from fractions import Fraction

from hushgram.base.exact import from_text
from hushgram.errors import LedgerCorrupted

GENESIS = "0" * 64
"""The previous hash of the first entry."""


@dataclass(frozen=True)
class Entry:
    """One entry of the ledger. `time` is for people; no decision depends on it."""

    seq: int
    account: str
    kind: str
    payload: str
    time: str
    prev_hash: str
    hash: str

    def __str__(self) -> str:
        return f"entry {self.seq} ({self.kind} of account {self.account!r})"

    def check(self) -> Entry:
        """Return itself, or raise if its hash is not that of its contents."""
        if self.hash != self.digest():
            raise corruption_error(f"{self} does not match its hash")
        return self

    def digest(self) -> str:
        """Return the hash of its contents and of the previous hash."""
        names = ("seq", "account", "kind", "payload", "time")
        body = canonical({name: getattr(self, name) for name in names})
        return hashlib.sha256((self.prev_hash + body).encode()).hexdigest()

    def field(self, name: str) -> str:
        """Return one value of the payload, which contains only text."""
        try:
            details = json.loads(self.payload)
        except ValueError as error:
            raise corruption_error(f"{self} is not readable") from error
        value = details.get(name) if isinstance(details, dict) else None
        if not isinstance(value, str):
            raise corruption_error(f"{self} lacks its {name!r}")
        return value

    def budget(self, name: str) -> Fraction:
        """Return one exact number of the payload."""
        try:
            return from_text(self.field(name))
        except ValueError as error:
            raise corruption_error(f"{self} has no number as its {name!r}") from error


def next_entry(last: Entry | None, account: str, kind: str, details: Mapping[str, str]) -> Entry:
    """Create the entry after `last`."""
    seq = 1 if last is None else last.seq + 1
    prev_hash = GENESIS if last is None else last.hash
    payload = canonical(dict(details))
    time = datetime.now(UTC).isoformat(timespec="seconds")
    entry = Entry(seq, account, kind, payload, time, prev_hash, "")
    return replace(entry, hash=entry.digest())


def check_link(last: Entry | None, entry: Entry) -> None:
    """Refuse an entry that is not the one after `last`."""
    entry.check()
    seq, prev_hash = (1, GENESIS) if last is None else (last.seq + 1, last.hash)
    if entry.seq != seq:
        raise corruption_error(f"entry {seq} is missing, and {entry} follows instead")
    if entry.prev_hash != prev_hash:
        raise corruption_error(f"{entry} does not continue the entry before it")


def canonical(value: object) -> str:
    """Return a unique text for a value: sorted keys, no spaces, ASCII, no NaN.

    >>> canonical({"b": 1, "a": ["é", Fraction(1, 2)]})
    '{"a":["\\\\u00e9","1/2"],"b":1}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False, default=_plain)


def corruption_error(found: str) -> LedgerCorrupted:
    """Return the error for an inconsistent ledger."""
    return LedgerCorrupted(
        f"The ledger was damaged or edited: {found}. Do not publish with it. Restore it "
        "from a backup that contains every receipt, then run: hushgram ledger verify"
    )


def _plain(value: object) -> str:
    if isinstance(value, Fraction):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no canonical form")
