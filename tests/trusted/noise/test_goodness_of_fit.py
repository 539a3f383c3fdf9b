"""A test of the test: it accepts the true scale at its nominal rate and sees 2 %."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest


def test_accepts_the_true_scale_at_the_nominal_rate(goodness, pretender):
    rng = np.random.default_rng(1)
    values = [
        goodness.p_value(pretender(rng, 10, 20_000).tolist(), Fraction(10)) for _ in range(200)
    ]
    assert 0.4 < np.mean(values) < 0.6
    assert np.mean(np.array(values) < 0.05) < 0.12
    assert min(values) > 1e-5


@pytest.mark.parametrize("wrong", [0.98, 1.02])
@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(10), Fraction(12345, 7)])
def test_rejects_two_percent(goodness, pretender, scale, wrong):
    rng = np.random.default_rng(2)
    sample = pretender(rng, float(scale) * wrong, 1_000_000)
    assert goodness.p_value(sample.tolist(), scale) < 1e-12


def test_rejects_a_sampler_that_counts_zero_twice(goodness, pretender):
    rng = np.random.default_rng(3)
    magnitude = rng.geometric(1 - np.exp(-1 / 10), 1_000_000) - 1
    sample = magnitude * rng.choice([-1, 1], 1_000_000)
    assert goodness.p_value(sample.tolist(), Fraction(10)) < 1e-12
