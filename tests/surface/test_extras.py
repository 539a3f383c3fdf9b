"""Extras are what messages say they are."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from packaging.requirements import Requirement

import hushgram as hg

SOURCE = Path(hg.__file__).parent
ROOT = SOURCE.parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = {
    extra: {Requirement(one).name.lower() for one in needed}
    for extra, needed in PROJECT["optional-dependencies"].items()
}


def asked_for() -> Iterator[tuple[str, str]]:
    """The package and the extra of every message that asks for one."""
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "MissingExtra":
                package, extra = (ast.literal_eval(argument) for argument in node.args[:2])
                yield package, extra


def test_an_extra_brings_what_a_message_asks_for() -> None:
    asked = {*asked_for()}
    assert len(asked) >= 10
    for package, extra in sorted(asked):
        assert Requirement(package).name.lower() in EXTRAS[extra]


def test_all_brings_every_extra_for_users() -> None:
    (everything,) = PROJECT["optional-dependencies"]["all"]
    assert Requirement(everything).extras == {*EXTRAS} - {"all", "test", "docs"}


def test_nothing_says_to_install_hushgram_from_an_index() -> None:
    guides = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    for path in [*sorted(SOURCE.rglob("*.py")), *guides]:
        text = path.read_text("utf-8")
        assert not re.search(r"pip install( -\S+)* .?hushgram", text), path
