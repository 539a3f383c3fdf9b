"""Squared errors in integers: equal to fractions rounded down, and as sensitive as claimed."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, pairwise, product
from math import floor

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hushgram.queries.boundary_limits import SCALE, fits_64_bits
from hushgram.trusted.vault.scores.boundaries import errors_until, least_errors


def rounded_error(counts: list[int]) -> int:
    exact = sum(x * x for x in counts) - Fraction(sum(counts) ** 2, len(counts))
    return floor(SCALE * exact)


def least(counts: list[int], groups: int) -> int:
    inner = combinations(range(1, len(counts)), groups - 1)
    return min(
        sum(rounded_error(counts[a:b]) for a, b in pairwise((0, *cuts, len(counts))))
        for cuts in inner
    )


@given(st.lists(st.integers(0, 3) | st.integers(0, 10**7), min_size=1, max_size=7))
def test_both_tables_equal_brute_force(counts: list[int]) -> None:
    row = np.array(counts)
    table = least_errors(row, len(counts))
    for stop in range(1, len(counts) + 1):
        errors = errors_until(row, stop)
        assert errors.tolist() == [rounded_error(counts[k:stop]) for k in range(stop)]
        for groups in range(1, stop + 1):
            assert table[groups, stop] == least(counts[:stop], groups)


def test_one_row_moves_every_score_by_what_is_claimed() -> None:
    """All tables of five cells with counts up to the bound, and all their neighbours."""
    for bound in (1, 2, 3):
        farthest = 0
        for counts in product(range(bound + 1), repeat=5):
            before = scores(np.array(counts))
            for cell in range(5):
                if counts[cell] < bound:
                    more = np.array(counts)
                    more[cell] += 1
                    farthest = max(farthest, int(np.abs(scores(more) - before).max()))
        assert SCALE * (2 * bound - 1) * 0.7 < farthest <= SCALE * (2 * bound - 1)


def scores(counts: np.ndarray) -> np.ndarray:
    """Of every boundary that can be chosen, at every stage."""
    table = least_errors(counts, 4)
    found = [
        table[before, before:stop] + errors_until(counts, stop)[before:]
        for stop in range(2, 6)
        for before in range(1, stop)
    ]
    return np.concatenate(found)


def test_the_largest_counts_that_fit() -> None:
    bound = 2**21
    assert fits_64_bits(4095, bound)
    assert not fits_64_bits(4097, bound)
    counts = np.tile([0, bound, bound], 1365)
    assert errors_until(counts, 4095)[0] == rounded_error(counts.tolist())
