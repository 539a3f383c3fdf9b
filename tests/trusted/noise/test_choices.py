"""Many choices at once have the law of single ones, to the last word."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from hushgram.errors import BadInput
from hushgram.trusted.noise import Native, choices, entropy
from hushgram.trusted.noise.choices import below_each, exponential_each, settle
from hushgram.trusted.noise.choices_kernel import high_product
from hushgram.trusted.noise.entropy import Uniform
from hushgram.trusted.noise.exactexp import enclose

ALPHA = 1e-8
LAST = (1 << 64) - 1


def ends(scores: list[int], many: list[int], rate: Fraction) -> list[Fraction]:
    """The cumulated chances of the scores, to 80 digits."""
    best = max(score for score, times in zip(scores, many, strict=True) if times)
    with localcontext() as context:
        context.prec = 80
        exact = Decimal(rate.numerator) / Decimal(rate.denominator)
        weights = [
            times * (-exact * (best - score)).exp()
            for score, times in zip(scores, many, strict=True)
        ]
        return [Fraction(sum(weights[: k + 1]) / sum(weights)) for k in range(len(weights))]


@pytest.mark.parametrize("rate", [Fraction(1, 3), Fraction(7, 2), Fraction(1, 5000)])
def test_words_are_decided_as_exact_chances_decide(
    rate: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Words on both sides of the end of every share, and the words that hold an end."""
    scores, many = [-5, 9, 0, -400, -1], [3, 0, 1, 50, 2]
    chances = ends(scores, many, rate)
    for k, end in enumerate(chances[:-1]):
        near = int(end * 2**64)
        for word in {max(near - 1, 0), near, min(near + 1, LAST)}:
            first = [word]

            def draw(count: int, first: list[int] = first) -> Any:
                held = first[:count] + [1 << 62] * (count - len(first[:count]))
                del first[:count]
                return np.array(held, dtype=np.uint64)

            monkeypatch.setattr(entropy, "words", draw)
            place = exponential_each(
                np.array(scores), np.array([0, 5]), rate, np.array(many)
            ).item()
            found = int(np.searchsorted(np.cumsum(many), place, side="right"))
            exact = Fraction((word << 64) + (1 << 62), 1 << 128)  # where the next word is 2⁶²
            expected = next(i for i, one in enumerate(chances) if exact < one)
            assert found == expected, (k, word)


@pytest.mark.parametrize("rate", [Fraction(1, 3), Fraction(9, 4), Fraction(1, 700)])
def test_chances(rate: Fraction) -> None:
    lists = [([-5, -1, 0, -30], [2, 0, 1, 7]), ([4], [6]), ([0, 0, -900], [1, 5, 10**4])]
    draws = 20_000
    scores = np.tile(np.concatenate([one for one, _ in lists]), draws)
    many = np.tile(np.concatenate([times for _, times in lists]), draws)
    lengths = np.tile([len(one) for one, _ in lists], draws)
    found = exponential_each(scores, np.append(0, np.cumsum(lengths)), rate, many)
    for k, (one, times) in enumerate(lists):
        shares = np.diff([0.0, *map(float, ends(one, times, rate))])
        expected = np.repeat(shares / np.maximum(times, 1), times)
        seen = np.bincount(found[k :: len(lists)], minlength=sum(times))
        if len(expected) > 100:  # the many candidates of the last score as one
            seen, expected = np.append(seen[:6], seen[6:].sum()), np.append(expected[:6], shares[2])
        likely = expected * draws > 5
        seen = np.append(seen[likely], seen[~likely].sum())
        expected = np.append(expected[likely], expected[~likely].sum())
        if len(expected) > 2 or expected[-1] > 0:
            used = expected > 1e-12
            fit = stats.chisquare(seen[used], expected[used] * draws, sum_check=False)
            assert fit.pvalue > ALPHA


def test_another_rate_is_told_apart() -> None:
    draws = 20_000
    scores, many = np.tile([0, -2, -4], draws), np.ones(3 * draws, dtype=int)
    found = exponential_each(scores, np.arange(0, 3 * draws + 1, 3), Fraction(1, 4), many)
    other = np.diff([0.0, *map(float, ends([0, -2, -4], [1, 1, 1], Fraction(1, 3)))])
    assert stats.chisquare(np.bincount(found), other * draws).pvalue < ALPHA


@pytest.mark.parametrize(
    ("rate", "many"),
    [(Fraction(1, 10**12), [3, 2]), (Fraction(1), [2**61, 2**60]), (Fraction(0), [1, 9])],
)
def test_what_does_not_fit_is_drawn_one_by_one(
    rate: Fraction, many: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def single(scores: Any, rate: Fraction, many: Any) -> int:
        seen.append(scores.tolist())
        return 1

    monkeypatch.setattr(choices, "exponential", single)
    found = exponential_each(np.array([7, 8]), np.array([0, 2]), rate, np.array(many))
    assert (found.tolist(), seen) == ([1], [[7, 8]])


@given(st.integers(0, LAST), st.integers(0, LAST))
def test_high_products(a: int, b: int) -> None:
    assert int(high_product(np.uint64(a), np.uint64(b))) == a * b >> 64


@pytest.mark.parametrize("rate", [Fraction(1, 300), Fraction(3), Fraction(1, 25_000)])
def test_tabulated_weights_enclose_the_exact_ones(rate: Fraction) -> None:
    table = choices._tabulate(rate, 45)
    for gap in {0, 1, 2, len(table.low) // 3, len(table.low) - 1}:
        low, high = enclose(rate * gap, 200)
        assert int(table.low[gap]) << 155 <= low
        assert high <= int(table.high[gap]) << 155
        assert int(table.high[gap]) - int(table.low[gap]) <= 3
    assert enclose(rate * len(table.low), 200)[1] <= 1 << 155


def test_a_number_on_an_end_is_revealed_until_it_is_told() -> None:
    """Two equal shares meet at one half, between the words 2⁶³ - 1 and 2⁶³."""
    for prefix, side in ((2**63 - 1, 0), (2**63, 1)):
        u = Uniform(prefix, 64)
        assert settle(np.array([3, 3]), np.array([1, 1]), Fraction(1), u) == side


def test_no_list_and_bad_lists() -> None:
    none = np.empty(0, dtype=np.int64)
    assert exponential_each(none, np.array([0]), Fraction(1), none).tolist() == []
    for starts, many in (([0, 2], [0, 0]), ([0, 2], [-1, 3]), ([0, 0, 2], [1, 1])):
        with pytest.raises(BadInput):
            exponential_each(np.array([1, 2]), np.array(starts), Fraction(1), np.array(many))
    with pytest.raises(BadInput, match="integers"):
        exponential_each(np.array([0.5]), np.array([0, 1]), Fraction(1), np.array([1]))
    with pytest.raises(BadInput, match="rate"):
        exponential_each(np.array([1]), np.array([0, 1]), 0.5, np.array([1]))  # type: ignore[arg-type]


def test_uniform_numbers_below_each_bound() -> None:
    bounds = np.tile([1, 2, 3, 7, 2**62], 4000)
    found = below_each(bounds)
    assert (found >= 0).all()
    assert (found < bounds).all()
    for place, bound in enumerate((2, 3, 7)):
        seen = np.bincount(found[place + 1 :: 5], minlength=bound)
        assert stats.chisquare(seen).pvalue > ALPHA


def test_the_source_of_noise_has_it() -> None:
    found = Native().exponential_each(
        np.array([0, 10**6, 5]), np.array([0, 2, 3]), Fraction(1), np.array([1, 1, 1])
    )
    assert found.tolist() == [1, 0]
