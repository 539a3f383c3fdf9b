"""A row counts once, under however many names its file lies in a folder."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hushgram as hg
from hushgram.declare.unit import Rows
from hushgram.errors import SourceError
from hushgram.geometry.partition import Grid
from hushgram.trusted.engine.sources import old_copies
from hushgram.trusted.engine.sources.address import ServerAddress
from hushgram.trusted.engine.sources.servers import open_files
from hushgram.trusted.engine.sources.source import open_table

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
    with pytest.raises(
        SourceError, match=r"visits\.csv\.gz looks like a compressed copy of visits\.csv"
    ):
        counts(folder / source)
    (folder / "visits.csv").unlink()
    assert counts(folder) == [0, 1, 1, 0]


VERSIONED = {
    "Delta": "_delta_log/00000000000000000000.json",
    "Iceberg": "metadata/v2.metadata.json",
    "Iceberg, named by a catalog": "metadata/00001-5f8b.gz.metadata.json",
    "Hudi": ".hoodie/hoodie.properties",
    "Paimon": "snapshot/snapshot-1",
    "streaming output of Spark": "_spark_metadata/0",
}
"""What lies in the folder of a table that keeps old copies, by format."""


@pytest.fixture(params=VERSIONED)
def versioned(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A table with one partition, in which a row lies twice: before and after it was changed."""
    table = tmp_path / "lake" / "visits"
    marker = table / VERSIONED[request.param]
    marker.parent.mkdir(parents=True)
    marker.write_text("{}")
    (table / "day=1").mkdir()
    for name in ("old", "new"):
        pq.write_table(pa.table({"x": [1]}), table / "day=1" / f"{name}.parquet")
    return table


SOURCES = {
    "the table": "{table}",
    "its parent": "{table}/..",
    "its grandparent": "{table}/../..",
    "a glob": "{table}/*/*.parquet",
    "a glob from above": "{table}/../../**/*.parquet",
    "a partition": "{table}/day=1",
    "a glob in a partition": "{table}/day=1/*.parquet",
    "a file": "{table}/day=1/new.parquet",
}


@pytest.mark.parametrize("source", SOURCES)
def test_a_table_that_keeps_old_copies_is_refused(versioned: Path, source: str) -> None:
    with pytest.raises(SourceError, match=r"visits is .*: it has .* old copies .* publish the"):
        counts(SOURCES[source].format(table=versioned))


@pytest.mark.parametrize("source", ["link", "link/*.parquet", "link/new.parquet", "new.parquet"])
def test_links_into_a_table_that_keeps_old_copies_are_refused(
    versioned: Path, tmp_path: Path, source: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "link").symlink_to(versioned / "day=1")
    (outside / "new.parquet").symlink_to(versioned / "day=1" / "new.parquet")
    with pytest.raises(SourceError, match="old copies"):
        counts(outside / source)


def test_a_file_linked_into_a_table_that_keeps_old_copies_is_refused(
    versioned: Path, tmp_path: Path
) -> None:
    pq.write_table(pa.table({"x": [1]}), tmp_path / "elsewhere.parquet")
    (versioned / "linked.parquet").symlink_to(tmp_path / "elsewhere.parquet")
    with pytest.raises(SourceError, match="old copies"):
        counts(versioned / "linked.parquet")


@pytest.mark.parametrize(
    "name",
    [
        "base_0000007/000000_0.parquet",
        "delta_0000003_0000003_0000/000000_0.parquet",
        "ducklake-01961c2b-8f7e-7d2a-9a30-4f6a8b1c2d3e.parquet",
    ],
)
def test_data_files_whose_table_is_described_elsewhere_are_refused(
    tmp_path: Path, name: str
) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    pq.write_table(pa.table({"x": [1]}), tmp_path / name)
    for source in (tmp_path, tmp_path / name):
        with pytest.raises(SourceError, match="old copies"):
            counts(source)


def test_a_data_file_of_iceberg_is_refused_wherever_it_lies(tmp_path: Path) -> None:
    """Its table may keep data far from what describes them."""
    rows = pa.table({"x": [1]}).replace_schema_metadata({"iceberg.schema": "{}"})
    pq.write_table(rows, tmp_path / "moved.parquet")
    with pytest.raises(SourceError, match=r"moved\.parquet .*Iceberg.* old copies"):
        counts(tmp_path)


@pytest.mark.parametrize("name", ["visits.parquet", "visits.parquet/day=1.parquet"])
def test_spark_is_given_no_table_that_keeps_old_copies(tmp_path: Path, name: str) -> None:
    (tmp_path / "visits.parquet" / "_delta_log").mkdir(parents=True)
    address = ServerAddress.parse(f"spark://h:1{tmp_path / name}")
    with pytest.raises(SourceError, match="Delta"):
        open_files(None, address)


def test_spark_reads_the_output_of_its_own_streams(tmp_path: Path) -> None:
    (tmp_path / "visits.parquet" / "_spark_metadata").mkdir(parents=True)
    address = ServerAddress.parse(f"spark://h:1{tmp_path / 'visits.parquet'}")
    with pytest.raises(SourceError, match="The cluster cannot read"):  # it is asked, at least
        open_files(None, address)


def test_nothing_is_charged_for_a_table_that_is_refused(versioned: Path) -> None:
    book = hg.Ledger.in_memory()
    with pytest.raises(SourceError, match="old copies"):
        hg.publish(versioned / "day=1", DOMAIN, epsilon=1, account="a", ledger=book)
    assert not book.accounts()


@pytest.mark.parametrize(
    "name", ["metadata/notes.json", "snapshot/a.txt", "delta_1/x.txt", "base_"]
)
def test_folders_of_like_names_are_not_refused(folder: Path, name: str) -> None:
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text("")
    assert counts(folder) == [0, 1, 1, 0]


def test_each_folder_is_looked_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many files lie in it."""
    for number in range(200):
        (tmp_path / f"{number}.csv").write_text("x\n1\n")
    looked: list[Path] = []

    def found_in(place: Path) -> None:
        looked.append(place)

    monkeypatch.setattr(old_copies, "format_in", found_in)
    assert counts(tmp_path) == [0, 200, 0, 0]
    assert tmp_path in looked
    assert len(looked) == len(set(looked)) == len(tmp_path.parents) + 1


def test_files_of_one_name_in_two_folders_count_both(folder: Path) -> None:
    (folder / "other").mkdir()
    shutil.copy(folder / "visits.csv", folder / "other" / "visits.csv")
    assert counts(folder) == [0, 2, 2, 0]
