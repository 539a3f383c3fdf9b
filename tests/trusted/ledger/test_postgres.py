"""The ledger in PostgreSQL, on a real server."""

from __future__ import annotations

import subprocess
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hushgram as hg
from hushgram.cli.app import main
from hushgram.errors import (
    BudgetExceeded,
    HushgramError,
    LedgerCorrupted,
    LedgerError,
    RequestConflict,
)
from hushgram.trusted.ledger import Ledger
from hushgram.trusted.ledger.journal import Journal
from hushgram.trusted.ledger.postgres import PostgresStore, store
from tests.servers.postgres import PASSWORD, USER, Postgres, installed
from tests.trusted.ledger.durable_contract import SOURCE, Connection, DurableContract
from tests.trusted.ledger.ledger_contract import ROWS, pay

psycopg = pytest.importorskip("psycopg")

pytestmark = pytest.mark.engines

SCHEMA = "?options=-csearch_path%3Dhushgram"
SPARE: dict[int, list[str]] = {}


@contextmanager
def borrowing(postgres: Postgres) -> Iterator[Callable[[], str]]:
    """Empty databases, used again by later tests: a new one costs more than most tests."""
    lent: list[str] = []
    spare = SPARE.setdefault(postgres.port, [])

    def borrow() -> str:
        lent.append(spare.pop() if spare else postgres.fresh())
        return lent[-1]

    yield borrow
    for url in lent:
        with postgres.connect() as connection:
            connection.execute(f"ALTER DATABASE {name_of(url)} RESET ALL")
        with postgres.connect(url) as connection:
            connection.execute("DROP SCHEMA IF EXISTS hushgram CASCADE")
        spare.append(url)


class TestPostgres(DurableContract):
    mark = "%s"
    refusal = psycopg.errors.RaiseException
    forbidden = (
        "UPDATE entries SET payload = '{}'",
        "DELETE FROM entries",
        "DELETE FROM entries WHERE seq = 2",
        "TRUNCATE entries",
        "INSERT INTO entries SELECT 9, account, kind, payload, time, prev_hash, 'x' FROM entries",
        "INSERT INTO entries SELECT NULL, account, kind, payload, time, hash, 'x' FROM entries",
        "INSERT INTO entries SELECT * FROM entries WHERE seq = 1 "
        "ON CONFLICT (seq) DO UPDATE SET payload = '{}'",
        "UPDATE ledger SET version = 2",
        "DELETE FROM ledger",
        "TRUNCATE ledger, releases",
    )
    disarming = (
        "DROP TRIGGER no_change ON entries",
        "ALTER TABLE entries DISABLE TRIGGER only_append",
        "ALTER TABLE ledger DISABLE TRIGGER USER",
        "DROP INDEX charges_by_request",
        "ALTER TABLE entries DROP CONSTRAINT entries_pkey",
        "CREATE RULE silent AS ON INSERT TO entries DO INSTEAD NOTHING",
        "CREATE TRIGGER silent BEFORE INSERT ON entries FOR EACH ROW "
        "EXECUTE FUNCTION suppress_redundant_updates_trigger()",
        "CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS "
        "$$BEGIN RETURN NEW; END$$",
    )

    @pytest.fixture(autouse=True)
    def server(self, postgres: Postgres) -> None:
        self.postgres = postgres

    @pytest.fixture
    def place(self, postgres: Postgres) -> Iterator[Callable[[], str]]:
        with borrowing(postgres) as borrow:
            yield borrow

    def connected(self, place: str) -> AbstractContextManager[Connection]:
        connection: AbstractContextManager[Connection] = self.postgres.connect(place + SCHEMA)
        return connection

    @contextmanager
    def unguarded(self, place: str) -> Iterator[Connection]:
        with self.connected(place) as connection:
            connection.execute("ALTER TABLE entries DISABLE TRIGGER USER")
            connection.execute("ALTER TABLE releases DISABLE TRIGGER USER")
            yield connection
            connection.execute("ALTER TABLE entries ENABLE TRIGGER USER")
            connection.execute("ALTER TABLE releases ENABLE TRIGGER USER")

    def copied(self, place: str) -> str:
        return self.postgres.fresh(place.rpartition("/")[2])

    def spoil(self, place: str, receipt: str, release: bytes | None) -> None:
        with self.unguarded(place) as connection:
            connection.execute("DELETE FROM releases WHERE receipt = %s", [receipt])
            if release is not None:
                connection.execute("INSERT INTO releases VALUES (%s, %s)", [receipt, release])

    def held(self, place: str) -> AbstractContextManager[object]:
        return PostgresStore(place).writing()


@pytest.fixture
def url(postgres: Postgres) -> Iterator[str]:
    with borrowing(postgres) as borrow:
        yield borrow()


@pytest.fixture
def ledger(url: str) -> Ledger:
    return Ledger.open(url)


def spent(ledger: Ledger) -> object:
    return ledger.account("checkins").spent


def name_of(url: str) -> str:
    return url.rpartition("/")[2]


# The lock


def spend_in_threads(url: str, number: int, attempts: int) -> list[BaseException]:
    """What they could not pay, and why."""
    refused: list[BaseException] = []

    def spend() -> None:
        ledger = Ledger.open(url)
        for _ in range(attempts):
            try:
                pay(ledger, "a", "0.05")
            except Exception as error:
                refused.append(error)

    threads = [threading.Thread(target=spend) for _ in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return refused


@pytest.mark.parametrize("level", ["read committed", "repeatable read", "serializable"])
def test_no_default_isolation_lets_anybody_overdraw(
    postgres: Postgres, url: str, level: str
) -> None:
    with postgres.connect() as connection:
        connection.execute(
            f"ALTER DATABASE {name_of(url)} SET default_transaction_isolation = '{level}'"
        )
    ledger = Ledger.open(url)
    ledger.open_account("a", 1, **ROWS)
    refused = spend_in_threads(url, 5, 8)
    assert {type(error) for error in refused} == {BudgetExceeded}
    assert len(refused) == 20
    assert ledger.account("a").remaining == 0
    assert ledger.verify() == 21


def test_without_the_lock_there_would_be_errors_but_no_overdraft(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = Ledger.open(url)
    ledger.open_account("a", "0.5", **ROWS)
    monkeypatch.setattr(store, "_LOCK", "SELECT version FROM hushgram.ledger")
    refused = spend_in_threads(url, 5, 6)
    assert any(isinstance(error, LedgerCorrupted) for error in refused)
    charges = 30 - len(refused)
    assert ledger.account("a").spent * 20 == charges <= 10
    assert ledger.verify() == 1 + charges


def test_begin_looks_things_up_by_index(url: str) -> None:
    ledger = Ledger.open(url)
    ledger.open_account("a", 5, **ROWS)
    with PostgresStore(url).reading() as rows:
        asked: list[tuple[str, Any]] = []
        execute = rows.execute
        rows.execute = lambda sql, values=(): asked.append((sql, values)) or []  # type: ignore
        journal = Journal(rows)
        journal.account("a")
        journal.charge_of_request("a")
        journal.charge_of_receipt("a")
        journal.commit_of_receipt("a")
        execute("SET LOCAL enable_seqscan = off")
        execute("SET LOCAL enable_bitmapscan = off")
        plans = [str(list(execute(f"EXPLAIN {sql}", values))) for sql, values in asked]
    for plan, index in zip(
        plans,
        ["states", "charges_by_request", "charges_by_receipt", "commits_by_receipt"],
        strict=True,
    ):
        assert f"using {index}" in plan, plan


# Durability


@pytest.mark.parametrize(("default", "used"), [("off", "on"), ("remote_apply", "remote_apply")])
def test_no_default_makes_a_charge_less_than_durable(
    postgres: Postgres, url: str, default: str, used: str
) -> None:
    with postgres.connect() as connection:
        connection.execute(f"ALTER DATABASE {name_of(url)} SET synchronous_commit = {default}")
    Ledger.open(url)
    for address in (url, f"{url}?options=-csynchronous_commit%3D{default}"):
        with PostgresStore(address).writing() as rows:
            assert list(rows.execute("SHOW synchronous_commit")) == [(used,)]


@contextmanager
def configured(postgres: Postgres, name: str, value: str) -> Iterator[None]:
    """A setting of the whole server, for a while."""
    with postgres.connect() as connection:
        (before,) = connection.execute(f"SHOW {name}").fetchone()
        try:
            connection.execute(f"ALTER SYSTEM SET {name} = '{value}'")
            connection.execute("SELECT pg_reload_conf()")
            await_setting(postgres, name, value)
            yield
        finally:
            connection.execute(f"ALTER SYSTEM RESET {name}")
            connection.execute("SELECT pg_reload_conf()")
            await_setting(postgres, name, before)


def await_setting(postgres: Postgres, name: str, value: str) -> None:
    def shown() -> bool:
        with postgres.connect() as connection:
            return bool(connection.execute(f"SHOW {name}").fetchone() == (value,))

    wait_until(shown)


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_server_without_fsync_is_refused(postgres: Postgres, ledger: Ledger) -> None:
    pay(ledger)

    with (
        configured(postgres, "fsync", "off"),
        pytest.raises(LedgerError, match=r"fsync = off, so it may lose.*turn fsync on"),
    ):
        pay(ledger, "other")
    assert [account.name for account in ledger.accounts()] == ["checkins"]


def backends(postgres: Postgres, url: str, condition: str) -> list[int]:
    with postgres.connect() as connection:
        found = connection.execute(
            "SELECT pid FROM pg_stat_activity WHERE application_name = 'hushgram' "
            f"AND datname = '{name_of(url)}' AND {condition}"
        )
        return [pid for (pid,) in found]


def end(postgres: Postgres, pid: int, how: str = "pg_terminate_backend") -> None:
    with postgres.connect() as connection:
        connection.execute(f"SELECT {how}({pid})")
    if how == "pg_terminate_backend":
        wait_until(lambda: not alive(postgres, pid))


def alive(postgres: Postgres, pid: int) -> bool:
    with postgres.connect() as connection:
        query = f"SELECT 1 FROM pg_stat_activity WHERE pid = {pid}"
        return connection.execute(query).fetchone() is not None


def losing(postgres: Postgres, step: Callable[..., Any]) -> Callable[..., Any]:
    """The step, and then the end of the connection it was made on."""

    def lose(self: Journal, *given: Any) -> Any:
        done = step(self, *given)
        end(postgres, self._rows.connection.info.backend_pid)  # type: ignore[attr-defined]
        return done

    return lose


@pytest.mark.parametrize("how", ["pg_terminate_backend", "pg_cancel_backend"])
def test_a_connection_lost_while_the_charge_is_made_durable(
    postgres: Postgres, url: str, ledger: Ledger, how: str
) -> None:
    """A standby that never answers holds the COMMIT open, as a slow network would. The charge is in
    the server's log by then, so the loss of the connection says "lost" of a charge that is made."""
    ledger.open_account("checkins", 5, **ROWS)
    caught: list[BaseException] = []

    def publish() -> None:
        try:
            pay(ledger, request_id="r1")
        except HushgramError as error:
            caught.append(error)

    with configured(postgres, "synchronous_standby_names", "nobody"):
        thread = threading.Thread(target=publish)
        thread.start()
        wait_until(lambda: bool(backends(postgres, url, "wait_event = 'SyncRep'")))
        (pid,) = backends(postgres, url, "wait_event = 'SyncRep'")
        end(postgres, pid, how)
        thread.join(30)
    (error,) = caught
    assert "Count its epsilon as spent" in str(error)
    assert "hushgram ledger show" in str(error)
    assert spent(ledger) == 1
    with pytest.raises(RequestConflict, match="did not finish"):
        pay(ledger, request_id="r1")
    assert ledger.verify() == 2


@pytest.mark.parametrize("moment", ["check_end", "append"])
def test_a_connection_lost_before_the_commit(
    postgres: Postgres, url: str, ledger: Ledger, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    ledger.open_account("checkins", 5, **ROWS)
    monkeypatch.setattr(Journal, moment, losing(postgres, getattr(Journal, moment)))
    said = "nothing was written" if moment == "check_end" else "Count its epsilon as spent"
    with pytest.raises(LedgerError, match=said):
        pay(ledger, request_id="r1")
    monkeypatch.undo()
    assert spent(ledger) == 0
    pay(ledger, request_id="r1")
    assert ledger.verify() == 2


def test_a_lost_commit_can_be_tried_again(
    postgres: Postgres, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticket = pay(ledger)
    monkeypatch.setattr(Journal, "append", losing(postgres, Journal.append))
    with pytest.raises(LedgerError, match="Count its epsilon as spent"):
        ledger.commit(ticket, b"release")
    monkeypatch.undo()
    assert ledger.verify() == 2
    ledger.commit(ticket, b"release")
    assert ledger.verify([ticket.receipt]) == 3


def test_a_failed_transaction_is_not_taken_for_a_committed_one(ledger: Ledger) -> None:
    with (
        pytest.raises(LedgerError, match=r"rolled back the last step \(ROLLBACK\)"),
        ledger._store.writing() as rows,
        pytest.raises(LedgerCorrupted),
    ):
        rows.execute("SELECT 1/0")


def test_a_statement_that_takes_too_long(ledger: Ledger) -> None:
    with (
        pytest.raises(LedgerError, match="takes too long to answer"),
        ledger._store.reading() as rows,
    ):
        rows.execute("SET LOCAL statement_timeout = 10; SELECT pg_sleep(5)")


# Places that are no ledger


def test_another_version(postgres: Postgres, url: str, ledger: Ledger) -> None:
    with postgres.connect(url) as connection:
        connection.execute("ALTER TABLE hushgram.ledger DISABLE TRIGGER USER")
        connection.execute("UPDATE hushgram.ledger SET version = 7")
    with pytest.raises(LedgerError, match=r"schema version 7.* uses 1.*newer"):
        Ledger.open(url)
    with pytest.raises(LedgerError, match="schema version 7"):
        pay(ledger)


@pytest.mark.parametrize("lost", ["TABLE hushgram.entries", "TABLE hushgram.ledger"])
def test_tables_that_are_gone(postgres: Postgres, url: str, ledger: Ledger, lost: str) -> None:
    with postgres.connect(url) as connection:
        connection.execute(f"DROP {lost}")
    for ask in (ledger.accounts, lambda: pay(ledger), lambda: Ledger.open(url).verify()):
        with pytest.raises(LedgerCorrupted, match="backup"):
            ask()


def test_a_head_that_is_gone(postgres: Postgres, url: str, ledger: Ledger) -> None:
    with postgres.connect(url) as connection:
        connection.execute("ALTER TABLE hushgram.ledger DISABLE TRIGGER USER")
        connection.execute("DELETE FROM hushgram.ledger")
    with pytest.raises(LedgerCorrupted, match="its version is missing"):
        pay(ledger)


def test_somebody_elses_schema(postgres: Postgres, url: str) -> None:
    with postgres.connect(url) as connection:
        connection.execute("CREATE SCHEMA hushgram")
        connection.execute("CREATE TABLE hushgram.other (x int)")
    with pytest.raises(LedgerCorrupted, match=r"not an intact ledger.*backup.*HUSHGRAM_LEDGER"):
        Ledger.open(url)


def test_a_schema_that_was_prepared_is_used(postgres: Postgres, url: str) -> None:
    with postgres.connect(url) as connection:
        connection.execute("CREATE SCHEMA hushgram")
    assert Ledger.open(url).verify() == 0


def test_an_encoding_without_all_letters(postgres: Postgres) -> None:
    with postgres.connect() as connection:
        connection.execute("CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'")
    with pytest.raises(LedgerError, match=r"encoding LATIN1.*ENCODING 'UTF8'"):
        Ledger.open(postgres.url_of("latin"))


def test_a_standby_is_refused(postgres: Postgres, url: str) -> None:
    with postgres.connect() as connection:
        connection.execute(f"ALTER DATABASE {name_of(url)} SET default_transaction_read_only = on")
    with pytest.raises(LedgerError, match="read-only"):
        Ledger.open(url)


# Stewards


def guide() -> list[str]:
    """The SQL of the guide."""
    text = (Path(SOURCE).parent / "docs" / "guides" / "teams.md").read_text()
    return [block.partition("```")[0] for block in text.split("```sql\n")[1:]]


def test_a_steward_may_append_and_nothing_else(postgres: Postgres) -> None:
    setup, grants = guide()
    with postgres.connect() as connection:
        for statement in setup.split(";")[:-1]:
            connection.execute(statement)
    owner = postgres.url_of("ledger", user="ledger_owner", password="change-me")
    Ledger.open(owner)
    with postgres.connect(owner) as connection:
        connection.execute(grants)
    url = postgres.url_of("ledger", user="alice", password="change-me-too")
    ledger = Ledger.open(url)
    ticket = pay(ledger, request_id="r1")
    ledger.commit(ticket, b"release")
    ledger.set_cap("checkins", 2)
    assert ledger.verify([ticket.receipt]) == 4
    for statement in (
        "UPDATE hushgram.entries SET payload = '{}'",
        "DELETE FROM hushgram.entries",
        "TRUNCATE hushgram.entries",
        "ALTER TABLE hushgram.entries DISABLE TRIGGER USER",
        "DROP TABLE hushgram.entries",
        "DELETE FROM hushgram.releases",
        "UPDATE hushgram.ledger SET version = 2",
        "CREATE TABLE hushgram.other (x int)",
    ):
        with (
            postgres.connect(url) as connection,
            pytest.raises((psycopg.errors.InsufficientPrivilege, psycopg.errors.RaiseException)),
        ):
            connection.execute(statement)
    with postgres.connect() as connection:
        connection.execute("CREATE ROLE mallory LOGIN PASSWORD 'mal-0'")
    with pytest.raises(LedgerError, match="permission denied"):
        Ledger.open(postgres.url_of("ledger", user="mallory", password="mal-0"))
    with pytest.raises(
        LedgerError, match=r"does not give this user the necessary permission.*owner"
    ):
        Ledger.open(postgres.url_of("template1", user="alice", password="change-me-too"))


def test_a_dump_restores_the_whole_book(postgres: Postgres, url: str, ledger: Ledger) -> None:
    ticket = pay(ledger, "東京", request_id="r1")
    ledger.commit(ticket, b"release \0\xff")
    programs = installed()
    assert programs is not None
    dump = subprocess.run([programs / "pg_dump", url], capture_output=True, check=True).stdout
    other = postgres.fresh()
    psql = [programs / "psql", "--quiet", "-v", "ON_ERROR_STOP=1", other]
    subprocess.run(psql, input=dump, capture_output=True, check=True)
    restored = Ledger.open(other)
    assert restored.verify([ticket.receipt]) == 3
    assert restored.entries() == ledger.entries()


# The program and publishing


@pytest.fixture
def run(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[..., tuple[object, str]]:
    """The program with that ledger: its exit code, and all it prints."""

    def call(url: str, *words: str) -> tuple[object, str]:
        monkeypatch.setenv("HUSHGRAM_LEDGER", url)
        with pytest.raises(SystemExit) as stop:
            main(list(words))
        return stop.value.code, "".join(capfd.readouterr())

    return call


def test_the_program_works_with_it(
    url: str, tmp_path: Path, run: Callable[..., tuple[object, str]]
) -> None:
    table, release = tmp_path / "ages.csv", tmp_path / "ages.hush.parquet"
    table.write_text("age\n" + "30\n" * 50)
    steps = [
        ("ledger", "open", "people", "--cap", "2"),
        ("publish", str(table), "--axis", "age=0..99", "--epsilon", "1",
         "--account", "people", "-o", str(release)),
        ("ledger", "show"),
        ("ledger", "show", "people"),
        ("ledger", "set-cap", "people", "3"),
        ("ledger", "verify", str(release)),
    ]  # fmt: skip
    printed = ""
    for step in steps:
        code, said = run(url, *step)
        assert code == 0, (step, said)
        printed += said
    assert f"Ledger: postgresql://{USER}@127.0.0.1" in printed
    assert "The ledger is intact: 4 entries checked, 1 receipts found." in printed
    assert PASSWORD not in printed
    assert PASSWORD.encode() not in release.read_bytes()


# The password


def everything(error: BaseException) -> str:
    """What a log could hold of an error: its words and those of what led to it."""
    told = "".join(traceback.format_exception(error))
    seen: BaseException | None = error
    while seen is not None:
        told += f"{seen} {seen!r} {seen.__dict__}"
        seen = seen.__cause__ or seen.__context__
    return told


def test_the_password_is_never_told(
    postgres: Postgres, url: str, ledger: Ledger, run: Callable[..., tuple[object, str]]
) -> None:
    wrong = "secret-9c1e"
    encoded = "se%2Fcret-9c1e%40"
    port = str(postgres.port)
    places = [
        url.replace(PASSWORD, wrong),
        url.replace(PASSWORD, encoded),
        url.replace(USER, "nobody").replace(PASSWORD, wrong),
        url.replace(name_of(url), "nowhere"),
        url.replace("127.0.0.1", "nowhere.invalid"),
        url.replace(port, "1"),
        url.replace(port, wrong),
        url.replace(PASSWORD, f"{wrong}@"),
        url.replace(PASSWORD, f"a/{wrong}"),
        url.replace(PASSWORD, f"#{wrong}"),
        url.replace(PASSWORD, f"?{wrong}"),
        url.replace(PASSWORD, f"%{wrong}"),
        f"postgresql://{USER}:{wrong}",
        f"{url}?passwrod={wrong}",
        f"{url}?password={wrong}",
        f"mysql://{USER}:{wrong}@127.0.0.1/db",
    ]
    told = []
    for place in places:
        with pytest.raises(HushgramError) as caught:
            Ledger.open(place)
        told.append(everything(caught.value))
        assert "\n" not in str(caught.value)
    with pytest.raises(HushgramError) as caught:
        Ledger.open(Path(places[0]))
    told.append(everything(caught.value))
    for step in ("append", "check_end"):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(Journal, step, losing(postgres, getattr(Journal, step)))
            with pytest.raises(LedgerError) as caught:
                pay(ledger)
            told.append(everything(caught.value))
    for place in places:
        code, said = run(place, "ledger", "show")
        assert code == 2
        told.append(said)
    ticket = pay(ledger)
    ledger.commit(ticket, b"release")
    told += [repr(ledger), ledger.location, repr(ticket), repr(ledger.entries())]
    told.append(repr(ledger._store))
    for text in told:
        for secret in (PASSWORD, wrong, encoded, "se/cret-9c1e@"):
            assert secret not in text


def test_publishing_charges_it(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HUSHGRAM_LEDGER", url)
    ages = pa.table({"age": [1, 2, 3]})
    release = hg.publish(ages, hg.Domain(age=hg.Integer(0, 9)), epsilon=1, account="people")
    ledger = Ledger.open()
    assert ledger.account("people").remaining == 0
    assert PASSWORD not in str(release.receipt)
