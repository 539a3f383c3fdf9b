"""What fuzzing kept is tried again, and a little more is spoilt: nothing may be found."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import assurance
import hushgram.errors
from assurance.fuzz import TARGETS

CORPUS = Path(__file__).parent / "corpus"
SOURCE = os.pathsep.join(
    str(Path(m.__file__ or "").parents[1]) for m in (hushgram.errors, assurance)
)

pytestmark = pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="fuzzing needs Linux")


def fuzzed(*words: str) -> None:
    """In a process of its own: the tests' has too many threads to fork."""
    run = subprocess.run(
        [sys.executable, "-m", "assurance", "fuzz", *TARGETS, *words, "--json"],
        env={**os.environ, "PYTHONPATH": SOURCE},
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert run.stderr == ""
    told = json.loads(run.stdout)
    assert told["found"] == []
    assert [row["target"] for row in told["targets"]] == list(TARGETS)
    assert all(row["trials"] for row in told["targets"])


@pytest.mark.slow
def test_what_was_kept_is_still_taken_well() -> None:
    fuzzed("--replay", "--corpus", str(CORPUS))


@pytest.mark.slow
def test_some_fuzzing_finds_nothing() -> None:
    fuzzed("--trials", "40", "--seed", "2")


def test_the_corpus_is_small_and_holds_every_target() -> None:
    files = [file for file in CORPUS.rglob("*") if file.is_file()]
    assert {file.parent.name for file in files} == set(TARGETS)
    assert len(files) < 300
    assert sum(file.stat().st_size for file in files) < 500_000
