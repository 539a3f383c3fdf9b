"""Check a person's rows in real engines: bounded once, for all passes, boxes and keys.
NONPRIVATE."""

from __future__ import annotations

from typing import Any
from unittest import mock

import numpy as np
import pyarrow as pa

from hushgram.declare.axis import Category, Integer
from hushgram.declare.domain import Domain
from hushgram.declare.unit import User
from hushgram.geometry.partition import Grid, Ints
from hushgram.trusted.engine.keyed import Keyed
from hushgram.trusted.engine.sources.source import open_table

LINE = Domain(x=Integer(0, 15))
KEYED = Domain(x=Integer(0, 7), where=Category(("a", "b")))
MOST = 3


def open_people(people: dict[str, int], domain: Domain) -> Any:
    """Open a table of people, each with rows all over the domain."""
    names = [name for name, rows in people.items() for _ in range(rows)]
    places = np.concatenate([np.arange(rows) * 7 + rows for rows in people.values()])
    columns: dict[str, Any] = {"who": names, "x": places % domain["x"].size}
    if "where" in domain:
        columns["where"] = np.where(places % 2 == 0, "a", "b")
    return open_table(pa.table(columns)).bound_to(domain, User("who", MOST))


def same_in_every_pass() -> None:
    """Repeated and coarser passes count the same rows."""
    table = open_people({"a": 40, "b": 40}, LINE)
    fine, again = (table.count(Grid.of_cells(LINE)) for _ in range(2))
    moved = int(np.abs(fine - again).sum())
    assert moved == 0, f"two passes over one table differ by {moved} rows"
    assert fine.sum() == 2 * MOST, f"two people have {fine.sum()} rows, not {2 * MOST}"


def bounded_over_boxes() -> None:
    """All boxes of a split together contain the bounded rows of a person, not each of them."""
    table = open_people({"a": 40}, LINE)
    boxes = [LINE.box([(0, 8)]), LINE.box([(8, 16)])]
    rows = sum(int(table.count(Grid.of_cells(box)).sum()) for box in boxes)
    assert rows <= MOST, f"a person with {MOST} rows has {rows} in two boxes"


def bounded_over_keys() -> None:
    """All keys of a plan together contain the bounded rows of a person, not each of them."""
    table = open_people({"a": 40}, KEYED)
    rest = Domain(x=KEYED["x"])
    keys = [Keyed(table, KEYED, "where", index) for index in range(2)]
    rows = sum(int(key.count(Grid.of_cells(rest)).sum()) for key in keys)
    assert rows <= MOST, f"a person with {MOST} rows has {rows} under two keys"


def unmoved_by_others() -> None:
    """With the same salt, adding a person changes no other person's rows."""
    people = {"a": 5, "b": 40, "c": 23, "d": 31}
    with mock.patch("secrets.token_hex", lambda size: "5a" * size):
        all_of_them = cells(open_people(people, LINE))
        for gone in people:
            others = {name: rows for name, rows in people.items() if name != gone}
            moved = int(np.abs(all_of_them - cells(open_people(others, LINE))).sum())
            assert moved <= MOST, f"one person with {MOST} rows moves {moved}"


def cells(table: Any) -> Ints:
    found: Ints = table.count(Grid.of_cells(LINE))
    return found


TRIALS = (same_in_every_pass, bounded_over_boxes, bounded_over_keys, unmoved_by_others)
