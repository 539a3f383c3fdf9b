"""The tables, in a separate schema, and how `verify` checks them.

``entries`` is the same table as in SQLite. ``ledger`` has one row, with the version, which writers
lock. ``releases`` are the finished ones. All are append-only: triggers refuse to change or remove a
row, even for the owner, unless the owner disables them.

Text is compared byte by byte (``COLLATE "C"``), so that the order and the indexes do not depend on
a locale.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

VERSION = 1

_REFUSE = "BEGIN RAISE EXCEPTION 'the ledger is append-only'; END"
_APPEND = """BEGIN
    IF NEW.seq IS DISTINCT FROM (SELECT coalesce(max(seq), 0) + 1 FROM hushgram.entries) THEN
        RAISE EXCEPTION 'the ledger is append-only';
    END IF;
    RETURN NEW;
END"""

FUNCTIONS = {"refuse": _REFUSE, "append": _APPEND}
TABLES = ("entries", "ledger", "releases")
INDEXES = (
    "states",
    "opened_once",
    "charges_by_request",
    "charges_by_receipt",
    "commits_by_receipt",
)


def field(name: str) -> str:
    """Return the SQL for one value of a payload. The payload itself is stored as the text that was
    hashed."""
    return f"((payload::jsonb) ->> '{name}')"


SCHEMA = f"""
CREATE TABLE hushgram.ledger (
    version integer NOT NULL,
    single boolean PRIMARY KEY DEFAULT true CHECK (single)
);
INSERT INTO hushgram.ledger VALUES ({VERSION});
CREATE TABLE hushgram.entries (
    seq bigint PRIMARY KEY,
    account text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL CHECK (kind IN ('open', 'cap', 'charge', 'commit')),
    payload text COLLATE "C" NOT NULL,
    time text COLLATE "C" NOT NULL,
    prev_hash text COLLATE "C" NOT NULL,
    hash text COLLATE "C" NOT NULL UNIQUE
);
CREATE TABLE hushgram.releases (
    receipt text COLLATE "C" PRIMARY KEY,
    release bytea NOT NULL
);
ALTER TABLE hushgram.releases ALTER release SET STORAGE EXTERNAL;
CREATE INDEX states ON hushgram.entries (account, seq) WHERE kind <> 'commit';
CREATE UNIQUE INDEX opened_once ON hushgram.entries (account) WHERE kind = 'open';
CREATE UNIQUE INDEX charges_by_request ON hushgram.entries ({field("request")})
    WHERE kind = 'charge';
CREATE UNIQUE INDEX charges_by_receipt ON hushgram.entries ({field("receipt")})
    WHERE kind = 'charge';
CREATE UNIQUE INDEX commits_by_receipt ON hushgram.entries ({field("receipt")})
    WHERE kind = 'commit';
CREATE FUNCTION hushgram.refuse() RETURNS trigger LANGUAGE plpgsql AS $${_REFUSE}$$;
CREATE FUNCTION hushgram.append() RETURNS trigger LANGUAGE plpgsql AS $${_APPEND}$$;
CREATE TRIGGER only_append BEFORE INSERT ON hushgram.entries
    FOR EACH ROW EXECUTE FUNCTION hushgram.append();
""" + "".join(  # of this file's constants alone # nosec B608
    f"CREATE TRIGGER no_change BEFORE UPDATE OR DELETE ON hushgram.{table} "
    "FOR EACH ROW EXECUTE FUNCTION hushgram.refuse();"
    f"CREATE TRIGGER no_truncate BEFORE TRUNCATE ON hushgram.{table} "
    "FOR EACH STATEMENT EXECUTE FUNCTION hushgram.refuse();"
    for table in TABLES
)

# What guards the tables, as facts of the catalogue, because its texts differ between versions.
# The numbers are pg_trigger's tgtype: 1 row, 2 before, 4 insert, 8 delete, 16 update, 32 truncate.
GUARDS = {
    ("entries", "only_append", "trigger 7 of append"),
    *((table, "no_change", "trigger 27 of refuse") for table in TABLES),
    *((table, "no_truncate", "trigger 34 of refuse") for table in TABLES),
    *((table, f"{table}_pkey", "constraint p") for table in TABLES),
    ("entries", "entries_hash_key", "constraint u"),
    ("entries", "entries_kind_check", "constraint c"),
    ("ledger", "ledger_single_check", "constraint c"),
    *(("entries", name, f"unique {name != 'states'}".lower()) for name in INDEXES),
    *(("", name, text) for name, text in FUNCTIONS.items()),
}

_GUARDS = """
SELECT c.relname::text, t.tgname::text, 'trigger ' || t.tgtype || ' of ' || p.proname
FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_proc p ON p.oid = t.tgfoid
WHERE c.relnamespace = 'hushgram'::regnamespace AND NOT t.tgisinternal
    AND p.pronamespace = c.relnamespace AND t.tgenabled IN ('O', 'A')
    AND t.tgqual IS NULL AND t.tgattr::text = ''
UNION ALL
SELECT c.relname::text, o.conname::text, 'constraint ' || o.contype::text
FROM pg_constraint o JOIN pg_class c ON c.oid = o.conrelid
WHERE o.connamespace = 'hushgram'::regnamespace AND o.contype IN ('p', 'u', 'c')
    AND o.convalidated AND NOT o.condeferrable
UNION ALL
SELECT 'entries', c.relname::text, 'unique ' || i.indisunique
FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
WHERE i.indrelid = 'hushgram.entries'::regclass AND i.indpred IS NOT NULL
    AND i.indisvalid AND i.indisready
UNION ALL
SELECT '', proname::text, prosrc FROM pg_proc WHERE pronamespace = 'hushgram'::regnamespace
"""
_STRANGERS = """
SELECT (SELECT count(*) FROM pg_rules WHERE schemaname = 'hushgram')
    + (SELECT count(*) FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
       WHERE c.relnamespace = 'hushgram'::regnamespace AND NOT t.tgisinternal)
"""


def is_guarded(execute: Callable[[str], Iterable[Any]]) -> bool:
    """Return whether all guards of the tables exist, and no other trigger or rule does."""
    ((rules_and_triggers,),) = execute(_STRANGERS)
    triggers = [guard for guard in GUARDS if guard[2].startswith("trigger")]
    return set(execute(_GUARDS)) == GUARDS and rules_and_triggers == len(triggers)
