"""Named data: the asked number of rows and shape, from every kind of source."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hushgram.errors import BadInput, HushgramError, SourceError
from hushgram.lab.evaluate.catalogue import data_set, data_sets, sources_by_name
from hushgram.lab.evaluate.data import DataSet
from hushgram.lab.evaluate.patterns import GENERATORS

SHAPES = {1: (100,), 2: (20, 30), 3: (5, 6, 7)}


@pytest.mark.parametrize("name", GENERATORS)
def test_a_generator_gives_what_is_asked(name: str) -> None:
    shape = SHAPES[GENERATORS[name][0]]
    found = data_set(name, rows=5000, shape=shape)
    assert (found.rows, found.shape) == (5000, shape)
    assert found.digest == data_set(name, rows=5000, shape=shape).digest
    assert found.digest != data_set(name, rows=5000, shape=shape, seed=1).digest


def test_the_bundled_places() -> None:
    places = data_set("places")
    assert (places.rows, places.shape) == (69_472, (64, 64))
    assert data_set("places", rows=1000, shape=(36, 18)).rows == 1000
    assert data_set("places-lat", shape=(90,)).rows == 69_472


def test_fewer_rows_are_a_sample_of_the_rows() -> None:
    counts = np.array([[3, 0, 7], [0, 90, 0]])
    small = DataSet("mine", counts).rescale(60, seed=3)
    assert small.rows == 60
    assert (small.counts <= counts).all()
    many = np.mean([DataSet("mine", counts).rescale(60, seed=s).counts for s in range(400)], axis=0)
    assert many == pytest.approx(0.6 * counts, abs=0.6)


def test_more_rows_come_from_the_shares() -> None:
    large = DataSet("mine", np.array([1, 0, 3])).rescale(100_000)
    assert large.rows == 100_000
    assert large.counts[1] == 0
    assert large.counts[2] == pytest.approx(75_000, abs=1000)


def test_cells_are_added_up() -> None:
    found = DataSet("mine", np.arange(24).reshape(4, 6)).rescale(shape=(2, 2))
    assert found.counts.tolist() == [[24, 42], [96, 114]]
    uneven = DataSet("mine", np.ones(10, dtype=int)).rescale(shape=(3,))
    assert uneven.counts.tolist() == [4, 3, 3]
    with pytest.raises(BadInput, match="10 cells, which cannot be merged into 20"):
        DataSet("mine", np.ones(10, dtype=int)).rescale(shape=(20,))
    with pytest.raises(BadInput, match="without rows"):
        DataSet("mine", np.zeros(10, dtype=int)).rescale(5)


def test_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    np.save("HEPTH.npy", np.arange(8.0))
    (tmp_path / "people.csv").write_text("age,sex\n20,F\n21,M\n25,F\n,F\n")
    columns = {"count": [5, 0, 2]}
    pq.write_table(pa.table(columns), "trace.parquet")
    assert data_set("HEPTH.npy").counts.tolist() == list(range(8))
    assert data_set("HEPTH.npy").name == "HEPTH"
    assert data_set("people.csv:age").counts.tolist() == [1, 1, 0, 0, 0, 1]
    assert data_set("people.csv:sex").counts.tolist() == [3, 1]
    assert data_set("people.csv:sex,age", shape=(2, 3)).counts.tolist() == [[1, 0, 1], [1, 0, 0]]
    assert data_set("trace.parquet", rows=3).rows == 3
    assert data_set(str(tmp_path / "trace.parquet")).counts.tolist() == [5, 0, 2]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("nothing", "neither a file nor the name of a data set. Data sets: uniform-1d"),
        ("people.csv", "has the columns age, sex. Name those to count, as in people.csv:age"),
        ("people.csv:old", "has no column 'old'. Columns: age, sex"),
        ("broken.npy", "as a numpy array"),
        ("half.npy", "half.npy: counts must be whole numbers"),
        ("broken.parquet", "as parquet"),
        ("notes.txt", "Unsupported file format"),
        ("dpbench-1d", "HUSHGRAM_DATA, which is not set or empty"),
    ],
)
def test_bad_names(name: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HUSHGRAM_DATA", raising=False)
    (tmp_path / "people.csv").write_text("age,sex\n20,F\n")
    np.save("half.npy", np.array([0.5]))
    for file in ("broken.npy", "broken.parquet", "notes.txt"):
        (tmp_path / file).write_text("no")
    with pytest.raises(SourceError, match=reason):
        data_set(name)


def test_arrays_of_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "dpbench" / "1D").mkdir(parents=True)
    for name in ("A.n16.npy", "B.npy"):
        np.save(tmp_path / "dpbench" / "1D" / name, np.arange(16))
    monkeypatch.setenv("HUSHGRAM_DATA", str(tmp_path))
    assert {"A", "B"} <= set(sources_by_name())
    assert data_set("A", shape=(4,)).counts.tolist() == [6, 22, 38, 54]
    found = data_sets(["dpbench-1d", "zipf-2d"], rows=[10, 20], shapes=[(8,), (16,), (4, 4)])
    assert [(one.name, one.rows, one.shape) for one in found] == [
        ("A", 10, (8,)), ("A", 10, (16,)), ("A", 20, (8,)), ("A", 20, (16,)),
        ("B", 10, (8,)), ("B", 10, (16,)), ("B", 20, (8,)), ("B", 20, (16,)),
        ("zipf-2d", 10, (4, 4)), ("zipf-2d", 20, (4, 4)),
    ]  # fmt: skip
    with pytest.raises(HushgramError, match="stands for 2 data sets"):
        data_set("dpbench-1d")
