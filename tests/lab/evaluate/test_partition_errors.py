"""The equations of paper 004 against draws of noise, and against what mechanisms do."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

import hushgram as hg
from hushgram.errors import BadInput
from hushgram.lab.evaluate.partition_errors import (
    LaplaceTerms,
    PartitionQuery,
    expected_absolute,
    laplace_sum_density,
    smoothness,
    useful_budget,
)

DRAWS = 200_000
QUERIES = [
    PartitionQuery(size, cells, first, second)
    for (size, cells), (first, second) in product(
        [(1, 1), (11, 1), (11, 5), (11, 11), (40, 13)], [(0.05, 0.15), (0.2, 0.1)]
    )
]


def mean_and_error(values: np.ndarray) -> tuple[float, float]:
    return float(values.mean()), 5 * float(values.std()) / math.sqrt(len(values))


@pytest.mark.parametrize("query", QUERIES, ids=str)
@pytest.mark.parametrize("weighted", [False, True])
def test_least_squares_against_draws(query: PartitionQuery, weighted: bool) -> None:
    """Equation 9, from the matrices: H stacks the partition's row over the cells'."""
    rng = np.random.default_rng(9)
    size = query.size
    rows = np.vstack([np.ones(size), np.eye(size)])
    weights = np.diag([query.second if weighted else 1.0]
                      + [query.first if weighted else 1.0] * size)  # fmt: skip
    inverse = np.linalg.pinv(weights @ rows) @ weights
    asked = (np.arange(size) < query.cells) @ inverse
    noise = rng.laplace(size=(20_000, size + 1)) / ([query.second] + [query.first] * size)
    expected, error = mean_and_error(np.abs(noise @ asked))
    assert query.least_squares_error(weighted=weighted) == pytest.approx(expected, abs=error)


@pytest.mark.parametrize("query", QUERIES, ids=str)
@pytest.mark.parametrize("inconsistency", [0.0, 5.0, -80.0])
def test_uniform_estimation_against_draws(query: PartitionQuery, inconsistency: float) -> None:
    """Equation 8."""
    rng = np.random.default_rng(8)
    noise = rng.laplace(scale=1 / query.first, size=(DRAWS // 10, query.cells)).sum(axis=1)
    expected, error = mean_and_error(np.abs(inconsistency + noise))
    assert query.uniform_error(inconsistency) == pytest.approx(expected, abs=error)


@pytest.mark.parametrize("query", [q for q in QUERIES if q.size > 1], ids=str)
def test_smooth_counts_stay_below_their_bound(query: PartitionQuery) -> None:
    """Equation 7 holds for the worst counts, and the sharp bound is reached by them."""
    rng = np.random.default_rng(7)
    counts = np.where(np.arange(query.size) < query.cells, 5.0, 0.0)
    assert smoothness(counts) == (5 if query.cells < query.size else 0)
    released = counts.sum() + rng.laplace(scale=1 / query.second, size=DRAWS)
    found = np.abs(query.cells / query.size * released - counts[: query.cells].sum())
    expected, error = mean_and_error(found)
    assert expected <= query.smooth_bound(5) + error
    sharp = query.sharp_smooth_bound(5 if query.cells < query.size else 0)
    assert sharp == pytest.approx(expected, abs=error)
    assert sharp <= query.smooth_bound(5) * (1 + 1e-6)


@pytest.mark.parametrize("query", [q for q in QUERIES if q.cells < q.size], ids=str)
def test_usefulness_of_smooth_counts(query: PartitionQuery) -> None:
    """Equation 6: at its γ the error exceeds ε in at most δ of all draws."""
    rng = np.random.default_rng(6)
    epsilon, delta = 60.0, 0.1
    gamma = query.smoothest(epsilon, delta)
    assert gamma > 0
    counts = np.where(np.arange(query.size) < query.cells, gamma, 0.0)
    released = counts.sum() + rng.laplace(scale=1 / query.second, size=DRAWS)
    off = np.abs(query.cells / query.size * released - counts[: query.cells].sum())
    assert (off > epsilon).mean() <= delta + 0.005


def test_usefulness_of_single_cells() -> None:
    """Theorem 4.2 holds for all subsets of cells at once, with much to spare."""
    rng = np.random.default_rng(42)
    cells, epsilon, delta = 9, 100.0, 0.05
    noise = rng.laplace(scale=1 / useful_budget(cells, epsilon, delta), size=(DRAWS, cells))
    worst = np.maximum(noise.clip(0).sum(axis=1), -noise.clip(max=0).sum(axis=1))
    assert (worst > epsilon).mean() <= delta / 100


def test_the_mechanism_has_the_errors_of_the_equations() -> None:
    """A partition as dpcube makes it of alike cells, by least squares with both looks: its stated
    variances are those of the weighted noise."""
    release = hg.publish(
        hg.Counts(np.full(11, 500)), epsilon="0.2", allow_large=True,
        mechanism=hg.MECHANISMS["dpcube"](
            share="1/4", estimator="least-squares", stop="variance", xi=1e9),
    )  # fmt: skip
    terms = PartitionQuery(11, 5, 0.05, 0.15).least_squares_noise(weighted=True)
    expected = sum(2 * term.many * term.scale**2 for term in terms)
    weights = (np.arange(11) < 5).astype(float)
    assert release.estimate.moments(weights)[0] == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("many", [1, 2, 5])
def test_the_density_of_a_sum(many: int) -> None:
    """Equation 2 against a histogram of draws."""
    rng = np.random.default_rng(2)
    draws = rng.laplace(scale=2, size=(DRAWS, many)).sum(axis=1)
    for at in (0.0, 3.0, -7.0):
        near = (np.abs(draws - at) < 0.25).mean() / 0.5
        assert laplace_sum_density(many, at, 0.5) == pytest.approx(near, rel=0.08, abs=0.001)


def test_the_ends_of_the_integral() -> None:
    assert expected_absolute(1000.0, [LaplaceTerms(1.0, 1)]) == pytest.approx(1000, rel=1e-4)
    assert expected_absolute(0.0, [LaplaceTerms(1.0, 10_000)]) == pytest.approx(
        math.sqrt(2 * 20_000 / math.pi), rel=1e-3
    )


def test_odd_queries_are_refused() -> None:
    with pytest.raises(BadInput, match="1 to 3 cells"):
        PartitionQuery(3, 4, 1, 1)
    with pytest.raises(BadInput, match="Budgets must be positive"):
        PartitionQuery(3, 2, 0, 1)
