"""The kinds of axes that suit a column, judging by its type only."""

from __future__ import annotations

NUMBERS = ("int", "uint", "float", "decimal")

READ = (*NUMBERS, "bool", "date", "timestamp", "string")
"""Prefixes of the names of types that an axis can read."""

TEMPLATES = {
    "integer": "LOW..HIGH",
    "bins": "LOW:HIGH/BINS",
    "interval": "LOW:HIGH",
    "edges": "[EDGE,EDGE,…]",
    "category": "VALUE,VALUE,…",
    "date": "FIRST..LAST/1mo",
}
"""The syntax of each kind after ``--axis NAME=``."""


def has_axis(type_name: str) -> bool:
    """Whether an axis can read a column of this type directly.

    >>> has_axis("int64"), has_axis("interval('s')"), has_axis("struct")
    (True, False, False)
    """
    return type_name.startswith(READ) and not type_name.startswith("interval")


def kinds_for(type_name: str) -> list[str]:
    """The kinds of axes for a column of this type, the most common first.

    >>> kinds_for("int64"), kinds_for("date")
    (['integer', 'bins', 'interval', 'edges', 'category'], ['date'])
    """
    name = type_name.lower()
    if name.startswith(("date", "timestamp")):
        return ["date"]
    if name.startswith(("int", "uint")) and has_axis(name):
        return ["integer", "bins", "interval", "edges", "category"]
    if name.startswith(NUMBERS):
        return ["bins", "interval", "edges", "integer"]
    if name.startswith("bool"):
        return ["category"]
    return ["category", "integer", "bins", "interval", "edges", "date"]
