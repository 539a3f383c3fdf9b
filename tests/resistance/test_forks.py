"""Forks: processes that come from one parent share no random bit."""

from __future__ import annotations

import os
import warnings
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

from hushgram.trusted import noise
from hushgram.trusted.noise import entropy

WORKERS, WORDS = 64, 64


def drawn() -> bytes:
    """Random words, and noise so wide that two equal draws have a chance of 10^-17."""
    wide = noise.discrete_laplace(Fraction(10**17), WORDS)
    return entropy.words(WORDS).tobytes() + wide.astype(np.int64).tobytes()


@pytest.mark.slow
@pytest.mark.system_randomness
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_64_workers_repeat_no_draw() -> None:
    """Among 8,320 numbers of 57 bits or more, two are equal with a chance of 10^-9."""
    drawn()
    pipes = []
    for _ in range(WORKERS):
        read, write = os.pipe()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # threads of other tests
            child = os.fork()
        if child == 0:
            os.write(write, drawn())
            os._exit(0)
        os.close(write)
        pipes.append((child, read))
    found = []
    for child, read in pipes:
        with os.fdopen(read, "rb") as stream:
            found.append(stream.read())
        os.waitpid(child, 0)
    numbers = np.frombuffer(b"".join([*found, drawn()]), dtype=np.int64)
    assert numbers.size == (WORKERS + 1) * 2 * WORDS
    assert np.unique(numbers).size == numbers.size


@pytest.mark.system_randomness
def test_no_bit_is_kept_for_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """A buffer of bits would be copied by a fork: each call asks the system for what it needs."""
    asked: list[int] = []

    def counted(size: int) -> bytes:
        asked.append(size)
        return bytes(size)

    monkeypatch.setattr(entropy, "os", SimpleNamespace(urandom=counted))
    for count in (1, 3, 1):
        entropy.words(count)
    assert asked == [8, 24, 8]
