"""A worker that is lost in the middle of a count changes nothing, and the charge is made once."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

import hushgram as hg
from hushgram.trusted.engine.ibis.table import IbisTable
from hushgram.trusted.engine.sources.source import open_table
from hushgram.trusted.ledger import Ledger
from tests.servers.spark import Spark, kill

ROWS = 40_000_000


@pytest.mark.engines
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # py4j's sockets
def test_a_worker_killed_in_the_middle_of_a_count(
    spark: Spark, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = spark.session
    frame = session.range(0, ROWS, 1, numPartitions=24).selectExpr("abs(hash(id)) % 100 AS x")
    domain = hg.Domain(x=hg.Integer(0, 99))
    expected = {row["x"]: row["count"] for row in frame.groupBy("x").count().collect()}
    seen: list[Any] = []
    count = IbisTable.count_grid

    def remembered(table: IbisTable, partition: Any) -> Any:
        seen.append(count(table, partition))
        return seen[-1]

    monkeypatch.setattr(IbisTable, "count_grid", remembered)
    killed = threading.Event()
    killer = threading.Thread(target=kill_while_busy, args=(spark, killed))
    killer.start()
    hg.publish(frame, domain, epsilon=1, account="lost", mechanism="identity")
    killer.join()
    spark.start_worker()
    assert killed.is_set()
    *_, counted = seen  # the first is of the rehearsal, without rows
    assert counted.tolist() == [expected[x] for x in range(100)]
    account = Ledger.open().account("lost")
    assert (account.spent, account.cap) == (1, 1)
    assert isinstance(open_table(frame), IbisTable)


def kill_while_busy(spark: Spark, killed: threading.Event) -> None:
    """Kill the first worker and its executor as soon as some tasks of the count are done."""
    tracker = spark.session.sparkContext.statusTracker()
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        for stage in tracker.getActiveStageIds():
            info = tracker.getStageInfo(stage)
            if info and info.numTasks == 24 and 2 <= info.numCompletedTasks <= 20:
                kill(spark.workers.pop(0))
                killed.set()
                return
        time.sleep(0.01)
