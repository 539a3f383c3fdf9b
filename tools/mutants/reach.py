"""Find the tests that reach a line, and the order in which to run them."""

from __future__ import annotations

import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tools.mutants.mutant import Mutant
from tools.mutants.sample import ZONE

TESTS = [
    "tests/trusted/vault", "tests/trusted/noise", "tests/trusted/ledger", "tests/trusted/engine",
    "tests/trusted/test_url.py", str(ZONE), "tests/engines", "tests/resistance",
    "tests/spending/test_publish_plan.py", "tests/spending/test_max_rows.py",
]  # fmt: skip
"""The tests to run. The map is written after each of these folders and files."""

FIRST, QUICK, LONG = 40, 8.0, 25.0
"""The number of tests to run first, and their seconds; the seconds for all others that reach a
line, in a second attempt."""


def make_map(work: Path, only: str) -> None:
    """Run tests once, and record in the map which of them run each line of the zone."""
    import coverage
    import pytest

    tree = work / "tree"
    os.chdir(tree)
    sys.path[:0] = [str(tree / "src"), str(tree)]
    os.environ["PYTHONPATH"] = str(tree / "src")
    seen = coverage.Coverage(data_file=None, include=[f"{tree / ZONE}/*"], config_file=False)
    times = Times(seen)
    for folder in TESTS if only == "*" else [only]:
        seen.start()
        args = ["-q", "-m", "not slow", "--hypothesis-profile", "thorough"]
        pytest.main([*args, "--basetemp", str(work / "tmp"), folder], [times])
        seen.stop()
        known = {"tests": times.seconds, "lines": lines_reached(seen.get_data(), tree / ZONE)}
        write_map(work, known, folder)


def lines_reached(data: Any, zone: Path) -> dict[str, dict[str, list[str]]]:
    """Return the tests that ran each line, by file and line."""
    return {
        Path(file).relative_to(zone).as_posix(): {
            str(line): names for line, names in data.contexts_by_lineno(file).items()
        }
        for file in data.measured_files()
    }


def write_map(work: Path, new: dict[str, Any], folder: str) -> None:
    """Add tests to the map, which numbers them, and remove deleted tests of the folder or file."""
    path = work / "map.json"
    known = json.loads(path.read_text("utf-8")) if path.exists() else {"tests": {}, "lines": {}}
    before = list(known["tests"])
    stay = {name: known["tests"][name] for name in before if not is_inside(name, folder)}
    tests = stay | new["tests"]
    numbers = {name: number for number, name in enumerate(tests)}
    reached: dict[str, dict[str, set[int]]] = {}
    for file, lines in known["lines"].items():
        reached[file] = {line: {numbers[before[one]] for one in some if before[one] in numbers}
                         for line, some in lines.items()}  # fmt: skip
    for file, named in new["lines"].items():
        there = reached.setdefault(file, {})
        for line, names in named.items():
            there.setdefault(line, set()).update(numbers[one] for one in names if one in numbers)
    found = {file: {line: sorted(some) for line, some in lines.items()}
             for file, lines in reached.items()}  # fmt: skip
    path.write_text(json.dumps({"tests": tests, "lines": found}), "utf-8")


def is_inside(test: str, folder: str) -> bool:
    """Return whether a test belongs to a folder, a file or a function."""
    return test.removeprefix(folder)[:1] in ("", "/", ":", "[") and test.startswith(folder)


class Times:
    """A pytest plugin that records how long each passing test takes, and which lines it runs."""

    def __init__(self, seen: Any) -> None:
        self.seconds: dict[str, float] = {}
        self._seen = seen
        self._spent: dict[str, float] = {}

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        without_spark(items)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._seen.switch_context(nodeid)

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.when == "call" and report.passed:
            self.seconds[report.nodeid] = round(report.duration, 3)


def without_spark(items: list[Any]) -> None:
    items[:] = [
        item
        for item in items
        if "spark" not in getattr(item, "fixturenames", ()) and "spark" not in item.nodeid
    ]


class Reach:
    """Finds the tests that reach a mutant, the most promising ones first."""

    def __init__(self, work: Path) -> None:
        known = json.loads((work / "map.json").read_text("utf-8"))
        self._tests: list[str] = list(known["tests"])
        self.seconds: dict[str, float] = known["tests"]
        self._lines: dict[str, dict[str, list[int]]] = known["lines"]
        self._tree = work / "tree"
        self.without: set[str] = set()

    def tests_of(self, mutant: Mutant) -> list[str]:
        lines = self._lines.get(mutant.file, {})
        span = range(mutant.line, max(mutant.line, mutant.last) + 1)
        found = {test for line in span for test in lines.get(str(line), ())}
        if not found or mutant.early:
            package = f"tests/trusted/{mutant.file.partition('/')[0]}/"
            found |= {test for tests in lines.values() for test in tests}
            found |= {one for one, name in enumerate(self._tests) if name.startswith(package)}
        if not found or self._is_compiled(mutant.file):
            found |= self._of_importers(mutant.file)
        return self._order({self._tests[one] for one in found} - self.without, mutant.file)

    def turns(self, mutant: Mutant, *, thorough: bool) -> Iterator[list[str]]:
        """Yield a few tests and, if ``thorough``, the others, as far as time allows."""
        tests = self.tests_of(mutant)
        few = self._fitting(tests[:FIRST], QUICK) or tests[:1]
        yield from filter(None, [few])
        if thorough:
            rest = [test for test in tests if test not in few]
            yield from filter(None, [self._fitting(rest, LONG)])

    def _fitting(self, tests: list[str], seconds: float) -> list[str]:
        """Return tests that together fit into the time, skipping those that are too long."""
        found = []
        for test in tests:
            if self.seconds[test] <= seconds:
                seconds -= self.seconds[test]
                found.append(test)
        return found

    def _order(self, tests: set[str], file: str) -> list[str]:
        """Sort tests: those that mirror the file first, then a few cases of each other test, by
        speed."""
        package, inside, _ = file.partition("/")
        mirror = f"test_{Path(file).name}"
        mirrors = (
            str(ZONE / file),
            f"tests/trusted/{package}/{mirror}" if inside else f"tests/trusted/{mirror}",
            str(Path("tests/trusted", file).with_name(mirror)),
        )
        quick = sorted(tests, key=lambda test: (self.seconds[test], test))
        turns: Counter[str] = Counter()
        ranked = []
        for test in quick:
            name = test.partition("[")[0]
            far = 2 - test.startswith(f"tests/trusted/{package}/") - 2 * test.startswith(mirrors)
            ranked.append((far > 0, turns[name] // 3, far, len(ranked), test))
            turns[name] += 1
        return [test for *_, test in sorted(ranked)]

    def _is_compiled(self, file: str) -> bool:
        return "@compiled" in (self._tree / ZONE / file).read_text("utf-8")

    def _of_importers(self, file: str) -> set[int]:
        """Return tests that run a line which imports the file, for code that coverage does not
        see."""
        module = "hushgram.trusted." + file.removesuffix(".py").replace("/", ".")
        package, _, stem = module.rpartition(".")
        pattern = re.compile(rf"from {module} import|from {package} import .*\b{stem}\b")
        found: set[int] = set()
        for other, lines in self._lines.items():
            text = (self._tree / ZONE / other).read_text("utf-8").splitlines()
            for number, line in enumerate(text, 1):
                if pattern.search(line) and line.startswith(" "):
                    found |= set(lines.get(str(number), ()))
        return found
