"""The discrete Cauchy law, against its closed form."""

from __future__ import annotations

from bisect import bisect_left
from fractions import Fraction
from itertools import product
from math import atan, ceil, pi, tanh
from typing import Any

import numpy as np
import pytest
from scipy import stats

from hushgram.errors import BadInput
from hushgram.trusted.noise import Native, cauchy, discrete_cauchy
from hushgram.trusted.noise.cauchy import heavy_block

ALPHA = 1e-8
DRAWS = 20_000
SCALES = [Fraction(11, 10), Fraction(17, 4)]
SLOW = [
    pytest.param(scale, marks=pytest.mark.slow)
    for scale in (Fraction(1), Fraction(3, 2), Fraction(2))
]


def chances(scale: Fraction, magnitudes: np.ndarray) -> Any:
    s = float(scale)
    return s * tanh(pi * s) / pi / (s * s + magnitudes**2)


def p_value(draws: list[int], scale: Fraction) -> float:
    """Chi-square over the integers within 3 scales, and the two tails."""
    reach = int(3 * scale) + 1
    places = np.arange(-reach, reach + 1)
    inside = chances(scale, places.astype(float))
    tail = (1 - inside.sum()) / 2
    seen = np.bincount(np.clip(draws, -reach - 1, reach + 1) + reach + 1, minlength=2 * reach + 3)
    expected = np.concatenate([[tail], inside, [tail]]) * len(draws)
    return float(stats.chisquare(seen, expected, sum_check=False).pvalue)


@pytest.mark.parametrize("scale", [*SCALES, *SLOW], ids=str)
def test_the_law(scale: Fraction) -> None:
    draws = [discrete_cauchy(scale) for _ in range(DRAWS)]
    assert p_value(draws, scale) > ALPHA
    assert p_value(draws, scale * Fraction(3, 2)) < ALPHA


@pytest.mark.slow
@pytest.mark.parametrize("scale", [Fraction(2**70 + 1, 3), Fraction(10**6), Fraction(1000, 7)])
def test_wide_scales_are_nearly_continuous(scale: Fraction) -> None:
    draws = [discrete_cauchy(scale) / scale for _ in range(DRAWS)]
    uniform = [atan(float(draw)) / pi + 0.5 for draw in draws]
    if scale > 10**5:
        assert stats.kstest(uniform, "uniform").pvalue > ALPHA
    for far in (10, 1000):
        chance = 2 * atan(1 / far) / pi
        beyond = sum(abs(draw) > far for draw in draws)
        assert stats.binomtest(beyond, DRAWS, chance).pvalue > ALPHA


def test_blocks_have_their_probabilities() -> None:
    draws = np.minimum([heavy_block() for _ in range(DRAWS)], 6)
    expected = [1 / ((b + 1) * (b + 2)) for b in range(6)] + [1 / 7]
    seen = np.bincount(draws, minlength=7)
    assert stats.chisquare(seen, np.array(expected) * DRAWS).pvalue > ALPHA


def test_a_block_is_decided_by_as_many_bits_as_it_needs(script: Any) -> None:
    """u next to 2⁻⁶⁵ takes three words, u next to 1/2 only one."""
    script([0, 1 << 63, 0])
    assert heavy_block() == 2**65 - 2
    script([1 << 63])
    assert heavy_block() == 0
    script([(1 << 63) - 1])
    assert heavy_block() == 1


Proposal = tuple[int, int, int, int]
"""Sign, block, place in the block, and the coin, which shows heads if it is small enough."""


def drawn(
    patch: pytest.MonkeyPatch, scale: Fraction, *proposals: Proposal
) -> tuple[int, list[int]]:
    """The draw where chance proposes this, and of how many the places and coins were chosen."""
    signs, blocks, places, coins = (iter(some) for some in zip(*proposals, strict=True))
    lots, bounds = (lot for pair in zip(places, coins, strict=True) for lot in pair), []

    def below(bound: int) -> int:
        bounds.append(bound)
        return next(lots)

    with patch.context() as during:
        during.setattr(cauchy.entropy, "bits", lambda count: next(signs))
        during.setattr(cauchy, "heavy_block", lambda: next(blocks))
        during.setattr(cauchy.entropy, "below", below)
        return discrete_cauchy(scale), bounds


@pytest.mark.parametrize("scale", [Fraction(1), Fraction(11, 10), Fraction(2), Fraction(17, 4)])
def test_the_coin_mends_what_proposals_lack(
    monkeypatch: pytest.MonkeyPatch, scale: Fraction
) -> None:
    """Exactly: the chance of a proposal times that of heads is the same share of the law."""
    width, shares = ceil(scale), []
    for block, place in product(range(4), range(width)):
        magnitude, (choices, sides) = drawn(monkeypatch, scale, (0, block, place, 0))
        assert (magnitude, choices) == (block * width + place, width)

        def tails(coin: int, block: int = block, place: int = place) -> bool:
            draw, _ = drawn(monkeypatch, scale, (0, block, place, coin), (0, 99, 0, 0))
            return draw == 99 * width

        chance = Fraction(bisect_left(range(sides), True, key=tails), sides)
        shares.append(chance * (scale**2 + magnitude**2) / ((block + 1) * (block + 2)))
    assert len(set(shares)) == 1


def test_zero_has_one_sign(monkeypatch: pytest.MonkeyPatch) -> None:
    for sign, draw in ((0, 5), (1, -5)):
        assert drawn(monkeypatch, Fraction(2), (sign, 2, 1, 0))[0] == draw
    assert drawn(monkeypatch, Fraction(2), (0, 0, 0, 0))[0] == 0
    lots = iter([0, 1, 0])  # no coin is thrown for a zero below zero
    monkeypatch.setattr(cauchy.entropy, "bits", lambda count: 1)
    monkeypatch.setattr(cauchy, "heavy_block", lambda: 0)
    monkeypatch.setattr(cauchy.entropy, "below", lambda bound: next(lots))
    assert discrete_cauchy(Fraction(2)) == -1


def test_only_exact_scales_from_one_on() -> None:
    assert isinstance(Native().discrete_cauchy(Fraction(1)), int)
    for scale in (Fraction(1, 2), Fraction(0), Fraction(-1), 2.5):
        with pytest.raises(BadInput):
            discrete_cauchy(scale)  # type: ignore[arg-type]
