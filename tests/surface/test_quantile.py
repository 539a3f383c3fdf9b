"""``hushgram quantile``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import hushgram as hg
from tests.surface.conftest import Run


@pytest.fixture
def release(folder: Path) -> hg.Release:
    from tests.samples import cells, release_of

    grid = cells(age=hg.Integer(0, 9), sex=hg.Category(["F", "M"]))
    made = release_of(grid, [90] * 20)
    made.save("r.hush.parquet")
    return made


def test_quantiles_are_printed(run: Run, release: hg.Release) -> None:
    result = run("quantile", "r.hush.parquet", "age", "0.25", "0.5")
    low, middle = release.quantile("age", [0.25, 0.5])
    assert (result.code, result.err) == (0, "")
    assert result.out == f"0.25  {low}\n0.5   {middle}\n"


def test_quantiles_as_json(run: Run, release: hg.Release) -> None:
    words = "quantile", "r.hush.parquet", "age", "0.5", "--where", "sex=F", "--confidence", "0.9"
    answer = release.median("age", where={"sex": ["F"]}, confidence=0.9)
    assert json.loads(run(*words, "--json").out) == [
        {"q": 0.5, "value": 4, "interval": list(answer.interval), "confidence": 0.9}
    ]


def test_dates_are_written_as_dates(run: Run, folder: Path) -> None:
    from tests.samples import cells, release_of

    release_of(cells(day=hg.Date("2024-01-01", "2024-01-03")), [0, 900, 0]).save("d.hush.parquet")
    assert run("quantile", "d.hush.parquet", "day", "0.5").out.startswith("0.5  2024-01-02 (")
    found = json.loads(run("quantile", "d.hush.parquet", "day", "0.5", "--json").out)
    assert found[0]["interval"] == ["2024-01-02", "2024-01-02"]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["age", "1.5"], "a share from 0 to 1"),
        (["sex", "0.5"], "have no order"),
        (["size", "0.5"], "has no axis 'size'"),
        (["age", "0.5", "--where", "age=1:2"], "where must restrict other axes"),
        (["age", "half"], "Invalid value for"),
        (["age"], "Missing argument"),
    ],
)
def test_bad_questions_are_one_sentence(
    run: Run, release: hg.Release, words: list[str], reason: str
) -> None:
    result = run("quantile", "r.hush.parquet", *words)
    assert (result.code, result.out) == (2, "")
    assert reason in result.err
    assert result.err.count("\n") == 1
