"""Stale loops: machine code that was kept runs only for the values that it was built with."""

from __future__ import annotations

import importlib
import os
import pkgutil
import subprocess
import sys
from collections import namedtuple
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy as np
import pytest
from numba import njit
from numba.core.bytecode import ByteCode, FunctionIdentity
from numba.core.caching import NullCache
from numba.core.dispatcher import Dispatcher

import hushgram
from assurance.planted import BUGS
from hushgram.base.compiled import KeyedCache, compiled
from hushgram.base.loop_key import NoKey, loop_key
from hushgram.errors import MissingExtra

SOURCE = str(Path(hushgram.__file__).parents[1])

OTHER = """
from hushgram.base.compiled import compiled

WIDTH = 3

@compiled()
def step(x):
    return x + 1
"""

LOOP = """
from hushgram.base.compiled import compiled
from other import WIDTH, step

DOUBLE = 2 * WIDTH

@compiled()
def loop(x):
    return step(x) * 1000 + through(x) * 10 + WIDTH

@compiled()
def through(x):
    return DOUBLE
"""

RUN = """
import loops
answer = loops.loop(1)
stats = loops.loop.stats
print(answer, sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))
"""


class Project:
    """Two modules of compiled loops, of which one is changed and the other is not touched."""

    def __init__(self, folder: Path, **more: str) -> None:
        self.folder, self.more = folder, more
        (folder / "loops.py").write_text(LOOP)
        self.other = folder / "other.py"
        self.other.write_text(OTHER)

    def run(self, code: str = RUN) -> list[int]:
        """What a fresh process gets; then hits and misses of its cache."""
        run = subprocess.run(
            [sys.executable, "-c", code], cwd=self.folder, capture_output=True, text=True,
            env={**os.environ, "PYTHONPATH": SOURCE, "PYTHONDONTWRITEBYTECODE": "1", **self.more},
        )  # fmt: skip
        assert run.returncode == 0, run.stderr
        return [int(number) for number in run.stdout.split()]

    def change(self, before: str, after: str) -> None:
        self.other.write_text(self.other.read_text().replace(before, after))

    def kept(self) -> list[str]:
        return sorted(file.name for file in self.folder.rglob("*.nbc"))


@pytest.mark.slow
@pytest.mark.parametrize("place", ["beside", "elsewhere"])
def test_a_change_in_another_module_is_seen(tmp_path: Path, place: str) -> None:
    """A constant, a constant made of it, and a function: the loop's own file stays as it is."""
    folder = "" if place == "beside" else str(tmp_path / "cache")
    project = Project(tmp_path, NUMBA_CACHE_DIR=folder)
    assert project.run() == [2063, 0, 1]
    assert project.run() == [2063, 1, 0]
    kept = project.kept()
    project.change("WIDTH = 3", "WIDTH = 4")
    assert project.run() == [2084, 0, 1]
    assert project.run() == [2084, 1, 0]
    project.change("x + 1", "x + 7")
    assert project.run() == [8084, 0, 1]
    assert project.run() == [8084, 1, 0]
    assert project.kept() == kept != []


RECORDS = """
from typing import NamedTuple
from hushgram.base.compiled import compiled

class Pair(NamedTuple):
    left: int
    right: int

@compiled()
def loop(pair):
    return 10 * pair.left + pair.right
"""

RUN_RECORDS = RUN.replace("loops.loop(1)", "loops.loop(loops.Pair(1, 2))")


@pytest.mark.slow
def test_a_record_that_was_renamed_is_no_obstacle(tmp_path: Path) -> None:
    """What is kept names the records that a loop takes, and these may be gone."""
    project = Project(tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    loops = tmp_path / "loops.py"
    loops.write_text(RECORDS)
    assert project.run(RUN_RECORDS) == [12, 0, 1]
    assert project.run(RUN_RECORDS) == [12, 1, 0]
    loops.write_text(RECORDS.replace("Pair", "Couple"))
    renamed = RUN_RECORDS.replace("Pair", "Couple")
    assert project.run(renamed) == [12, 0, 1]
    assert project.run(renamed) == [12, 1, 0]


def test_a_folder_that_cannot_be_written_is_no_obstacle(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    home = {"HOME": str(blocked), "XDG_CACHE_HOME": str(blocked), "NUMBA_CACHE_DIR": ""}
    project = Project(tmp_path, **home)
    (tmp_path / "__pycache__").write_text("no folder")
    assert project.run()[0] == 2063
    project.change("WIDTH = 3", "WIDTH = 4")
    assert project.run()[0] == 2084
    assert project.kept() == []


@cache
def loops() -> dict[str, Dispatcher]:
    """Every compiled loop of the package, by its name."""
    found = {}
    for module in pkgutil.walk_packages(hushgram.__path__, "hushgram."):
        if not module.name.endswith("__main__"):
            with suppress(MissingExtra):  # pictures: no loops there
                for one in vars(importlib.import_module(module.name)).values():
                    if isinstance(one, Dispatcher):
                        found[f"{one.py_func.__module__}.{one.py_func.__qualname__}"] = one
    return found


def keys() -> dict[str, str]:
    return {name: loop_key(made.py_func) for name, made in loops().items()}


def used_by(loop: FunctionType) -> dict[str, Any]:
    """What the compiler itself finds that a loop uses from outside."""
    found: dict[str, Any] = ByteCode(FunctionIdentity.from_function(loop)).get_used_globals()
    return found


def uncovered(made: Dispatcher, key: Callable[[Any], str] = loop_key) -> list[str]:
    """The values that may change without a change of the key of what is kept on disk."""
    if not isinstance(made._cache, KeyedCache | NullCache):
        return ["all"]
    names, before, found = made.py_func.__globals__, key(made.py_func), []
    for name, value in used_by(made.py_func).items():
        if root_of(value) in ("builtins", "numpy", "numba", "math"):
            continue
        names[name] = other_than(value)
        try:
            if key(made.py_func) == before:
                found.append(name)
        finally:
            names[name] = value
    return found


def root_of(value: Any) -> str:
    """The package of a module, a type or a function; "" for a value."""
    if isinstance(value, ModuleType):
        return value.__name__.partition(".")[0]
    named = isinstance(value, type | FunctionType | BuiltinFunctionType) and value.__module__
    return value.__module__.partition(".")[0] if named else ""


def other_than(value: Any) -> Any:
    """Another value of the same kind."""
    if isinstance(value, Dispatcher):
        code = value.py_func.__code__
        twin = code.replace(co_consts=(*code.co_consts, "changed"))
        return njit(FunctionType(twin, value.py_func.__globals__))
    if isinstance(value, type):  # a record
        return namedtuple(value.__name__, [*value._fields, "changed"])  # type: ignore[attr-defined]
    if isinstance(value, tuple):
        return (*value, 1)
    return type(value)(value + 1)


def test_the_loops_are_found() -> None:
    assert len(loops()) > 90
    assert {name.rpartition(".")[0] for name in loops()} >= {
        "hushgram.trusted.noise.kernel",
        "hushgram.trusted.engine.compiled.kernels",
        "hushgram.mechanisms.inference.kdtree",
        "hushgram.answers.counting.boxes_walk",
        "hushgram.geometry.partition.cutting",
    }
    shared = used_by(loops()["hushgram.mechanisms.inference.kdtree.prune"].py_func)
    assert shared["keep_inner"].py_func.__module__ == "hushgram.geometry.partition.cutting"


def test_every_loop_is_kept_by_all_that_it_is_built_of() -> None:
    assert {name: found for name, made in loops().items() if (found := uncovered(made))} == {}


def test_a_key_that_covers_less_is_noticed() -> None:
    """The same test with the fault planted: numba's own key, and one of the code alone."""
    look_up = loops()["hushgram.trusted.noise.kernel.look_up"]
    assert uncovered(njit(cache=True)(look_up.py_func)) == ["all"]
    assert uncovered(look_up, lambda loop: loop.__code__.co_code.hex()) == ["_PREFIX"]
    prune = loops()["hushgram.mechanisms.inference.kdtree.prune"]
    by_name = lambda loop: str(sorted(used_by(loop)))  # noqa: E731
    assert set(uncovered(prune, by_name)) == {"keep_inner", "leaves_below"}


def test_values_of_equal_looks_are_told_apart() -> None:
    """By type, by bits, in loops that are called, and in arrays as in numbers."""
    keys = set()
    for value in (3, 3.0, np.uint64(3), np.int64(3), True, -0.0, 0.0, (3,), np.arange(3), "3"):
        inner = compiled()(FunctionType((lambda: VALUE).__code__, {"VALUE": value}))  # type: ignore[name-defined] # noqa: F821
        outer = FunctionType((lambda: inner_()).__code__, {"inner_": inner})  # type: ignore[name-defined] # noqa: F821
        keys |= {loop_key(inner.py_func), loop_key(outer)}
    assert len(keys) == 20


def test_what_has_no_lasting_text_is_compiled_and_not_kept() -> None:
    for value in (object(), sys.modules[__name__], [1], {"a": 1}, used_by):
        loop = FunctionType((lambda: VALUE).__code__, {"VALUE": value})  # type: ignore[name-defined] # noqa: F821
        with pytest.raises(NoKey):
            loop_key(loop)
        assert KeyedCache(loop)._stamp() is False


def test_loops_may_call_themselves() -> None:
    names: dict[str, Any] = {}
    names["turn"] = compiled()(FunctionType((lambda x: turn(x - 1)).__code__, names))  # type: ignore[name-defined] # noqa: F821
    assert len(loop_key(names["turn"].py_func)) == 64


@pytest.mark.slow
def test_a_planted_bug_lies_in_python_where_it_is_felt() -> None:
    """A constant that a loop was built with could be replaced without any effect."""
    before = keys()
    for bug in BUGS.values():
        with bug.plant():
            assert keys() == before, bug.name
