"""Runs the tests of the pages again and again, and looks for flakes.

    python -m tests.web.repeat --times 50 [--minutes 60] [WORDS OF PYTEST …]

Each repetition has noise and generated data of its own. A line for each test goes to
benchmarks/results/browser-repeats.csv: how often it ran, how often it failed, and how long it took.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "browser-repeats.csv"
FIELDS = ["test", "times", "failed", "mean seconds", "longest"]


class Repeat:
    """A plugin of pytest: every test several times, until the time is up."""

    def __init__(self, times: int, minutes: float) -> None:
        self.times = times
        self.end = time.monotonic() + 60 * minutes
        self.seconds: dict[str, list[float]] = defaultdict(list)
        self.failed: dict[str, set[str]] = defaultdict(set)

    @pytest.fixture
    def repetition(self, request: pytest.FixtureRequest) -> int:
        return int(request.param)

    @pytest.hookimpl(trylast=True)
    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        metafunc.fixturenames.append("repetition")
        metafunc.parametrize("repetition", range(self.times), indirect=True)

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """All tests once, then all again: whatever ends early has run each as often. Examples in
        docstrings are not repeated."""
        items[:] = [item for item in items if hasattr(item, "callspec")]
        items.sort(key=lambda item: item.callspec.params["repetition"])

    def pytest_runtest_setup(self, item: Any) -> None:
        if time.monotonic() > self.end:
            item.session.shouldstop = "the time is up"

    def pytest_runtest_logreport(self, report: Any) -> None:
        name = name_of(report.nodeid)
        if report.when == "call" and not report.skipped:
            self.seconds[name].append(report.duration)
        if report.failed:
            self.failed[name].add(report.nodeid)
            sys.stderr.write(f"\n{report.nodeid}\n{report.longreprtext}\n")
        if report.when == "teardown":
            save(self.rows(), RESULTS)

    def rows(self) -> list[dict[str, Any]]:
        return [
            {
                "test": name,
                "times": len(seconds),
                "failed": len(self.failed[name]),
                "mean seconds": round(sum(seconds) / len(seconds), 2),
                "longest": round(max(seconds), 2),
            }
            for name, seconds in self.seconds.items()
        ]


def name_of(node: str) -> str:
    """A test without its repetition, which is the last of its parameters or the only one.

    >>> name_of("tests/web/test_a.py::test_it[light-3]"), name_of("tests/web/test_a.py::test_it[3]")
    ('test_a.py::test_it[light]', 'test_a.py::test_it')
    """
    path, _, inside = node.removeprefix("tests/web/").rpartition("[")
    words = inside.removesuffix("]").rpartition("-")[0]
    return f"{path}[{words}]" if words else path


def save(found: list[dict[str, Any]], path: Path) -> None:
    """Lines of tests that ran now replace their older ones."""
    older = list(csv.DictReader(path.read_text().splitlines())) if path.exists() else []
    names = {row["test"] for row in found}
    rows = [*(row for row in older if row["test"] not in names), *found]
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(sorted(rows, key=lambda row: row["test"]))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=50)
    parser.add_argument("--minutes", type=float, default=60)
    asked, words = parser.parse_known_args()
    plugin = Repeat(asked.times, asked.minutes)
    chosen = words if any("tests" in word for word in words) else [*words, str(FOLDER)]
    status = pytest.main(["-q", *chosen], plugins=[plugin])
    found = plugin.rows()
    runs, failures = (sum(row[name] for row in found) for name in ("times", "failed"))
    sys.stderr.write(f"{len(found)} tests, {runs} runs, {failures} failed\n")
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
