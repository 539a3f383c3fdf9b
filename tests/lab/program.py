"""Running a command of the lab as a user does."""

from __future__ import annotations

import pytest

from hushgram.cli.app import main


def told(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """The exit code of ``hushgram lab``, and what it printed."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as stop:
        main(["lab", *words])
    assert isinstance(stop.value.code, int)
    return stop.value.code, *capsys.readouterr()
