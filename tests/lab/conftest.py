"""What the lab's tests share."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder of somebody who has no data but what is bundled and generated."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HUSHGRAM_DATA", raising=False)
    return tmp_path
