"""The look-up of words, interpreted: it decides all that the words alone decide, and no more."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from hushgram.trusted.noise import digits
from hushgram.trusted.noise.laplace import _fill, _fill_compiled
from tests.trusted.interpreted import interpret

LAST = 2**64 - 1


@pytest.fixture(autouse=True)
def _interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    interpret(monkeypatch, "hushgram.trusted.noise.kernel")


def test_the_guide_is_asked_for_the_leading_bits() -> None:
    from hushgram.trusted.noise import kernel

    for bits in (0, 1, 5, 2**digits.GUIDE_BITS - 1):
        assert np.uint64((bits << 52) + 12345) >> kernel._PREFIX == bits


def random_words(radix: digits.MixedRadix, size: int) -> np.ndarray:
    rng = np.random.default_rng(6)
    return rng.integers(0, LAST, (len(radix.tables), size), dtype=np.uint64)


@pytest.mark.parametrize("fill", [_fill, _fill_compiled])
@pytest.mark.parametrize("scale", [1, 50, 1000, 2**20])
def test_words_decide_nearly_all_draws(scale: int, fill: Any) -> None:
    radix = digits.mixed_radix(Fraction(scale))
    words, out = random_words(radix, 300), np.empty(300, dtype=np.int64)
    assert list(fill(radix, words, out)) == []
    assert out.tolist() == [radix.draw(column.tolist()) for column in words.T]


@pytest.mark.parametrize("place", [0, 1, 29, 30])
@pytest.mark.parametrize("table", [0, 1])
def test_a_word_that_does_not_decide_is_left_to_further_ones(place: int, table: int) -> None:
    """Once each, also at the ends; all others are as they are without it."""
    radix = digits.mixed_radix(Fraction(1000))
    words, out = random_words(radix, 31), np.empty(31, dtype=np.int64)
    words[table, place] = radix.tables[table].thresholds[7]
    assert [where for where, _ in _fill_compiled(radix, words, out)] == [place]
    others = [where for where in range(31) if where != place]
    assert out[others].tolist() == [radix.draw(words[:, where].tolist()) for where in others]


def test_only_the_top_digit_begins_again_beyond_its_table() -> None:
    """The largest word of a lower digit is its largest value."""
    radix = digits.mixed_radix(Fraction(1000))
    words, out = random_words(radix, 5), np.empty(5, dtype=np.int64)
    words[0, 3] = LAST - 1
    assert radix.tables[0].thresholds[-1] < LAST - 1
    words[1, 1] = LAST - 1
    assert [where for where, _ in _fill_compiled(radix, words, out)] == [3]
    assert out[1] == radix.draw(words[:, 1].tolist())


def test_a_lower_digit_as_long_as_the_turn_of_the_top_one_is_decided() -> None:
    """Where the top table ends, a lower one has an ordinary value."""
    radix = digits.mixed_radix(Fraction(2**17 + 64))
    turn = radix.tables[0].size
    lower = next(j for j, table in enumerate(radix.tables) if j and table.size > turn)
    words, out = random_words(radix, 3), np.empty(3, dtype=np.int64)
    words[lower, 1] = radix.tables[lower].thresholds[turn] - np.uint64(1)
    assert radix.tables[lower].locate(int(words[lower, 1])) == turn
    assert list(_fill_compiled(radix, words, out)) == []
    assert out[1] == radix.draw(words[:, 1].tolist())
