"""Draws in batches have the law of the operations that they stand for."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from assurance.adversaries import all_operation_pairs
from assurance.batches import (
    FAR,
    Courses,
    SideBySide,
    cauchy_mass,
    choices,
    exact_of,
    log_chances,
    near_draws,
    sampler_for,
    scale_of,
)
from assurance.tally import tallied_bound, tally_of
from hushgram.lab.audit import OperationPair
from hushgram.queries import Bisections, Boundaries, Decomposition, Medians, SmoothMedian
from hushgram.trusted.noise import Native, discrete_cauchy
from hushgram.trusted.vault.operations import OPERATIONS
from hushgram.trusted.vault.operations.smooth_median import STEPS

RUNS = 2000


def close(seen: float, expected: float, runs: int) -> bool:
    return abs(seen - expected) <= 7 * math.sqrt(expected + runs / 1000) + 7


@pytest.mark.parametrize("many", [None, [1, 5, 0, 2]])
@pytest.mark.parametrize("rate", [Fraction(0), Fraction(1, 7), Fraction(3)])
def test_choices_follow_the_exponential_mechanism(rate: Fraction, many: Any) -> None:
    scores = np.array([0, 3, 1, -9])
    times = None if many is None else np.array(many)
    seen = Counter(choices(scores, rate, times, 50_000).tolist())
    for place, log in enumerate(log_chances(scores, rate, times)):
        assert close(seen[place], 50_000 * math.exp(log), 50_000)


@pytest.mark.parametrize("halves", [Fraction(1, STEPS), Fraction(1), Fraction(17, 3)])
def test_near_draws_follow_the_samplers_law(halves: Fraction) -> None:
    many = np.abs(near_draws(halves * STEPS, 20 * RUNS))
    draws = (discrete_cauchy(halves * STEPS) for _ in range(RUNS))
    single = np.array([abs((draw + STEPS // 2) // STEPS) for draw in draws], dtype=object)
    for far in (1, 5, 40, FAR):
        assert close((single >= far).sum(), (many >= far * STEPS).sum() / 20, RUNS)


@pytest.mark.parametrize("scale", [Fraction(1), Fraction(7, 2), Fraction(400)])
def test_the_mass_of_integers_is_their_sum(scale: Fraction) -> None:
    starts, width = np.array([-300, -41, -3, 0, 2, 90]), 40
    s = float(scale)
    places = starts[:, None] + np.arange(width)
    law = s / (s * s + places**2) * math.tanh(math.pi * s) / math.pi
    assert cauchy_mass(scale, starts, width) == pytest.approx(law.sum(axis=1), rel=1e-9)
    assert cauchy_mass(scale, np.array([-(10**9)]), 2 * 10**9) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("kind", [Boundaries, Bisections, Medians, Decomposition, SmoothMedian])
def test_batches_agree_with_single_draws(kind: Any) -> None:
    agrees(next(pair for pair in all_operation_pairs() if type(pair.query) is kind), 0)


def test_batches_with_a_slice_of_others_agree_with_single_draws() -> None:
    agrees(next(pair for pair in all_operation_pairs() if pair.name == "row from other"), 1)


def agrees(pair: OperationPair, which: int) -> None:
    kind = type(pair.query)
    draw = sampler_for(pair)
    assert isinstance(draw, SideBySide if kind is Decomposition else Courses)
    tell = leaves if kind is Decomposition else tuple
    many = draw(which, 20 * RUNS)
    single = Counter(tell(outcome) for outcome in one_by_one(pair, which))
    for outcome in {*many, *single}:
        assert close(single[outcome], many[outcome] / 20, RUNS)


def one_by_one(pair: OperationPair, which: int) -> Iterator[list[int]]:
    operation, exact, scale = OPERATIONS[type(pair.query)], exact_of(pair)[which], scale_of(pair)
    for _ in range(RUNS):
        yield operation.perturb(pair.query, exact, scale, Native()).tolist()


def leaves(starts: list[int]) -> int:
    """The places where leaves start, as bits."""
    return sum(1 << start for start in starts)


def test_a_tally_counts_numbers_far_and_near() -> None:
    assert tally_of(np.array([5, -2, 5])) == {5: 2, -2: 1}
    assert tally_of(np.array([2**62, -(2**61)])) == {2**62: 1, -(2**61): 1}


def test_the_bound_of_a_tally_holds_and_bites() -> None:
    fair = Counter({"a": 500, "b": 500})
    assert tallied_bound((fair, fair), (fair, fair), 1e-6).epsilon == 0
    other = Counter({"a": 10, "b": 990})
    found = tallied_bound((fair, other), (fair, other), 1e-6).epsilon
    assert 2 < found < math.log(50)
