"""Names of the releases of a plan, one for each value of a key."""

from __future__ import annotations

import unicodedata

from hushgram.declare.axis import Axis, Date

LONGEST = 100
"""The maximum number of bytes of a key's value in a file name."""


def key_text(axis: Axis, index: int) -> str:
    """Return the value of a key as text.

    >>> from hushgram.declare.axis import Category
    >>> key_text(Date("2024-01-01", "2024-12-31", "1mo"), 2), key_text(Category(["N", "S"]), 1)
    ('2024-03', 'S')
    """
    if not isinstance(axis, Date):
        return str(axis.edge(index))
    start = axis.edge(index)
    single = axis.step.removeprefix("1")
    if single in ("mo", "y"):
        return f"{start:%Y-%m}"[: 7 if single == "mo" else 4]
    text = start.date().isoformat() if axis.whole_days else start.isoformat(sep=" ")
    return text if single == "d" else f"{text} {axis.step}"


def file_name_part(text: str) -> str:
    """Return text as a valid part of a file name.

    >>> file_name_part("Île-de-France"), file_name_part("../a b"), file_name_part("")
    ('Île-de-France', '_a_b', '_')
    """
    plain = unicodedata.normalize("NFC", text)
    kept = "".join(sign if sign.isalnum() or sign in "._-" else "_" for sign in plain)
    short = kept.encode()[:LONGEST].decode(errors="ignore")
    return short.strip(".") or "_"


def free_name(wanted: str, taken: set[str]) -> str:
    """Return the name, with a number if it is taken in any spelling: some file systems ignore case.

    >>> taken: set[str] = set()
    >>> free_name("a-b", taken), free_name("A-B", taken), free_name("a-b", taken)
    ('a-b', 'A-B-2', 'a-b-3')
    """
    name, number = wanted, 1
    while name.casefold() in taken:
        number += 1
        name = f"{wanted}-{number}"
    taken.add(name.casefold())
    return name
