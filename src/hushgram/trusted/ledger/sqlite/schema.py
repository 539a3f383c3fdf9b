"""The schema: one append-only table.

There are no tables of accounts and requests, because a second copy could disagree with the first.
Every entry except a commit contains the account's state after it, and indexes on the payloads find
it: the latest entry of an account *is* the account.

The insert trigger is needed because INSERT OR REPLACE deletes rows without firing delete triggers.
"""

from __future__ import annotations

APPLICATION = 0x48757368  # "Hush", in SQLite's header field for it
VERSION = 1

SCHEMA = f"""
CREATE TABLE entries (
    seq INTEGER PRIMARY KEY,
    account TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('open', 'cap', 'charge', 'commit')),
    payload TEXT NOT NULL,
    time TEXT NOT NULL,
    prev_hash TEXT NOT NULL,
    hash TEXT NOT NULL UNIQUE
);
CREATE INDEX states ON entries (account, seq) WHERE kind <> 'commit';
CREATE UNIQUE INDEX opened_once ON entries (account) WHERE kind = 'open';
CREATE UNIQUE INDEX charges_by_request ON entries (json_extract(payload, '$.request'))
    WHERE kind = 'charge';
CREATE UNIQUE INDEX charges_by_receipt ON entries (json_extract(payload, '$.receipt'))
    WHERE kind = 'charge';
CREATE UNIQUE INDEX commits_by_receipt ON entries (json_extract(payload, '$.receipt'))
    WHERE kind = 'commit';
CREATE TRIGGER no_update BEFORE UPDATE ON entries
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER no_delete BEFORE DELETE ON entries
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER only_append BEFORE INSERT ON entries
    WHEN NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM entries)
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {VERSION};
"""  # of this file's constants alone # nosec B608
