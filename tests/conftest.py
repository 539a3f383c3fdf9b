"""What all tests share: a ledger of their own, randomness that repeats, and how long Hypothesis
may look.

Every test draws its noise, and Hypothesis its examples, from a generator of its own, so that a
run tells of the change under test and not of chance. ``HUSHGRAM_TEST_SEED=2 ./hush test`` draws
others; ``HUSHGRAM_TEST_SEED=system`` leaves the operating system's randomness in place.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import settings

from hushgram.answers.learning import synthetic
from hushgram.spending import rehearsal
from hushgram.spending import task as tasks
from hushgram.trusted.noise import entropy
from tests.servers.postgres import postgres
from tests.servers.spark import spark

__all__ = ["postgres", "spark"]

SEED = os.environ.get("HUSHGRAM_TEST_SEED", "1")
SYSTEM = entropy.words, synthetic.urandom

settings.register_profile("thorough", deadline=None, print_blob=True, derandomize=SEED == "1")
settings.register_profile("fast", settings.get_profile("thorough"), max_examples=50)
settings.load_profile("fast")


def pytest_configure(config: pytest.Config) -> None:
    """Warnings are errors, but for two: one is between Ibis and DuckDB, and tests publish counts
    that are nobody's."""
    for known in (
        "ignore:fetch_arrow_table:DeprecationWarning",
        "ignore::hushgram.errors.Unaccounted",
    ):
        config.addinivalue_line("filterwarnings", known)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of one server run in one process, so that there is one server."""
    for item in items:
        words = {
            *getattr(item, "fixturenames", ()),
            *item.nodeid.strip("]").partition("[")[2].split("-"),
        }
        for server in ("postgres", "spark"):
            if server in words:
                item.add_marker(pytest.mark.xdist_group(server))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Before any fixture, whatever its scope: the noise of this test."""
    entropy.words, synthetic.urandom = SYSTEM
    if SEED == "system" or item.get_closest_marker("system_randomness"):
        return
    name = hashlib.sha256(f"{SEED} {item.nodeid}".encode()).digest()
    rng = np.random.default_rng(list(name))

    def words(count: int) -> npt.NDArray[np.uint64]:
        return rng.integers(0, 2**64, count, dtype=np.uint64)

    entropy.words, synthetic.urandom = words, rng.bytes


def rehearse(steps: Callable[[], Any], key: Hashable) -> None:
    """A rehearsal happens once per process, in whichever test comes first: it must not take noise
    that repeats away from that test."""
    drawn, entropy.words = entropy.words, SYSTEM[0]
    try:
        rehearsal.rehearse(steps, key)
    finally:
        entropy.words = drawn


tasks.rehearse = rehearse


@pytest.fixture(autouse=True)
def ledger_file(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test ever charges the ledger of whoever runs it."""
    file = tmp_path_factory.mktemp("ledger") / "ledger.db"
    monkeypatch.setenv("HUSHGRAM_LEDGER", str(file))
    return file


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder of somebody who has no data but what is bundled and generated."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HUSHGRAM_DATA", raising=False)
    return tmp_path
