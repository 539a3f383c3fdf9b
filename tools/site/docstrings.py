"""Convert docstrings to Markdown, as an extension of Griffe."""

from __future__ import annotations

import re
from typing import Any

import griffe

EXAMPLE = re.compile(r"^(?P<indent> *)>>> .*(?:\n(?P=indent)\S.*)*", re.MULTILINE)
LITERAL = re.compile(r"::\n\n(?P<block>(?: {4,}.*\n?|\n)+)")


class PlainMarkdown(griffe.Extension):
    """Fences literal blocks, and examples outside a section "Examples", which Markdown would treat
    as text."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = as_markdown(obj.docstring.value)


def as_markdown(text: str) -> str:
    """Return a docstring with its examples as code blocks.

    >>> print(as_markdown("An answer.\\n\\n>>> 1 + 1\\n2\\n"))
    An answer.
    <BLANKLINE>
    ```pycon
    >>> 1 + 1
    2
    ```
    <BLANKLINE>
    """
    before, examples, after = text.partition("\nExamples\n--------\n")
    fenced = EXAMPLE.sub(lambda found: f"```pycon\n{found[0]}\n```", before)
    return LITERAL.sub(fence_literal, fenced) + examples + after


def fence_literal(found: re.Match[str]) -> str:
    block = re.sub("^    ", "", found["block"].rstrip(), flags=re.MULTILINE)
    return f"\n\n```text\n{block}\n```\n\n"
