"""Terminal injection: names in a stranger's release cannot command the reader's terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import hushgram as hg
from hushgram.cli.app import main
from tests.samples import cells, release_of

TRICKS = ["\x1b[2J", "\x1b]0;x\x07", "\x9b31m", "\r", "\x08", "\x7f", "\u202e", "\u2066", "\u2028"]


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[str, str]:
    with pytest.raises(SystemExit):
        main(list(words))
    out, err = capsys.readouterr()
    return out, err


@pytest.mark.parametrize("trick", TRICKS, ids=ascii)
def test_no_command_prints_a_sign_that_commands(
    trick: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    name, sign = f"a{trick}b", f"\\u{ord(trick[0]):04x}"
    release_of(cells(**{name: hg.Category([f"x{trick}", "y"])})).save("r.hush.parquet")
    sheet, _ = printed(capsys, "show", "r.hush.parquet")
    table, _ = printed(capsys, "marginal", "r.hush.parquet", name)
    data, _ = printed(capsys, "show", "r.hush.parquet", "--json")
    _, message = printed(capsys, "count", "r.hush.parquet", "nothing=1")
    assert not any(trick[0] in text for text in (sheet, table, data, message))
    assert sign in sheet
    assert sign in table
    assert json.loads(data)["domain"][0]["name"] == name


def test_a_message_is_one_line_and_not_long(capsys: pytest.CaptureFixture[str]) -> None:
    _, err = printed(capsys, "count", "no\nrelease\t" + "x" * 10_000)
    assert err.startswith("hushgram: Cannot read no\\u000arelease\\u0009xxx")
    assert err.endswith("\n")
    assert err.count("\n") == 1
    assert len(err) < 1100
