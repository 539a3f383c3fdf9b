"""``hushgram compare``."""

from __future__ import annotations

import json
from pathlib import Path

import hushgram as hg
from tests.samples import cells, release_of
from tests.surface.conftest import Run


def save_pair() -> None:
    axes = {"age": hg.Integer(0, 4), "sex": hg.Category(["F", "M"])}
    values = [500] * 10
    release_of(cells(**axes), values).save("may.hush.parquet")
    release_of(cells(**axes), [900, *values[1:]]).save("june.hush.parquet")


def test_compare_prints_what_changed(run: Run, folder: Path) -> None:
    save_pair()
    result = run("compare", "may.hush.parquet", "june.hush.parquet", "age", "sex")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("Something changed: p ≤ ")
    assert "1 of 10 groups changed" in result.out
    by_sex = run("compare", "may.hush.parquet", "june.hush.parquet", "--where", "sex=M")
    assert by_sex.out.startswith("No change found: p = 1 if none of 5 groups changed.")


def test_compare_writes_a_table_and_json(run: Run, folder: Path) -> None:
    save_pair()
    words = ("compare", "may.hush.parquet", "june.hush.parquet", "sex", "-o", "change.csv")
    found = json.loads(run(*words, "--json").out)
    assert found["changed"]
    assert [row["significant"] for row in found["rows"]] == [True, False]
    assert len((folder / "change.csv").read_text().splitlines()) == 3
    assert run(*words).code == 2  # the file exists
    assert run(*words, "--force").code == 0
    assert run(*words[:-1], "change.parquet").code == 2


def test_one_release_is_not_compared_with_itself(run: Run, published: Path) -> None:
    result = run("compare", published.name, published.name)
    assert result.code == 2
    assert "same release" in result.err
