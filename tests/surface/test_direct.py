"""``hushgram ask``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.surface.conftest import Run, history

PAYS = ("--epsilon", "1", "--account", "people")


def test_it_prints_the_count_and_what_is_left(run: Run, folder: Path) -> None:
    result = run("ask", "people.csv", "count", "--where", "age >= 5", *PAYS)
    assert (result.code, result.err) == (0, "")
    first, new, second = result.out.splitlines()
    assert first.endswith(" ± 3 (95 %)")
    assert abs(int(first.split()[0]) - 30) < 30
    assert new == "New account 'people': cap ε = 1. This is the only account in the ledger."
    assert second == "Account people: 0 of 1 left."
    assert history() == {"people": ["open", "charge", "commit"]}
    assert [path.name for path in folder.iterdir()] == ["people.csv"]


def test_a_request_is_paid_once(run: Run) -> None:
    words = ("ask", "people.csv", "sum", "--axis", "age=0..9", *PAYS, "--request", "june")
    first, again = (run(*words) for _ in range(2))
    assert (first.code, again.code) == (0, 0)
    assert first.out.splitlines()[0] == again.out.splitlines()[0]
    assert history() == {"people": ["open", "charge", "commit"]}


def test_it_prints_json(run: Run) -> None:
    result = run(
        "ask", "people.csv", "count", "--where", "sex = 'F'", "-e", "1/3", "--account", "people",
        "--unit", "who", "--max-rows", "9", "--line-breaks", "never", "--confidence", "0.9",
        "--json",
    )  # fmt: skip
    assert (result.code, result.err) == (0, "")
    data = json.loads(result.out)
    value, (low, high) = data.pop("value"), data.pop("interval")
    assert isinstance(value, int)
    assert low < value < high
    assert data == {
        "aggregate": "count", "confidence": 0.9, "epsilon": "1/3", "account": "people",
        "remaining": "2/3", "cap": "1",
        "new_account": {"name": "people", "cap": "1", "others": []},
    }  # fmt: skip


def test_a_median_of_days_is_a_day(run: Run) -> None:
    result = run(
        "ask", "people.csv", "median", "-a", "day=2024-01-01..2024-01-09", "--where", "sex = 'F'",
        *PAYS, "--json",
    )  # fmt: skip
    data = json.loads(result.out)
    assert data["value"].startswith("2024-01-0")
    assert (data["interval"], data["confidence"]) == (None, None)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("mode", "--where", "age > 1"), "Unknown aggregate"),
        (("count",), "Say which rows"),
        (("sum", "--where", "age > 1"), "A sum needs a column and its public bounds"),
        (("count", "--where", "age > 1", "--max-rows", "3"), "must be used together"),
        (("count", "--where", "age > 1", "--confidence", "2"), "between 0 and 1"),
    ],
)
def test_bad_input_is_one_sentence_and_free(run: Run, words: tuple[str], message: str) -> None:
    result = run("ask", "people.csv", *words, *PAYS)
    assert (result.code, result.out) == (2, "")
    assert message in result.err
    assert result.err.count("\n") == 1
    assert history() == {}
