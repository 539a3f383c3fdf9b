"""Scikit-hep's Unified Histogram Interface."""

from __future__ import annotations

import datetime as dt
import io
import math
from fractions import Fraction

import hist
import numpy as np
import pytest
from hypothesis import given, settings
from uhi.numpy_plottable import ensure_plottable_histogram
from uhi.typing.plottable import PlottableAxisGeneric, PlottableHistogram, PlottableTraits

import hushgram as hg
from hushgram.geometry.partition import Grid
from hushgram.release import Release
from tests.samples import cells, release_of, releases


@settings(max_examples=60)
@given(releases())
def test_every_release_is_a_plottable_histogram(release: Release) -> None:
    assert isinstance(release, PlottableHistogram)
    assert ensure_plottable_histogram(release) is release
    shape = release.values().shape
    assert release.kind == "COUNT"
    assert release.values().dtype == release.variances().dtype == np.float64
    assert release.variances().shape == release.counts().shape == shape
    assert tuple(len(axis) for axis in release.axes) == shape
    for axis in release.axes:
        assert isinstance(axis, PlottableAxisGeneric)
        assert isinstance(axis.traits, PlottableTraits)
        assert list(axis) == [axis[place] for place in range(len(axis))]
        assert None not in list(axis)
        if not axis.traits.discrete:
            assert all(low < high for low, high in axis)


def test_bins_are_those_of_hist() -> None:
    release = release_of(cells(x=hg.Regular(4, 0, 1), y=hg.Variable([0, 1, 5]), n=hg.Integer(3, 6)))
    theirs = hist.Hist(
        hist.axis.Regular(4, 0, 1), hist.axis.Variable([0, 1, 5]), hist.axis.Integer(3, 7)
    )
    for ours, other in zip(release.axes, theirs.axes, strict=True):
        assert list(ours) == [pytest.approx(other[place]) for place in range(len(other))]
        assert ours.traits.discrete == other.traits.discrete


def test_names_and_labels_of_axes() -> None:
    axis = release_of(cells(sex=hg.Category(["F", "M"], outside="other"))).axes[0]
    assert (axis.name, axis.label, list(axis)) == ("sex", "sex", ["F", "M", "other"])


def test_an_other_bin_is_drawn_after_the_last() -> None:
    axes = release_of(
        cells(
            n=hg.Integer(3, 4, outside="other"),
            x=hg.Regular(2, 0, 1, outside="other"),
            day=hg.Date("2024-01-01", "2024-01-01", outside="other"),
        )
    ).axes
    assert list(axes[0]) == [3, 4, 5]
    assert list(axes[1]) == [(0.0, 0.5), (0.5, 1.0), (1.0, 1.5)]
    assert axes[2][1] == (dt.date(2024, 1, 2), dt.date(2024, 1, 3))


def test_coarse_slices_of_whole_numbers_are_ranges() -> None:
    axis = release_of(Grid(hg.Domain(n=hg.Integer(0, 9)), (2,))).axes[0]
    assert list(axis) == [(0, 5), (5, 10)]
    assert not axis.traits.discrete


def test_histoprint_prints_it() -> None:
    from histoprint import print_hist

    text = io.StringIO()
    print_hist(release_of(cells(x=hg.Regular(3, 0, 1)), [5, 1, 3]), file=text)
    assert text.getvalue().count("\n") >= 4


@pytest.mark.parametrize("epsilon", ["0.01", "0.5", "1", "3", "9"])
def test_variances_are_those_of_the_discrete_laplace_law(epsilon: str) -> None:
    release = hg.publish(hg.Counts([5, 6, 7]), epsilon=epsilon)
    ratio = math.exp(-Fraction(epsilon))
    exact = 2 * ratio / (1 - ratio) ** 2
    assert release.variances() == pytest.approx(exact, rel=1e-12)
    assert release.to_pandas()["variance"].to_numpy() == pytest.approx(exact, rel=1e-12)
