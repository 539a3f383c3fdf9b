"""What a charge costs: a rollback journal against the write-ahead log that ledgers had before.

    python benchmarks/ledger.py

The two take turns, so that a busy moment hits both. A charge is a transaction on a connection of
its own, durable when it returns. *Alone* is one process; *four at once* are four that charge the
same account, timed together. *Looking for other names* is the part of a charge that finds hard
links and mounts. Times depend on how fast the disk syncs; the ratio depends less on it.
"""

from __future__ import annotations

import multiprocessing
import sqlite3
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from report import save

from hushgram.trusted.ledger import Ledger
from hushgram.trusted.ledger.sqlite import FileStore
from hushgram.trusted.ledger.sqlite.names import refuse_other_names

CHARGES = 500
CROWD, EACH, TURNS = 4, 50, 5
ROWS: dict[str, Any] = {"unit": "rows", "neighbours": "add-remove"}


class Logged(FileStore):
    """A ledger as it was before: a write-ahead log, synced at every charge."""

    def _leave_log(self, connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA journal_mode = WAL")


STORES = {"write-ahead log (before)": Logged, "rollback journal": FileStore}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        files = {name: Path(folder) / f"{kind.__name__}.db" for name, kind in STORES.items()}
        ledgers = {name: opened(STORES[name], files[name]) for name in STORES}
        for ledger in ledgers.values():
            ledger.open_account("a", 1, **ROWS)
        alone: dict[str, list[float]] = {name: [] for name in STORES}
        for _ in range(CHARGES):
            for name, ledger in ledgers.items():
                alone[name].append(seconds(lambda book=ledger: charge(book)))
        crowd: dict[str, list[float]] = {name: [] for name in STORES}
        for _ in range(TURNS):
            for name, file in files.items():
                crowd[name].append(at_once(STORES[name], file))
        look = [seconds(lambda: refuse_other_names(files["rollback journal"])) for _ in range(200)]
    before = statistics.median(alone["write-ahead log (before)"])
    rows = [
        row(f"alone, {name}", times, before)
        for name, times in (*alone.items(), ("looking for other names", look))
    ]
    together = statistics.median(crowd["write-ahead log (before)"])
    rows += [row(f"four at once, {name}", times, together) for name, times in crowd.items()]
    save("ledger", rows)


def row(case: str, times: list[float], base: float) -> dict[str, Any]:
    median = statistics.median(times)
    high = statistics.quantiles(times, n=20)[-1]
    return {
        "case": case,
        "median ms": round(1000 * median, 3),
        "95% ms": round(1000 * high, 3),
        "to the log": median / base,
    }


def opened(kind: type[FileStore], file: Path) -> Ledger:
    return Ledger(kind.at(file, timeout=60))


def charge(ledger: Ledger) -> None:
    ledger.begin("a", "1/1000000", **ROWS)


def seconds(work: Any) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def at_once(kind: type[FileStore], file: Path) -> float:
    """Seconds per charge while several processes charge one account."""
    context = multiprocessing.get_context("fork")
    gate = context.Barrier(CROWD + 1)
    workers = [context.Process(target=many, args=(kind, file, gate)) for _ in range(CROWD)]
    for worker in workers:
        worker.start()
    gate.wait()
    return seconds(lambda: [worker.join() for worker in workers]) / (CROWD * EACH)


def many(kind: type[FileStore], file: Path, gate: Any) -> None:
    ledger = opened(kind, file)
    gate.wait()
    for _ in range(EACH):
        charge(ledger)


if __name__ == "__main__":
    main()
