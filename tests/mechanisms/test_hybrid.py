"""The mechanism `hybrid`, end to end."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import hushgram as hg
from hushgram.declare.axis import Category, Integer, Interval
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows, User
from hushgram.geometry.measured.sorted_cells import SortedCells
from hushgram.geometry.partition import Boxes, Cuts
from hushgram.lab.audit import ALPHA, audit_mechanism, neighbours_by, power
from hushgram.lab.checks import NeighbourPair, replay_pair, run_mechanism, vault_for
from hushgram.lab.memory import IndexedTable
from hushgram.mechanisms.hybrid import Hybrid
from hushgram.mechanisms.inference.direct import Direct
from hushgram.mechanisms.inference.tree import Tree
from hushgram.mechanisms.inference.zoomed import Zoomed
from hushgram.release.parquet import read
from hushgram.spending.job import Job

DOMAINS = (
    Domain(x=Interval(0, 1)),
    Domain(x=Interval(0, 1, outside="other")),
    Domain(x=Integer(0, 1000)),
    Domain(x=Interval(0, 1), y=Interval(-3, 3)),
    Domain(x=Integer(0, 90), y=Integer(0, 77, outside="other")),
    Domain(x=Interval(0, 1, resolution=999), sex=Category(("F", "M"), outside="other")),
    Domain(x=Interval(0, 1), y=Interval(0, 1), z=Integer(0, 30)),
)


RUNS = 3000


def crowd(domain: Domain, count: int = 3000) -> Any:
    """Most rows near the lower corner, some anywhere, "other" too."""
    rng = np.random.default_rng(2)
    near = rng.beta(1, 300, (count, len(domain)))
    near[: count // 10] = rng.random((count // 10, len(domain)))
    return (near * domain.shape).astype(np.int64)


def job_on(domain: Domain) -> Job:
    return Job(domain, Fraction(4), Rows(), "add-remove")


def estimated(domain: Domain, rows: Any, **parameters: Any) -> Any:
    vault = vault_for(job_on(domain), IndexedTable(domain, rows))
    estimate = Hybrid(**parameters).estimate(vault)
    assert vault.remaining == 0
    return estimate


@pytest.mark.parametrize("domain", DOMAINS, ids=repr)
def test_dense_cells_are_zoomed_into_on_every_kind_of_domain(domain: Domain) -> None:
    estimate = estimated(domain, crowd(domain))
    assert isinstance(estimate.inference, Zoomed)
    assert isinstance(estimate.partition, Cuts if len(domain) == 1 else Boxes)
    counts, sums = estimate.measurements
    assert (counts.scale, sums.scale) == (
        1 / (Fraction(4) * Fraction(49, 50) * Fraction(3, 5)),
        sums.partition.span / (Fraction(4) * Fraction(49, 50) * Fraction(2, 5)),
    )
    assert estimate.values.sum() == pytest.approx(counts.values.sum())
    assert estimate.partition.size > counts.partition.size
    assert (estimate.variances() >= 0).all()


@pytest.mark.parametrize("domain", DOMAINS, ids=repr)
@pytest.mark.parametrize("unit", [Rows(), User("who", 3)], ids=str)
@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
def test_zooms_are_replayed_to_the_byte_within_the_budget(
    domain: Domain, unit: Any, neighbours: Any
) -> None:
    """A unit in the densest cell comes, or leaves it for the far end."""
    rows, far = crowd(domain), np.array(domain.shape) - 1
    first = np.concatenate([rows, np.zeros((unit.rows, len(domain)), dtype=np.int64)])
    second = rows
    if neighbours == "replace-one":
        second = np.concatenate([rows, np.tile(far, (unit.rows, 1))])
    tables = (IndexedTable(domain, one) for one in (first, second))
    job = Job(domain, Fraction(4 * unit.rows), unit, neighbours)
    one, other, lost = replay_pair(Hybrid(), NeighbourPair(job, *tables))
    assert one == other
    assert b"zoomed" in one
    assert 0 < lost <= job.epsilon


@pytest.mark.parametrize("domain", DOMAINS, ids=repr)
def test_zooms_are_read_back_as_they_were(domain: Domain) -> None:
    vault = vault_for(job_on(domain), IndexedTable(domain, crowd(domain)))
    written = run_mechanism(Hybrid(), job_on(domain), vault)
    release = read(written)
    assert isinstance(release.estimate.inference, Zoomed)
    assert release.to_bytes() == written
    again = release.estimate.inference.push(release.estimate.measurements)
    np.testing.assert_array_equal(again, release.estimate.values)
    assert abs(release.count().value - 3000) < 600


def test_a_grid_without_dense_cells_is_counted_twice() -> None:
    domain = Domain(x=Interval(0, 1), y=Interval(0, 1))
    estimate = estimated(domain, crowd(domain, 0))
    assert isinstance(estimate.inference, Tree)
    assert estimate.partition.size == 100
    one, two = estimate.measurements
    weight = two.variance / (one.variance + two.variance)
    np.testing.assert_allclose(estimate.values, weight * one.values + (1 - weight) * two.values)


@pytest.mark.parametrize(
    "domain", [Domain(x=Integer(0, 12)), Domain(x=Category(("a", "b"))), Domain(x=Integer(5, 5))]
)
def test_cells_that_cannot_be_divided_are_counted(domain: Domain) -> None:
    estimate = estimated(domain, crowd(domain))
    assert isinstance(estimate.inference, Direct)
    assert estimate.partition.size == domain.cells


def test_other_is_never_mixed_with_the_rest() -> None:
    domain = Domain(x=Integer(0, 90), y=Integer(0, 77, outside="other"))
    rows = np.array([[0, 78]] * 2000 + [[0, 0]] * 2000)
    estimate = estimated(domain, rows)
    lower, upper = estimate.partition.boxes()
    assert not ((lower[:, 1] < 78) & (upper[:, 1] > 78)).any()
    assert estimate.values[lower[:, 1] == 78].sum() == pytest.approx(2000, abs=200)


def test_it_beats_both_of_its_halves_on_narrow_clusters() -> None:
    rng = np.random.default_rng(8)
    rows = rng.choice([1000, 20_000, 40_111, 60_000], 50_000) + rng.integers(0, 9, 50_000)
    counts = np.bincount(rows, minlength=65_536)
    errors = {
        name: np.mean([np.abs(ranges(name, counts)).mean() for _ in range(5)])
        for name in ("hybrid", "sorted", "uniform-grid")
    }
    assert errors["hybrid"] < errors["sorted"] / 2
    assert errors["hybrid"] < errors["uniform-grid"] / 2


def ranges(name: str, counts: Any) -> Any:
    """The errors of the numbers of rows below many places."""
    release = hg.publish(hg.Counts(counts), epsilon=1, mechanism=name)
    return np.cumsum(release.to_array() - counts)[5:65_000:97]


@pytest.mark.slow
def test_the_audit_acquits_zooms() -> None:
    """A row more in a dense cell, at the place that shifts its whole list. The runs suffice to
    convict what loses twice as much."""
    assert power(2, RUNS, ALPHA / 100) > 0.99
    domain = Domain(x=Interval(0, 1, resolution=200))
    rows = np.full((200, 1), 1)
    pair = neighbours_by(domain, rows, np.array([0]), "first of a dense cell")
    estimate = Hybrid().estimate(
        vault_for(Job(domain, Fraction(1), Rows(), "add-remove"), pair.first)
    )
    assert isinstance(estimate.measurements[1].partition, SortedCells)
    finding = audit_mechanism(Hybrid(), pair, RUNS, ALPHA / 100, Fraction(1))
    assert not finding.convicted, finding
