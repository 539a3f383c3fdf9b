"""Addresses of ledgers on servers; no server is needed to refuse one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from hushgram.errors import LedgerError, MissingExtra
from hushgram.trusted.ledger import Ledger
from hushgram.trusted.ledger.location import ledger_url

SECRET = "s3cret"


@pytest.mark.parametrize(
    ("url", "where"),
    [
        ("postgresql://me:s3cret@db.example:5433/book", "postgresql://me@db.example:5433/book"),
        ("postgres://me:s3cret@db.example/book", "postgresql://me@db.example/book"),
        ("postgresql://m%40e:s3cret%40@[::1]:1/b?sslmode=require", "postgresql://m%40e@[::1]:1/b"),
        ("postgresql://me@a:1,b:2/book?password=s3cret", "postgresql://me@a:1,b:2/book"),
        ("postgresql:///book?host=/run/postgresql&user=me", "postgresql://me@/book"),
        ("postgresql://", "postgresql://"),
    ],
)
def test_what_is_shown(url: str, where: str) -> None:
    pytest.importorskip("psycopg")
    from hushgram.trusted.ledger.postgres.address import PostgresAddress

    address = PostgresAddress(url)
    assert address.where == where
    assert SECRET not in repr(address)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:s3cret@x@db.example/book",
        "postgresql://me:s3/cret@db.example/book",
        "postgresql://me:s3?cret@db.example/book",
        "postgresql://me:s3#cret@db.example/book",
        "postgresql://me:%s3cret@db.example/book",
        "postgresql://me:s3cret",
        "postgresql://me:s3cret@db.example:s3cret/book",
        "postgresql://me:s3cret@[db.example/book",
        "postgresql://me@db.example/book?s3cret=1",
        "postgresql://me:s3cret@db.example/bo\0ok",
    ],
)
def test_what_cannot_be_read(url: str) -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(LedgerError, match=r"password percent-encoded") as caught:
        Ledger.open(url)
    assert SECRET not in str(caught.value)
    assert caught.value.__context__ is None


def test_a_name_that_is_no_host() -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(LedgerError, match="cannot be reached") as caught:
        Ledger.open("postgresql://me:s3cret@a..b/book")
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("url", ["mysql://me:s3cret@h/db", "sqlite:///s3cret", "https://s3cret"])
def test_other_addresses(url: str) -> None:
    for place in (url, Path(url)):
        with pytest.raises(LedgerError, match=r"neither a file nor.*postgresql://") as caught:
            Ledger.open(place)
        assert SECRET not in str(caught.value)


def test_an_address_that_became_a_path_is_no_file() -> None:
    with pytest.raises(LedgerError, match="an address that starts with postgresql://"):
        Ledger.open(Path("postgresql://me:s3cret@h/db"))


def test_the_variable_may_be_an_address() -> None:
    environ = {"HUSHGRAM_LEDGER": "postgresql://h/db"}
    assert ledger_url(None, environ) == "postgresql://h/db"
    assert ledger_url("ledger.db", environ) is None
    assert ledger_url(None, {}) is None


def test_the_driver_is_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtra, match='the extra "postgres"'):
        Ledger.open("postgresql://me:s3cret@h/db")


def test_the_driver_is_imported_by_those_who_need_it_only(tmp_path: Path) -> None:
    code = (
        "import sys, hushgram as hg\n"
        "hg.Ledger.open(sys.argv[1])\n"
        "assert not [name for name in sys.modules if name.startswith('psycopg')]\n"
    )
    source = Path(sys.modules["hushgram"].__file__ or "").parents[1]
    command = [sys.executable, "-c", code, str(tmp_path / "ledger.db")]
    subprocess.run(command, check=True, env={"PYTHONPATH": str(source)})


class Complaint(Exception):
    """As the driver's errors are: words, and a state if a server said them."""

    def __init__(self, words: str, sqlstate: str | None) -> None:
        super().__init__(words)
        self.sqlstate = sqlstate


@pytest.mark.parametrize(
    ("state", "said"),
    [
        (None, "cannot be reached, and nothing was written"),
        ("57P01", "cannot be reached, and nothing was written"),
        ("55P03", "in use by another program"),
        ("40P01", "in use by another program"),
        ("57014", "takes too long"),
        ("42501", "does not give this user the necessary permission"),
        ("25006", "read-only"),
        ("53100", "lacks disk"),
        ("58030", "lacks disk"),
        ("42P01", "not an intact ledger"),
        ("XX001", "not an intact ledger"),
    ],
)
def test_complaints_in_words(state: str | None, said: str) -> None:
    pytest.importorskip("psycopg")
    from hushgram.trusted.ledger.postgres.address import PostgresAddress
    from hushgram.trusted.ledger.postgres.errors import explain_error

    address = PostgresAddress("postgresql://me:s3cret@h/db")
    plain = explain_error(address, Complaint("their\nown words", state))
    assert said in str(plain)
    assert str(plain).endswith("(PostgreSQL: their own words)")
    telling = explain_error(address, Complaint("for s3cret", state))
    assert said in str(telling)
    assert SECRET not in str(telling)
