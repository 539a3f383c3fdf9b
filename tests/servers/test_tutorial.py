"""The tutorial about engines, with its server."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.servers.postgres import Postgres
from tools.site import tutorials

pytestmark = pytest.mark.engines

PAGE = Path(__file__).parents[2] / "docs" / "tutorials" / "engines.md"


def test_postgres_counts_what_files_count(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HUSHGRAM_TUTORIAL_POSTGRES", postgres.fresh())
    printed = "\n".join(cell.printed for cell in tutorials.run(PAGE).cells)
    assert "PostgreSQL: the same integers" in printed
