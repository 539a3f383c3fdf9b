"""Mechanisms that choose where to cut: structure-first and p-hpartition."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import hushgram as hg
from hushgram.declare.unit import Rows
from hushgram.errors import BadInput, DomainError
from hushgram.lab.checks import vault_for
from hushgram.lab.memory import IndexedTable
from hushgram.mechanisms.p_hpartition import PHPartition
from hushgram.mechanisms.structure_first import StructureFirst
from hushgram.spending.job import Job

NAMES = ["structure-first", "p-hpartition"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("bins", [1, 2, 3, 7, 64, 100, 501])
def test_any_number_of_bins_full_or_empty(name: str, bins: int) -> None:
    for counts in (np.zeros(bins, dtype=int), np.arange(bins) * 50):
        release = hg.publish(hg.Counts(counts), epsilon=2, mechanism=name)
        array = release.to_array()
        assert array.shape == (bins,)
        assert np.isfinite(array).all()
        answer = release.count(x0=(0, bins))
        assert abs(answer.value - counts.sum()) < 400 + 60 * bins**0.5


@pytest.mark.parametrize("name", NAMES)
def test_only_one_axis(name: str) -> None:
    with pytest.raises(DomainError, match="single axis with an order"):
        hg.publish(hg.Counts(np.ones((3, 3), dtype=int)), epsilon=1, mechanism=name)


@pytest.mark.parametrize(
    "mechanism",
    [
        StructureFirst(groups=3, bound=600),
        PHPartition(rounds=4),
        PHPartition(rounds=4, score="deviation"),
    ],
)
def test_steps_are_found(mechanism: Any) -> None:
    steps = np.repeat([10, 500, 90], 200)
    array = hg.publish(hg.Counts(steps), epsilon=2, mechanism=mechanism).to_array()
    assert np.abs(array - steps).mean() < 5


@pytest.mark.parametrize("mechanism", [StructureFirst(), PHPartition(), PHPartition(rounds=2)])
@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
def test_other_stays_a_part_of_its_own(mechanism: Any, neighbours: Any) -> None:
    domain = hg.Domain(x=hg.Integer(0, 19, outside="other"))
    table = IndexedTable(domain, [[20]] * 3000 + [[3]] * 40)
    vault = vault_for(Job(domain, Fraction(4), Rows(), neighbours), table)
    estimate = mechanism.estimate(vault)
    assert vault.remaining == 0
    assert abs(estimate.values[-1] - 3000) < 200
    assert estimate.partition.parts([np.array([20])])[0] == estimate.partition.size - 1
    assert abs(estimate.values[:-1].sum() - 40) < 300


def test_one_group_costs_no_boundaries() -> None:
    release = hg.publish(
        hg.Counts(np.arange(9)), epsilon=1, mechanism=StructureFirst(groups=1, bound=5)
    )
    assert release.estimate.partition.size == 1
    assert release.estimate.measurements[0].scale == 1


def test_groups_are_as_many_as_asked_for() -> None:
    for groups, cells, expected in ((4, 30, 4), (40, 30, 30), (None, 30, 3), (None, 8, 2)):
        mechanism = StructureFirst(groups=groups)
        release = hg.publish(hg.Counts(np.ones(cells, int)), epsilon=1, mechanism=mechanism)
        assert release.estimate.partition.size == expected


def test_what_takes_too_long_is_refused_before_it_is_charged() -> None:
    long = hg.Domain(x=hg.Integer(0, 10**6 - 1))
    with pytest.raises(DomainError, match=r"at most 20 groups.*noise-first"):
        StructureFirst(groups=21).check(long)
    with pytest.raises(DomainError, match="at most 2,000 groups"):
        StructureFirst(groups=2001).check(hg.Domain(x=hg.Integer(0, 9999)))
    with pytest.raises(DomainError, match="smaller bound"):
        StructureFirst(bound=2**31).check(hg.Domain(x=hg.Integer(0, 9)))
    StructureFirst().check(long)
    StructureFirst(groups=50).check(hg.Domain(x=hg.Integer(0, 32_767)))
    PHPartition().check(long)


def test_large_tables_get_more_slices() -> None:
    sizes = [
        hg.publish(hg.Counts(np.full(1000, rows)), epsilon=1, mechanism="p-hpartition")
        for rows in (0, 1, 1000)
    ]
    few, some, cells = (release.estimate.partition.size for release in sizes)
    assert few < some < cells == 1000


def test_rounds_double_the_slices() -> None:
    counts = hg.Counts(np.arange(300) ** 2)
    release = hg.publish(counts, epsilon=1, mechanism=PHPartition(rounds=5))
    assert 16 < release.estimate.partition.size <= 32
    whole = hg.publish(counts, epsilon=1, mechanism=PHPartition(rounds=0))
    assert whole.estimate.partition.size == 1
    assert whole.estimate.measurements[0].scale == 1


@pytest.mark.parametrize("mechanism", [StructureFirst(groups=3), PHPartition(rounds=1)])
def test_huge_counts_are_counted_in_full(mechanism: Any) -> None:
    counts = hg.Counts([2**62, 2**61, 3, 0, 5])
    release = hg.publish(counts, epsilon=1, mechanism=mechanism)
    assert abs(release.count().value - 2**62 - 2**61) < 2**50


@pytest.mark.parametrize(
    "bad",
    [
        lambda: StructureFirst(groups=0),
        lambda: StructureFirst(bound=0),
        lambda: StructureFirst(bound=2.5),  # type: ignore[arg-type]
        lambda: StructureFirst(share=1),  # type: ignore[arg-type]
        lambda: PHPartition(rounds=-1),
        lambda: PHPartition(score="best"),
        lambda: PHPartition(share=0),  # type: ignore[arg-type]
        lambda: PHPartition(total_share=2),  # type: ignore[arg-type]
    ],
)
def test_bad_parameters(bad: Any) -> None:
    with pytest.raises(BadInput):
        bad()
