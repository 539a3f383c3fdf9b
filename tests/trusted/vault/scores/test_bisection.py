"""Scores of cuts in integers: equal to fractions rounded down, and as sensitive as claimed."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product
from math import floor
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushgram.trusted.vault.scores.bisection import SCALE, ceiling, split_scores


def deviation(counts: list[int]) -> int:
    mean = Fraction(sum(counts), len(counts))
    return floor(SCALE * sum(abs(x - mean) for x in counts))


def by_hand(counts: list[int], cut: int, score: str) -> int:
    left, right = counts[:cut], counts[cut:]
    if score == "deviation":
        return -deviation(left) - deviation(right)
    return floor(SCALE * abs(sum(left) - Fraction(cut * sum(counts), len(counts))))


@st.composite
def sliced_counts(draw: Any) -> tuple[list[int], list[int]]:
    count = st.integers(0, 3) | st.integers(0, 10**6) | st.integers(2**45, 2**48)
    counts = draw(st.lists(count, min_size=1, max_size=12))
    inner = draw(st.sets(st.integers(0, len(counts) - 1), max_size=4))
    return counts, sorted({0, *inner})


@pytest.mark.parametrize("score", ["interpolation", "deviation"])
@given(sliced=sliced_counts())
def test_scores_equal_brute_force(sliced: tuple[list[int], list[int]], score: str) -> None:
    counts, starts = sliced
    found = split_scores(np.array(counts), np.array(starts), score)
    for start, stop in pairwise([*starts, len(counts)]):
        assert found[start] == 0
        for cut in range(start + 1, stop):
            assert found[cut] == by_hand(counts[start:stop], cut - start, score)


@pytest.mark.parametrize(("score", "claimed"), [("interpolation", 1), ("deviation", 2)])
def test_one_row_moves_every_score_by_what_is_claimed(score: str, claimed: int) -> None:
    """All tables of five cells with counts up to four, and a row more in each cell."""
    whole, farthest = np.array([0]), 0
    for counts in product(range(5), repeat=5):
        before = split_scores(np.array(counts), whole, score)
        for cell in range(5):
            more = np.array(counts)
            more[cell] += 1
            farthest = max(farthest, int(np.abs(split_scores(more, whole, score) - before).max()))
    assert SCALE * claimed * 0.7 < farthest <= SCALE * claimed


@pytest.mark.parametrize("score", ["interpolation", "deviation"])
def test_the_largest_counts_that_are_scored(score: str) -> None:
    cells = 1000
    counts = np.tile([0, 0, ceiling(cells), 1, ceiling(cells)], 200)
    found = split_scores(counts, np.array([0]), score)
    for cut in (1, 3, 499, 998, 999):
        assert found[cut] == by_hand(counts.tolist(), cut, score)


def test_many_cells_are_scored_without_wrapping() -> None:
    cells = 1 << 20
    counts = np.where(np.arange(cells) < cells // 2, 0, ceiling(cells))
    assert split_scores(counts, np.array([0]), "interpolation").argmax() == cells // 2
    assert split_scores(counts, np.array([0]), "deviation")[1:].argmax() == cells // 2 - 1
