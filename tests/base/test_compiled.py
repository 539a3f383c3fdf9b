"""The compiler's pass for numbers that lie side by side is on for the loops that ask for it."""

from __future__ import annotations

import pytest
from numba import config

from hushgram.base.compiled import with_vectors


def test_the_pass_is_on_during_one_compilation_only() -> None:
    usual = config.SLP_VECTORIZE
    assert with_vectors(lambda: config.SLP_VECTORIZE)() == 1
    assert usual == config.SLP_VECTORIZE


def test_the_pass_is_off_again_after_an_error() -> None:
    usual = config.SLP_VECTORIZE
    with pytest.raises(ZeroDivisionError):
        with_vectors(lambda: 1 // 0)()
    assert usual == config.SLP_VECTORIZE
