"""A release asked in SQL: what a row means, and what a query may not do."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import numpy as np
import pytest

import hushgram as hg
from hushgram.answers.tables.sql import rows_of
from hushgram.errors import QuestionError
from tests.answers.tables.test_views import map_of
from tests.samples import cells, release_of

RELEASE = release_of(
    cells(
        age=hg.Integer(20, 29), sex=hg.Category(["F", "M"], outside="other"), x=hg.Regular(2, 0, 2)
    )
)  # fmt: skip


def test_a_row_stands_for_count_rows_in_the_middle() -> None:
    found = RELEASE.sql(
        "SELECT sex, sum(count) AS rows, sum(x * count) / sum(count) AS mean FROM release "
        "WHERE age BETWEEN 22 AND 25 GROUP BY sex ORDER BY sex"
    )
    assert found["sex"].tolist() == ["F", "M", "other"]
    for sex, rows, mean in found.itertuples(index=False):
        assert rows == RELEASE.count(age=(22, 26), sex=sex).value
        assert mean == pytest.approx(RELEASE.average("x", age=(22, 26), sex=sex).value)


def test_the_columns() -> None:
    assert rows_of(RELEASE).column_names == [
        "age", "sex", "x", "x_lo", "x_hi", "count", "variance", "uneven",
    ]  # fmt: skip
    one = RELEASE.sql("FROM release LIMIT 1", arrow=True).to_pylist()[0]
    assert (one["age"], one["sex"], one["x"], one["x_lo"], one["x_hi"]) == (20, "F", 0.5, 0, 1)
    assert one["variance"] == RELEASE.variances().flat[0]
    odd = release_of(cells(count=hg.Regular(2, 0, 2), x_lo=hg.Integer(0, 0), x=hg.Regular(1, 0, 1)))
    assert rows_of(odd).column_names == [
        "count_axis", "count_lo", "count_hi", "x_lo", "x", "x_lo_axis", "x_hi",
        "count", "variance", "uneven",
    ]  # fmt: skip


def test_days_and_other() -> None:
    release = release_of(cells(day=hg.Date("2024-01-30", "2024-02-02", outside="other")))
    found = release.sql("SELECT day FROM release", arrow=True)["day"].to_pylist()
    assert found == [dt.date(2024, 1, 30), dt.date(2024, 1, 31), dt.date(2024, 2, 1),
                     dt.date(2024, 2, 2), None]  # fmt: skip
    some = release.sql("SELECT sum(count) AS n FROM release WHERE day >= '2024-02-01'")
    assert some["n"][0] == 2 + 3
    weeks = release_of(cells(day=hg.Date("2024-01-01", "2024-01-14", "1w")))
    assert weeks.sql("SELECT day FROM release")["day"][0] == dt.datetime(2024, 1, 4, 12)
    wide = release_of(cells(age=hg.Integer(0, 9))).rollup(age=5)
    assert wide.sql("SELECT age FROM release")["age"].tolist() == [2, 7]


@pytest.mark.parametrize("kind", ["refined", "boxes"])
def test_boxes_have_rows(kind: str) -> None:
    release = map_of(kind)
    found = release.sql("SELECT sum(count) AS n, min(x) AS low FROM release")
    assert found["n"][0] == pytest.approx(release.count().value)
    assert 0 < found["low"][0] < 0.5


def test_huge_counts_do_not_wrap() -> None:
    release = release_of(cells(age=hg.Integer(0, 2)), [2**62] * 3)
    assert release.sql("SELECT sum(count) AS n FROM release")["n"][0] == 3 * 2.0**62


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("DROP TABLE release", "a single SELECT"),
        ("SELECT 1; SELECT 2", "a single SELECT"),
        ("", "a single SELECT"),
        ("SET enable_external_access = true", "a single SELECT"),
        ("COPY release TO 'out.csv'", "a single SELECT"),
        ("ATTACH 'out.db'", "a single SELECT"),
        ("INSTALL httpfs", "a single SELECT"),
        ("SELECT", "Cannot run the query: Parser Error:"),
        ("SELECT height FROM release", 'height" not found.*has the columns age, sex, x, x_lo'),
        ("SELECT * FROM 'secret.csv'", "disabled by configuration"),
        ("SELECT * FROM read_csv('secret.csv')", "disabled by configuration"),
        ("SELECT * FROM read_text('secret.csv')", "disabled by configuration"),
        ("SELECT * FROM glob('*')", "disabled by configuration"),
        ("SELECT * FROM 'https://example.org/x.csv'", "Cannot run the query"),
        ("SELECT * FROM frame", "frame does not exist"),
        ("SELECT 1 / count FROM release WHERE sex = 1", "Cannot run the query"),
    ],
)
def test_a_query_reads_the_release_and_nothing_else(
    query: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secret.csv").write_text("a\n1\n")
    frame = np.arange(3)
    with pytest.raises(QuestionError, match=says) as refused:
        RELEASE.sql(query)
    assert "\n" not in str(refused.value)
    assert len(frame) == 3
    assert [path.name for path in tmp_path.iterdir()] == ["secret.csv"]


def test_a_query_is_a_text() -> None:
    with pytest.raises(QuestionError, match="A query must be SQL"):
        RELEASE.sql(3)  # type: ignore[arg-type]
