"""SQL through names: columns, categories, files and accounts are data, whatever they say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hushgram as hg
from hushgram.errors import HushgramError, QuestionError
from tests.samples import cells, release_of

TRICKS = [
    'x"; DROP TABLE t; --', "x'; DROP TABLE t; --", "x' OR '1'='1", 'x" OR 1=1 --', "x`y", "x;y",
    "x\\", "x\\'", "/* x */", "%s", "{x}", "$1", "?", ":x", "x--", "x\ny", "count", "NULL", "*",
]  # fmt: skip


@pytest.mark.parametrize("trick", TRICKS)
@pytest.mark.parametrize("fast", [True, False])
def test_a_column_and_its_categories_are_data(
    trick: str, fast: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hushgram.trusted.engine.compiled.arrow import ArrowTable

    monkeypatch.setattr(ArrowTable, "fast", fast)
    values = [trick] * 500 + ["plain"] * 100 + ["1"] * 50
    domain = hg.Domain({trick: hg.Category([trick, "plain"], outside="other")})
    table = pa.table({trick: values})
    found = hg.publish(
        table, domain, epsilon=10, account="a", mechanism="identity", ledger=hg.Ledger.in_memory()
    ).to_array()
    assert np.abs(found - [500, 100, 50]).max() < 10


@pytest.mark.parametrize("trick", ["x'; DROP TABLE t; --", 'x" y', "x'y", "x;y", "[x]"])
def test_a_file_s_name_is_data(trick: str, tmp_path: Path) -> None:
    path = tmp_path / f"{trick}.parquet"
    pq.write_table(pa.table({"age": [1] * 300}), path)
    release = hg.publish(
        path, {"age": hg.Integer(0, 2)}, epsilon=10, account="a", mechanism="identity",
        ledger=hg.Ledger.in_memory(),
    )  # fmt: skip
    assert abs(release.count(age=1).value - 300) < 10


@pytest.mark.parametrize("trick", ["x'; DROP TABLE entries; --", "x' OR 1=1", "x; y", 'x"'])
def test_accounts_and_request_ids_are_data(trick: str, tmp_path: Path) -> None:
    ledger = hg.Ledger.open(tmp_path / "ledger.db")
    with pytest.raises(HushgramError, match="Invalid account name"):
        hg.publish(hg.Counts([1]), epsilon=1, account=trick, ledger=ledger)
    hg.publish(hg.Counts([1]), epsilon=1, account="a", ledger=ledger, request=trick)
    assert ledger.verify() == 3
    assert ledger.account("a").remaining == 0


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM read_csv('/etc/passwd')", "SELECT * FROM '/etc/passwd'",
        "COPY release TO 'out.csv'", "ATTACH 'x.db'", "SELECT 1; DROP VIEW release",
        "INSTALL httpfs", "PRAGMA database_list", "SET enable_external_access = true",
        "SELECT * FROM glob('/*')", "SELECT getenv('HOME')", "EXPORT DATABASE 'x'",
        "CALL pragma_version()", "SELECT * FROM read_text('/etc/hostname')",
    ],
)  # fmt: skip
def test_a_question_in_sql_reads_the_release_and_nothing_else(
    query: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(QuestionError):
        release_of(cells(x=hg.Integer(0, 1))).sql(query)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("trick", TRICKS)
def test_odd_names_can_be_asked_in_sql(trick: str) -> None:
    release = release_of(cells(**{trick: hg.Category([trick, "b"])}), [3, 4])
    quoted = trick.replace("'", "''")
    name = "count_axis" if trick == "count" else trick.replace('"', '""')
    found = release.sql(f"SELECT sum(count) AS n FROM release WHERE \"{name}\" = '{quoted}'")
    assert found["n"].tolist() == [3]
