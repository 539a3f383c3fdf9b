"""Guessable randomness: the trusted zone has one source of random bits, the operating system."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import hushgram.trusted

TRUSTED = Path(hushgram.trusted.__file__).parent
SECRETS = {
    "noise/entropy.py": {"os.urandom"},
    "engine/ibis/table.py": {"secrets"},
    "ledger/receipt.py": {"secrets"},
    "ledger/sqlite/spool.py": {"secrets"},
    "ledger/sqlite/store.py": {"secrets"},
}
"""Who asks the operating system for randomness. Noise comes from the first only."""

BANNED = {"random", "numpy.random", "np.random", "scipy.stats", "uuid", "time.time_ns"}


def mentioned(code: str) -> set[str]:
    """Modules that are imported, and dotted names that are used."""
    found = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Attribute):
            found.add(ast.unparse(node))
    return found


def guessable(code: str) -> set[str]:
    return {
        name for name in mentioned(code) for bad in BANNED if f"{name}.".startswith(f"{bad}.")
    }  # fmt: skip


def test_no_guessable_randomness_in_the_trusted_zone() -> None:
    found = {path: guessable(path.read_text("utf-8")) for path in TRUSTED.rglob("*.py")}
    assert len(found) > 50
    assert {path.name: names for path, names in found.items() if names} == {}


def test_the_operating_system_is_asked_where_it_is_known() -> None:
    found = {
        path.relative_to(TRUSTED).as_posix(): names
        for path in TRUSTED.rglob("*.py")
        if (names := mentioned(path.read_text("utf-8")) & {"os.urandom", "secrets", "os.getrandom"})
    }
    assert found == SECRETS


@pytest.mark.parametrize(
    "code",
    ["import random", "from random import choice", "import numpy.random", "np.random.rand()",
     "from numpy import random", "from numpy.random import default_rng", "import scipy.stats",
     "import uuid"],
)  # fmt: skip
def test_the_scan_sees_one(code: str) -> None:
    assert guessable(code)
    assert not guessable("import secrets\nibis.random()")
