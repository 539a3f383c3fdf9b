"""``hushgram find-bounds`` and ``hushgram find-max-rows``."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

import hushgram as hg
from hushgram.cli.find import axis_option
from hushgram.cli.grammar import parse_axis
from hushgram.declare.axis import Axis
from tests.surface.conftest import Run, history

BOUNDS = ("find-bounds", "visits.csv", "year", "--epsilon", "1", "--account", "visits")
ROWS = (
    "find-max-rows", "visits.csv", "who", "--epsilon", "1", "--release-epsilon", "1",
    "--account", "visits", "--line-breaks", "quoted",
)  # fmt: skip


@pytest.fixture(autouse=True)
def _visits(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [f"{1990 + n % 31},2024-03-{n % 28 + 1:02},u{n % 1000},{n % 7}" for n in range(4000)]
    (folder / "visits.csv").write_text("year,day,who,my hour\n" + "\n".join(lines) + "\n")
    for module in ("spending.bounds", "spending.max_rows"):
        monkeypatch.setattr(f"hushgram.{module}.CHANCE", 1e-9)


def test_bounds_are_printed_as_an_option(run: Run) -> None:
    result = run(*BOUNDS, "--kind", "integer")
    assert (result.code, result.err) == (0, "")
    option, new, left = result.out.splitlines()
    assert new == "New account 'visits': cap ε = 1. This is the only account in the ledger."
    assert left == "Account visits: 0 of 1 left."
    assert history() == {"visits": ["open", "charge", "commit"]}
    published = run(
        "publish", "visits.csv", *shlex.split(option), "--epsilon", "1", "--account", "more"
    )
    assert published.code == 0
    axis = hg.load("more.hush.parquet").domain["year"]
    assert isinstance(axis, hg.Integer)
    assert 1984 <= axis.lo <= 1992
    assert 2018 <= axis.hi <= 2031


def test_bounds_are_printed_as_json(run: Run) -> None:
    words = ("--unit", "who", "--max-rows", "4", "--line-breaks", "never", "--request", "r",
             "--neighbours", "replace-one", "--coverage", "0.9", "--json")  # fmt: skip
    result = run(*BOUNDS, *words)
    assert (result.code, result.err) == (0, "")
    data = json.loads(result.out)
    again = json.loads(run(*BOUNDS, *words).out)
    assert again == {**data, "new_account": None}
    assert data.pop("new_account") == {"name": "visits", "cap": "1", "others": []}
    axis = data.pop("axis")
    assert data.pop("option") == f"year={axis_option(hg.Interval(axis['lo'], axis['hi']))}"
    assert axis["kind"] == "interval"
    assert data == {
        "column": "year", "epsilon": "1", "account": "visits", "remaining": "0", "cap": "1",
    }  # fmt: skip


def test_odd_columns_are_quoted(run: Run) -> None:
    result = run(*BOUNDS[:2], "my hour", *BOUNDS[3:], "--kind", "integer")
    option = shlex.split(result.out.splitlines()[0])
    assert option[0] == "--axis"
    assert option[1].startswith("my hour=")


@pytest.mark.parametrize(
    "axis",
    [
        hg.Interval(-74.5, 2**-70), hg.Interval(0, 2.0**64), hg.Interval(-(2.0**-64), 0.1),
        hg.Integer(-5, 2**25), hg.Date("1000-01-01", "2024-02-29"),
    ],
)  # fmt: skip
def test_what_is_printed_reads_back(axis: Axis) -> None:
    assert parse_axis("x", axis_option(axis)) == axis


def test_a_number_of_rows_is_printed_as_an_option(run: Run) -> None:
    result = run(*ROWS)
    assert (result.code, result.err) == (0, "")
    assert result.out == (
        "--unit who --max-rows 4\n"
        "New account 'visits': cap ε = 1. This is the only account in the ledger.\n"
        "Account visits: 0 of 1 left.\n"
    )
    words = (
        "--axis", "year=1990..1999", "--outside", "year=clamp", "--workload", "cells",
        "--neighbours", "replace-one", "--request", "r", "--json",
    )  # fmt: skip
    data = json.loads(run(*ROWS, "--account", "more", *words).out)
    assert 1 <= data.pop("max_rows") <= 4
    assert data == {
        "unit": "who", "epsilon": "1", "account": "more", "remaining": "0", "cap": "1",
        "new_account": {"name": "more", "cap": "1", "others": ["visits"]},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((*BOUNDS, "--kind", "text"), "Use one of interval, integer, date"),
        ((*BOUNDS, "--coverage", "2"), "from 0.5 to 1"),
        ((*BOUNDS, "--max-rows", "3"), "must be used together"),
        ((*BOUNDS, "--epsilon", "20"), "allow"),
        ((*BOUNDS[:2], "weight", *BOUNDS[3:]), "upper and lower case differ"),
        ((*ROWS, "--workload", "cells"), "also needs a domain"),
        ((*ROWS, "--release-epsilon", "0"), "positive"),
        ((*ROWS, "--outside", "year=clamp"), "is no --axis"),
        ((*ROWS, "--axis", "year"), "needs a name and a value"),
    ],
)
def test_bad_input_is_one_sentence_and_free(run: Run, words: tuple[str, ...], message: str) -> None:
    result = run(*words)
    assert (result.code, result.out) == (2, "")
    assert message in result.err
    assert result.err.count("\n") == 1
    assert history() == {}


def test_too_few_rows_are_said(run: Run) -> None:
    result = run("find-bounds", "people.csv", "age", "-e", "0.1", "--account", "people")
    assert (result.code, result.out) == (2, "")
    assert "too few rows for this epsilon" in result.err
    assert "The epsilon was spent" in result.err
