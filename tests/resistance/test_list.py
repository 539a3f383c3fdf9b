"""The page of attacks names tests that exist, and every file of this folder."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PAGE = ROOT / "docs" / "assurance" / "resistance.md"


def listed() -> list[tuple[str, str]]:
    return re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE.read_text("utf-8"))


def test_every_test_that_is_named_exists() -> None:
    assert len(listed()) > 40
    for file, name in listed():
        text = (ROOT / file).read_text("utf-8")
        assert re.search(rf"^ *def {name}\(", text, re.M), f"{file} has no {name}"


def test_every_attack_has_a_test() -> None:
    lines = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| **")]
    assert len(lines) >= 13
    assert all("::test_" in line for line in lines)


def test_every_file_of_this_folder_is_named() -> None:
    here = {path.name for path in Path(__file__).parent.glob("test_*.py")} - {Path(__file__).name}
    assert here == {Path(file).name for file, _ in listed() if file.startswith("tests/resistance")}
