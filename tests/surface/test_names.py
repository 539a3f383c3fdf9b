"""The public face: its names, what importing it costs, and what its code may not do."""

from __future__ import annotations

import ast
import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest

import hushgram as hg
from hushgram import errors, mechanisms
from hushgram.mechanisms.registry import BUILT_IN

SOURCE = Path(hg.__file__).parent
PRIVATE = [
    p
    for p in sorted(SOURCE.rglob("*.py"))
    if not {"lab", "expect"} & {*p.relative_to(SOURCE).parts}
]


def catalogue() -> list[str]:
    """The names in the block of imports that type checkers see."""
    (block,) = (node for node in ast.parse((SOURCE / "__init__.py").read_text()).body
                if isinstance(node, ast.If))  # fmt: skip
    return [alias.asname or alias.name for node in block.body for alias in node.names]  # type: ignore[attr-defined]


NAMES = [*catalogue(), "__version__"]


def test_the_exported_names_are_the_imported_ones() -> None:
    assert hg.__all__ == NAMES
    assert dir(hg) == sorted(NAMES)
    assert len(NAMES) > 50


def test_every_error_and_warning_is_exported() -> None:
    kinds = {name for name, kind in vars(errors).items() if isinstance(kind, type)}
    raised = {name for name in kinds if issubclass(getattr(errors, name), Exception)}
    assert len(raised) > 20
    assert raised <= {*NAMES}


def test_every_mechanism_s_class_is_exported() -> None:
    for name, kind in BUILT_IN.items():
        assert getattr(mechanisms, kind.__name__) is kind, name


@pytest.mark.parametrize("name", NAMES)
def test_every_name_can_be_had(name: str) -> None:
    assert getattr(hg, name) is not None
    assert getattr(hg, name) is getattr(hg, name)


FOR_AUTHORS = {"Mechanism", "Estimate"}
"""What authors of mechanisms use, which docs/guides/own-mechanism.md shows."""

RESULTS = {"LeastEpsilon", "Suggestion"}
"""What functions return whose own examples show it."""


@pytest.mark.parametrize("name", sorted({*catalogue()} - FOR_AUTHORS - RESULTS))
def test_every_name_is_documented_with_an_example(name: str) -> None:
    found = getattr(hg, name)
    text = inspect.getdoc(found) or ""
    assert text
    is_error = isinstance(found, type) and issubclass(found, Exception)
    assert is_error or ">>>" in text or not callable(found), name


@pytest.mark.parametrize("name", [name for name in dir(hg.Release) if not name.startswith("_")])
def test_every_method_of_a_release_says_what_it_takes(name: str) -> None:
    found = inspect.getattr_static(hg.Release, name)
    if not inspect.isfunction(found):
        return
    text = inspect.getdoc(found) or ""
    assert text
    parameters = {*inspect.signature(found).parameters} - {"self"}
    explained = any(sign in text for sign in ("Parameters\n", ">>>", "See `", "same as `"))
    assert explained or parameters <= {"flow"}, name


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'hushgram' has no attribute 'histogram'"):
        hg.histogram  # noqa: B018
    assert not hasattr(hg, "histogram")


def test_importing_is_cheap() -> None:
    heavy = "numpy", "ibis", "pandas", "pyarrow", "duckdb", "numba", "scipy", "rich", "sqlite3"
    code = f"""
import sys, hushgram
print(sorted(set({heavy!r}) & set(sys.modules)))
import hushgram.cli.app
print(sorted(set({heavy!r}) - {{'rich'}} & set(sys.modules)))
"""
    here = {**os.environ, "PYTHONPATH": str(SOURCE.parent)}
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=here
    )
    assert found.stdout == "[]\n[]\n"


def imported(tree: ast.AST) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            names.add(f"{node.value.id}.{node.attr}")
    return names


def called(tree: ast.AST) -> set[str]:
    calls = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    return {func.id for func in calls if isinstance(func, ast.Name)}


def offences(code: str) -> set[str]:
    """What private code must not do: guessable randomness, and running what it reads."""
    tree = ast.parse(code)
    forbidden = {
        "random",
        "numpy.random",
        "np.random",
        "scipy.stats",
        "pickle",
        "marshal",
        "shelve",
    }
    roots = {
        name for name in imported(tree) for bad in forbidden if f"{name}.".startswith(f"{bad}.")
    }
    return roots | (called(tree) & {"eval", "exec", "compile", "__import__"})


@pytest.mark.parametrize("path", PRIVATE, ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_guessable_randomness_and_nothing_is_run(path: Path) -> None:
    assert offences(path.read_text()) == set()


@pytest.mark.parametrize(
    "code",
    [
        "import random", "from random import choice", "import numpy.random", "np.random.rand()",
        "from numpy import random", "from numpy.random import default_rng", "import pickle",
        "from pickle import loads", "eval('1')", "exec('1')",
    ],
)  # fmt: skip
def test_the_test_finds_what_it_looks_for(code: str) -> None:
    assert offences(code)
    assert not offences("import secrets\nfrom ibis import _\nx.evaluate()\nibis.random()")


def test_the_change_log_knows_the_version() -> None:
    changes = (SOURCE.parent.parent / "CHANGELOG.md").read_text("utf-8")
    assert f"\n## {hg.__version__} " in changes
