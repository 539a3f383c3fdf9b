"""Try mutants in a private copy of the sources.

Every mutant is written to the copy, so that processes which tests start see it, too. It is tried in
a fork of a process that has imported everything except the trusted zone, which takes one second per
mutant instead of five. Only tests that run the changed line are run, the quick ones first.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import itertools
import json
import os
import random
import resource
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from tools.mutants.mutant import Mutant
from tools.mutants.reach import Reach, without_spark
from tools.mutants.sample import ROOT, ZONE

BUSY, COMPILING, IDLE, MEMORY = 3.0, 12.0, 300.0, 6 * 2**30
"""The CPU seconds that a test may need beyond its usual time, additional ones if compiled loops
change, the seconds that all tests may take beyond twice their time, and the bytes of memory."""
PATIENT = 15.0
"""Additional seconds for a test that was stopped."""

PRELOADED = [
    "numpy", "scipy.stats", "scipy.special", "pyarrow", "pyarrow.parquet", "pyarrow.compute",
    "pyarrow.dataset", "duckdb", "ibis", "ibis.backends.duckdb", "numba", "pandas", "polars",
    "psycopg", "hypothesis", "hypothesis.strategies", "hypothesis.extra.numpy", "pytest",
    "sqlite3", "rich.console", "rich.table", "typer", "typer.testing", "cryptography",
    "hushgram.declare.axis", "hushgram.declare.domain", "hushgram.declare.unit",
    "hushgram.declare.condition", "hushgram.geometry.partition", "hushgram.queries",
    "hushgram.mechanisms.estimate", "hushgram.mechanisms", "hushgram.mechanisms.inference",
    "hushgram.release", "hushgram.answers", "hushgram.answers.learning.synthetic",
    "hushgram.spending.plan",
]  # fmt: skip


@dataclass(frozen=True)
class Tried:
    """The outcome of a mutant; ``by`` names the test that noticed it."""

    mutant: Mutant
    outcome: str
    by: str
    tests: int
    seconds: float


def copy_sources(work: Path) -> None:
    """Update the copy. Deleted files stay in it."""
    left = shutil.ignore_patterns(".git", ".venv", ".*_cache", ".hypothesis", "__pycache__")
    shutil.copytree(ROOT, work / "tree", ignore=left, dirs_exist_ok=True)


class Bench:
    """A copy of the sources in which mutants are tried."""

    def __init__(self, work: Path) -> None:
        self.work, self.tree = work, work / "tree"
        copy_sources(work)
        os.chdir(self.tree)
        sys.path[:0] = [str(self.tree / "src"), str(self.tree)]
        os.environ["PYTHONPATH"] = str(self.tree / "src")
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        sys.dont_write_bytecode = False
        for name in PRELOADED:
            with contextlib.suppress(ImportError):
                importlib.import_module(name)
        assert not any(name.startswith("hushgram.trusted") for name in sys.modules)
        gc.freeze()
        self._turn, self._clock = itertools.count(), itertools.count(random.randrange(2**30))
        self._sound: dict[str, bool] = {}
        self.server: Any = None

    @contextlib.contextmanager
    def serving(self) -> Iterator[None]:
        """Start one PostgreSQL server for all mutants, if it is installed."""
        with contextlib.ExitStack() as stack:
            with contextlib.suppress(ImportError):
                from tests.servers import postgres

                if programs := postgres.installed():
                    self.server = stack.enter_context(postgres.running(programs))
            yield

    def try_one(self, mutant: Mutant, tests: dict[str, float]) -> tuple[str, str]:
        """Run tests, given with their times, on a mutant. Returns the outcome, and the test that
        decided it."""
        path = self.tree / ZONE / mutant.file
        source, times = path.read_text("utf-8"), path.stat()
        path.write_text(mutant.apply(source), "utf-8")
        now = next(self._clock)  # bytecode is cached by the second, and must not outlive its mutant
        os.utime(path, (now, now))
        try:
            outcome = self.run(tests, BUSY + COMPILING * ("@compiled" in source))
        finally:
            path.write_text(source, "utf-8")
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
        if outcome == ("killed", "import") and not self.are_there(tests):
            raise SystemExit("Some tests of the map no longer exist. Map their files again.")
        return outcome

    def are_there(self, tests: dict[str, float]) -> bool:
        """Return whether pytest finds all these tests; otherwise, their absence proves nothing."""
        return self.run(tests, BUSY + COMPILING, "--collect-only")[0] == "survived"

    def is_sound(self, test: str, reach: Reach) -> bool:
        """Return whether a test passes here without a mutant; otherwise, its failure proves
        nothing."""
        if test not in self._sound:
            outcome, _ = self.run({test: reach.seconds[test]}, BUSY + COMPILING)
            self._sound[test] = outcome == "survived"
        return self._sound[test]

    def run(self, tests: dict[str, float], spare: float, *options: str) -> tuple[str, str]:
        said = self.work / "said"
        said.write_text("", "utf-8")
        turn = next(self._turn)
        child = os.fork()
        if not child:
            self._child([*options, *tests], Watch(said, tests, spare), turn)
        ended = wait(child, IDLE + 2 * sum(tests.values()))
        words = said.read_text("utf-8").splitlines()
        failed = [word[5:] for word in words if word.startswith("fail ")]
        if failed:
            return "killed", failed[0]
        if not ended:
            begun = [word[6:] for word in words if word.startswith("start ")]
            return "stopped", begun[-1] if begun else "import"
        return ("survived", "") if "done import" in words else ("killed", "crash")

    def _child(self, asked: list[str], watch: Watch, turn: int) -> None:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        out = os.open(self.work / "out", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(out, 1)
        os.dup2(out, 2)
        if self.server is not None:
            from tests.servers import postgres

            mine = replace(self.server, _numbers=itertools.count(turn * 1000))
            postgres.running = lambda _: contextlib.nullcontext(mine)
        import pytest

        late = "ignore::pytest.PytestAssertRewriteWarning"  # Hypothesis is imported already
        args = ["-x", "-q", "-W", late, "--hypothesis-profile", "thorough"]
        args += ["--basetemp", str(self.work / "tmp"), *asked]
        try:
            watch.end(int(pytest.main(args, [watch])))
        finally:
            os._exit(1)


class Watch:
    """A pytest plugin that reports failures immediately, and stops tests that run for too long.

    Hypothesis need not find the smallest case.
    """

    def __init__(self, said: Path, usual: dict[str, float], spare: float) -> None:
        self._said, self._usual, self._spare = said, usual, spare

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        without_spark(items)

    def pytest_configure(self) -> None:
        from hypothesis import Phase, settings

        self._allow(0.0)
        quick = settings(settings(), phases=[Phase.explicit, Phase.generate], database=None)
        settings.register_profile("mutants", quick, report_multiple_bugs=False)
        settings.load_profile("mutants")

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._say("start", nodeid)
        self._allow(self._usual.get(nodeid, 0.0))

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            self._say("fail", report.nodeid)
            os._exit(0)

    def end(self, status: int) -> None:
        """Exit and report the status. Failures were reported before; a status above 1 is an error
        in pytest."""
        self._say("done" if status in (0, 5) else "fail", "import")
        os._exit(0)

    def _allow(self, usual: float) -> None:
        """Limit the CPU time. The signal at the limit ends the process."""
        signal.setitimer(signal.ITIMER_PROF, usual + self._spare)

    def _say(self, word: str, nodeid: str) -> None:
        with self._said.open("a", encoding="utf-8") as file:
            file.write(f"{word} {nodeid}\n")


def wait(child: int, patience: float) -> bool:
    """Return whether the process ended in time; otherwise stop it and all its children."""
    stop = time.monotonic() + patience
    ended, status = 0, 0
    while not ended and time.monotonic() < stop:
        ended, status = os.waitpid(child, os.WNOHANG)
        time.sleep(0.005)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    if not ended:
        os.waitpid(child, 0)
    return bool(ended) and not os.WIFSIGNALED(status)


def try_all(
    bench: Bench, reach: Reach, mutants: list[Mutant], kept: str, *, thorough: bool
) -> None:
    """Try the mutants one after another, and append each outcome to a file immediately."""
    for number, mutant in enumerate(mutants, 1):
        begun = time.monotonic()
        outcome, by, count = attempt(bench, reach, mutant, thorough=thorough)
        while outcome != "survived" and by in reach.seconds and not bench.is_sound(by, reach):
            reach.without.add(by)
            outcome, by, count = attempt(bench, reach, mutant, thorough=thorough)
        spent = round(time.monotonic() - begun, 2)
        with (bench.work / kept).open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(Tried(mutant, outcome, by, count, spent))) + "\n")
        print(f"{number}/{len(mutants)} {outcome} {spent:.1f} s {mutant.name} | {by}", flush=True)


def attempt(bench: Bench, reach: Reach, mutant: Mutant, *, thorough: bool) -> tuple[str, str, int]:
    """Return the outcome, the test that decided it, and the number of tests chosen."""
    outcome, by, count = "survived", "", 0
    for tests in reach.turns(mutant, thorough=thorough):
        outcome, by = bench.try_one(mutant, {test: reach.seconds[test] for test in tests})
        if outcome == "stopped" and by in tests:  # again, with enough time to compile
            later = tests[tests.index(by) :]
            times = {test: reach.seconds[test] + PATIENT for test in later}
            outcome, by = bench.try_one(mutant, times)
        count += len(tests)
        if outcome != "survived":
            break
    return outcome, by, count


def tried_in(path: Path) -> dict[str, Tried]:
    """Return the last outcome of each mutant."""
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    found = [json.loads(line) for line in lines]
    tried = [Tried(**{**one, "mutant": Mutant(**one["mutant"])}) for one in found]
    return {one.mutant.key: one for one in tried}
