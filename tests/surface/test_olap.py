"""``hushgram marginal`` and ``hushgram sql``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import hushgram as hg
from tests.samples import cells, release_of
from tests.surface.conftest import Run


@pytest.fixture
def release(folder: Path) -> hg.Release:
    found = release_of(
        cells(
            age=hg.Integer(0, 3, outside="other"), sex=hg.Category(["F", "M"]),
            day=hg.Date("2024-01-01", "2024-01-02"),
        )
    )  # fmt: skip
    found.save("r.hush.parquet")
    return found


def test_marginal_prints_a_table(run: Run, release: hg.Release) -> None:
    result = run("marginal", "r.hush.parquet", "age")
    lines = result.out.splitlines()
    assert (result.code, len(lines)) == (0, 6)
    assert lines[0].split() == ["age", "value", "lower", "upper"]
    assert lines[1].split()[:2] == ["0", f"{release.count(age=0).value:.0f}"]
    assert lines[-1].split()[0] == "other"
    shares = run("marginal", "r.hush.parquet", "sex", "--share").out
    assert f"{release.share(sex='F').value:.4f}" in shares


def test_marginal_prints_the_noise_on_request(run: Run, release: hg.Release) -> None:
    rows = json.loads(run("marginal", "r.hush.parquet", "age", "--noise", "--json").out)
    expected = release.group_by("age", noise=True)
    for key in ("lower", "upper", "noise_lower", "noise_upper"):
        assert [row[key] for row in rows] == expected[key].tolist()


def test_marginal_prints_json(run: Run, release: hg.Release) -> None:
    words = ("marginal", "r.hush.parquet", "day", "age", "--json")
    rows = json.loads(run(*words).out)
    assert rows[0] == {
        "day_lo": "2024-01-01", "day_hi": "2024-01-02", "age": 0,
        **{key: release.group_by("day", "age")[key][0] for key in ("value", "lower", "upper")},
    }  # fmt: skip
    assert rows[4]["age"] is None
    top = json.loads(run(*words, "--top", "2").out)
    assert [row["value"] for row in top] == release.top(2, "day", "age")["value"].tolist()
    some = json.loads(run(*words, "--where", "sex=F", "--where", "age=1..2").out)
    assert len(some) == 4
    assert some[0]["value"] == release.count(sex="F", age=1, day=("2024-01-01", "2024-01-02")).value
    together = json.loads(run(*words, "--simultaneous", "--confidence", "0.9").out)
    assert together[0]["upper"] != rows[0]["upper"]
    assert (
        len(json.loads(run("marginal", "r.hush.parquet", "age", "--bins", "2", "--json").out)) == 3
    )


def test_sql_prints_a_table_or_json(run: Run, release: hg.Release) -> None:
    query = (
        "SELECT sex, min(day) AS first, sum(count) AS n, NULL AS none "
        "FROM release GROUP BY sex ORDER BY sex"
    )
    result = run("sql", "r.hush.parquet", query)
    assert result.code == 0
    assert result.out.splitlines()[1].split() == [
        "F",
        "2024-01-01",
        f"{release.count(sex='F').value:.0f}",
    ]
    rows = json.loads(run("sql", "r.hush.parquet", query, "--json").out)
    assert rows[1] == {
        "sex": "M", "first": "2024-01-01", "n": release.count(sex="M").value, "none": None,
    }  # fmt: skip


def test_sql_prints_whole_numbers_of_any_length(run: Run, release: hg.Release) -> None:
    query = "SELECT sum(age) AS n, sum(age)::DECIMAL(9, 1) / 4 AS q, [1, 2] AS l FROM release"
    row = json.loads(run("sql", "r.hush.parquet", query, "--json").out)[0]
    assert (row["n"], row["q"], row["l"]) == (24, 6, [1, 2])


def test_bad_questions_are_one_sentence(run: Run, release: hg.Release) -> None:
    for words in (
        ("marginal", "r.hush.parquet", "height"), ("marginal", "r.hush.parquet"),
        ("marginal", "r.hush.parquet", "age", "--top", "0"),
        ("marginal", "r.hush.parquet", "age", "--where", "age"),
        ("sql", "r.hush.parquet", "SELECT height FROM release"),
        ("sql", "r.hush.parquet", "COPY release TO 'x.csv'"),
        ("sql", "nothing.hush.parquet", "SELECT 1"),
    ):  # fmt: skip
        result = run(*words)
        assert (result.code, result.out) == (2, "")
        assert result.err.count("\n") == 1
