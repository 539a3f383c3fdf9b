"""No command opens an account silently, and the first cap is the steward's decision."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import hushgram as hg
from tests.surface.conftest import PUBLISH, Run, history

PAYING = ("--epsilon", "0.1", "--account", "stops")
COMMANDS = {
    "publish": ("publish", "people.csv", "-a", "age=0..9", *PAYING),
    "plan": ("publish", "people.csv", "--plan", "plan.toml", "--account", "stops"),
    "find-bounds": ("find-bounds", "people.csv", "age", "--kind", "integer", *PAYING),
    "find-max-rows": (
        "find-max-rows", "people.csv", "who", "--release-epsilon", "1", *PAYING,
        "--line-breaks", "never",
    ),
    "median": ("median", "people.csv", "-a", "age=0..9", *PAYING),
}  # fmt: skip
PLAN = '[[release]]\nname = "ages"\nepsilon = 0.1\naxes = { age = "0..9" }\n'


@pytest.fixture(autouse=True)
def _plan(folder: Path) -> None:
    (folder / "plan.toml").write_text(PLAN)
    rows = "".join(f"{age % 10},F,2024-01-01,u{age % 500}\n" for age in range(5000))
    (folder / "people.csv").write_text(f"age,sex,day,who\n{rows}")


@pytest.fixture(params=COMMANDS.values(), ids=COMMANDS)
def command(request: pytest.FixtureRequest) -> tuple[str, ...]:
    words: tuple[str, ...] = request.param
    return words


def test_a_new_account_has_a_line_of_its_own(run: Run, command: tuple[str, ...]) -> None:
    for name in ("b", "a"):
        assert run("ledger", "open", name, "--cap", "2").code == 0
    first = run(*command)
    assert first.code == 0
    line = "New account 'stops': cap ε = 1. Other accounts in this ledger: 'a', 'b'."
    assert first.out.splitlines().count(line) == 1
    again = run(*command, *(["--force"] * (command[0] == "publish")))
    assert "New account" not in again.out + again.err
    assert "Account stops: 0.8 of 1 left." in again.out


def test_json_has_a_field_for_it(run: Run, command: tuple[str, ...]) -> None:
    words = (*command, "--json", *(["--force"] * (command[0] == "publish")))
    first, again = (json.loads(run(*words).out)["new_account"] for _ in range(2))
    assert first == {"name": "stops", "cap": "1", "others": []}
    assert again is None


def test_the_first_cap_can_be_given(run: Run, command: tuple[str, ...]) -> None:
    result = run(*command, "--cap", "0.3")
    assert (
        "New account 'stops': cap ε = 0.3. This is the only account in the ledger.\n" in result.out
    )
    before = history()
    other = run(*command, "--cap", "0.5", *(["--force"] * (command[0] == "publish")))
    assert (other.code, other.out) == (2, "")
    assert "already exists with cap 0.3" in other.err
    assert "hushgram ledger set-cap stops 0.5" in other.err
    assert history() == before


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--cap", "0.05"), "the new account 'stops' has epsilon 0.05 left, but 0.1 was"),
        (("--cap", "11"), "the cap 11 is above 10"),
        (("--cap", "much"), "The cap must be a positive number"),
    ],
)
def test_caps_that_are_refused_open_nothing(
    run: Run, command: tuple[str, ...], words: tuple[str, str], message: str
) -> None:
    result = run(*command, *words)
    assert (result.code, result.out) == (2, "")
    assert message in result.err
    assert history() == {}


def test_a_large_cap_must_be_wanted(run: Run, command: tuple[str, ...]) -> None:
    result = run(*command, "--cap", "11", "--allow-large")
    assert "New account 'stops': cap ε = 11." in result.out


def test_find_bounds_leaves_a_budget_for_the_release(run: Run) -> None:
    assert run(*COMMANDS["find-bounds"]).code == 0
    published = run("publish", "people.csv", "-a", "age=0..9", "-e", "0.9", "--account", "stops")
    assert published.code == 0
    assert "Account stops: 0 of 1 left." in published.out


def test_an_account_is_told_even_if_the_command_fails_afterwards(run: Run, folder: Path) -> None:
    (folder / "people.csv").write_text("age,sex,day,who\n3,F,2024-01-01,u\n")
    result = run("find-bounds", "people.csv", "age", *PAYING)
    assert (result.code, result.out) == (2, "")
    new, message = result.err.splitlines()
    assert new == "New account 'stops': cap ε = 1. This is the only account in the ledger."
    assert "too few rows for this epsilon" in message


def test_other_accounts_are_ten_at_most(run: Run) -> None:
    ledger = hg.Ledger.open()
    for number in range(12):
        ledger.open_account(f"n{number:02}", 1)
    (line,) = (line for line in run(*PUBLISH).out.splitlines() if line.startswith("New account"))
    assert line.endswith("'n08', 'n09', ….")
    assert line.count("'n") == 10


def test_python_says_nothing_and_the_release_neither(capfd: pytest.CaptureFixture[str]) -> None:
    ledger = hg.Ledger.in_memory()
    release = hg.publish(hg.Counts([5, 6]), epsilon=1, account="secret name", ledger=ledger, cap=3)
    assert ledger.account("secret name").cap == 3
    assert capfd.readouterr() == ("", "")
    assert b"secret name" not in release.to_bytes()
