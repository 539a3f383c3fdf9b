"""The tool that mutates the trusted zone, on a zone of one file."""

from __future__ import annotations

import csv
import importlib.util
import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent.parent

TOY = '''"""A toy."""

from __future__ import annotations

LIMIT = 3


def clamp(value: int | None) -> int:
    """The value, or the limit."""
    if value is None:
        raise ValueError(f"no value, where {2 + 1} is the most")
    assert value == value
    return min(value, LIMIT)
'''
TESTS = """from hushgram.trusted.toy import clamp


def test_clamp():
    assert [clamp(value) for value in (1, 4)] == [1, 3]
"""
SURVIVORS = {
    "value is None -> False",
    'raise ValueError(f"no value, where {2 + 1} is the most") -> pass',
}
LIGHT = """import mutants
mutants.PRELOADED = ['pytest', 'hypothesis']
mutants.main(['{step}', '--work', '{work}'])"""


def changes(code: str) -> set[str]:
    return {f"{one.was} -> {one.now}" for one in tool().mutants_of("toy.py", code)}


@cache
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("mutants", ROOT / "tools" / "mutants.py")
    assert spec is not None
    assert spec.loader is not None
    sys.modules["mutants"] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("code", "changed"),
    [
        ("y = a <= b < 1", {"a < b < 1", "a > b < 1", "a <= b <= 1", "a <= b >= 1"}),
        ("y = a + b * c", {"a - b * c", "(b + c)"}),
        ("y = 2 * (a - 1)", {"2 + (a - 1)", "a + 1"}),
        ("x += f(a, b)", {"x -= f(a, b)", "f(b, a)", "pass"}),
        ("y = not (a and b)", {"a and b", "a or b"}),
        ("y = np.minimum(-a, *b)", {"np.maximum(-a, *b)", "a"}),
        ("def f(x: int | None) -> int:\n    return x", {"return None"}),
        ("for x in y:\n    break", {"continue"}),
        ("Short = int | Fraction", set()),
        ('"Words."\nx: list[int | str]', set()),
        ("é = [1 for x in y if x]", {"True", "False", "2", "0"}),
    ],
)
def test_what_is_changed(code: str, changed: set[str]) -> None:
    found = {change.rpartition(" -> ")[2] for change in changes(code)}
    assert {
        text for text in found if text not in {"0", "1", "2", "3"} or text in changed
    } == changed


def test_mutants_of_a_toy_live_and_die_as_they_should(tmp_path: Path) -> None:
    project, work = tmp_path / "project", tmp_path / "work"
    make_project(project, work)
    for step in ("run", "page"):
        command = [sys.executable, "-c", LIGHT.format(step=step, work=work)]
        subprocess.run(command, cwd=project / "tools", capture_output=True, check=True)
    with (project / "benchmarks" / "results" / "mutants.csv").open(encoding="utf-8") as file:
        rows = {f"{row['was']} -> {row['now']}": row for row in csv.DictReader(file)}
    assert set(rows) == changes(TOY)
    assert {name for name, row in rows.items() if row["outcome"] == "survived"} == SURVIVORS
    assert rows["3 -> 4"]["by"] == "tests/test_toy.py::test_clamp"
    assert (work / "tree/src/hushgram/trusted/toy.py").read_text("utf-8") == TOY
    page = (project / "docs" / "assurance" / "mutants.md").read_text("utf-8")
    assert "| `value is None` → `False` | no test |" in page


def test_a_mutant_that_never_ends_is_stopped() -> None:
    with subprocess.Popen(["sleep", "600"], start_new_session=True) as child:
        assert not tool().wait(child.pid, 0.05)
    with subprocess.Popen(["true"], start_new_session=True) as child:
        assert tool().wait(child.pid, 60)


def make_project(project: Path, work: Path) -> None:
    """The tool with a zone, a test and a map of its own."""
    files = {
        "src/hushgram/__init__.py": "",
        "src/hushgram/trusted/__init__.py": "",
        "src/hushgram/trusted/toy.py": TOY,
        "tests/test_toy.py": TESTS,
        "pyproject.toml": "[tool.pytest.ini_options]\n",
    }
    lines = {str(line): [0] for line in range(10, 14)}
    known = {"tests": {"tests/test_toy.py::test_clamp": 0.01}, "lines": {"toy.py": lines}}
    reason = 'mutants = ["toy.py clamp: value is None -> False"]'
    files["tools/survivors.toml"] = f'[[survivor]]\n{reason}\nreason = "no test"\n'
    files["tools/mutants.py"] = (ROOT / "tools" / "mutants.py").read_text("utf-8")
    files |= dict.fromkeys(["benchmarks/results/mutants.csv", "docs/assurance/mutants.md"], "")
    for name, text in files.items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    work.mkdir()
    (work / "map.json").write_text(json.dumps(known), "utf-8")
