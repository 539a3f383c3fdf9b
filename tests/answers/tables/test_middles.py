"""What sums take from each part, against rows that are laid evenly into the parts."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hushgram as hg
from hushgram.answers.tables.middles import middles, values_between
from hushgram.answers.tables.units import places
from hushgram.answers.unevenness.base import PartValues
from hushgram.declare.domain import Domain
from hushgram.geometry.partition import Cuts
from tests.samples import integer, release_of, variable

FINE = 400
"""Rows along the width of an index: their variance is off by a part in so many, squared."""

AXES: dict[str, Any] = {
    "integer": hg.Integer(-3, 8),
    "regular": hg.Regular(12, -1, 5),
    "variable": hg.Variable([0, 0.1, 0.2, 1, 2, 50, 51, 52, 60, 99, 99.9, 99.95, 100]),
    "far away": hg.Regular(12, 1e9, 1e9 + 6),
    "small": hg.Regular(12, 0, 1e-7),
    "other": hg.Integer(0, 10, outside="other"),
}

QUESTIONS: list[Any] = [None, (2, 7), [1, 9], [3], (0, 3)]
"""Indices that are asked for: all of them, ranges, lists."""


def rows_of(axis: Any, lower: int, upper: int) -> Any:
    """Values laid evenly into the indices of a part, and the index of each."""
    if isinstance(axis, hg.Integer):
        indices = np.arange(lower, upper)
        return indices + float(axis.edge(0)), indices
    at = lower + (np.arange(FINE * (upper - lower)) + 0.5) / FINE
    return places(axis, at), at.astype(np.int64)


def ask(axis: Any, question: Any) -> dict[str, Any]:
    if question is None:
        return {}
    if isinstance(question, tuple):
        return {"x": (axis.edge(question[0]), axis.edge(question[1]))}
    return {"x": [axis.edge(n) for n in question]}


@pytest.mark.parametrize("name", AXES)
@pytest.mark.parametrize("question", QUESTIONS, ids=str)
@pytest.mark.parametrize("away", [0.0, 0.3], ids=["at zero", "at a centre"])
def test_moments_are_those_of_rows_that_lie_evenly(name: str, question: Any, away: float) -> None:
    axis = AXES[name]
    layout = Cuts(Domain(x=axis), (np.array([0, 1, 4, 6]),))
    asked = middles(release_of(layout), "x", ask(axis, question))
    span = axis.edge(axis.declared) - axis.edge(0)
    centre = axis.edge(0) + away * span if away else 0.0
    found = asked.around(centre)
    cuts = layout.cuts(0)
    for part, (lower, upper) in enumerate(pairwise(cuts.tolist())):
        values, indices = rows_of(axis, lower, upper)
        taken = np.isin(indices, indices_of(axis, question))
        g = np.where(taken, values - centre, 0.0)
        scale = span + abs(centre) + abs(axis.edge(0)) * (1 - taken.all())
        assert found.mean[part] == pytest.approx(g.mean(), abs=1e-9 * scale)
        assert found.variance[part] == pytest.approx(g.var(), rel=1e-4, abs=1e-9 * scale**2)
        assert found.lowest[part] <= g.min() + 1e-12 * scale
        assert found.highest[part] >= g.max() - 1e-12 * scale


def indices_of(axis: Any, question: Any) -> Any:
    if isinstance(question, tuple):
        return np.arange(*question)
    return np.arange(axis.declared) if question is None else question


def test_far_from_zero_the_variance_is_not_lost() -> None:
    """Its squares are 10^18, of which doubles leave nothing of a width of 1 / 2."""
    layout = Cuts(Domain(x=AXES["far away"]), (np.arange(12),))
    found = middles(release_of(layout), "x", {}).around(0.0)
    assert found.variance == pytest.approx(np.full(12, 0.25 / 12), rel=1e-6)


@given(integer())
def test_one_whole_number_has_no_spread(axis: Any) -> None:
    index = np.arange(axis.declared)
    found = values_between(axis, index, index + 1)
    assert not found.variance.any()
    assert found.lowest.tolist() == found.highest.tolist() == found.middle.tolist()


@settings(deadline=None)
@given(variable(), st.data())
def test_uneven_bins_have_the_moments_of_their_bins(axis: Any, data: Any) -> None:
    start = data.draw(st.floats(0, axis.declared - 0.01))
    stop = data.draw(st.floats(start + 0.01, axis.declared))
    found = values_between(axis, np.array([start]), np.array([stop]))
    values = places(axis, start + (np.arange(20_000) + 0.5) / 20_000 * (stop - start))
    span = axis.edges[-1] - axis.edges[0]
    assert found.middle[0] == pytest.approx(values.mean(), abs=1e-3 * span)
    assert found.variance[0] == pytest.approx(values.var(), abs=2e-3 * span**2)


def test_uneven_bins_are_averaged_over_their_indices() -> None:
    axis = hg.Variable([0, 1, 10, 20])
    found = values_between(axis, np.array([0.0, 0.5, 1.0]), np.array([3.0, 1.5, 1.0]))
    assert found.middle.tolist() == pytest.approx([(0.5 + 5.5 + 15) / 3, (0.75 + 3.25) / 2, 0])
    assert (found.lowest[0], found.highest[0]) == (0, 20)


def test_how_far_values_can_be_from_their_mean() -> None:
    values = PartValues(*(np.array([number]) for number in (3.0, 1.0, 1.0, 10.0)))
    assert values.reach.tolist() == [7.0]
