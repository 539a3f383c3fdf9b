from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hushgram.trusted.noise.exactexp import enclose


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.fractions(min_value=0, max_value=150) | st.fractions(min_value=0, max_value="1e-9"),
    st.integers(1, 250),
)
def test_encloses_what_decimal_computes(exp100, x, precision):
    low, high = enclose(x, precision)
    with localcontext() as context:
        context.prec = 120
        scaled = exp100(x) * 2**precision
        assert low - Decimal("1e-20") <= scaled <= high + Decimal("1e-20")
    assert 0 <= low <= high <= min(low + 2, 1 << precision)


@pytest.mark.parametrize("precision", [2000, 20_000])
def test_finer_lies_within_coarser(precision):
    x = Fraction(22, 7)
    low, high = enclose(x, precision)
    finer_low, finer_high = enclose(x, precision + 1000)
    assert low << 1000 <= finer_low <= finer_high <= high << 1000


def test_extremes():
    assert enclose(Fraction(10**30), 64) == (0, 1)
    one = 1 << 64
    low, high = enclose(Fraction(1, 10**300), 64)
    assert one - 2 <= low <= high == one
    low, high = enclose(Fraction(63), 64)
    assert low <= 2**64 * 2.718281828459045**-63 <= high
