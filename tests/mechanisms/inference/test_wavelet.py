"""The inverse transform is the inverse of the matrix of contrasts, and so are its variances."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushgram.declare.axis import Integer
from hushgram.declare.domain import Domain
from hushgram.errors import BadInput
from hushgram.geometry.measured.contrasts import Contrasts
from hushgram.geometry.partition import Grid
from hushgram.mechanisms.inference.kinds import inference_from_json
from hushgram.mechanisms.inference.wavelet import Wavelet
from hushgram.queries import Measurement
from tests.geometry.measured.test_contrasts import contrasts, dense


def measured(asked: Contrasts, values: np.ndarray) -> list[Measurement]:
    return [Measurement(asked, values, 2.5, Fraction(1))]


@given(contrasts(), st.integers(0, 2**32))
def test_exact_contrasts_give_the_cells_exactly(asked: Contrasts, seed: int) -> None:
    cells = np.random.default_rng(seed).integers(0, 2**40, asked.domain.cells)
    pushed = Wavelet(asked).push(measured(asked, asked.sums(cells)))
    assert pushed.tolist() == cells.tolist()


@given(contrasts(cells=80), st.integers(0, 2**32))
def test_it_is_the_dense_inverse_or_least_squares(asked: Contrasts, seed: int) -> None:
    rng = np.random.default_rng(seed)
    inverse = np.linalg.pinv(dense(asked))
    values = rng.integers(-500, 500, asked.size)
    weights = rng.normal(size=asked.domain.cells)
    given_ = weights.copy()
    found = measured(asked, values)
    wavelet = Wavelet(asked)
    assert np.allclose(wavelet.push(found), inverse @ values)
    (pulled,) = wavelet.pull(weights)
    assert np.allclose(pulled, inverse.T @ weights)
    assert np.allclose(wavelet.variances(found), 2.5 * (inverse**2).sum(axis=1))
    assert np.array_equal(weights, given_)
    assert np.array_equal(found[0].values, values)


def test_long_ranges_have_little_noise() -> None:
    """The sum of a range depends on the nodes at its two ends only."""
    asked = Contrasts.wavelets(Domain(x=Integer(0, 1023)))
    weights = np.zeros(1024)
    weights[100:900] = 1
    (pulled,) = Wavelet(asked).pull(weights)
    assert np.count_nonzero(pulled) <= 1 + 2 * 10
    assert np.abs(pulled).max() <= 1


def test_it_reads_back_from_its_measurement_only() -> None:
    domain = Domain(x=Integer(0, 4))
    asked = Contrasts.wavelets(domain)
    described = Wavelet(asked).to_json()
    assert inference_from_json(described, measured(asked, np.zeros(5, dtype=int))) == Wavelet(asked)
    counts = Measurement(Grid.of_cells(domain), np.zeros(5, dtype=int), 1.0, Fraction(1))
    for odd in ([counts], [], [*measured(asked, np.zeros(5, dtype=int)), counts]):
        with pytest.raises(BadInput):
            inference_from_json(described, odd)
