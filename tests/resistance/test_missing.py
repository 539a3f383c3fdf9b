"""NaN and NULL: a row that says nothing changes nothing, in no release and in no message."""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hushgram as hg
from hushgram.trusted.noise import entropy

DOMAIN = hg.Domain(age=hg.Regular(10, 0, 100), weight=hg.Interval(0, 200, resolution=16))
AGES, WEIGHTS = [5.0, 15.0, 15.5, 99.0], [70.0, 71.0, 3.25, 199.0]
NOTHING = [None, math.nan, math.inf, -math.inf, -1e308, 1e308, -5e-324]


def repeated_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same noise for whoever asks next."""
    rng = np.random.default_rng(7)

    def words(count: int) -> Any:
        return rng.integers(0, 2**64, count, dtype=np.uint64)

    monkeypatch.setattr(entropy, "words", words)


def as_parquet(table: pa.Table, folder: Path) -> Any:
    path = folder / f"{table.num_rows}.parquet"
    pq.write_table(table, path)
    return path


def as_csv(table: pa.Table, folder: Path) -> Any:
    path = folder / f"{table.num_rows}.csv"
    rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
    lines = [",".join("" if value is None else repr(value) for value in row) for row in rows]
    path.write_text("\n".join(["age,weight", *lines, ""]))
    return path


def as_pandas(table: pa.Table, folder: Path) -> Any:
    return table.to_pandas()


def as_arrow(table: pa.Table, folder: Path) -> Any:
    return table


@pytest.mark.parametrize("form", [as_arrow, as_parquet, as_csv, as_pandas])
@pytest.mark.parametrize("mechanism", ["identity", "uniform-grid"])
def test_rows_that_say_nothing_change_no_byte(
    form: Callable[[pa.Table, Path], Any],
    mechanism: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    full = pa.table({"age": AGES, "weight": WEIGHTS})
    more = pa.table(
        {
            "age": pa.array([*AGES, *NOTHING, *[20.0] * len(NOTHING)], pa.float64()),
            "weight": pa.array([*WEIGHTS, *[50.0] * len(NOTHING), *NOTHING], pa.float64()),
        }
    )
    files = []
    for table in (full, more):
        repeated_noise(monkeypatch)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.filterwarnings("ignore", "fetch_arrow_table", DeprecationWarning)
            release = hg.publish(
                form(table, tmp_path), DOMAIN, epsilon=1, account="a", mechanism=mechanism,
                ledger=hg.Ledger.in_memory(),
            )  # fmt: skip
        files.append(release.to_bytes())
    assert files[0] == files[1]
    assert capfd.readouterr() == ("", "")


def test_no_column_of_a_release_says_what_was_missing() -> None:
    table = pa.table({"age": pa.array([None, math.nan, 5.0])})
    domain = hg.Domain(age=hg.Regular(10, 0, 100))
    release = hg.publish(table, domain, epsilon=1, account="a", mechanism="identity")
    written = pq.read_table(io.BytesIO(release.to_bytes()))
    assert all(column.null_count == 0 for column in written.columns)
    assert np.isfinite(written["variance"].to_numpy()).all()
