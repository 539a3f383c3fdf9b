from __future__ import annotations

import time
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from hushgram.errors import BadInput
from hushgram.trusted.noise import choice, exponential

ALPHA = 1e-8
LAST = (1 << 64) - 1


def _weights(scores, rate) -> np.ndarray:
    weights = np.exp(float(rate) * (np.array(scores, dtype=float) - max(scores)))
    return weights / weights.sum()


def _fits(scores, rate, draws: int, against=None) -> float:
    seen = np.bincount(
        [exponential(np.array(scores), rate) for _ in range(draws)], minlength=len(scores)
    )
    expected = _weights(scores, rate if against is None else against) * draws
    likely = expected > 5
    assert seen[expected < 1e-9].sum() == 0
    seen = np.append(seen[likely], seen[~likely].sum())
    expected = np.append(expected[likely], max(expected[~likely].sum(), 1e-300))
    if expected[-1] < 5:
        seen, expected = seen[:-1], expected[:-1]
    return stats.chisquare(seen, expected, sum_check=False).pvalue


@pytest.mark.parametrize(
    ("scores", "rate"),
    [
        ([0, 1, 2, 3], Fraction(1, 2)),
        ([5, 5, 5, 2, 2, -1], Fraction(1, 3)),
        ([0, -1, -2, -30, -1000], Fraction(7, 5)),
        ([7, 7, 7], Fraction(100)),
        (list(range(-20, 0)), Fraction(1, 10)),
        ([10**15, 10**15 - 3 * 10**14, 0], Fraction(1, 10**15)),
        ([1, 4, 2], Fraction(0)),
    ],
)
def test_probabilities(scores, rate):
    assert _fits(scores, rate, 3000) > ALPHA


def test_rejects_another_rate():
    scores = list(range(10))
    assert _fits(scores, Fraction(1, 4), 3000, against=Fraction(1, 3)) < ALPHA


def test_group_probabilities_are_exact():
    """Bounds on the groups' cumulative probabilities hold, and are narrow, at any precision."""
    scores = np.array([0, 0, -1, -3, -4, -9, -9, -40, -200, -(10**9)])
    rate = Fraction(2, 3)
    groups = choice._Groups(scores, rate)
    with localcontext() as context:
        context.prec = 100
        weights = [Decimal(-int(rate * -int(s))).exp() for s in scores]
        for width in (64, 128):
            bounds = groups.cumulative(width)
            for h in range(0, len(bounds), 5):
                below = [
                    w for w, s in zip(weights, scores, strict=True) if int(rate * -int(s)) <= h
                ]
                exact = sum(below) / sum(weights) * 2**width
                assert bounds[h][0] <= exact <= bounds[h][1]
                assert bounds[h][1] - bounds[h][0] <= 3


@pytest.mark.parametrize("many", [1, 2**20, 2**60])
def test_bounds_on_groups_are_narrow_however_many_candidates_there_are(many):
    """So that a second word is needed about once in 2**62 choices."""
    scores, numbers = np.array([0, -3, -9, -50]), np.array([1, many, many, 1])
    groups = choice._Groups(scores, Fraction(2, 3), numbers)
    for width in (64, 128):
        assert max(high - low for low, high in groups.cumulative(width)) <= 3


@pytest.mark.parametrize("rate", [Fraction(0), Fraction(1, 2**70)])
def test_the_widest_gap_is_in_the_first_group_if_the_rate_is_next_to_nothing(rate):
    groups = choice._Groups(np.array([-(2**63), 0, 2**63 - 1]), rate)
    groups.cumulative(64)
    assert groups.counts[0] == sum(groups.counts) == 3
    assert groups.member(0, 0) == (0, LAST)


def test_far_candidates_are_reached_when_the_bits_say_so(script):
    """Weight exp(-100) each: beyond the first word's groups, found with the second."""
    scores = np.array([0] + [-100] * 4)
    # u = 1 - 2**-160 or so lies in the last group; then member 2 of 4, and accepted at once.
    script([LAST, LAST, LAST - (1 << 20), 2 << 62, 0])
    assert exponential(scores, Fraction(1)) == 3


@pytest.mark.parametrize(("more", "group"), [(0, 0), (LAST, 1)])
def test_a_word_on_the_edge_of_two_groups_is_decided_by_the_next(script, more, group):
    """The bits so far fit both groups, and all later ones would fit the second."""
    groups = choice._Groups(np.array([0, -1]), Fraction(1))
    edge = groups.cumulative(64)[0][0]
    script([edge, more])
    assert groups.choose() == group


def test_bounds_hold_where_candidates_are_many_and_words_short():
    """Where rounding errors could add up: a million candidates in forty groups."""
    many = np.arange(1, 41) * 1000 + 7
    groups = choice._Groups(-np.arange(40), Fraction(1), many)
    with localcontext() as context:
        context.prec = 150
        weights = [int(count) * Decimal(-h).exp() for h, count in enumerate(many)]
        below = np.cumsum(weights) / sum(weights)
        for width in range(1, 120):
            bounds = groups.cumulative(width)
            for (low, high), exact in zip(bounds, below, strict=False):
                assert low <= exact * 2**width <= high <= low + 2


def test_huge_rate_takes_the_best():
    scores = np.array([3, 9, 9, 8])
    found = {exponential(scores, Fraction(10**9)) for _ in range(200)}
    assert found == {1, 2}


def test_tiny_rate_is_nearly_uniform():
    assert _fits([0, 1000, 5, -1000], Fraction(1, 10**30), 3000) > ALPHA


def test_the_widest_gap_does_not_wrap():
    edges = np.array([np.iinfo(np.int64).min, np.iinfo(np.int64).max])
    assert {exponential(edges, Fraction(1)) for _ in range(50)} == {1}
    assert {exponential(edges, Fraction(1, 2**63)) for _ in range(200)} == {0, 1}
    seen = np.bincount([exponential(edges, Fraction(1, 2**64)) for _ in range(3000)])
    assert stats.binomtest(int(seen[1]), 3000, 1 / (1 + np.exp(-1))).pvalue > ALPHA


def test_one_candidate():
    assert exponential(np.array([-5]), Fraction(1, 7)) == 0


@pytest.mark.parametrize("rate", [Fraction(1, 10**9), Fraction(1, 1000), Fraction(5)])
def test_a_million_candidates_take_a_moment(rate):
    scores = np.arange(1_000_000)
    start = time.perf_counter()
    found = exponential(scores, rate)
    assert time.perf_counter() - start < 2
    assert 0 <= found < 1_000_000
    if rate == 5:
        assert found > 999_900


def test_candidates_beyond_one_piece(monkeypatch):
    monkeypatch.setattr(choice, "CHUNK", 3)
    assert _fits([0, 1, 2, 0, 1, 2, 0, 3], Fraction(1, 2), 3000) > ALPHA


@pytest.mark.parametrize(
    ("scores", "many", "rate"),
    [
        ([0, 1, 2, 3], [5, 1, 0, 2], Fraction(1, 2)),
        ([9, 0, -1], [0, 3, 4], Fraction(7, 5)),
        ([2, 2], [3, 4], Fraction(100)),
        ([0, -3, -5, 0, -3], [1, 20, 300, 2, 7], Fraction(1, 3)),
    ],
)
def test_many_equal_candidates(scores: list[int], many: list[int], rate: Fraction) -> None:
    """The same law as with every candidate written down."""
    repeated = np.repeat(scores, many)
    found = [exponential(np.array(scores), rate, np.array(many)) for _ in range(3000)]
    seen, expected = np.bincount(found, minlength=repeated.size), _weights(repeated, rate) * 3000
    likely = expected > 5
    seen, expected = np.append(seen[likely], seen[~likely].sum()), expected[likely]
    expected = np.append(expected, 3000 - expected.sum())
    used = expected > 1e-6
    assert stats.chisquare(seen[used], expected[used], sum_check=False).pvalue > ALPHA


def test_a_million_equal_candidates() -> None:
    """Many bad ones weigh as much as a few good ones."""
    scores, many = np.array([0, -9, 0]), np.array([100, 10**6, 50])
    found = [exponential(scores, Fraction(1), many) for _ in range(3000)]
    seen = np.bincount(np.searchsorted(np.cumsum(many), found, side="right"))
    weights = many * np.exp([0, -9, 0])
    assert stats.chisquare(seen, weights / weights.sum() * 3000).pvalue > ALPHA


def test_many_candidates_beyond_one_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "CHUNK", 2)
    scores, many = np.array([0, 2, 1, 2, 0]), np.array([2, 1, 3, 0, 4])
    found = [exponential(scores, Fraction(1, 2), many) for _ in range(3000)]
    expected = _weights(np.repeat(scores, many), Fraction(1, 2)) * 3000
    assert stats.chisquare(np.bincount(found), expected, sum_check=False).pvalue > ALPHA


def test_numbers_of_candidates_up_to_their_limit() -> None:
    scores, many = np.array([0, -5]), np.array([1, 2**62 - 1])
    assert exponential(scores, Fraction(100), many) == 0
    assert exponential(scores, Fraction(1, 10), many) > 0
    assert 0 <= exponential(np.array([1]), Fraction(1), np.array([2**62])) < 2**62


@pytest.mark.parametrize(
    "many", [[1], [-1, 2], [0, 0], [2**62, 1024], [0.5, 1.0], [2**63 - 1, 2**63 - 1]]
)
def test_bad_numbers_of_candidates(many: list[int]) -> None:
    with pytest.raises(BadInput, match="many"):
        exponential(np.array([3, 4]), Fraction(1), np.array(many))


@pytest.mark.parametrize(
    ("scores", "rate", "message"),
    [
        (np.array([], dtype=np.int64), Fraction(1), r"shape \(0,\)"),
        (np.zeros((2, 2), dtype=np.int64), Fraction(1), r"shape \(2, 2\)"),
        (np.array([0.5]), Fraction(1), "float64"),
        (np.array([1], dtype=np.uint64), Fraction(1), "uint64"),
        (np.array([1]), Fraction(-1, 2), "Found -1/2"),
        (np.array([1]), 0.5, r"0\.5 \(float\)"),
    ],
)
def test_bad_input(scores, rate, message):
    with pytest.raises(BadInput, match=message):
        exponential(scores, rate)
