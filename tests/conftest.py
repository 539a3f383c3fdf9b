"""What all tests share: a ledger of their own, and how long Hypothesis may look."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("fast", deadline=None, print_blob=True, derandomize=False)
settings.load_profile("fast")


def pytest_configure(config: pytest.Config) -> None:
    """Warnings are errors, but for this one: it is between Ibis and DuckDB."""
    known = "ignore:fetch_arrow_table:DeprecationWarning"
    config.addinivalue_line("filterwarnings", known)


@pytest.fixture(autouse=True)
def ledger_file(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test ever charges the ledger of whoever runs it."""
    file = tmp_path_factory.mktemp("ledger") / "ledger.db"
    monkeypatch.setenv("HUSHGRAM_LEDGER", str(file))
    return file
