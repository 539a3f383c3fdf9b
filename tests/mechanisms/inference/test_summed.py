"""The inference of views: a transpose, and what is read back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hushgram as hg
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.inference.stretches import Stretches
from hushgram.mechanisms.inference.summed import Summed
from hushgram.mechanisms.inference.weights import apply_along
from tests.answers.tables.test_views import PEOPLE, as_release, estimates
from tests.samples import release_of


@settings(max_examples=40, deadline=None)
@given(estimates(), st.data())
def test_spreading_out_is_the_transpose_of_adding_up(estimate: Estimate, data: Any) -> None:
    domain = estimate.partition.domain
    names = data.draw(st.lists(st.sampled_from(domain.names), min_size=1, unique=True))
    inference = as_release(estimate).project(*names, bins=3).estimate.inference
    assert isinstance(inference, Summed)
    view = inference.view
    rows, columns = view.matrix.shape
    values, weights = np.linspace(-1, 3, columns), np.linspace(2, -5, rows)
    assert view.add_up(values) == pytest.approx(view.matrix @ values)
    assert view.spread_out(weights) == pytest.approx(view.matrix.T @ weights)
    assert inference.push(estimate.measurements) == pytest.approx(view.add_up(estimate.values))
    dense = view.matrix.toarray()
    assert dense.sum(axis=0) == pytest.approx(np.ones(columns))


def test_a_matrix_along_an_axis() -> None:
    table = np.arange(24.0).reshape(2, 3, 4)
    for cuts in ([0, 3], [0, 1, 2, 3], [0, 2, 3], [1, 3]):
        side = Stretches.between(np.array(cuts))
        matrix = side.shares(np.arange(3), np.arange(1, 4))
        expected = np.einsum("ij,ajb->aib", matrix.toarray(), table)
        assert (apply_along(matrix, table, 1) == expected).all()
        back = np.einsum("ij,ajb->aib", matrix.toarray().T, expected)
        assert (apply_along(matrix.T, expected, 1) == back).all()


def test_a_side_is_read_only_if_it_makes_sense() -> None:
    good = Stretches(np.array([0, 4]), np.array([2, 8]), np.array([1, 0]), 2)
    again = Stretches.from_json(good.to_json())
    assert again.slices.tolist() == [1, 0]
    bad = [
        Stretches(np.array([0, 1]), np.array([2, 8]), np.array([1, 0]), 2),
        Stretches(np.array([0, 4]), np.array([2, 4]), np.array([1, 0]), 2),
        Stretches(np.array([0, 4]), np.array([2, 8]), np.array([1, 2]), 2),
        Stretches(np.array([0]), np.array([2]), np.array([0]), 2),
    ]
    for side in bad:
        with pytest.raises(hg.HushgramError):
            Stretches.from_json(side.to_json())


def test_a_view_is_read_only_if_it_fits_what_it_views() -> None:
    estimate = release_of(PEOPLE).project("age").estimate
    inner, measured = estimate.inference, estimate.measurements
    assert isinstance(inner, Summed)
    data = inner.to_json()
    for change in ({"order": [0, 0]}, {"order": []}, {"sides": data["sides"][:2]}):
        spoilt = {**data, **change}
        with pytest.raises(hg.HushgramError):
            Summed.from_json(spoilt, measured)
    wide = Stretches.between(np.array([0, 99])).to_json()
    with pytest.raises(hg.HushgramError, match="within the bounds"):
        Summed.from_json({**data, "sides": [data["sides"][0], wide, data["sides"][2]]}, measured)
