"""What ``sample`` and ``blocks`` write."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq

from tests.surface.conftest import Run


def test_sample_writes_rows(run: Run, published: Path, folder: Path) -> None:
    result = run("sample", "out.hush.parquet", "30", "-o", "rows.parquet", "--json")
    assert (result.code, result.err) == (0, "")
    assert json.loads(result.out) == {"file": "rows.parquet", "rows": 30}
    assert pq.read_table(folder / "rows.parquet").num_rows == 30
    again = run("sample", "out.hush.parquet", "30", "-o", "rows.parquet")
    assert again.code == 2
    assert "exists" in again.err
    assert run("sample", "out.hush.parquet", "-3", "-o", "r.parquet").code == 2
    named = run("sample", "out.hush.parquet", "3", "-o", "rows.csv")
    assert (named.code, "Use rows.parquet" in named.err) == (2, True)
    text = run("sample", "out.hush.parquet", "1000", "-o", "rows.parquet", "--force").out
    assert text == "Wrote rows.parquet: 1,000 synthetic rows.\n"


def test_blocks_writes_pairs(run: Run, published: Path, folder: Path) -> None:
    words = ("blocks", "out.hush.parquet", "out.hush.parquet", "-o", "pairs.parquet")
    result = run(*words, "--json")
    assert (result.code, result.err) == (0, "")
    told = json.loads(result.out)
    table = pq.read_table(folder / "pairs.parquet")
    assert told["pairs"] == table.num_rows <= 10
    sizes = table["first_size"].to_numpy() * table["second_size"].to_numpy()
    assert told["comparisons"] == sizes.sum()
    assert "exists" in run(*words).err
    text = run(*words, "--force", "--margin", "0", "--shared").out
    assert text.startswith("Wrote pairs.parquet: ")
    assert " % fewer than all pairs.\n" in text
    refused = run(*words, "--force", "--margin", "-1")
    assert (refused.code, refused.err) == (
        2, "hushgram: margin must be a non-negative number. Found -1.0.\n",
    )  # fmt: skip
