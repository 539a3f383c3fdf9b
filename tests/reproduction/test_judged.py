"""Orders beside the noise of means."""

from __future__ import annotations

import numpy as np
import pytest

from reproduction.judged import Ratio, every, format_mean, in_order, less, lowest, times

FIRST = (27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6, 23.1, 19.6, 19.0, 21.7, 21.4)
SECOND = (27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0, 24.8, 20.2, 21.9, 22.1, 22.9, 20.5, 24.4)
"""Welch's t is -2.455 with 24.99 degrees of freedom, and p 0.0214."""


def test_less_is_welch_s_test() -> None:
    assert less(FIRST, SECOND) is True
    assert less(SECOND, FIRST) is False
    assert less(FIRST, [one - 0.34 for one in SECOND]) is True
    assert less(FIRST, [one - 0.36 for one in SECOND]) is None


def test_what_never_varies_is_compared_as_it_is() -> None:
    assert less([1.0, 1.0], [2.0, 2.0]) is True
    assert less([1.0, 1.0], [1.0, 1.0]) is None


def test_the_lowest() -> None:
    found = {"a": [1.0, 1.1, 0.9], "b": [5.0, 5.1, 4.9], "c": [1.0, 1.2, 0.9]}
    assert lowest(found, "b") is False
    assert lowest(found, "a") is None
    del found["c"]
    assert lowest(found, "a") is True
    assert in_order(found) == "a < b"


def test_few_words() -> None:
    assert every([]) is True
    assert times([None, None], "ε") == "at 0 of 2 ε, 2 within noise"
    assert format_mean([1e8, 1.1e8]) == "1.05e+08 ± 6.4e+07"


def test_ratios_of_means() -> None:
    rng = np.random.default_rng(2)
    small = [rng.normal(10, 1, 400).tolist(), rng.normal(5, 1, 400).tolist()]
    large = [rng.normal(15, 1, 400).tolist(), rng.normal(5, 1, 400).tolist()]
    low, high = Ratio.of(*small), Ratio.of(*large)
    assert np.exp(low.logarithm) == pytest.approx(2, rel=0.05)
    assert low.below(high) is True
    assert high.below(low) is False
    assert low.below(low) is None
    assert Ratio.geometric([low, low]).variance == pytest.approx(low.variance / 2)
