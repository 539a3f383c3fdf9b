"""Names: one class per name, and functions that say what they do or what they return."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = [ROOT / "src" / "hushgram", ROOT / "assurance", ROOT / "reproduction"]

IRREGULAR = {
    "bought", "built", "chosen", "drawn", "found", "given", "held", "kept", "known", "laid", "led",
    "left", "made", "meant", "met", "paid", "said", "seen", "sent", "shown", "sold", "spent",
    "taken", "told", "written",
}  # fmt: skip

ENGLISH = {"need", "seed", "feed", "speed", "exceed", "proceed", "embed", "compiled"}
"""Verbs and nouns that end like a participle, and a decorator."""


def definitions(kind: type[ast.AST] | tuple[type[ast.AST], ...]) -> Iterator[tuple[str, ast.AST]]:
    for folder in FOLDERS:
        for path in sorted(folder.rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, kind):
                    yield path.relative_to(ROOT).as_posix(), node


def is_property(function: ast.FunctionDef) -> bool:
    return any(ast.unparse(one).endswith("property") for one in function.decorator_list)


def is_participle(name: str) -> bool:
    """Whether a name is one word, and that a participle."""
    word = name.strip("_")
    return word in IRREGULAR or (word.isalpha() and word.endswith("ed") and word not in ENGLISH)


def test_class_names_are_unique() -> None:
    homes: dict[str, list[str]] = {}
    for path, node in definitions(ast.ClassDef):
        assert isinstance(node, ast.ClassDef)
        homes.setdefault(node.name, []).append(path)
    assert {name: paths for name, paths in homes.items() if len(paths) > 1} == {}


def test_no_function_is_a_bare_participle() -> None:
    found = [
        f"{path}: {node.name}"
        for path, node in definitions(ast.FunctionDef)
        if isinstance(node, ast.FunctionDef) and is_participle(node.name) and not is_property(node)
    ]
    assert found == [], "name a function by a verb, or by what it returns"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("written", True),
        ("_bounded", True),
        ("feed", False),
        ("has_changed", False),
        ("parse", False),
    ],
)
def test_participles_are_told_from_other_words(name: str, expected: bool) -> None:
    assert is_participle(name) is expected
