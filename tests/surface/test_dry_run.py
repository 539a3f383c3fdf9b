"""A dry run checks all that is public, and neither reads a row nor spends anything."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hushgram as hg
from hushgram.declare.axis import Axis
from hushgram.errors import AccountMismatch, BudgetExceeded, SourceError
from hushgram.trusted.engine.ibis import table
from hushgram.trusted.ledger import ledger_path
from tests.surface.conftest import Run

PEOPLE = pa.table({"age": [30, 40, 50], "sex": ["F", "M", "F"], "who": [1, 1, 2]})
AXES: dict[str, Axis] = {"age": hg.Integer(0, 99), "sex": hg.Category(["F", "M"])}


def plan(source: Any = PEOPLE, **more: Any) -> Any:
    return hg.publish(source, AXES, dry_run=True, **{"epsilon": "0.4", "account": "people", **more})


def test_it_spends_nothing_and_reads_no_row(monkeypatch: pytest.MonkeyPatch) -> None:
    def looked(*_: Any) -> Any:
        raise AssertionError("a row was read")

    monkeypatch.setattr(table, "hide_messages", looked)
    ledger = hg.Ledger.open()
    before = Path(ledger.location).read_bytes()
    found = plan(hg.Where(PEOPLE, "age > 18"))
    assert found.account.new
    assert found.where == "age > 18"
    assert found.columns == {"age": "int64", "sex": "string"}
    assert ledger.accounts() == []
    assert Path(ledger.location).read_bytes() == before


def test_it_says_what_would_be_left() -> None:
    ledger = hg.Ledger.open()
    ledger.open_account("people", 1)
    assert str(plan().account.remaining) == "3/5"
    hg.publish(PEOPLE, AXES, epsilon="0.4", account="people")
    assert not plan().account.new
    assert str(plan().account.remaining) == "1/5"
    with pytest.raises(BudgetExceeded):
        plan(epsilon="0.7")
    with pytest.raises(AccountMismatch):
        plan(unit=hg.User("who", max_rows=2))
    assert str(ledger.account("people").remaining) == "3/5"


def test_what_a_publish_refuses_it_refuses() -> None:
    with pytest.raises(SourceError, match="no column 'sex'"):
        plan(PEOPLE.select(["age"]))
    with pytest.raises(hg.HushgramError, match="account is missing"):
        plan(account=None)


def test_counts_need_no_account() -> None:
    found = hg.publish(hg.Counts([1, 2]), epsilon=1, dry_run=True)
    assert found.account is None
    assert "the budget is not recorded" in repr(found)


def test_it_prints_a_summary() -> None:
    shown = repr(plan(unit=hg.User("who", max_rows=2)))
    for line in (
        "Dry run: nothing was read, spent or written.",
        "Parts      200 declared cells",
        "Mechanism  bayes-tree",
        "Protects   each person in who, at most 2 rows each; neighbours add-remove",
        "Cost       ε = 0.4 from new account 'people'",
        "if the table has 10,000",
    ):
        assert line in shown


def test_errors_to_expect_shrink_with_epsilon() -> None:
    small, large = (
        plan(epsilon=epsilon).expected_errors(5000).errors["half"] for epsilon in ("0.01", 1)
    )
    assert small[0] > 10 * large[0]


def test_counts_get_what_measures_leave() -> None:
    alone = plan(mechanism="identity")
    laden = plan(mechanism="identity", epsilon="0.8", measures=hg.Mean("who", 0, 2))
    margins = laden.expected_errors(5000).half_widths
    for size, ends in alone.expected_errors(5000).half_widths.items():
        assert margins[size] == pytest.approx(ends, rel=0.05)


def test_on_the_command_line(run: Run, folder: Path) -> None:
    words = (
        "publish", "people.csv", "--axis", "age=0:10/5", "-e", "0.5", "--account", "people",
        "--dry-run", "--rows", "5000",
    )  # fmt: skip
    result = run(*words)
    assert (result.code, result.err) == (0, "")
    assert not ledger_path().exists()
    assert "Release    people.hush.parquet" in result.out
    assert not (folder / "people.hush.parquet").exists()
    found = json.loads(run(*words, "--json").out)
    assert found["account"]["new"]
    assert [size["rows"] for size in found["expected"]] == [5000]
    assert hg.Ledger.open().accounts() == []
