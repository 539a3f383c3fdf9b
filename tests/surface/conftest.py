"""The program, run in this process, in a folder of its own with a small table in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

import hushgram as hg
from hushgram.cli.app import main
from hushgram.trusted.ledger import ledger_path


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str


Run = Callable[..., Result]

PUBLISH = (
    "publish", "people.csv", "--axis", "age=0..9", "--epsilon", "1", "--account", "people",
    "-o", "out.hush.parquet",
)  # fmt: skip
"""A command that works; each test of bad input spoils one thing."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    lines = [f"{k % 10},{'FM'[k % 2]},2024-01-0{k % 9 + 1},u{k % 7}" for k in range(60)]
    (tmp_path / "people.csv").write_text("age,sex,day,who\n" + "\n".join(lines) + "\n")
    return tmp_path


@pytest.fixture
def run(folder: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command; every end of the program is a SystemExit."""

    def call(*words: str) -> Result:
        capsys.readouterr()
        with pytest.raises(SystemExit) as stop:
            main(list(words))
        code = stop.value.code
        assert isinstance(code, int)
        return Result(code, *capsys.readouterr())

    return call


@pytest.fixture
def published(run: Run, folder: Path) -> Path:
    """A release of the small table, published by the account "people" with all its budget."""
    assert run(*PUBLISH).code == 0
    return folder / "out.hush.parquet"


def history() -> dict[str, list[str]]:
    """The ledger's entries, by account: what must not change when something is refused."""
    if not ledger_path().exists():
        return {}
    ledger = hg.Ledger.open()
    return {a.name: [e.kind for e in ledger.entries(a.name)] for a in ledger.accounts()}
