"""Synthetic rows: where they lie, how many of them, and what they are."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hushgram as hg
from hushgram.answers.counting.nonnegative import norm_sub
from hushgram.answers.learning import synthetic
from hushgram.answers.learning.shuffle import shuffle_range
from hushgram.errors import NotAnswerable, OutputError, QuestionError
from hushgram.geometry.partition import Grid
from tests.samples import cells, release_of, releases


def parts_of(release: hg.Release, table: Any) -> Any:
    """The part of each row, value by value; NULL is "other"."""
    indices = [
        np.array(
            [axis.bins if value is None else axis.index(value) for value in table[name].to_pylist()]
        )
        for name, axis in release.domain.items()
    ]
    return release.estimate.partition.parts(indices)


@given(releases(), st.integers(0, 200), st.integers(0, 2**32))
@settings(max_examples=60)
def test_rows_are_apportioned_to_the_parts(release: hg.Release, rows: int, seed: int) -> None:
    shares = norm_sub(release.estimate.values)
    if shares.sum() <= 0:
        shares, rows = np.zeros(len(shares)), 0
    table = release.sample(rows, rng=np.random.default_rng(seed))
    assert table.column_names == list(release.domain.names)
    assert table.num_rows == rows
    found = np.bincount(parts_of(release, table), minlength=len(shares)) if rows else 0 * shares
    expected = rows * shares / max(shares.sum(), 1)
    assert (np.abs(found - expected) < 1 + 1e-6).all()
    assert (found[shares == 0] == 0).all()


@given(st.integers(1, 3000), st.integers(0, 2**32))
@settings(max_examples=40)
def test_shuffling_is_a_permutation_in_any_stretches(size: int, seed: int) -> None:
    keys = np.random.default_rng(seed).integers(0, 2**32, 4)
    whole = shuffle_range(0, size, size, keys)
    assert np.array_equal(np.sort(whole), np.arange(size))
    middle = size // 3
    pieces = [shuffle_range(0, middle, size, keys), shuffle_range(middle, size, size, keys)]
    assert np.array_equal(np.concatenate(pieces), whole)


def test_the_order_looks_random() -> None:
    order = shuffle_range(0, 100_000, 100_000, np.array([1, 2, 3, 4]))
    for lag in (1, 2, 7):
        correlation = np.corrcoef(order[lag:], order[:-lag])[0, 1]
        assert abs(correlation) < 6 / 100_000**0.5
    halves = order.reshape(100, -1).mean(axis=1) / 100_000  # every stretch covers all parts
    assert (np.abs(halves - 0.5) < 6 / 12**0.5 / 1000**0.5).all()


def test_every_kind_of_column() -> None:
    release = release_of(
        cells(
            a=hg.Regular(2, 0, 1), b=hg.Integer(3, 4), c=hg.Category(["F", "M"], outside="other"),
            d=hg.Date("2024-01-01", "2024-02-29", "1mo"),
            e=hg.Date("2024-01-01T06:00", "2024-01-01T17:00", "6h", outside="other"),
            f=hg.Variable([0, 1, 5]), g=hg.Category([1, 2]), h=hg.Category([True, False]),
        )
    )  # fmt: skip
    table = release.sample(4000)
    kinds = [pa.float64(), pa.int64(), pa.string(), pa.date32(), pa.timestamp("s"), pa.float64(),
             pa.int64(), pa.bool_()]  # fmt: skip
    assert table.schema.types == kinds
    columns = table.to_pydict()
    assert set(columns["c"]) == {"F", "M", None}
    assert set(columns["b"]) == {3, 4}
    assert {d.day for d in columns["d"]} == set(range(1, 32))
    times = {e for e in columns["e"] if e is not None}
    assert None in columns["e"]
    assert min(times) >= dt.datetime(2024, 1, 1, 6)
    assert max(times) < dt.datetime(2024, 1, 1, 18)
    assert len({round(a, 6) for a in columns["a"]}) > 3900


def test_values_lie_evenly_inside_a_part() -> None:
    grid = Grid(hg.Domain(x=hg.Interval(0, 8), k=hg.Integer(0, 7)), (1, 2))
    table = release_of(grid, [10, 30]).sample(100_000)
    x, k = table["x"].to_numpy(), table["k"].to_numpy()
    assert abs(np.quantile(x, [0.25, 0.5, 0.75]) - [2, 4, 6]).max() < 0.15
    assert (k < 4).sum() == 25_000
    assert np.abs(np.bincount(k)[:4] - 6250).max() < 6 * 6250**0.5


def test_an_upper_edge_is_never_drawn() -> None:
    class Highest:
        def random(self, size: int, /) -> Any:
            return np.full(size, 1 - 2.0**-53)

    drawn = synthetic.between(np.array([0.0, 1.0]), np.array([1e-300, 1 + 2.0**-50]), Highest())
    assert (drawn < [1e-300, 1 + 2.0**-50]).all()
    release = release_of(Grid(hg.Domain(x=hg.Interval(-180, 180)), (7,)))
    table = release.sample(50, rng=Highest())
    assert set(parts_of(release, table)) <= set(range(1, 7))


def test_a_seed_repeats_and_the_system_does_not() -> None:
    release = release_of(cells(x=hg.Regular(5, 0, 1)))
    first, second = (release.sample(20, rng=np.random.default_rng(3)) for _ in range(2))
    assert first == second
    assert release.sample(20) != release.sample(20)


def test_what_cannot_be_drawn() -> None:
    empty = release_of(cells(x=hg.Integer(0, 2)), [-5, 3, 1])
    with pytest.raises(NotAnswerable, match="counts -1 rows in total, so there is nothing"):
        empty.sample(1)
    assert empty.sample(0).schema.names == ["x"]
    some = release_of(cells(x=hg.Integer(0, 2)))
    for wrong in (-1, 1.5, True, "10", 2**60):
        with pytest.raises(
            QuestionError, match=r"number of rows must be (from 0 to|a whole number)"
        ):
            some.sample(wrong)  # type: ignore[arg-type]


def test_a_file_is_written_batch_by_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(synthetic, "BATCH", 100)
    release = release_of(cells(x=hg.Integer(0, 2), sex=hg.Category(["F", "M"])), [1, 2, 3, 4, 5, 5])
    path = tmp_path / "rows.parquet"
    release.sample_to(path, 1000)
    assert pq.ParquetFile(path).metadata.num_row_groups == 10
    table = pq.read_table(path)
    assert np.bincount(parts_of(release, table)).tolist() == [50, 100, 150, 200, 250, 250]
    with pytest.raises(OutputError, match="exists"):
        release.sample_to(path, 1)
    release.sample_to(path, 0, overwrite=True)
    assert pq.read_table(path).num_rows == 0
    assert [file.name for file in tmp_path.iterdir()] == ["rows.parquet"]


def test_a_failure_leaves_no_file(tmp_path: Path) -> None:
    class Broken:
        def random(self, size: int, /) -> Any:
            raise RuntimeError("no more")

    with pytest.raises(RuntimeError):
        release_of(cells(x=hg.Integer(0, 2))).sample_to(tmp_path / "r.parquet", 5, rng=Broken())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("mechanism", hg.MECHANISMS)
def test_every_mechanism_s_release_can_be_drawn_from(mechanism: str) -> None:
    from hushgram.errors import DomainError

    rng = np.random.default_rng(2)
    try:
        release = hg.publish(hg.Counts(rng.poisson(20, (16, 8))), epsilon=1, mechanism=mechanism)
    except DomainError:
        release = hg.publish(hg.Counts(rng.poisson(20, 64)), epsilon=1, mechanism=mechanism)
    table = release.sample(500)
    shares = norm_sub(release.estimate.values)
    found = np.bincount(parts_of(release, table), minlength=len(shares))
    assert (np.abs(found - 500 * shares / shares.sum()) < 1 + 1e-6).all()
