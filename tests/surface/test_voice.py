"""Plain English: docs and texts that users see have no phrase of the list in ``tools/voice.py``."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tools import voice


@pytest.mark.parametrize("texts_of", [voice.pages, voice.sources], ids=["docs", "src"])
def test_english_is_plain(texts_of: Callable[[Path], Iterator[tuple[str, str]]]) -> None:
    found = {path: voice.findings(text) for path, text in texts_of(voice.ROOT)}
    assert {path: phrases for path, phrases in found.items() if phrases} == {}, (
        "rewrite these phrases (CONTRIBUTING.md, Voice)"
    )


def test_all_kinds_of_texts_are_read() -> None:
    pages, sources = dict(voice.pages(voice.ROOT)), dict(voice.sources(voice.ROOT))
    assert "anyone can query" in pages["README.md"]
    assert "Publish a bundled table" in sources["src/hushgram/cli/demo.py"]
    assert "Draw an area" in sources["src/hushgram/web/explorer/scripts/strings.js"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("x.jpg is no picture's name", ["is no picture"]),
        ("The rows\nare no\nnumbers", ["are no numbers"]),
        ("There is no axis. It is no longer than that, and no number.", []),
        ("Rows that are meant, and what it is meant to do", ["that are meant"]),
        ("Left out by purpose; Spark is told so", ["by purpose", "is told"]),
        ("A first look beside the table", ["first look", "beside"]),
        ("Besides, it looks at rows that lie evenly", ["rows that lie"]),
        (
            "What was published can be asked for nothing",
            ["What was published", "asked for nothing"],
        ),
    ],
)
def test_phrases_are_found(text: str, found: list[str]) -> None:
    assert voice.findings(text) == found


def test_code_is_not_prose() -> None:
    page = (
        "A `is no b`.\n<!-- by purpose -->\n```python\n# by purpose\n```\n[made](of-it-is-no-x.md)"
    )
    assert voice.findings(voice.prose(page)) == []


MODULE = '''
"""Notes by purpose."""
def shown(x):
    """Kept by purpose."""
    raise ValueError(f"{x} is no number")
def _inner():
    """Inner by purpose."""
class Thing:
    def act(self):
        """Acts by purpose."""
    def _rest(self):
        """Rests by purpose."""
'''


def test_messages_and_public_docstrings_are_read() -> None:
    def texts(*arguments: object) -> Iterator[str]:
        return voice.user_texts(ast.parse(MODULE), *arguments)  # type: ignore[arg-type]

    assert {*texts({"Thing"}, False)} == {"", "Acts by purpose.", "… is no number"}
    assert "Kept by purpose." in {*texts(set(), True)}
