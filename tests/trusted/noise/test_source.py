from __future__ import annotations

import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from hushgram.errors import BadInput, MissingExtra
from hushgram.trusted import noise
from hushgram.trusted.noise.source import double_above


@pytest.fixture
def opendp() -> noise.Noise:
    pytest.importorskip("opendp")
    return noise.source("opendp")


@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(10), Fraction(12345, 7)], ids=str)
def test_opendp_has_our_law(opendp, goodness, scale):
    theirs = opendp.add_discrete_laplace(np.zeros(60_000, dtype=np.int64), scale)
    assert theirs.dtype == np.int64
    assert goodness.p_value(theirs.tolist(), scale) > 1e-8
    assert goodness.p_value(theirs.tolist(), scale * Fraction(11, 10)) < 1e-8
    ours = noise.discrete_laplace(scale, 60_000)
    cells = np.unique(np.quantile(theirs, np.linspace(0.02, 0.98, 25)).astype(np.int64))
    table = np.array(
        [np.bincount(np.searchsorted(cells, s), minlength=cells.size + 1) for s in (ours, theirs)]
    )
    assert stats.chi2_contingency(table[:, table.sum(0) > 0]).pvalue > 1e-8


def test_opendp_at_the_edges(opendp):
    zeros = np.zeros(200, dtype=np.int64)
    assert opendp.add_discrete_laplace(zeros[:0], Fraction(1)).shape == (0,)
    huge = opendp.add_discrete_laplace(zeros, Fraction(2**70))
    assert huge.max() > 2**62
    assert huge.min() < -(2**62)
    assert not opendp.add_discrete_laplace(zeros, Fraction(1, 10**4)).any()
    full = np.array([2**63 - 1], dtype=np.int64)
    assert opendp.add_discrete_laplace(full, Fraction(1, 10**4)).tolist() == [2**63 - 1]
    assert opendp.exponential(np.array([0, 10**6]), Fraction(1)) == 1
    assert len(opendp.discrete_laplace_wide(Fraction(2**70), 3)) == 3
    with pytest.raises(BadInput, match="positive"):
        opendp.add_discrete_laplace(zeros, Fraction(0))
    with pytest.raises(BadInput, match="native"):
        opendp.add_discrete_laplace(zeros, Fraction(10**400))


@given(st.fractions(min_value=0, max_value=10**12).filter(bool) | st.just(Fraction(1, 10**400)))
def test_the_double_is_the_least_not_below(value):
    above = double_above(value)
    assert Fraction(above) >= value
    assert Fraction(np.nextafter(above, 0.0).item()) < value


def test_native_is_the_module():
    native = noise.source("native")
    assert isinstance(native, noise.Native)
    assert native.add_discrete_laplace(np.zeros(4, dtype=np.int64), Fraction(1)).shape == (4,)
    assert len(native.discrete_laplace_wide(Fraction(1), 4)) == 4
    assert native.exponential(np.array([0, 10**6]), Fraction(1)) == 1


def test_unknown_name():
    with pytest.raises(BadInput, match="'numpy'"):
        noise.source("numpy")


def test_missing_opendp_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "opendp.prelude", None)
    with pytest.raises(MissingExtra, match='the extra "opendp"'):
        noise.source("opendp")


def test_surface():
    assert set(noise.__all__) == {
        "add_discrete_laplace",
        "add_nested_laplace",
        "discrete_cauchy",
        "discrete_laplace",
        "discrete_laplace_wide",
        "exponential",
        "variance",
        "Noise",
        "Native",
        "OpenDP",
        "source",
    }
