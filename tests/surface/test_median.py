"""``hushgram median``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.surface.conftest import Run, history

MEDIAN = ("median", "people.csv", "--axis", "age=0..9", "--epsilon", "1", "--account", "people")


def test_it_prints_the_median_and_what_is_left(run: Run, folder: Path) -> None:
    result = run(*MEDIAN)
    assert (result.code, result.err) == (0, "")
    first, new, second = result.out.splitlines()
    assert new == "New account 'people': cap ε = 1. This is the only account in the ledger."
    assert first.startswith("Median of age: ")
    assert 0 <= float(first.removeprefix("Median of age: ")) <= 9
    assert second == "Account people: 0 of 1 left."
    assert history() == {"people": ["open", "charge", "commit"]}
    assert [path.name for path in folder.iterdir()] == ["people.csv"]


def test_a_request_is_paid_once(run: Run) -> None:
    first, again = (run(*MEDIAN, "--request", "june") for _ in range(2))
    assert (first.code, again.code) == (0, 0)
    assert first.out.replace(
        "New account 'people': cap ε = 1. This is the only account in the ledger.\n", ""
    ) == (again.out)
    assert history() == {"people": ["open", "charge", "commit"]}


def test_it_prints_json(run: Run) -> None:
    result = run(
        "median", "people.csv", "-a", "day=2024-01-01..2024-01-09", "--outside", "day=clamp",
        "-e", "1/3", "--account", "people", "--unit", "who", "--max-rows", "9",
        "--neighbours", "replace-one", "--line-breaks", "never", "--json",
    )  # fmt: skip
    assert (result.code, result.err) == (0, "")
    data = json.loads(result.out)
    assert data.pop("median").startswith("2024-01-0")
    assert data == {
        "axis": "day", "epsilon": "1/3", "account": "people", "remaining": "2/3", "cap": "1",
        "new_account": {"name": "people", "cap": "1", "others": []},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--axis", "day=2024-01-01..2024-01-09"), "A median needs exactly one axis"),
        (("--outside", "age=other"), "A median needs exactly one axis"),
        (("--max-rows", "3"), "must be used together"),
        (("--epsilon", "20"), "allow"),
    ],
)
def test_bad_input_is_one_sentence_and_free(run: Run, words: tuple[str], message: str) -> None:
    result = run(*MEDIAN, *words)
    assert (result.code, result.out) == (2, "")
    assert message in result.err
    assert result.err.count("\n") == 1
    assert history() == {}
