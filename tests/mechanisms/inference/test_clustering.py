"""Clusters of sorted values: the optimum is the optimum, and greedy is the paper's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from hushgram.errors import BadInput
from hushgram.mechanisms.inference.cluster_counts import RULES, doane
from hushgram.mechanisms.inference.clustering import (
    empirical_clusters,
    greedy_clusters,
    optimal_clusters,
)
from tests.mechanisms.inference.programmes import (
    SCALES,
    Cost,
    cost_of,
    least_cost,
    least_cost_of_at_most,
    least_cost_of_many,
    literal_greedy,
    rows,
)
from tests.strategies import up_to

EXAMPLE = [1, 1, 3, 3, 4, 6, 7]  # Example 3.1 of the paper, with ε₂ = 1/2
noises = st.builds(
    lambda a, b: a * b * b, st.sampled_from([0.1, 1.0, 1.02, 2.0, 4.1, 8.0, 50.0, 400.0]), SCALES
)


def ahp(sigma2: float) -> Cost:
    return lambda error, size: error + sigma2 / size


@pytest.mark.parametrize("clusters", [greedy_clusters, optimal_clusters])
def test_the_papers_example(clusters) -> None:
    assert clusters(EXAMPLE, 2 / 0.5**2).tolist() == [0, 2, 5]


@settings(max_examples=up_to(1000))
@given(rows(), noises)
def test_optimal_is_the_least_of_all(values: list[float], sigma2: float) -> None:
    values.sort()
    found = cost_of(values, optimal_clusters(values, sigma2), ahp(sigma2))
    assert found == pytest.approx(least_cost(values, ahp(sigma2)), rel=1e-9, abs=0)


@settings(max_examples=up_to(300))
@given(rows(max_size=12), noises, st.integers(1, 13))
def test_a_limit_is_kept_at_the_least_cost(values: list[float], sigma2: float, limit: int) -> None:
    values.sort()
    starts = optimal_clusters(values, sigma2, at_most=limit)
    assert len(starts) <= limit
    least = least_cost_of_at_most(values, ahp(sigma2), limit)
    assert cost_of(values, starts, ahp(sigma2)) == pytest.approx(least, rel=1e-9, abs=0)


@pytest.mark.parametrize("limit", range(1, 22))
def test_a_limit_where_all_cuts_are_worth_the_same(limit: int) -> None:
    """No toll has just this number of clusters for its only best: two solutions are spliced."""
    values = [100.0 * pair + other for pair in range(10) for other in (0, 3)]
    starts = optimal_clusters(values, 1.0, at_most=limit)
    assert len(starts) == min(limit, 20)
    least = least_cost_of_at_most(values, ahp(1.0), limit)
    assert cost_of(values, starts, ahp(1.0)) == pytest.approx(least, rel=1e-9)


def thresholded(n: int) -> np.ndarray:
    """Counts as AHP sees them: noisy, small ones set to zero, sorted."""
    rng = np.random.default_rng(n)
    counts = np.floor(rng.pareto(1.0, n) * 3) + np.round(rng.laplace(0, 3, n))
    return np.sort(np.where(counts < 8, 0, counts))


@pytest.mark.parametrize("values", [thresholded(1500), np.sort(thresholded(1500) ** 0.7)])
@pytest.mark.parametrize("sigma2", [0.5, 8.0, 300.0])
def test_optimal_on_a_whole_histogram(values: np.ndarray, sigma2: float) -> None:
    found = cost_of(values.tolist(), optimal_clusters(values, sigma2), ahp(sigma2))
    least = least_cost_of_many(values, lambda error, size: error + sigma2 / size)
    assert found == pytest.approx(least, rel=1e-9)


def test_equal_values_are_parted_where_that_is_best() -> None:
    assert optimal_clusters([-0.99] + [0.0] * 10 + [0.99], 1.0).tolist() == [0, 6]


@pytest.mark.parametrize("clusters", [greedy_clusters, optimal_clusters])
def test_what_lies_far_away_does_not_blur_the_rest(clusters) -> None:
    near = thresholded(2000)
    far = np.floor(near / 3)
    both = clusters(np.concatenate([near, far + 1e12]), 8.0)
    expected = [*clusters(near, 8.0), *(clusters(far, 8.0) + len(near))]
    assert both.tolist() == expected


@settings(max_examples=up_to(1000))
@given(rows(max_size=11), noises, st.floats(0.9, 1.1))
def test_greedy_is_the_printed_algorithm(values: list[float], sigma2: float, factor: float) -> None:
    values.sort()
    expected, narrowest = literal_greedy(values, sigma2 * factor)
    assume(narrowest > 1e-12)  # a draw is decided by rounding
    assert greedy_clusters(values, sigma2 * factor).tolist() == expected


@pytest.mark.parametrize("clusters", [greedy_clusters, optimal_clusters])
def test_a_long_run_of_zeros(clusters) -> None:
    values = np.zeros(500_000)
    values[-1] = 1e6
    assert clusters(values, 8.0).tolist() == [0, 499_999]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("n", [1, 2, 3, 7, 300])
def test_a_rule_bounds_the_clusters(rule: str, n: int) -> None:
    values = np.sort(np.random.default_rng(n).normal(0, 1e6, n))  # all would stand alone
    starts = empirical_clusters(values, 1e-3, rule)
    assert len(starts) == min(n, RULES[rule](values))


def test_rules() -> None:
    values = np.arange(1000.0)
    assert {rule: RULES[rule](values) for rule in RULES} == {
        "square-root": 32,
        "sturges": 11,
        "doane": 11,
        "rice": 20,
    }
    outlier = np.append(np.zeros(99), 1.0)  # skewness 98 / √99 = 9.85, σ = 0.2379
    assert doane(outlier) == 14  # 1 + 6.64 + 5.41; without the √n, 10


def test_the_best_rule_is_the_cheapest() -> None:
    values = thresholded(600)
    costs = {
        rule: cost_of(values.tolist(), empirical_clusters(values, 2.0, rule), ahp(2.0))
        for rule in [*RULES, "best"]
    }
    assert costs["best"] == min(costs.values())
    assert costs["best"] >= cost_of(values.tolist(), optimal_clusters(values, 2.0), ahp(2.0))


@pytest.mark.parametrize(
    ("values", "sigma2", "message"),
    [
        ([], 1, "one or more"),
        ([[1.0]], 1, "array of shape \\(1, 1\\)"),
        ([1, np.nan], 1, "Value 1 is nan"),
        ([-np.inf, 1], 1, "Value 0 is -inf"),
        ([1, 3, 2], 1, "Value 2 is 2, after 3"),
        ([1, 2], 0, "positive. Found 0"),
        ([1, 2], np.nan, "positive. Found nan"),
    ],
)
def test_bad_input(values: list[float], sigma2: float, message: str) -> None:
    for clusters in (optimal_clusters, greedy_clusters, empirical_clusters):
        with pytest.raises(BadInput, match=message):
            clusters(values, sigma2)


def test_unknown_rule_and_limit() -> None:
    with pytest.raises(BadInput, match="Use best, square-root, sturges, doane, rice"):
        empirical_clusters([1, 2], 1, "scott")
    with pytest.raises(BadInput, match=r"at_most must be 1 or more. Found 0"):
        optimal_clusters([1, 2], 1, at_most=0)
