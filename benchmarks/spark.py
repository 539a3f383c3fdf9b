"""A Spark cluster on one machine: a master, two workers, and a driver that must stay small.

    python benchmarks/spark.py                 1e5, 1e6 and 1e7 rows

Goals: the cluster's counts are DuckDB's; the driver's memory does not grow with the rows; a
worker that is killed in the middle of a count changes nothing, and the account is charged once.

Needs Java and pyspark, as the tests of engines do, whose cluster this starts. Every size has a
driver of its own: a Python process, and the Java process that it talks to. CPU seconds are those of
the driver and of all workers together, after a first count of a small file; the plain count is
Spark's own, of the same cells, as one would write it in SQL. The privacy budget is so large that
the noise is zero: what is published are the counts.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import threading
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from report import apart, peak_mb, save  # noqa: E402
from scale import cells, write  # noqa: E402

EPSILON = 1000
"""Noise other than zero has a chance of 2 exp(-1000)."""

PIECE = 8 << 20
"""Bytes of a file that are one task: ten million rows are about thirty."""

TICKS = os.sysconf("SC_CLK_TCK")


def main(sizes: list[int]) -> None:
    from tests.servers.spark import running

    found = []
    with tempfile.TemporaryDirectory() as folder, running() as cluster:
        small = Path(folder) / "few.parquet"
        write(small, 10_000)
        for rows in sizes:
            path = Path(folder) / f"rows{rows}.parquet"
            write(path, rows)
            groups = [worker.pid for worker in cluster.workers]
            found.append({"rows": rows, **apart(drive, cluster.url, groups, path, small)})
            print(found[-1], flush=True)
        victim = cluster.workers[-1].pid
        killed = apart(drive_and_kill, cluster.url, victim, path, small)
    save("spark", found)
    save("spark-killed", [{"rows": sizes[-1], **killed}])


def drive(url: str, groups: list[int], path: Path, small: Path) -> dict[str, Any]:
    """Publish a file and count it plainly, with a driver of one's own."""
    session = connect(url)
    java = int(session._jvm.java.lang.ProcessHandle.current().pid())
    publish(session, small)
    plain(session, small)
    before = shuffled(session)
    started, cpu = time.monotonic(), cpu_seconds(groups, java)
    release, _ = publish(session, path)
    taken, spent = time.monotonic() - started, cpu_seconds(groups, java) - cpu
    bytes_, records = (after - was for after, was in zip(shuffled(session), before, strict=True))
    python, heap = peak_mb(), heap_mb(session)
    started, cpu = time.monotonic(), cpu_seconds(groups, java)
    plain(session, path)
    plain_taken, plain_spent = time.monotonic() - started, cpu_seconds(groups, java) - cpu
    found = {
        "same as DuckDB": same(release, path),
        "cpu s": spent,
        "plain cpu s": plain_spent,
        "ratio": spent / plain_spent,
        "wall s": taken,
        "plain wall s": plain_taken,
        "driver, Python: peak MB": python,
        "driver, Java: heap MB": heap,
        "driver, Java: peak MB": resident_mb(java),
        "shuffle bytes": bytes_,
        "shuffle records": records,
    }
    session.stop()
    return found


def drive_and_kill(url: str, victim: int, path: Path, small: Path) -> dict[str, Any]:
    """Publish a file, and kill a worker when some of the tasks are done."""
    session = connect(url)
    publish(session, small)
    told: dict[str, int] = {}
    killer = partial(kill_in_the_middle, session, victim, told)
    threading.Thread(target=killer, daemon=True).start()
    release, ledger = publish(session, path)
    account = ledger.account("bench")
    found = {
        "tasks": told.get("tasks"),
        "done when a worker was killed": told.get("done"),
        "same as DuckDB": same(release, path),
        "charges": len([entry for entry in ledger.entries("bench") if entry.kind == "charge"]),
        "spent": str(account.spent),
        "epsilon": EPSILON,
    }
    session.stop()
    return found


def kill_in_the_middle(session: Any, victim: int, told: dict[str, int]) -> None:
    tracker = session.sparkContext.statusTracker()
    while True:
        for stage in tracker.getActiveStageIds():
            about = tracker.getStageInfo(stage)
            if about and about.numTasks > 1 and about.numCompletedTasks * 4 >= about.numTasks:
                told.update(tasks=about.numTasks, done=about.numCompletedTasks)
                os.killpg(victim, signal.SIGKILL)
                return
        time.sleep(0.01)


def connect(url: str) -> Any:
    from tests.servers.spark import session_at

    session = session_at(url)
    session.conf.set("spark.sql.files.maxPartitionBytes", str(PIECE))
    session.conf.set("spark.sql.files.openCostInBytes", "0")
    return session


def publish(session: Any, path: Path) -> tuple[Any, Any]:
    import hushgram as hg

    ledger = hg.Ledger.in_memory(allow_large=True)
    release = hg.publish(
        session.read.parquet(str(path)),
        cells(),
        epsilon=EPSILON,
        allow_large=True,
        mechanism="identity",
        account="bench",
        ledger=ledger,
    )
    return release, ledger


def plain(session: Any, path: Path) -> int:
    query = f"""
        SELECT floor((lon + 180) / 360 * 256) * 256 + floor((lat + 90) / 180 * 256), count(*)
        FROM parquet.`{path}` WHERE lon >= -180 AND lon < 180 AND lat >= -90 AND lat < 90
        GROUP BY 1"""
    return len(session.sql(query).toArrow())


def same(release: Any, path: Path) -> bool:
    """Whether the release holds the counts that DuckDB finds, all of them."""
    from hushgram.geometry.partition import Grid
    from hushgram.trusted.engine.compiled.arrow import ArrowTable
    from hushgram.trusted.engine.sources.source import open_table

    ArrowTable.fast = False
    return bool(
        np.array_equal(release.estimate.values, open_table(path).count(Grid.of_cells(cells())))
    )


def shuffled(session: Any) -> tuple[int, int]:
    """Bytes and records that stages have written for others to read, so far."""
    gateway = session.sparkContext._gateway
    nothing = gateway.new_array(gateway.jvm.double, 0)
    store = session.sparkContext._jsc.sc().statusStore()
    stages = store.stageList(None, False, False, nothing, None)
    every = [stages.apply(number) for number in range(stages.size())]
    return (
        sum(stage.shuffleWriteBytes() for stage in every),
        sum(stage.shuffleWriteRecords() for stage in every),
    )


def heap_mb(session: Any) -> float:
    """What the driver's Java process holds on to."""
    java = session._jvm.java.lang
    java.System.gc()
    runtime = java.Runtime.getRuntime()
    return (runtime.totalMemory() - runtime.freeMemory()) / 2**20


def resident_mb(process: int) -> float:
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def cpu_seconds(groups: list[int], java: int) -> float:
    """Of this process, the driver's Java process, and all processes of the workers' groups."""
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        if int(fields[2]) in groups or int(stat.parent.name) == java:
            ticks += int(fields[11]) + int(fields[12])
    return ticks / TICKS + time.process_time()


if __name__ == "__main__":
    main([int(given) for given in sys.argv[1:]] or [10**5, 10**6, 10**7])
