"""Every example runs, in a folder of its own, with a ledger of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import hushgram as hg

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


SLOW = {
    "classification", "evaluate", "pictures", "plan", "quantiles", "record_linkage", "report",
    "synthetic_rows", "tables_and_sql",
}  # fmt: skip
"""They take more than three seconds each."""


def marked(path: Path) -> Any:
    return pytest.param(path, marks=[pytest.mark.slow] if path.stem in SLOW else [], id=path.stem)


@pytest.mark.slow
@pytest.mark.parametrize("path", [marked(path) for path in EXAMPLES])
def test_an_example_runs(path: Path, tmp_path: Path) -> None:
    here = {
        **os.environ,
        "PYTHONPATH": str(Path(hg.__file__).parent.parent),
        "PYTHONWARNINGS": "default",
        "HUSHGRAM_LEDGER": str(tmp_path / "ledger.db"),
        "MPLBACKEND": "agg",
    }
    done = subprocess.run(
        [sys.executable, str(path)], cwd=tmp_path, env=here, capture_output=True, text=True,
        timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_says_what_it_shows(path: Path) -> None:
    assert path.read_text().startswith('"""')
