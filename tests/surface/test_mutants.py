"""The tool that mutates the trusted zone, on a zone of one file."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tools.mutants.bench import Tried, wait
from tools.mutants.mutant import mutants_of
from tools.mutants.page import PAGE, RESULTS, estimate, percent, row, weighted_rate
from tools.mutants.reach import write_map
from tools.mutants.sample import FRESH, LEAST, fresh_sample, sample

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
PROFILE = """from hypothesis import settings

settings.register_profile("thorough")
"""
SURVIVORS = {
    "value is None -> False",
    'raise ValueError(f"no value, where {2 + 1} is the most") -> pass',
}
LIGHT = """from tools.mutants import __main__, bench
bench.PRELOADED = ['pytest', 'hypothesis']
__main__.main(['{step}', '--work', '{work}'])"""


def changes(code: str) -> set[str]:
    return {f"{one.was} -> {one.now}" for one in mutants_of("toy.py", code)}


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


@pytest.mark.slow
def test_mutants_of_a_toy_live_and_die_as_they_should(tmp_path: Path) -> None:
    project, work = tmp_path / "project", tmp_path / "work"
    make_project(project, work)
    for step in ("run", "page"):
        command = [sys.executable, "-c", LIGHT.format(step=step, work=work)]
        subprocess.run(command, cwd=project, capture_output=True, check=True)
    with (project / "benchmarks" / "results" / "mutants.csv").open(encoding="utf-8") as file:
        rows = {f"{row['was']} -> {row['now']}": row for row in csv.DictReader(file)}
    assert set(rows) == changes(TOY)
    assert {name for name, row in rows.items() if row["outcome"] == "survived"} == SURVIVORS
    assert rows["3 -> 4"]["by"] == "tests/test_toy.py::test_clamp"
    assert (work / "tree/src/hushgram/trusted/toy.py").read_text("utf-8") == TOY
    page = (project / "docs" / "assurance" / "mutants.md").read_text("utf-8")
    assert "| `value is None` → `False` | no test |" in page


def test_the_page_says_what_the_table_says() -> None:
    with RESULTS.open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["draw"] == "first"]
    killed = [row for row in rows if row["outcome"] != "survived"]
    told = PAGE.read_text("utf-8")
    assert f"**{len(rows):,} of " in told
    assert f"mutants tried, {len(killed):,} killed: {percent(len(killed) / len(rows))}.**" in told
    assert all(row["reason"] for row in rows if row["outcome"] == "survived")


def test_a_fresh_draw_has_nothing_of_the_first() -> None:
    found = {"engine/a.py": mutants_of("engine/a.py", TOY * 9), "vault/b.py": []}
    first, fresh = sample(found), fresh_sample(found)
    assert fresh == fresh_sample(found)
    assert len(first) == LEAST
    assert len(fresh) == min(FRESH["engine"], len(found["engine/a.py"]) - LEAST)
    assert not {one.key for one in first} & {one.key for one in fresh}


def test_equivalent_mutants_are_left_out_beside() -> None:
    some = mutants_of("toy.py", TOY)[:4]
    outcomes = ["killed", "stopped", "survived", "survived"]
    tried = [Tried(one, what, "", 1, 0.1) for one, what in zip(some, outcomes, strict=True)]
    known = {some[2].name: "Equivalent: it is.", some[3].name: "Harmless."}
    assert row("toy.py", 9, tried, known) == "| toy.py | 9 | 4 | 2 | 2 | 50.0 % | 66.7 % |"
    share, low, high = estimate({"toy.py": [*some, *some]}, tried)
    assert low < share == 0.5 < high
    assert weighted_rate({"toy.py": [*some, *some]}, tried, known) == pytest.approx(2 / 3)


def test_a_map_forgets_tests_that_are_gone(tmp_path: Path) -> None:
    first = {"a.py::one": 1.0, "a.py::two[x]": 1.0, "ab.py::three": 1.0}
    write_map(tmp_path, {"tests": first, "lines": {"f.py": {"1": list(first)}}}, ".")
    again = {"tests": {"a.py::two[y]": 2.0}, "lines": {"f.py": {"2": ["a.py::two[y]"]}}}
    write_map(tmp_path, again, "a.py::two")
    write_map(tmp_path, {"tests": {}, "lines": {}}, "a.py::one")
    found = json.loads((tmp_path / "map.json").read_text("utf-8"))
    assert found["tests"] == {"ab.py::three": 1.0, "a.py::two[y]": 2.0}
    assert found["lines"] == {"f.py": {"1": [0], "2": [1]}}


def test_a_mutant_that_never_ends_is_stopped() -> None:
    with subprocess.Popen(["sleep", "600"], start_new_session=True) as child:
        assert not wait(child.pid, 0.05)
    with subprocess.Popen(["true"], start_new_session=True) as child:
        assert wait(child.pid, 60)


def make_project(project: Path, work: Path) -> None:
    """The tool with a zone, a test and a map of its own."""
    files = {
        "src/hushgram/__init__.py": "",
        "src/hushgram/trusted/__init__.py": "",
        "src/hushgram/trusted/toy.py": TOY,
        "tests/test_toy.py": TESTS,
        "tests/conftest.py": PROFILE,
        "pyproject.toml": "[tool.pytest.ini_options]\n",
    }
    lines = {str(line): [0] for line in range(10, 14)}
    known = {"tests": {"tests/test_toy.py::test_clamp": 0.01}, "lines": {"toy.py": lines}}
    reason = 'mutants = ["toy.py clamp: value is None -> False"]'
    for path in (ROOT / "tools" / "mutants").glob("*.py"):
        files[f"tools/mutants/{path.name}"] = path.read_text("utf-8")
    files["tools/mutants/survivors.toml"] = f'[[survivor]]\n{reason}\nreason = "no test"\n'
    files |= dict.fromkeys(["benchmarks/results/mutants.csv", "docs/assurance/mutants.md"], "")
    for name, text in files.items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    work.mkdir()
    (work / "map.json").write_text(json.dumps(known), "utf-8")
