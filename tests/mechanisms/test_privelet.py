"""Wavelets publish every domain of cells, and ranges cost little."""

from __future__ import annotations

import time
from fractions import Fraction

import numpy as np
import pytest

import hushgram as hg
from hushgram.declare.axis import Category, Integer, Interval
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows
from hushgram.errors import BadInput, DomainError
from hushgram.geometry.measured.contrasts import Contrasts
from hushgram.lab.memory import IndexedTable
from hushgram.mechanisms.privelet import Privelet
from hushgram.release.parquet import read
from hushgram.trusted.noise import Native
from hushgram.trusted.vault import TableVault


@pytest.mark.parametrize("axes", ["long", "ordered"])
@pytest.mark.parametrize("bins", [1, 2, 3, 7, 64, 100, 1001])
def test_any_number_of_bins_full_or_empty(bins: int, axes: str) -> None:
    for counts in (np.zeros(bins, dtype=int), np.arange(bins) * 50):
        release = hg.publish(hg.Counts(counts), epsilon=2, mechanism=Privelet(axes=axes))
        array = release.to_array()
        assert array.shape == (bins,)
        assert np.abs(array - counts).max() < 40 * 11
        answer = release.count(x0=(0, bins))
        assert abs(answer.value - counts.sum()) < 40 * 11


def test_without_noise_the_cells_come_back() -> None:
    """With so large a budget every draw is zero."""
    domain = Domain(
        x=Integer(0, 6, outside="other"), sex=Category(["F", "M"]), y=Integer(0, 4, outside="clamp")
    )
    rows = np.random.default_rng(4).integers(0, domain.shape, (500, 3))
    table = IndexedTable(domain, rows)
    vault = TableVault(
        table, domain, Fraction(10**6), unit=Rows(), neighbours="add-remove", noise=Native()
    )
    estimate = Privelet(axes="ordered").estimate(vault)
    assert estimate.values.tolist() == table.count(estimate.partition).tolist()
    assert estimate.measurements[0].scale == Fraction(4 * 1 * 4, 10**6)


@pytest.mark.parametrize("axes", ["long", "ordered"])
def test_a_release_reads_back_with_its_intervals(axes: str) -> None:
    counts = np.arange(60).reshape(6, 10) * 9
    release = hg.publish(hg.Counts(counts), epsilon=1, mechanism=Privelet(axes=axes))
    again = read(release.to_bytes())
    assert isinstance(again.estimate.measurements[0].partition, Contrasts)
    question = {"x0_lo": [0, 3], "x0_hi": [6, 4], "x1_lo": [0, 2], "x1_hi": [10, 5]}
    ours, theirs = release.count(question), again.count(question)
    assert np.array_equal(ours.values, theirs.values)
    assert np.array_equal(ours.lower, theirs.lower)
    assert np.array_equal(again.estimate.variances(), release.estimate.variances())


def test_a_long_range_is_more_accurate_than_the_sum_of_noisy_cells() -> None:
    counts = np.zeros(4096, dtype=int)
    found = {
        name: hg.publish(hg.Counts(counts), epsilon=1, mechanism=name).count(x0=(100, 3900))
        for name in ("privelet", "identity")
    }
    widths = {name: answer.interval[1] - answer.interval[0] for name, answer in found.items()}
    assert widths["privelet"] < widths["identity"] / 2


def test_short_axes_and_many_categories() -> None:
    """All values of a long category together have less noise than their cells would; the cells of
    the short axis have their own."""
    domain = Domain(x=Integer(0, 15), town=Category(list(range(100)), outside="other"))
    rows = np.random.default_rng(5).integers(0, domain.shape, (5000, 2))
    vault = TableVault(
        IndexedTable(domain, rows),
        domain,
        Fraction(1),
        unit=Rows(),
        neighbours="add-remove",
        noise=Native(),
    )
    estimate = Privelet().estimate(vault)
    noisy = estimate.measurements[0]
    assert isinstance(noisy.partition, Contrasts)
    assert noisy.partition.shape == (16, 102)
    assert noisy.scale == 2
    weights = np.zeros(domain.shape)
    weights[3, :100] = 1
    assert np.isclose(estimate.moments(weights.ravel())[0], noisy.variance * 100 / 101)
    weights[3, 1:100] = 0
    assert np.isclose(estimate.moments(weights.ravel())[0], noisy.variance * 100 / 101)
    assert estimate.values.shape == (16 * 101,)


def test_which_axes_is_a_parameter() -> None:
    with pytest.raises(BadInput, match="axes"):
        Privelet(axes="short")
    release = hg.publish(hg.Counts([3, 1, 4]), epsilon=1, mechanism="privelet")
    assert release.parameters == {"axes": "long"}
    assert release.estimate.measurements[0].scale == 1


def test_cells_that_are_not_declared_are_too_many() -> None:
    with pytest.raises(DomainError, match="too many"):
        Privelet().check(Domain(x=Interval(0, 1), y=Interval(0, 1)))


def test_a_million_cells_take_about_a_second() -> None:
    source = hg.Counts(np.full(10**6, 3))
    hg.publish(hg.Counts([1, 2]), epsilon=1, mechanism="privelet")
    started = time.process_time()
    release = hg.publish(source, epsilon=1, mechanism="privelet")
    release.estimate.variances()
    assert time.process_time() - started < 5
