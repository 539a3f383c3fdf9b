"""Budgets are the numbers that were written."""

from __future__ import annotations

import math
import time
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushgram.declare.epsilon import as_epsilon, root_share
from hushgram.errors import EpsilonError


@pytest.mark.parametrize(
    ("written", "exact"),
    [
        (1, Fraction(1)), (0.1, Fraction(1, 10)), ("0.1", Fraction(1, 10)), ("1/3", Fraction(1, 3)),
        (Fraction(2, 7), Fraction(2, 7)), (Decimal("0.30"), Fraction(3, 10)), (" 2 ", Fraction(2)),
        ("1e-3", Fraction(1, 1000)), (1e-07, Fraction(1, 10**7)), (np.float64(0.1), Fraction(1,
        10)),
        (np.float32(0.1), Fraction(1, 10)), (np.int64(3), Fraction(3)), (".5", Fraction(1, 2)),
        ("+1.", Fraction(1)),
    ],
)  # fmt: skip
def test_exactly_as_written(written: Any, exact: Fraction) -> None:
    assert as_epsilon(written) == exact


@given(st.integers(1, 10**12), st.integers(1, 10**12))
def test_fractions_stay_what_they_are(a: int, b: int) -> None:
    assert as_epsilon(Fraction(a, b)) == as_epsilon(f"{a}/{b}") == Fraction(a, b)


@given(st.decimals(min_value="1e-9", max_value=1000, places=9))
def test_decimals_stay_what_they_are(value: Decimal) -> None:
    if value > 0:
        assert as_epsilon(value) == Fraction(value)
    assert as_epsilon("0.1") + as_epsilon("0.1") + as_epsilon("0.1") == as_epsilon("0.3")


@pytest.mark.parametrize(
    "wrong",
    [
        0, -1, "0", "-0.5", 0.0, -0.0, math.nan, math.inf, -math.inf, True, False, None, "", " ",
        ".",
        "e5", "1/0", "0/5", "1/-3", "one", "1,5", "1e999999999", "1e-999999999", "9" * 5000,
        "1/" + "9" * 10**5, [], {}, b"1", "0x1", "１", "1_000", "1 2", np.nan, 1e-100, "inf", 1j,
    ],
)  # fmt: skip
def test_what_is_no_epsilon(wrong: Any) -> None:
    started = time.perf_counter()
    with pytest.raises(EpsilonError):
        as_epsilon(wrong)
    assert time.perf_counter() - started < 0.5


@given(st.floats(0, 1), st.fractions(min_value=Fraction(1, 1000), max_value=10))
def test_shares_are_rounded_down(share: float, whole: Fraction) -> None:
    part = root_share(share, whole)
    assert part <= whole * Fraction(share) <= part + whole / 2**20
