"""What the tests of the engine share."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType

import numpy as np
import pytest

from tests.trusted.interpreted import interpret


@pytest.fixture
def kernels(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The loops of the fast path, interpreted and with blocks of eight rows. Bytes that are full
    begin again without a word."""
    with np.errstate(over="ignore"):
        yield interpret(monkeypatch, "hushgram.trusted.engine.compiled.kernels", BLOCK=8)
