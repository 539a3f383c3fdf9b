"""A PostgreSQL server of the tests' own: in a temporary folder, on a free port of loopback.

It asks for a password, as real ones do, so that tests can look for it where it must not appear.
It waits for the disk (``fsync``), because a ledger insists on it, and is otherwise small and fast.
"""

from __future__ import annotations

import itertools
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.servers import watched

USER = "steward"
PASSWORD = "correct-horse-7f3a"

_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "full_page_writes": "off",
    "shared_buffers": "16MB",
    "max_connections": "60",
    "autovacuum": "off",
}
_ATTEMPTS = 3


@dataclass
class Postgres:
    """A running server; `url` leads to its first database."""

    port: int
    process: subprocess.Popen[bytes]
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    @property
    def url(self) -> str:
        return self.url_of("postgres")

    def url_of(self, database: str, *, user: str = USER, password: str = PASSWORD) -> str:
        return f"postgresql://{user}:{password}@127.0.0.1:{self.port}/{database}"

    def fresh(self, template: str = "template0") -> str:
        """The URL of a new database, empty or like the template."""
        name = f"fresh{next(self._numbers)}"
        with self.connect() as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        return self.url_of(name)

    def connect(self, url: str | None = None) -> Any:
        """A plain connection of psycopg, which commits every statement."""
        import psycopg

        return psycopg.connect(url or self.url, autocommit=True, connect_timeout=5)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """The server, started once per run (with xdist: once per worker)."""
    pytest.importorskip("psycopg", reason="psycopg is not installed: pip install 'psycopg[binary]'")
    programs = installed()
    if programs is None:
        pytest.skip("PostgreSQL is not installed; on Debian: apt-get install postgresql")
    with running(programs) as server:
        yield server


def installed() -> Path | None:
    """The folder of PostgreSQL's programs: the one in PATH, else Debian's newest."""
    found = shutil.which("postgres")
    if found:
        return Path(found).resolve().parent
    homes = Path("/usr/lib/postgresql").glob("[0-9]*/bin/postgres")
    newest = max(homes, key=lambda program: int(program.parts[-3]), default=None)
    return newest and newest.parent


@contextmanager
def running(programs: Path) -> Iterator[Postgres]:
    folder = Path(tempfile.mkdtemp(prefix="hushgram-postgres-"))
    try:
        owner = _owner(folder)
        _initialise(programs, folder, owner)
        server = _start(programs, folder, owner)
        try:
            yield server
        finally:
            watched.stop(server.process)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _owner(folder: Path) -> dict[str, Any]:
    """Whom to run the server as, since it refuses to be root."""
    if os.geteuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        try:
            account = pwd.getpwnam(name)
        except KeyError:
            continue
        os.chown(folder, account.pw_uid, account.pw_gid)
        return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
    pytest.skip("PostgreSQL does not run as root, and there is no user 'postgres' or 'nobody'")


def _initialise(programs: Path, folder: Path, owner: dict[str, Any]) -> None:
    secret = folder / "password"
    secret.write_text(PASSWORD)
    secret.chmod(0o644)  # its folder is private
    command = [
        programs / "initdb", f"--pgdata={folder / 'data'}", f"--username={USER}",
        f"--pwfile={secret}", "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--no-sync",
    ]  # fmt: skip
    made = subprocess.run(command, cwd=folder, capture_output=True, text=True, **owner)
    assert made.returncode == 0, made.stderr


def _start(programs: Path, folder: Path, owner: dict[str, Any]) -> Postgres:
    """Another program may take the free port before the server does, hence the attempts."""
    log, command = folder / "log", [programs / "postgres", "-D", folder / "data"]
    for _ in range(_ATTEMPTS):
        port = _free_port()
        settings = {**_SETTINGS, "port": str(port)}
        options = [word for name in settings for word in ("-c", f"{name}={settings[name]}")]
        # QUIT: at once and without a checkpoint, since what it holds ends with the run.
        process = watched.start([*command, *options], "QUIT", log, cwd=folder, **owner)
        server = Postgres(port, process)
        if _ready(server):
            return server
        watched.stop(process)
    raise AssertionError(f"PostgreSQL does not start: {log.read_text()[-2000:]}")


def _ready(server: Postgres) -> bool:
    import psycopg

    deadline = time.monotonic() + watched.PATIENCE
    while server.process.poll() is None and time.monotonic() < deadline:
        try:
            server.connect().close()
        except psycopg.OperationalError:
            time.sleep(0.05)
        else:
            return True
    return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
