"""How texts are written, on the command line: the same options wherever a table is read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import hushgram as hg
from hushgram.cli.options import TEXT_OPTIONS
from tests.surface.conftest import Run, history

FORM = (
    "--separator", ";", "--decimal", ",", "--encoding", "cp1252", "--date-format", "%d.%m.%Y",
    "--line-breaks", "quoted",
)  # fmt: skip
PAY = ("--account", "people", "--epsilon", "1")
WHO = ("--unit", "wer", "--max-rows", "9")
COMMANDS = {
    "publish": ("publish", "leute.csv", "-a", "größe=0:3/3", *WHO, *PAY, "-m", "identity"),
    "dates": (
        "publish",
        "leute.csv",
        "-a",
        "tag=2024-12-31..2025-01-01/1d",
        *PAY,
        "-m",
        "identity",
    ),
    "plan": ("publish", "leute.csv", "--account", "people", "--plan", "plan.toml"),
    "median": ("median", "leute.csv", "-a", "größe=0:3/3", *WHO, *PAY),
    "bounds": ("find-bounds", "leute.csv", "größe", *WHO, *PAY),
    "rows": ("find-max-rows", "leute.csv", "wer", "--release-epsilon", "1", *PAY),
}


@pytest.fixture(autouse=True)
def _german(folder: Path) -> None:
    lines = [
        f'"Jürgen\n{n}";"1,5";{"31.12.2024" if n % 2 else "1.1.2025"}\r\n' for n in range(3000)
    ]
    (folder / "leute.csv").write_bytes(("wer;größe;tag\r\n" + "".join(lines)).encode("cp1252"))
    (folder / "plan.toml").write_text(
        'unit = "wer"\nmax_rows = 2\n[[release]]\nname = "all"\nepsilon = 1\n'
        'mechanism = "identity"\naxes = { "größe" = "0:3/3" }\n'
    )


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_that_reads_a_table_has_them(run: Run, name: str) -> None:
    refused = run(*COMMANDS[name])
    assert (refused.code, history()) == (2, {})
    assert "--encoding cp1252" in refused.err
    result = run(*COMMANDS[name], *FORM)
    assert (result.code, result.err) == (0, "")
    assert history() == {"people": ["open", "charge", "commit"]}


def test_they_are_read_as_declared(run: Run) -> None:
    for name, expected in {"publish": [0, 3000, 0], "dates": [1500, 1500]}.items():
        account = ("--account", name, "-o", f"{name}.hush.parquet")
        assert run(*COMMANDS[name], *FORM, *account).code == 0
        values = hg.load(f"{name}.hush.parquet").estimate.values
        assert [round(v / 1500) for v in values] == [e // 1500 for e in expected]


@pytest.mark.parametrize("name", ["publish", "median", "bounds", "rows"])
def test_people_need_a_word_about_line_breaks(run: Run, name: str) -> None:
    result = run(*COMMANDS[name], *FORM[:-2])
    assert (result.code, result.out, history()) == (2, "", {})
    for declaration in ("never", "quoted"):
        assert f"--line-breaks {declaration}" in result.err
        assert f'Text(source, line_breaks="{declaration}")' in result.err


def test_other_declarations_are_another_request(run: Run) -> None:
    words = (*COMMANDS["publish"], *FORM, "--request", "monday", "--force")
    assert run(*words).code == 0
    assert run(*words).code == 0
    other = run(*words, "--decimal", ".")
    assert other.code == 2
    assert "Request ID 'monday' was already used for a different request" in other.err
    assert history() == {"people": ["open", "charge", "commit"]}


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--separator", ";;", "separator must be a single character"),
        ("--decimal", "x", "decimal must be"),
        ("--encoding", "utf-16", "Use utf-8, latin-1"),
        ("--date-format", "%d.%b.%Y", "%b is not supported"),
        ("--line-breaks", "no", 'must be "never" or "quoted"'),
    ],
)
def test_what_cannot_be_is_refused_for_free(
    run: Run, option: str, value: str, message: str
) -> None:
    result = run(*COMMANDS["publish"], *FORM, option, value, "--json")
    assert (result.code, result.out, history()) == (2, "", {})
    assert message in json.loads(result.err)["message"]


@pytest.mark.parametrize("command", ["publish", "median", "find-bounds", "find-max-rows"])
def test_the_help_lists_them(run: Run, command: str) -> None:
    text = run(command, "--help").out
    for name in TEXT_OPTIONS:
        assert f"--{name.replace('_', '-')}" in text
