"""Error bars hold the noise as often as they say."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

import hushgram as hg
from hushgram.answers.counting.counts import counts_of
from hushgram.answers.counting.intervals import Spread, half_width, quantile
from hushgram.answers.unevenness.widths import MARGIN
from hushgram.geometry.partition import Grid
from hushgram.trusted.noise import variance
from tests.samples import estimate_of

SCALES = [*(Fraction(1, n) for n in (5, 3, 2)), *map(Fraction, ("1", "3/2", "7/3", "5", "10")),
          *map(Fraction, ("101/3", "100", "1000"))]  # fmt: skip
CONFIDENCES = [0.5, 0.68, 0.8, 0.9, 0.95, 0.99, 0.995, 0.999]


def holds(scale: Fraction, width: int) -> float:
    """P(|noise| <= width) of the discrete Laplace law, summed term by term."""
    ratio = math.exp(-1 / scale)
    return (1 - ratio) / (1 + ratio) * (1 + 2 * math.fsum(ratio**k for k in range(1, width + 1)))


@pytest.mark.parametrize("scale", SCALES, ids=str)
@pytest.mark.parametrize("confidence", CONFIDENCES)
def test_one_cell_has_the_exact_quantile(scale: Fraction, confidence: float) -> None:
    estimate = estimate_of(Grid(hg.Domain(x=hg.Integer(0, 0)), (1,)), [5], scale)
    answer = counts_of(estimate).one({}, confidence)
    width = int(answer.noise_interval[1] - answer.value)
    assert answer.noise_interval == (5 - width, 5 + width)
    assert answer.half_width == pytest.approx(MARGIN * width)
    assert holds(scale, width) >= confidence
    assert width == 0 or holds(scale, width - 1) < confidence


@pytest.mark.parametrize("confidence", [*CONFIDENCES, 1 - 1e-9])
def test_quantiles_of_known_sums(confidence: float) -> None:
    laplace = -math.log(1 - confidence) / math.sqrt(2)
    assert quantile(1.0, confidence) == pytest.approx(laplace, rel=1e-9)
    normal = stats.norm.ppf((1 + confidence) / 2)
    assert quantile(1e7, confidence) == pytest.approx(normal, rel=1e-5)
    # |sum of two Laplace variables of scale 1| > x has the chance (1 + x/2) exp(-x)
    x = quantile(2.0, confidence) * 2
    assert (1 + x / 2) * math.exp(-x) == pytest.approx(1 - confidence, rel=1e-6)


def holds_sum(scale: Fraction, cells: int) -> np.ndarray:
    """P(|noise| <= w) for w = 0, 1, … and the sum of so many cells, by Fourier transform."""
    ratio = math.exp(-1 / scale)
    length = 1 << math.ceil(math.log2(60 * math.sqrt(cells * variance(scale)) + 80 * scale + 64))
    powers = ratio ** np.minimum(np.arange(length), length - np.arange(length)).astype(float)
    one = powers * (1 - ratio) / (1 + ratio)
    chances = np.fft.ifft(np.fft.fft(one) ** cells).real
    return np.cumsum(np.append(chances[0], 2 * chances[1 : length // 2]))


@pytest.mark.parametrize("scale", SCALES[1:-1], ids=str)
@pytest.mark.parametrize("number", [2, 3, 8, 25, 100, 400])
def test_sums_of_cells_have_the_exact_quantile(scale: Fraction, number: int) -> None:
    exact = holds_sum(scale, number)
    width = int(half_width(Spread(number * variance(scale), 3 / number, 1, True), 0.95))
    assert exact[width] > 0.9495
    assert width == 0 or exact[width - 1] < 0.9505


def sums(scale: Fraction, weights: np.ndarray, draws: int, seed: int) -> np.ndarray:
    """Seeded draws of weighted sums of discrete Laplace noise: two geometric variables each."""
    generator = np.random.default_rng(seed)
    chance = -math.expm1(-1 / scale)
    shape = draws, len(weights)
    noise = generator.geometric(chance, shape) - generator.geometric(chance, shape)
    return noise @ weights


@pytest.mark.parametrize("scale", [Fraction(1), Fraction(4), Fraction(50)], ids=str)
@pytest.mark.parametrize(
    "weights",
    [
        [1] * 2, [1] * 5, [1] * 30, [1] * 200,
        [0.5], [1, 0.25], [1] * 6 + [0.1] * 6, [1, 1, 1] + [0.5] * 40,
    ],
    ids=lambda weights: f"{len(weights)}-{sum(weights):g}",
)  # fmt: skip
def test_sums_are_covered_as_often_as_promised(scale: Fraction, weights: list[float]) -> None:
    array = np.array(weights, dtype=float)
    noise = sums(scale, array, 40_000, seed=len(weights))
    whole = bool((array == 1).all())
    terms = array**2 * variance(scale)
    kurtosis = 3 * (terms**2).sum() / terms.sum() ** 2
    width = half_width(Spread(terms.sum(), kurtosis, array.max(), whole), 0.95)
    covered = np.mean(np.abs(noise) <= width + 1e-9)
    # 40,000 draws have a standard error of 0.1 %; sums of few whole numbers jump across 95 %.
    assert 0.945 < covered < 0.975 + 0.02 * (scale < 2)


@pytest.mark.parametrize("confidence", [0.8, 0.9, 0.99])
def test_other_confidences_are_covered_too(confidence: float) -> None:
    noise = sums(Fraction(20), np.ones(12), 40_000, seed=3)
    width = half_width(Spread(12 * variance(Fraction(20)), 3 / 12, 1, True), confidence)
    assert np.mean(np.abs(noise) <= width) == pytest.approx(confidence, abs=0.008)


def test_an_interval_of_a_published_release_holds_the_truth() -> None:
    """From the real noise to the error bar: 1000 cells, of which about 950 lie inside."""
    truth = np.arange(1000)
    release = hg.publish(hg.Counts(truth), epsilon="0.1", mechanism="privtree-hb")
    lows = np.arange(1000)
    answers = release.count({"x0_lo": lows, "x0_hi": lows + 1})
    inside = (answers.lower <= truth) & (truth <= answers.upper)
    assert 900 < inside.sum() < 990
    tens = release.count({"x0_lo": lows[::10], "x0_hi": lows[::10] + 10})
    sums_of_ten = truth.reshape(100, 10).sum(axis=1)
    assert ((tens.lower <= sums_of_ten) & (sums_of_ten <= tens.upper)).sum() > 80


def test_an_empty_range_has_no_error() -> None:
    release = hg.publish(hg.Counts([3, 4]), epsilon=1)
    assert release.count(x0=(1, 1)).interval == (0, 0)
    assert release.count({"x0_lo": [1], "x0_hi": [1]})[0].interval == (0, 0)


def test_a_sum_without_noise_has_no_error() -> None:
    assert half_width(Spread(0.0, 3.0, 1, True), 0.95) == 0
    assert half_width(Spread(0.0, 0.0), 0.95) == 0
