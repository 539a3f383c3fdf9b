"""The rooms of the package: one direction, and a page that says so."""

from __future__ import annotations

import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from tools import make_rooms

ROOT = Path(__file__).parents[2]


def test_no_two_rooms_import_each_other() -> None:
    edges = make_rooms.import_edges(ROOT / "src")
    assert make_rooms.mutual(edges) == set()
    assert not make_rooms.has_cycle(edges)


def test_rooms_import_only_those_below_them_in_the_list() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    layers = contracts["contracts"][0]["layers"]
    height = {room.strip(): -n for n, layer in enumerate(layers) for room in layer.split("|")}
    for importer, imported in make_rooms.import_edges(ROOT / "src"):
        assert height[importer] > height[imported]


@pytest.mark.parametrize(
    ("line", "seen"),
    [
        ("import hushgram.b.thing", True),
        ("from hushgram.b import thing", True),
        ("from hushgram import b", True),
        ("def late():\n    from hushgram.b import thing", True),
        ("if TYPE_CHECKING:\n    from hushgram.b import thing", False),
        ("from hushgram.a import other", False),
        ("import hushgrammar.b", False),
    ],
)
def test_every_import_that_runs_is_seen(tmp_path: Path, line: str, seen: bool) -> None:
    for room in "ab":
        (tmp_path / "hushgram" / room).mkdir(parents=True)
        (tmp_path / "hushgram" / room / "__init__.py").write_text("")
    (tmp_path / "hushgram" / "a" / "thing.py").write_text(line)
    assert (("a", "b") in make_rooms.import_edges(tmp_path)) is seen


def test_the_table_of_rooms_is_fresh() -> None:
    assert not make_rooms.is_stale(), "run python tools/make_rooms.py"


def test_the_wheel_holds_what_a_user_runs(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT, check=True, capture_output=True,
    )  # fmt: skip
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        names = wheel.namelist()
        code = {name: wheel.read(name).decode() for name in names if name.endswith(".py")}
    assert {name.split("/")[0].split("-")[0] for name in names} == {"hushgram"}
    for text in code.values():
        assert "unittest" not in text
        assert "import hypothesis" not in text
        assert "import pytest" not in text
    assert {"hushgram/py.typed", "hushgram/data/places.parquet"} <= set(names)
