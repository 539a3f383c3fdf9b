"""Mutation testing of the trusted zone: small faults in its code, and whether its tests notice.

python tools/mutants.py map      which test runs which line (needs the package coverage);
                                 with --only tests/… a new test is added
python tools/mutants.py run      tries the sample, and goes on where it was stopped
python tools/mutants.py again    tries what survived without a reason once more, with every test
                                 that reaches it
python tools/mutants.py page     writes benchmarks/results/mutants.csv and docs/assurance/mutants.md

A mutant is the trusted zone with one expression or statement changed. It is killed if a test fails,
or runs out of time, that passes on the real code. All mutants are enumerated; those of the files
that decide on privacy are all tried, of the others a random sample with a fixed seed.

Every mutant is written into a private copy of the sources, so that processes which tests start see
it too, and tried in a fork of a process that has imported everything but the trusted zone: a second
of work per mutant instead of five. Only tests that run the changed line are run, the quick ones
first. Everything is kept in the folder ``--work``, by default ``mutants`` in the temporary folder.

Left alone, since a change is no fault that a test should find: docstrings, annotations, decorators,
texts (also those of errors, and what is written into them), imports, and what only states that
something cannot happen: ``assert``, and ``strict=True`` of ``zip``. Tests that need Spark, and the
slow attacks, are not run.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import contextlib
import copy
import csv
import gc
import importlib
import itertools
import json
import math
import os
import random
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from datetime import date
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
ZONE = Path("src/hushgram/trusted")
TESTS = [
    "tests/trusted/vault", "tests/trusted/noise", "tests/trusted/ledger", "tests/trusted/engine",
    "tests/trusted/test_url.py", str(ZONE), "tests/engines", "tests/resistance",
    "tests/test_plans.py", "tests/test_max_rows.py",
]  # fmt: skip
"""The tests that are run. The map is written after each of these folders and files."""
RESULTS = ROOT / "benchmarks" / "results" / "mutants.csv"
PAGE = ROOT / "docs" / "assurance" / "mutants.md"
REASONS = ROOT / "tools" / "survivors.toml"

SEED = 9
WHOLE = [
    "vault/vault.py", "vault/sensitivity.py", "vault/purse.py",
    "ledger/budget.py", "ledger/account.py", "ledger/teller.py", "ledger/chain.py",
    "noise/laplace.py", "noise/entropy.py",
]  # fmt: skip
"""Files whose mutants are all tried: those that decide on privacy."""
SHARES = {"engine": 0.08, "noise": 0.15, "vault": 0.15, "ledger": 0.15}
LEAST = 6
"""Of each other file, the share of its folder, but at least so many."""
FIRST, QUICK, LONG = 40, 8.0, 25.0
"""Tests that are run first, and seconds that they may take; seconds for all others that reach a
line, in a second try."""
BUSY, COMPILING, IDLE, MEMORY = 3.0, 12.0, 300.0, 6 * 2**30
"""Seconds of work that a test may need beyond its usual time, further ones where compiled loops
change; seconds that all may take beyond twice their time; and bytes."""
PATIENT = 15.0
"""Further seconds for a test that was stopped."""

COMPARED: dict[type[ast.cmpop], list[type[ast.cmpop]]] = {
    ast.Lt: [ast.LtE, ast.GtE],
    ast.LtE: [ast.Lt, ast.Gt],
    ast.Gt: [ast.GtE, ast.LtE],
    ast.GtE: [ast.Gt, ast.Lt],
    ast.Eq: [ast.NotEq],
    ast.NotEq: [ast.Eq],
    ast.Is: [ast.IsNot],
    ast.IsNot: [ast.Is],
    ast.In: [ast.NotIn],
    ast.NotIn: [ast.In],
}
CALCULATED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitAnd,
}
OPPOSITE = {"min": "max", "any": "all", "floor": "ceil", "minimum": "maximum", "argmin": "argmax"}
OPPOSITE |= {after: before for before, after in OPPOSITE.items()}
SYMMETRIC = {*OPPOSITE, "gcd", "lcm", "logical_and", "logical_or", "array_equal"}
WORDLESS = {"__repr__", "__str__"}


@dataclass(frozen=True)
class Mutant:
    """One change of one file: the text from ``start`` to ``stop`` becomes ``now``.

    It lies in a statement that ends, or has its header, in line ``last``, and which an import runs
    if it is ``early``.
    """

    file: str
    line: int
    last: int
    early: bool
    where: str
    operator: str
    start: int
    stop: int
    was: str
    now: str

    @property
    def name(self) -> str:
        """What stays the same when lines are added above it."""
        return f"{self.file} {self.where}: {short(self.was)} -> {short(self.now)}"

    @property
    def key(self) -> str:
        return f"{self.name} @{self.start}"

    def apply(self, source: str) -> str:
        return source[: self.start] + self.now + source[self.stop :]


@dataclass(frozen=True)
class Tried:
    """What became of a mutant: ``by`` names the test that noticed."""

    mutant: Mutant
    outcome: str
    by: str
    tests: int
    seconds: float


def short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 90 else f"{line[:60]} … {line[-27:]}"


# --- the mutants of a file


def mutants_of(file: str, source: str) -> list[Mutant]:
    """All mutants of a source, in order.

    >>> [(m.operator, m.now) for m in mutants_of("f.py", "def f(x):\\n    return x < 1")]
    [('return', 'return None'), ('comparison', 'x <= 1'), ('comparison', 'x >= 1'),
    ('constant', '2'), ('constant', '0')]
    """
    found = Enumerator(file, source)
    found.visit(ast.parse(source))
    return found.mutants


class Enumerator(ast.NodeVisitor):
    """Walks through a file and notes every change."""

    def __init__(self, file: str, source: str) -> None:
        self.file, self.source = file, source
        self.mutants: list[Mutant] = []
        self._starts = [0, *itertools.accumulate(map(len, source.splitlines(keepends=True)))]
        self._lines = source.splitlines()
        self._path: list[str] = []
        self._last, self._early = 1, True

    def visit(self, node: ast.AST) -> None:
        if isinstance(node, ast.stmt):
            self._last = header_end(node)
        super().visit(node)

    def generic_visit(self, node: ast.AST) -> None:
        for operator, changed in changes(node):
            self._note(node, operator, changed)
        super().generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        if node.name in WORDLESS:
            return
        self._path.append(node.name)
        for default in (*node.args.defaults, *filter(None, node.args.kw_defaults)):
            self.visit(default)
        before, self._early = self._early, False
        self._body(node.body)
        self._early = before
        self._path.pop()

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._path.append(node.name)
        self._body(node.body)
        self._path.pop()

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self._statement(node)
            self.visit(node.value)

    def visit_If(self, node: ast.If) -> None:
        if "TYPE_CHECKING" not in ast.unparse(node.test):
            self._condition(node.test)
            self.generic_visit(node)

    def visit_While(self, node: ast.While) -> None:
        self._condition(node.test)
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self._condition(node.test)
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        for test in node.ifs:
            self._condition(test)
        self.generic_visit(node)

    def visit_Raise(self, node: ast.Raise) -> None:
        """The text of an error is left alone; that there is one is not."""
        self._statement(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant | ast.Yield | ast.YieldFrom):
            self._statement(node)
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        if any(isinstance(target, ast.Name) and target.id == "__all__" for target in node.targets):
            return
        self._statement(node)
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self._statement(node)
        self.generic_visit(node)

    def visit_keyword(self, node: ast.keyword) -> None:
        if node.arg != "strict":
            self.generic_visit(node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """A text."""

    visit_AsyncFunctionDef = visit_FunctionDef
    visit_Assert = visit_Import = visit_ImportFrom = visit_JoinedStr

    def _body(self, body: list[ast.stmt]) -> None:
        for statement in body:
            self.visit(statement)

    def _condition(self, test: ast.expr) -> None:
        for value in (True, False):
            self._note(test, "condition", ast.Constant(value))

    def _statement(self, node: ast.stmt) -> None:
        """Leave a statement out, where the rest can still run without it."""
        targets = node.targets if isinstance(node, ast.Assign) else []
        targets = [node.target] if isinstance(node, ast.AnnAssign) else targets
        if not any(isinstance(target, ast.Name | ast.Tuple) for target in targets):
            self._note(node, "no statement", ast.Pass())

    def _note(self, node: Any, operator: str, changed: ast.AST) -> None:
        start, stop = self._place(node.lineno, node.col_offset), self._end(node)
        text = ast.unparse(ast.fix_missing_locations(changed))
        was = self.source[start:stop]
        if isinstance(changed, ast.BinOp | ast.BoolOp | ast.Compare | ast.UnaryOp | ast.IfExp):
            text = f"({text})" if self._inner(start, stop) else text
        if text.split() != was.split():
            where = ".".join(self._path) or "module"
            lines = (node.lineno, self._last, self._early)
            change = (operator, start, stop, was, text)
            self.mutants.append(Mutant(self.file, *lines, where, *change))

    def _inner(self, start: int, stop: int) -> bool:
        """Whether an expression may need brackets: it has neighbours on its line."""
        before = self.source[:start].rstrip(" ")[-1:]
        after = self.source[stop:].lstrip(" ")[:1]
        return not (before in "([{,=\n" and after in ")]},\n") and not (
            self.source[:start].endswith(("return ", "if ", "while ")) and after in ":\n"
        )

    def _place(self, line: int, column: int) -> int:
        """Columns of the tree are bytes."""
        text = self._lines[line - 1].encode()[:column].decode()
        return self._starts[line - 1] + len(text)

    def _end(self, node: Any) -> int:
        return self._place(node.end_lineno, node.end_col_offset)


def header_end(node: ast.stmt) -> int:
    """The last line of a statement, without the statements in it."""
    body = getattr(node, "body", None)
    last = node.end_lineno or node.lineno
    return max(node.lineno, body[0].lineno - 1) if body else last


def changes(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """What an expression, or a statement, is changed to."""
    if isinstance(node, ast.Compare):
        yield from compared(node)
    elif isinstance(node, ast.BinOp | ast.AugAssign):
        yield from calculated(node)
    elif isinstance(node, ast.Constant):
        yield from constants(node)
    elif isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield "and, or", ast.BoolOp(other, node.values)
    elif isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.UAdd):
        yield "sign, not", node.operand
    elif isinstance(node, ast.Return) and node.value is not None and not is_none(node.value):
        yield "return", ast.Return(ast.Constant(None))
    elif isinstance(node, ast.Break | ast.Continue):
        yield "loop", ast.Continue() if isinstance(node, ast.Break) else ast.Break()
    elif isinstance(node, ast.Call):
        yield from called(node)


def compared(node: ast.Compare) -> Iterator[tuple[str, ast.AST]]:
    for index, operator in enumerate(node.ops):
        for other in COMPARED[type(operator)]:
            changed = copy.copy(node)
            changed.ops = [*node.ops[:index], other(), *node.ops[index + 1 :]]
            yield "comparison", changed


def calculated(node: ast.BinOp | ast.AugAssign) -> Iterator[tuple[str, ast.AST]]:
    if type(node.op) not in CALCULATED or names_types(node) or holds_text(node):
        return
    changed = copy.copy(node)
    changed.op = CALCULATED[type(node.op)]()
    yield "arithmetic", changed


def constants(node: ast.Constant) -> Iterator[tuple[str, ast.AST]]:
    if isinstance(node.value, bool):
        yield "constant", ast.Constant(not node.value)
    elif isinstance(node.value, int):
        yield "constant", ast.Constant(node.value + 1)
        yield "constant", ast.Constant(node.value - 1)
    elif isinstance(node.value, float):
        yield "constant", ast.Constant(node.value + 1)


def called(node: ast.Call) -> Iterator[tuple[str, ast.AST]]:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else None
    name = node.func.id if isinstance(node.func, ast.Name) else name
    if name in OPPOSITE:
        changed = copy.deepcopy(node)
        setattr(changed.func, "attr" if hasattr(changed.func, "attr") else "id", OPPOSITE[name])
        yield "opposite", changed
    if name not in SYMMETRIC | {"isinstance", "cast"} and len(node.args) > 1:
        first, second, *rest = node.args
        if not any(isinstance(one, ast.Starred) for one in (first, second)):
            changed = copy.copy(node)
            changed.args = [second, first, *rest]
            yield "arguments", changed


def names_types(node: ast.AST) -> bool:
    """Whether ``|`` joins types."""
    names = [one.id for one in ast.walk(node) if isinstance(one, ast.Name)]
    types = [
        name for name in names if name[:1].isupper() or isinstance(vars(builtins).get(name), type)
    ]
    return isinstance(getattr(node, "op", None), ast.BitOr) and bool(types)


def holds_text(node: ast.BinOp | ast.AugAssign) -> bool:
    sides = [node.left, node.right] if isinstance(node, ast.BinOp) else [node.value]
    return any(
        isinstance(one, ast.JoinedStr)
        or (isinstance(one, ast.Constant) and isinstance(one.value, str))
        for one in sides
    )


def is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


# --- which of them are tried


def everything(root: Path) -> dict[str, list[Mutant]]:
    """All mutants of the zone, by file."""
    files = sorted((root / ZONE).rglob("*.py"))
    names = [path.relative_to(root / ZONE).as_posix() for path in files]
    found = {
        name: mutants_of(name, path.read_text("utf-8"))
        for name, path in zip(names, files, strict=True)
    }
    return {name: mutants for name, mutants in found.items() if mutants}


def sample(all_of_them: dict[str, list[Mutant]]) -> list[Mutant]:
    """The mutants to try: drawn file by file, so that one file's change moves no other's."""
    chosen = []
    for name, mutants in all_of_them.items():
        share = 1.0 if name in WHOLE else SHARES.get(name.partition("/")[0], 1.0)
        count = min(len(mutants), max(LEAST, math.ceil(share * len(mutants))))
        drawn = random.Random(f"{SEED} {name}").sample(range(len(mutants)), count)
        chosen += [mutants[index] for index in sorted(drawn)]
    return chosen


# --- which tests reach a line


def make_map(work: Path, only: str) -> None:
    """Run tests once, and add to the map which of them run each line of the zone."""
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
        pytest.main(["-q", "-m", "not slow", "--basetemp", str(work / "tmp"), folder], [times])
        seen.stop()
        known = {"tests": times.seconds, "lines": lines_reached(seen.get_data(), tree / ZONE)}
        write_map(work, known)


def lines_reached(data: Any, zone: Path) -> dict[str, dict[str, list[str]]]:
    """By file and line, the tests that ran it."""
    return {
        Path(file).relative_to(zone).as_posix(): {
            str(line): names for line, names in data.contexts_by_lineno(file).items()
        }
        for file in data.measured_files()
    }


def write_map(work: Path, new: dict[str, Any]) -> None:
    """Add to the map, which numbers its tests."""
    path = work / "map.json"
    known = json.loads(path.read_text("utf-8")) if path.exists() else {"tests": {}, "lines": {}}
    known["tests"] |= new["tests"]
    numbers = {name: number for number, name in enumerate(known["tests"])}
    for file, lines in new["lines"].items():
        reached = known["lines"].setdefault(file, {})
        for line, names in lines.items():
            more = {numbers[name] for name in names if name in numbers}
            reached[line] = sorted(more.union(reached.get(line, ())))
    path.write_text(json.dumps(known), "utf-8")


class Times:
    """A plugin of pytest: how long each test takes that passes, and what it runs."""

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
    """The tests that reach a mutant, the promising ones first."""

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
            room = f"tests/trusted/{mutant.file.partition('/')[0]}/"
            found |= {test for tests in lines.values() for test in tests}
            found |= {one for one, name in enumerate(self._tests) if name.startswith(room)}
        if not found or self._is_compiled(mutant.file):
            found |= self._of_importers(mutant.file)
        return self._ordered({self._tests[one] for one in found} - self.without, mutant.file)

    def turns(self, mutant: Mutant, *, thorough: bool) -> Iterator[list[str]]:
        """A few tests, and if asked for the rest of them, as far as time allows."""
        tests = self.tests_of(mutant)
        few = self._fitting(tests[:FIRST], QUICK) or tests[:1]
        yield from filter(None, [few])
        if thorough:
            yield from filter(None, [self._fitting(tests[len(few) :], LONG)])

    def _fitting(self, tests: list[str], seconds: float) -> list[str]:
        times = itertools.accumulate(self.seconds[test] for test in tests)
        return [test for test, at in zip(tests, times, strict=True) if at <= seconds]

    def _ordered(self, tests: set[str], file: str) -> list[str]:
        """Those that mirror the file first, then few cases of each other test, by speed."""
        room, inside, _ = file.partition("/")
        mirror = f"{room}/test_{Path(file).stem}.py" if inside else f"test_{file}"
        mirrors = (str(ZONE / file), f"tests/trusted/{mirror}")
        quick = sorted(tests, key=lambda test: (self.seconds[test], test))
        turns: Counter[str] = Counter()
        ranked = []
        for test in quick:
            name = test.partition("[")[0]
            far = 2 - test.startswith(f"tests/trusted/{room}/") - 2 * test.startswith(mirrors)
            ranked.append((far > 0, turns[name] // 3, far, len(ranked), test))
            turns[name] += 1
        return [test for *_, test in sorted(ranked)]

    def _is_compiled(self, file: str) -> bool:
        return "@compiled" in (self._tree / ZONE / file).read_text("utf-8")

    def _of_importers(self, file: str) -> set[int]:
        """Tests that run a line which imports the file, for what runs where no line is seen."""
        module = "hushgram.trusted." + file.removesuffix(".py").replace("/", ".")
        room, _, stem = module.rpartition(".")
        pattern = re.compile(rf"from {module} import|from {room} import .*\b{stem}\b")
        found: set[int] = set()
        for other, lines in self._lines.items():
            text = (self._tree / ZONE / other).read_text("utf-8").splitlines()
            for number, line in enumerate(text, 1):
                if pattern.search(line) and line.startswith(" "):
                    found |= set(lines.get(str(number), ()))
        return found


# --- trying one


PRELOADED = [
    "numpy", "scipy.stats", "scipy.special", "pyarrow", "pyarrow.parquet", "pyarrow.compute",
    "pyarrow.dataset", "duckdb", "ibis", "ibis.backends.duckdb", "numba", "pandas", "polars",
    "psycopg", "hypothesis", "hypothesis.strategies", "hypothesis.extra.numpy", "pytest",
    "sqlite3", "rich.console", "rich.table", "typer", "typer.testing", "cryptography",
    "hushgram.axis", "hushgram.domain", "hushgram.unit", "hushgram.queries", "hushgram.partition",
    "hushgram.estimate", "hushgram.mechanisms", "hushgram.inference", "hushgram.release",
    "hushgram.answers", "hushgram.answers.synthetic", "hushgram.plan", "hushgram.condition",
]  # fmt: skip


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
        """With one PostgreSQL for all mutants, where it is installed."""
        with contextlib.ExitStack() as stack:
            with contextlib.suppress(ImportError):
                from tests.servers import postgres

                if programs := postgres.installed():
                    self.server = stack.enter_context(postgres.running(programs))
            yield

    def try_one(self, mutant: Mutant, tests: dict[str, float]) -> tuple[str, str]:
        """Run tests, given with their times, on a mutant: the outcome, and by which test."""
        path = self.tree / ZONE / mutant.file
        source, times = path.read_text("utf-8"), path.stat()
        path.write_text(mutant.apply(source), "utf-8")
        now = next(self._clock)
        os.utime(
            path, (now, now)
        )  # bytecode is kept by the second, and must not outlive its mutant
        try:
            return self.run(tests, BUSY + COMPILING * ("@compiled" in source))
        finally:
            path.write_text(source, "utf-8")
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))

    def is_sound(self, test: str, reach: Reach) -> bool:
        """Whether a test passes here without a mutant; else it proves nothing."""
        if test not in self._sound:
            outcome, _ = self.run({test: reach.seconds[test]}, BUSY + COMPILING)
            self._sound[test] = outcome == "survived"
        return self._sound[test]

    def run(self, tests: dict[str, float], spare: float) -> tuple[str, str]:
        said = self.work / "said"
        said.write_text("", "utf-8")
        turn = next(self._turn)
        child = os.fork()
        if not child:
            self._child(tests, Watch(said, tests, spare), turn)
        ended = wait(child, IDLE + 2 * sum(tests.values()))
        words = said.read_text("utf-8").splitlines()
        failed = [word[5:] for word in words if word.startswith("fail ")]
        if failed:
            return "killed", failed[0]
        if not ended:
            begun = [word[6:] for word in words if word.startswith("start ")]
            return "stopped", begun[-1] if begun else "import"
        return ("survived", "") if "done import" in words else ("killed", "crash")

    def _child(self, tests: dict[str, float], watch: Watch, turn: int) -> None:
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
        args = ["-x", "-q", "-W", late, "--basetemp", str(self.work / "tmp"), *tests]
        try:
            watch.end(int(pytest.main(args, [watch])))
        finally:
            os._exit(1)


class Watch:
    """A plugin of pytest: says at once what failed, and stops what works for too long.

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
        """Leave, and say how it went; 1 would have been said before, more is an error outside."""
        self._say("done" if status in (0, 5) else "fail", "import")
        os._exit(0)

    def _allow(self, usual: float) -> None:
        """The signal of this clock ends the process."""
        signal.setitimer(signal.ITIMER_PROF, usual + self._spare)

    def _say(self, word: str, nodeid: str) -> None:
        with self._said.open("a", encoding="utf-8") as file:
            file.write(f"{word} {nodeid}\n")


def wait(child: int, patience: float) -> bool:
    """Whether the process ended by itself; else it and all that it started are stopped."""
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


def try_all(bench: Bench, reach: Reach, mutants: list[Mutant], *, thorough: bool) -> None:
    """Try the mutants one after another, and keep each outcome at once."""
    for number, mutant in enumerate(mutants, 1):
        begun = time.monotonic()
        outcome, by, count = attempt(bench, reach, mutant, thorough=thorough)
        while outcome != "survived" and by in reach.seconds and not bench.is_sound(by, reach):
            reach.without.add(by)
            outcome, by, count = attempt(bench, reach, mutant, thorough=thorough)
        spent = round(time.monotonic() - begun, 2)
        with (bench.work / "tried.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(Tried(mutant, outcome, by, count, spent))) + "\n")
        print(f"{number}/{len(mutants)} {outcome} {spent:.1f} s {mutant.name} | {by}", flush=True)


def attempt(bench: Bench, reach: Reach, mutant: Mutant, *, thorough: bool) -> tuple[str, str, int]:
    """The outcome, by which test, and how many were chosen."""
    outcome, by, count = "survived", "", 0
    for tests in reach.turns(mutant, thorough=thorough):
        outcome, by = bench.try_one(mutant, {test: reach.seconds[test] for test in tests})
        if outcome == "stopped" and by in tests:  # once more, with time enough to compile
            later = tests[tests.index(by) :]
            times = {test: reach.seconds[test] + PATIENT for test in later}
            outcome, by = bench.try_one(mutant, times)
        count += len(tests)
        if outcome != "survived":
            break
    return outcome, by, count


def tried_in(work: Path) -> dict[str, Tried]:
    """The last outcome of each mutant."""
    path = work / "tried.jsonl"
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    found = [json.loads(line) for line in lines]
    tried = [Tried(**{**one, "mutant": Mutant(**one["mutant"])}) for one in found]
    return {one.mutant.key: one for one in tried}


# --- what is told of it


def reasons() -> dict[str, str]:
    """Why mutants may survive, by name."""
    if not REASONS.exists():
        return {}
    found = tomllib.loads(REASONS.read_text("utf-8"))["survivor"]
    return {name: one["reason"] for one in found for name in one["mutants"]}


COLUMNS = ["file", "line", "where", "operator", "was", "now", "outcome", "by", "tests", "reason"]


def write_results(tried: list[Tried]) -> None:
    known = reasons()
    with RESULTS.open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(COLUMNS)
        for one in tried:
            which = one.mutant
            told = known.get(which.name, "") if one.outcome == "survived" else ""
            about = (which.file, which.line, which.where, which.operator)
            texts = (short(which.was), short(which.now))
            lines.writerow([*about, *texts, one.outcome, one.by, one.tests, told])


def page(all_of_them: dict[str, list[Mutant]], tried: list[Tried]) -> str:
    known = reasons()
    left = [one for one in tried if one.outcome == "survived"]
    share, low, high = estimate(all_of_them, tried)
    count = sum(map(len, all_of_them.values()))
    whole = [one for one in tried if one.mutant.file in WHOLE]
    return HEAD.format(
        day=date.today(),
        count=count,
        tried=len(tried),
        killed=len(tried) - len(left),
        rate=percent(rate(tried)),
        whole=len(whole),
        whole_rate=percent(rate(whole)),
        files=", ".join(f"`{name}`" for name in WHOLE),
        estimate=percent(share),
        low=percent(low),
        high=percent(high),
        shares=", ".join(f"{100 * share:.0f} % of `{room}/`" for room, share in SHARES.items()),
        least=LEAST,
        seed=SEED,
        open=len(sample(all_of_them)) - len(tried),
        left=len(left),
        undecided=sum(one.mutant.name not in known for one in left),
        table=table(all_of_them, tried),
        survivors=survivors(left),
    )


HEAD = """# Mutants

Made by `tools/mutants.py`. Coverage tells which lines the tests run, not whether they would notice
a fault in them. So one small fault after another is put into the trusted zone, and the tests that
run the changed line are run: a mutant is killed if one of them fails, crashes or works on and on.
All outcomes:
[mutants.csv](../../benchmarks/results/mutants.csv), with the lines of the sources on {day}.

**{tried:,} of {count:,} mutants tried, {killed:,} killed: {rate}.** Of the files that decide on
privacy ({files}) all were tried: {whole:,}, and {whole_rate} of them were killed. Of each other
file a random share, by a fixed seed ({seed}): {shares}, at least {least}; {open} that were drawn
are not tried yet. For all mutants of the zone together this makes an estimated {estimate} killed,
with a 95 % interval from {low} to {high} for the chance of the draw.

**How to read this.** Tests were written for gaps that survivors showed, and those mutants were
tried again: the figures say how the tests stand now against the mutants that were drawn, and are
too high for those that were not. A mutant that makes the code far slower counts as killed.

A mutant changes one of: a comparison (its boundary, or into the opposite), an operator of
arithmetic, a number by one, `and` / `or` / `not`, a condition to true or to false, a returned value
to nothing, a statement to none (a `raise` too), the first two arguments of a call, `min` / `max`
and the like, `break` / `continue`. Left alone are texts, those of errors too, annotations,
docstrings, imports, and what only states that something cannot happen (`assert`,
`zip(strict=True)`). Tests that are run: those of the zone, of engines (PostgreSQL too, Spark not),
of resistance and of plans. Not run are the slow attacks by statistics, the audit, and the tests of
mechanisms and of the command line, which would notice more.

```console
$ pip install coverage
$ python tools/mutants.py map      # which test runs which line; needs PostgreSQL for its parts
$ python tools/mutants.py run      # an hour or two
$ python tools/mutants.py again    # those that survived, with every test that reaches them
$ python tools/mutants.py page
```

| file | mutants | tried | killed | survived | killed |
|---|---:|---:|---:|---:|---:|
{table}

## Survivors

{left} in all. The reasons are kept in `tools/survivors.toml`; *equivalent* means that no input can
tell it from the code. {undecided} have none so far, and count as survivors until `again` has
tried them with every test that reaches them.

{survivors}
"""


def table(all_of_them: dict[str, list[Mutant]], tried: list[Tried]) -> str:
    by_file: defaultdict[str, list[Tried]] = defaultdict(list)
    rooms: defaultdict[str, list[str]] = defaultdict(list)
    for one in tried:
        by_file[one.mutant.file].append(one)
    for name in all_of_them:
        rooms[name.rpartition("/")[0] or "."].append(name)
    lines = []
    for room, names in sorted(rooms.items()):
        inside = [one for name in names for one in by_file[name]]
        total = sum(len(all_of_them[name]) for name in names)
        lines.append(row(f"**{'trusted' if room == '.' else room}**", total, inside))
        lines += [row(name, len(all_of_them[name]), by_file[name]) for name in names]
    lines.append(row("**all**", sum(map(len, all_of_them.values())), tried))
    return "\n".join(lines)


def row(name: str, total: int, tried: list[Tried]) -> str:
    killed = sum(one.outcome != "survived" for one in tried)
    cells = [name, f"{total:,}", f"{len(tried):,}", f"{killed:,}", f"{len(tried) - killed:,}"]
    return "| " + " | ".join([*cells, percent(rate(tried)) if tried else ""]) + " |"


UNDECIDED = "**undecided**: not looked at yet, or not tried with every test that reaches it"


def survivors(left: list[Tried]) -> str:
    """Each survivor with its reason."""
    known = reasons()
    lines = ["| where | mutant | reason |", "|---|---|---|"]
    for one in left:
        which = one.mutant
        change = f"`{code(which.was)}` → `{code(which.now)}`"
        reason = known.get(which.name, UNDECIDED)
        lines.append(f"| {which.file}:{which.line} {which.where} | {change} | {reason} |")
    return "\n".join(lines)


def code(text: str) -> str:
    return short(text).replace("|", "\\|")


def rate(tried: list[Tried]) -> float:
    return sum(one.outcome != "survived" for one in tried) / max(1, len(tried))


def percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def estimate(
    all_of_them: dict[str, list[Mutant]], tried: list[Tried]
) -> tuple[float, float, float]:
    """The killed share of all mutants, with a 95 % interval: Wilson's, for as many equally weighted
    draws as the weighted ones of the sampled files are worth."""
    counts = Counter(one.mutant.file for one in tried)
    total = sum(len(all_of_them[name]) for name in counts)
    drawn = [one for one in tried if counts[one.mutant.file] < len(all_of_them[one.mutant.file])]
    weights = [len(all_of_them[one.mutant.file]) / counts[one.mutant.file] for one in drawn]
    sure = sum(
        one.outcome != "survived"
        for one in tried
        if counts[one.mutant.file] == len(all_of_them[one.mutant.file])
    )
    if not drawn:
        return sure / total, sure / total, sure / total
    size = sum(weights)
    killed = sum(
        weight for weight, one in zip(weights, drawn, strict=True) if one.outcome != "survived"
    )
    ends = wilson(killed / size, size**2 / sum(weight**2 for weight in weights))
    low, high = ((sure + end * size) / total for end in ends)
    return (sure + killed) / total, low, high


def wilson(share: float, count: float, z: float = 1.96) -> tuple[float, float]:
    middle = share + z**2 / (2 * count)
    half = z * math.sqrt(share * (1 - share) / count + z**2 / (4 * count**2))
    return (middle - half) / (1 + z**2 / count), (middle + half) / (1 + z**2 / count)


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("step", choices=["map", "run", "again", "page"])
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "mutants")
    parser.add_argument("--only", default="*", help="files of the zone, as 'vault/*'; map: a test")
    asked = parser.parse_args(words)
    if asked.step == "map":
        copy_sources(asked.work)
        make_map(asked.work.resolve(), asked.only)
        return 0
    all_of_them = everything(ROOT)
    chosen = [one for one in sample(all_of_them) if fnmatch(one.file, asked.only)]
    known = tried_in(asked.work)
    if asked.step == "page":
        tried = [known[one.key] for one in chosen if one.key in known]
        write_results(tried)
        PAGE.write_text(page(all_of_them, tried), "utf-8")
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # leaves no mutant behind
    work = asked.work.resolve()
    bench, reach = Bench(work), Reach(work)
    with bench.serving():
        if asked.step == "run":
            left = [one for one in chosen if one.key not in known]
            random.Random(SEED).shuffle(left)  # so that what is tried so far is a sample as well
            try_all(bench, reach, left, thorough=False)
            return 0
        tried = [known[one.key] for one in chosen if one.key in known]
        explained = reasons()
        left = [one.mutant for one in tried if one.outcome == "survived"]
        left = [one for one in left if one.name not in explained]
        try_all(bench, reach, left, thorough=True)
    return 0


def copy_sources(work: Path) -> None:
    """Bring the copy up to date; files that are gone stay in it."""
    left = shutil.ignore_patterns(".git", ".venv", ".*_cache", ".hypothesis", "__pycache__")
    shutil.copytree(ROOT, work / "tree", ignore=left, dirs_exist_ok=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
