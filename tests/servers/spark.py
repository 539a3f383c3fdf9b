"""A Spark cluster of the tests' own on loopback: one master and two workers, each a process."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.servers import watched

WORKERS = 2


@dataclass
class Spark:
    """A running cluster; `url` is its master's."""

    url: str
    folder: Path
    workers: list[subprocess.Popen[bytes]]
    _sessions: list[Any] = field(default_factory=list)

    @property
    def session(self) -> Any:
        """The one session of this process."""
        if not self._sessions:
            self._sessions.append(session_at(self.url))
        return self._sessions[0]

    def start_worker(self) -> subprocess.Popen[bytes]:
        """One more, in place of one that was killed."""
        worker = start(self.folder, f"worker{len(self.workers)}", WORKER, self.url)
        self.workers.append(worker)
        return worker

    def stop(self) -> None:
        for session in self._sessions:
            session.stop()
        for worker in self.workers:
            watched.stop(worker)


MASTER = ["org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", "0"]
WORKER = [
    "org.apache.spark.deploy.worker.Worker", "--host", "127.0.0.1",
    "--cores", "1", "--memory", "1g",
]  # fmt: skip


@pytest.fixture(scope="session")
def spark() -> Iterator[Spark]:
    """The cluster, started once per run."""
    pytest.importorskip("pyspark", reason="pyspark is not installed: pip install 'pyspark<4.1'")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Java is not installed; on Debian: apt-get install openjdk-17-jre-headless")
    with running() as cluster:
        yield cluster


@contextmanager
def running() -> Iterator[Spark]:
    folder = Path(tempfile.mkdtemp(prefix="hushgram-spark-"))
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        master = start(folder, "master", [*MASTER, "--webui-port", "0"])
        stack.callback(watched.stop, master)
        url = wait_for(folder / "master.log", r"Starting Spark master at (spark://\S+)", master)
        cluster = Spark(url, folder, [])
        stack.callback(cluster.stop)
        for _ in range(WORKERS):
            cluster.start_worker()
        for number, worker in enumerate(cluster.workers):
            wait_for(folder / f"worker{number}.log", r"(Successfully registered)", worker)
        yield cluster


def start(folder: Path, name: str, words: list[str], *more: str) -> subprocess.Popen[bytes]:
    import pyspark

    home = Path(pyspark.__file__).parent
    environment = {
        **os.environ,
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_WORKER_DIR": str(folder / name),
        "SPARK_DAEMON_MEMORY": "512m",
    }
    webui = ["--webui-port", "0"] if name.startswith("worker") else []
    command = [home / "bin" / "spark-class", *words, *webui, *more]
    return watched.start(command, "TERM", folder / f"{name}.log", env=environment)


def wait_for(log: Path, pattern: str, process: subprocess.Popen[bytes]) -> str:
    deadline = time.monotonic() + watched.PATIENCE
    while time.monotonic() < deadline and process.poll() is None:
        found = re.search(pattern, log.read_text(errors="replace"))
        if found:
            return found[1]
        time.sleep(0.1)
    raise AssertionError(f"Spark does not start: {log.read_text(errors='replace')[-2000:]}")


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and the executors that it started: they share its group."""
    os.killpg(process.pid, signal.SIGKILL)
    watched.stop(process)


def session_at(url: str) -> Any:
    """A session with few partitions: the tests' tables are small."""
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    options = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.executor.memory": "768m",
        "spark.log.level": "ERROR",
        "spark.sql.session.timeZone": "America/New_York",
        "spark.sql.shuffle.partitions": "4",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.warehouse.dir": tempfile.mkdtemp(prefix="hushgram-warehouse-"),
    }
    return SparkSession.builder.master(url).appName("tests").config(map=options).getOrCreate()
