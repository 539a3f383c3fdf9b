"""What the store in PostgreSQL says, in which order; no server is needed to listen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("psycopg")

from hushgram.errors import LedgerCorrupted, LedgerError
from hushgram.trusted.ledger.postgres import store as stores
from hushgram.trusted.ledger.postgres.address import PostgresAddress
from hushgram.trusted.ledger.postgres.errors import unknown_outcome_error
from hushgram.trusted.ledger.postgres.rows import PostgresRows
from hushgram.trusted.ledger.postgres.schema import SCHEMA, VERSION
from hushgram.trusted.ledger.postgres.store import PostgresStore

URL = "postgresql://me:s3cret@db.example/book"
TABLES = "SELECT relname"


class Listener:
    """Notes what is said, and answers by the beginning of a statement, each answer once."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.values: dict[str, list[object]] = {}
        self.answers: dict[str, Iterator[list[tuple[Any, ...]]]] = {}

    def answer(self, begin: str, *rows: list[tuple[Any, ...]]) -> None:
        self.answers[begin] = iter(rows)

    def execute(self, statement: str, values: Sequence[object] = ()) -> Iterable[tuple[Any, ...]]:
        self.said.append(" ".join(statement.split()))
        self.values[self.said[-1]] = list(values)
        found = (rows for begin, rows in self.answers.items() if self.said[-1].startswith(begin))
        return next(next(found, iter(())), [])

    def commit(self) -> None:
        self.said.append("commit")

    def roll_back(self) -> None:
        self.said.append("roll back")

    def close(self) -> None:
        self.said.append("close")

    def heard(self, *begins: str) -> list[str]:
        """Of these, which were said, in order."""
        return [one for said in self.said for one in begins if said.startswith(one)]


STEPS = ("BEGIN", "SELECT set_config", "SELECT version", "commit", "roll back", "close")


@pytest.fixture
def listener(monkeypatch: pytest.MonkeyPatch) -> Listener:
    made = Listener()
    monkeypatch.setattr(stores, "PostgresRows", lambda address: made)
    made.answer("SELECT version", [(VERSION,)])
    made.answer("SELECT current_setting('fsync')", [("on", "60s")])
    return made


@pytest.fixture
def store() -> PostgresStore:
    return PostgresStore(URL, timeout=5)


@pytest.mark.parametrize(
    ("timeout", "limits"),
    [
        (5, ["5000ms", "600000ms"]),
        (0, ["1ms", "600000ms"]),
        (0.0123, ["12ms", "600000ms"]),
        (1000, ["1000000ms", "1000000ms"]),
    ],
)
def test_how_long_a_lock_and_a_statement_may_take(
    listener: Listener, timeout: float, limits: list[str]
) -> None:
    """A statement has ten minutes, or as long as the lock is waited for."""
    with PostgresStore(URL, timeout=timeout).reading():
        pass
    (settings,) = (one for one in listener.said if one.startswith("SELECT set_config"))
    assert listener.values[settings] == limits


def test_a_minute_is_waited_if_nothing_is_said(listener: Listener) -> None:
    assert PostgresStore(URL)._limits()[0] == "60000ms"


def test_a_reader_commits_nothing(listener: Listener, store: PostgresStore) -> None:
    with store.reading():
        assert "SELECT version FROM hushgram.ledger" in listener.said
    assert listener.heard(*STEPS) == ["BEGIN", "SELECT set_config", "SELECT version", "close"]
    assert "READ ONLY" in listener.said[0]


def test_a_writer_locks_first_and_commits_last(listener: Listener, store: PostgresStore) -> None:
    with store.writing():
        assert listener.said[-1].startswith("SELECT current_setting('fsync')")
    assert listener.heard(*STEPS) == [*STEPS[:4], "close"]
    assert any(one.endswith("FOR UPDATE") for one in listener.said)


def test_a_release_is_sent_before_the_lock_is_taken(
    listener: Listener, store: PostgresStore
) -> None:
    with store.keeping("r", b"bytes") as (rows, undo):
        assert rows is listener  # type: ignore[comparison-overlap]
        undo()
    assert listener.heard("INSERT", "SELECT version", "commit") == [
        "INSERT", "SELECT version", "commit",
    ]  # fmt: skip
    (sent,) = (values for said, values in listener.values.items() if said.startswith("INSERT"))
    assert sent == ["r", b"bytes"]


@pytest.mark.parametrize("open_", [PostgresStore.reading, PostgresStore.writing])
@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_a_step_that_fails_is_taken_back_before_its_connection_ends(
    listener: Listener, store: PostgresStore, open_: Callable[..., Any], error: type[BaseException]
) -> None:
    """The server would do so by itself, but the next writer would wait until it notices."""
    with pytest.raises(error), open_(store):
        raise error
    assert listener.heard("commit", "roll back", "close") == ["roll back", "close"]


def test_a_server_that_may_forget_is_refused(listener: Listener, store: PostgresStore) -> None:
    listener.answer("SELECT current_setting('fsync')", [("off", "60s")])
    with pytest.raises(LedgerError, match="fsync = off"), store.writing():
        pytest.fail("the lock was taken")
    assert "commit" not in listener.said


@pytest.mark.parametrize(
    ("versions", "error"),
    [([], LedgerCorrupted), ([(VERSION + 1,)], LedgerError), ([(VERSION,)] * 2, LedgerError)],
)
def test_another_ledger_is_refused(
    listener: Listener, store: PostgresStore, versions: list[tuple[int]], error: type[Exception]
) -> None:
    listener.answer("SELECT version", versions)
    with pytest.raises(error), store.reading():
        pytest.fail("it was read")


MAKING = "SELECT pg_advisory_xact_lock"


def made(listener: Listener) -> list[str]:
    PostgresStore.at(URL, timeout=5)
    return listener.heard(MAKING, "CREATE SCHEMA", " ".join(SCHEMA.split())[:40], "commit")


def test_a_ledger_that_is_there_is_used(listener: Listener) -> None:
    """Without a lock, for which others might have to wait."""
    listener.answer(TABLES, [("ledger",), ("entries",)])
    assert made(listener) == ["commit"]


def test_a_ledger_that_another_program_makes_meanwhile_is_used(listener: Listener) -> None:
    listener.answer(TABLES, [], [("ledger",), ("entries",)])
    assert made(listener) == [MAKING, "commit"]


def test_a_ledger_is_made_where_there_is_none(listener: Listener) -> None:
    listener.answer("SELECT current_setting('server_encoding')", [("UTF8",)])
    begin = " ".join(SCHEMA.split())[:40]
    assert made(listener) == [MAKING, "CREATE SCHEMA", begin, "commit"]


def test_a_schema_that_is_there_is_not_made_again(listener: Listener) -> None:
    listener.answer("SELECT current_setting('server_encoding')", [("UTF8",)])
    listener.answer("SELECT 1 FROM pg_namespace", [(1,)])
    begin = " ".join(SCHEMA.split())[:40]
    assert made(listener) == [MAKING, begin, "commit"]


def test_remains_of_a_ledger_are_no_ground_for_a_new_one(listener: Listener) -> None:
    listener.answer(TABLES, [("entries",)], [("entries",)], [("entries",)])
    with pytest.raises(LedgerCorrupted, match="intact ledger"):
        made(listener)
    assert "commit" not in listener.said


def test_letters_that_do_not_fit_are_no_ground_either(listener: Listener) -> None:
    listener.answer("SELECT current_setting('server_encoding')", [("LATIN1",)])
    with pytest.raises(LedgerError, match="encoding LATIN1"):
        made(listener)


@pytest.mark.parametrize(
    ("error", "told"),
    [
        ("no  such\n table", " (PostgreSQL: no such table)"),
        ("", ""),
        (" \n", ""),
        ("wrong s3cret", ""),
    ],
)
def test_the_servers_own_words(error: str, told: str) -> None:
    assert PostgresAddress(URL).reason(Exception(error)) == told


def test_without_a_password_all_words_are_told() -> None:
    assert (
        PostgresAddress("postgresql://db.example/book").reason(Exception("no"))
        == " (PostgreSQL: no)"
    )
    secret = PostgresAddress("postgresql://db.example/book?sslpassword=deep")
    assert secret.reason(Exception("not deep")) == ""


class Connection:
    """A connection of psycopg that ends a transaction so; if it does not say how, it is lost."""

    def __init__(self, ends: str | None, *severities: str) -> None:
        self.ends, self.severities = ends, severities
        self.said: list[str] = []

    def add_notice_handler(self, handler: Callable[[Any], None]) -> None:
        for severity in self.severities:
            handler(SimpleNamespace(severity_nonlocalized=severity))

    def execute(self, statement: str) -> Any:
        self.said.append(statement)
        if self.ends is None:
            import psycopg

            raise psycopg.OperationalError
        return SimpleNamespace(statusmessage=self.ends)


def rows_on(connection: Connection) -> PostgresRows:
    address = SimpleNamespace(connect=lambda: connection, where="here")
    return PostgresRows(address)  # type: ignore[arg-type]


@pytest.mark.parametrize("ends", ["ROLLBACK", None])
def test_a_step_is_taken_back_at_once_where_the_server_listens(ends: str | None) -> None:
    connection = Connection(ends)
    rows_on(connection).roll_back()
    assert connection.said == ["ROLLBACK"]


@pytest.mark.parametrize(
    ("ends", "severities", "told"),
    [
        ("COMMIT", [], None),
        ("COMMIT", ["NOTICE"], None),
        ("COMMIT", ["NOTICE", "WARNING"], "unknown"),
        ("ROLLBACK", [], "rolled back the last step"),
        (None, [], "unknown"),
    ],
)
def test_only_certainty_is_a_commit(
    ends: str | None, severities: list[str], told: str | None
) -> None:
    connection = Connection(ends, *severities)
    rows = rows_on(connection)
    if told is None:
        rows.commit()
    else:
        unknown = str(unknown_outcome_error(rows._address)) if told == "unknown" else told
        with pytest.raises(LedgerError) as error:
            rows.commit()
        assert unknown in str(error.value)
    assert connection.said == ["COMMIT"]
