"""Over CSV, nothing that a person writes can become the rows of somebody else."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hushgram as hg
from hushgram.declare.unit import User
from hushgram.errors import SourceError
from hushgram.geometry.partition import Grid
from hushgram.trusted.engine.sources.source import open_table

DOMAIN = hg.Domain(hour=hg.Integer(0, 3))
PEOPLE = [(f"person {number}", number % 3, "fine") for number in range(6)]
FORGED = "".join(f"\nperson {number},3,forged" for number in range(100, 150))
NOTES = {
    "rows of others": f"all well{FORGED}\n",
    "an open quotation mark": f'all "well{FORGED}\n"',
    "a field's end": f'all well"{FORGED}\nx,"',
    "returns": f"all well{FORGED}\n".replace("\n", "\r\n"),
}


def written(folder: Path, rows: list[Any], name: str = "notes.csv", **how: Any) -> Path:
    file = folder / name
    with file.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream, **how).writerows([("who", "hour", "note"), *rows])
    return file


def counted(source: Any, most: int) -> Any:
    table = open_table(source).bound_to(DOMAIN, User("who", most))
    return table.count(Grid.of_cells(DOMAIN))


@pytest.mark.parametrize("note", NOTES.values(), ids=NOTES)
@pytest.mark.parametrize("place", [0, 3, 6])
def test_a_note_moves_no_more_rows_than_its_writer_has(
    tmp_path: Path, note: str, place: int
) -> None:
    """The attack: one row of one person, whose note spells fifty rows of others."""
    rows = [*PEOPLE[:place], ("mallory", 1, note), *PEOPLE[place:]]
    before = counted(hg.Text(written(tmp_path, PEOPLE), line_breaks="quoted"), 1)
    after = counted(hg.Text(written(tmp_path, rows), line_breaks="quoted"), 1)
    assert np.abs(after - before).sum() <= 1


Spend = Callable[[Any, hg.Ledger], Any]
PAID: dict[str, Any] = {"epsilon": 1, "account": "notes"}
WHO = User("who", 2)
WAYS: dict[str, Spend] = {
    "publish": lambda s, b: hg.publish(s, DOMAIN, unit=WHO, ledger=b, **PAID),
    "plan": lambda s, b: hg.publish_plan(
        s, hg.Plan([hg.Planned("a", DOMAIN, 1)], unit=WHO), account="notes", ledger=b
    ),
    "median": lambda s, b: hg.smooth_median(s, DOMAIN, unit=WHO, ledger=b, **PAID),
    "count": lambda s, b: hg.ask(s, "count", DOMAIN, unit=WHO, ledger=b, **PAID),
    "sum": lambda s, b: hg.ask(s, "sum", DOMAIN, unit=WHO, ledger=b, **PAID),
    "bounds": lambda s, b: hg.find_bounds(s, "hour", unit=WHO, ledger=b, **PAID),
    "max rows": lambda s, b: hg.find_max_rows(s, "who", release_epsilon=1, ledger=b, **PAID),
    "max rows inside": lambda s, b: hg.find_max_rows(
        s, "who", release_epsilon=1, domain=DOMAIN, ledger=b, **PAID
    ),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("wrapped", [False, True])
def test_people_in_a_csv_need_a_word_about_line_breaks(
    tmp_path: Path, way: str, wrapped: bool
) -> None:
    """Refused before the charge, whatever the file holds; free once it is declared."""
    book = hg.Ledger.in_memory()
    file: Any = written(tmp_path, PEOPLE)
    source = hg.Where(hg.Text(file, decimal=","), "hour >= 0") if wrapped else file
    with pytest.raises(SourceError, match=r"--line-breaks never.*--line-breaks quoted"):
        WAYS[way](source, book)
    assert not book.accounts()


@pytest.mark.parametrize("declared", ["never", "quoted"])
def test_a_declared_csv_protects_people(tmp_path: Path, declared: str) -> None:
    source = hg.Text(written(tmp_path, PEOPLE), line_breaks=declared)
    assert counted(source, 2).tolist() == [2, 2, 2, 0]
    assert hg.publish(source, DOMAIN, unit=WHO, ledger=hg.Ledger.in_memory(), **PAID).unit == WHO


def test_rows_need_no_declaration(tmp_path: Path) -> None:
    """A line is a row there, whatever stands in it."""
    file = written(tmp_path, PEOPLE)
    assert hg.publish(file, DOMAIN, ledger=hg.Ledger.in_memory(), **PAID).unit.rows == 1
