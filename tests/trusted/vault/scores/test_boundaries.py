"""Squared errors in integers: equal to fractions rounded down, and as sensitive as claimed."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, pairwise, product
from math import floor

import numpy as np
import pytest
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


def all_starts(row: np.ndarray, groups: int) -> np.ndarray:
    """The dynamic programme that compares every start with every end."""
    table = np.zeros((groups + 1, len(row) + 1), dtype=np.int64)
    for stop in range(1, len(row) + 1):
        errors = errors_until(row, stop)
        table[1, stop] = errors[0]
        for j in range(2, min(groups, stop) + 1):
            table[j, stop] = (table[j - 1, j - 1 : stop] + errors[j - 1 :]).min()
    return table


LONG = {
    "noise": lambda rng, n: rng.poisson(20, n),
    "few rows": lambda rng, n: rng.poisson(0.1, n),
    "steps": lambda rng, n: rng.poisson(np.repeat(rng.integers(0, 200, n), 17)[:n]),
    "bursts": lambda rng, n: (rng.pareto(0.8, n) * 10).astype(np.int64).clip(0, 10**6),
    "runs of zeros": lambda rng, n: rng.integers(0, 5, n) * np.repeat(rng.integers(0, 2, n), 9)[:n],
    "a slope": lambda rng, n: np.arange(n) * 37,
    "a falling slope": lambda rng, n: np.arange(n)[::-1] ** 2,
    "a bell": lambda rng, n: (1e6 * np.exp(-(np.linspace(-4, 4, n) ** 2))).astype(np.int64),
    "a wave": lambda rng, n: (500 + 500 * np.sin(np.arange(n) / 5)).astype(np.int64),
    "sorted": lambda rng, n: np.sort(rng.pareto(1, n) * 100).astype(np.int64).clip(0, 10**6),
    "the largest and none": lambda rng, n: rng.integers(0, 2, n) * 2**22,
    "all alike": lambda rng, n: np.full(n, 7),
    "two in turns": lambda rng, n: np.arange(n) % 2 * 999,
}


@pytest.mark.parametrize("name", LONG)
def test_pruning_loses_no_start(name: str) -> None:
    rng = np.random.default_rng(5)
    for n, groups in ((300, 4), (300, 60), (700, 12)):
        row = np.asarray(LONG[name](rng, n), dtype=np.int64)
        assert np.array_equal(least_errors(row, groups), all_starts(row, groups))


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
