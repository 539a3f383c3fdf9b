"""A row counts once, under however many names its file lies in a folder."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import pytest

import hushgram as hg
from hushgram.errors import SourceError
from hushgram.partition import Grid
from hushgram.trusted.engine.source import open_table
from hushgram.unit import Rows

DOMAIN = hg.Domain(x=hg.Integer(0, 3))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "visits.csv").write_text("x\n1\n2\n")
    return tmp_path


def counts(source: str | Path) -> list[int]:
    table = open_table(str(source))
    table.check(DOMAIN, Rows())
    return table.count(Grid.of_cells(DOMAIN)).tolist()


@pytest.mark.parametrize(
    "copy", [".ipynb_checkpoints/visits-checkpoint.csv", "_old/v.csv", ".v.csv"]
)
def test_hidden_copies_do_not_count(folder: Path, copy: str) -> None:
    (folder / copy).parent.mkdir(exist_ok=True)
    shutil.copy(folder / "visits.csv", folder / copy)
    assert counts(folder) == [0, 1, 1, 0]


def test_another_name_of_a_file_does_not_count(folder: Path) -> None:
    (folder / "latest.csv").symlink_to(folder / "visits.csv")
    (folder / "linked.csv").hardlink_to(folder / "visits.csv")
    assert counts(folder) == counts(folder / "*.csv") == [0, 1, 1, 0]


@pytest.mark.parametrize("source", [".", "*.csv*"])
def test_a_file_and_its_packing_are_refused(folder: Path, source: str) -> None:
    (folder / "visits.csv.gz").write_bytes(gzip.compress((folder / "visits.csv").read_bytes()))
    with pytest.raises(SourceError, match=r"visits\.csv\.gz looks like visits\.csv in another"):
        counts(folder / source)
    (folder / "visits.csv").unlink()
    assert counts(folder) == [0, 1, 1, 0]


def test_a_delta_table_is_refused(folder: Path) -> None:
    (folder / "_delta_log").mkdir()
    with pytest.raises(SourceError, match="is a Delta table, which keeps old copies"):
        counts(folder)


def test_files_of_one_name_in_two_folders_count_both(folder: Path) -> None:
    (folder / "other").mkdir()
    shutil.copy(folder / "visits.csv", folder / "other" / "visits.csv")
    assert counts(folder) == [0, 2, 2, 0]
