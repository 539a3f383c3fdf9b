"""The public face: its names, what importing it costs, and what its code may not do."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import hushgram as hg

SOURCE = Path(hg.__file__).parent
PRIVATE = [
    p
    for p in sorted(SOURCE.rglob("*.py"))
    if not {"lab", "suggest"} & {*p.relative_to(SOURCE).parts}
]

NAMES = [
    "publish", "publish_plan", "Plan", "Planned", "DryRun", "load", "Release", "smooth_median",
    "find_bounds", "find_max_rows",
    "Domain", "Interval", "Regular", "Variable", "Integer", "Category", "Date",
    "Counts", "Where", "Text", "User", "Ledger",
    "MECHANISMS", "Mechanism", "Estimate", "Answer", "Answers",
    "HistogramClassifier", "weighted_rows", "match_blocks", "distance",
    "HushgramError", "BudgetExceeded", "NothingFound", "NotAnswerable", "MachineNotReady",
    "Unaccounted", "__version__",
]  # fmt: skip


def test_the_exported_names_are_these() -> None:
    assert hg.__all__ == NAMES
    assert dir(hg) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_name_can_be_had(name: str) -> None:
    assert getattr(hg, name) is not None
    assert getattr(hg, name) is getattr(hg, name)


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


def test_the_version_is_the_package_s() -> None:
    import tomllib

    project = SOURCE.parent.parent / "pyproject.toml"
    assert tomllib.loads(project.read_text())["project"]["version"] == hg.__version__
