"""Running a program as a user does."""

from __future__ import annotations

import pytest
import typer

import assurance.__main__
import reproduction.__main__
from hushgram.cli.app import app
from hushgram.cli.running import run

PROGRAMS: dict[str, typer.Typer] = {
    "hushgram": app,
    "./hush assurance": assurance.__main__.app,
    "./hush reproduce": reproduction.__main__.app,
}


def run_program(
    capsys: pytest.CaptureFixture[str], program: str, *words: str
) -> tuple[int, str, str]:
    """The exit code of a program, and what it printed."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as stop:
        run(PROGRAMS[program], list(words), program)
    assert isinstance(stop.value.code, int)
    return stop.value.code, *capsys.readouterr()
