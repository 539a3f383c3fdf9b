"""The mechanism `sorted`, end to end."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import hushgram as hg
from hushgram.declare.axis import Category, Integer, Interval
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows
from hushgram.errors import BadInput, DomainError
from hushgram.geometry.measured.sorted_groups import SortedGroups
from hushgram.geometry.partition import Boxes, Grid
from hushgram.lab.memory import IndexedTable
from hushgram.lab.replay import RecordingVault
from hushgram.mechanisms.sorted import Sorted, measured_group
from hushgram.trusted.noise import Native
from hushgram.trusted.vault import TableVault


def published(counts: Any, epsilon: float = 1, **parameters: Any) -> Any:
    mechanism = Sorted(**parameters)
    return hg.publish(hg.Counts(counts), epsilon=epsilon, mechanism=mechanism)


def distance(release: Any, counts: Any) -> float:
    """The earth mover's distance per row, on an axis of length 1."""
    missed = np.cumsum(release.to_array() - counts)[:-1]
    return float(np.abs(missed).sum() / (counts.sum() * (len(counts) - 1)))


@pytest.mark.parametrize("bins", [1, 2, 3, 7, 64, 100, 1001])
@pytest.mark.parametrize("group_size", ["measured", "paper", 1, 50])
def test_any_number_of_bins_full_or_empty(bins: int, group_size: Any) -> None:
    for counts in (np.zeros(bins, dtype=int), np.arange(bins) * 50 % 97):
        release = published(counts, 2, group_size=group_size)
        array = release.to_array()
        assert array.shape == (bins,)
        assert np.isfinite(array).all()
        answer = release.count(x0=(0, bins))
        assert abs(answer.value - counts.sum()) < 600


def test_more_budget_is_nearer() -> None:
    even = np.full(1024, 10)
    errors = [
        np.mean([distance(published(even, epsilon), even) for _ in range(12)])
        for epsilon in (0.05, 0.5, 5)
    ]
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 0.003


def test_the_median_is_near() -> None:
    rows = np.random.default_rng(4).normal(300, 40, 20_000).clip(0, 999).astype(int)
    counts = np.bincount(rows, minlength=1000)
    medians = []
    for _ in range(15):
        release = published(counts)
        found = release.estimate.inference.reconstruction()
        positions, times = found.positions, found.lengths
        medians.append(np.repeat(positions, times)[times.sum() // 2])
    assert abs(np.median(medians) - np.median(rows)) < 10


def test_a_spike_stays_a_spike() -> None:
    counts = np.full(256, 10)
    counts[77] = 20_000
    found = [published(counts).to_array()[75:80].sum() for _ in range(9)]
    assert abs(np.median(found) - 20_040) < 1000


def test_it_beats_counting_cells_on_a_fine_axis() -> None:
    rows = (np.random.default_rng(2).beta(2, 5, 20_000) * 65_536).astype(int)
    counts = np.bincount(rows, minlength=65_536)
    cells = hg.publish(hg.Counts(counts), epsilon=0.1, mechanism="identity")
    assert distance(published(counts, 0.1), counts) < distance(cells, counts) / 2


def asked(neighbours: Any, outside: str, **parameters: Any) -> Any:
    domain = Domain(x=Interval(0, 1, resolution=100, outside=outside))
    table = IndexedTable(domain, np.arange(100).repeat(10))
    vault = RecordingVault.over(
        table, domain, Fraction(1), unit=Rows(), neighbours=neighbours, noise=Native()
    )
    estimate = Sorted(**parameters).estimate(vault)
    assert vault.remaining == 0
    return estimate


def test_a_public_number_of_rows_costs_next_to_nothing() -> None:
    whole, sums = asked("replace-one", "clamp").measurements
    assert (whole.values.tolist(), whole.variance) == ([1000], 0)
    assert sums.scale == 99 / (1 - Fraction(1, 10**6))
    assert isinstance(sums.partition, SortedGroups)
    assert sums.partition.rows == 1000
    for neighbours, outside in (("replace-one", "drop"), ("add-remove", "clamp")):
        whole, sums = asked(neighbours, outside).measurements
        assert whole.scale == 20
        assert sums.scale == 99 / Fraction(19, 20)


def test_group_sizes() -> None:
    assert asked("add-remove", "clamp", group_size=7).measurements[1].partition.group == 7
    assert asked("replace-one", "clamp").measurements[1].partition.group == 63
    paper = asked("replace-one", "clamp", group_size="paper").measurements[1].partition.group
    assert 15 < paper < 30
    assert measured_group(1, 1e9) == 1


@pytest.mark.parametrize("odd", [0, -1, True, 2.5, "best", None])
def test_odd_group_sizes_are_refused(odd: Any) -> None:
    with pytest.raises(BadInput, match="group_size"):
        Sorted(group_size=odd)


def test_domains_without_one_order_are_refused() -> None:
    with pytest.raises(DomainError, match="one axis with an order"):
        Sorted().check(Domain(x=Category(("a", "b"))))
    with pytest.raises(DomainError, match="clamp"):
        Sorted().check(Domain(x=Integer(0, 9, outside="other")))
    with pytest.raises(DomainError, match="clamp"):
        Sorted().check(Domain(x=Integer(0, 9), y=Integer(0, 9, outside="other")))


@pytest.mark.parametrize(
    "domain",
    [
        Domain(x=Interval(0, 1), y=Interval(0, 1)),
        Domain(x=Interval(0, 1), y=Integer(0, 6)),
        Domain(x=Integer(0, 2), y=Integer(0, 4), z=Category(("a", "b", "c"))),
        Domain(x=Integer(0, 0), y=Integer(0, 0)),
    ],
)
def test_rows_of_several_axes_are_sorted_along_a_curve(domain: Domain) -> None:
    """With hardly any noise, counts are found again down to the groups' width."""
    rng = np.random.default_rng(3)
    rows = (rng.beta(0.5, 2, (4000, len(domain))) * domain.shape).astype(np.int64)
    table = IndexedTable(domain, rows)
    vault = TableVault(
        table,
        domain,
        Fraction(700),
        unit=Rows(),
        neighbours="add-remove",
        noise=Native(),
    )
    estimate = Sorted(group_size=4).estimate(vault)
    assert float(estimate.values.sum()) == pytest.approx(4000, abs=2)
    assert (estimate.variances() >= 0).all()
    halves = Grid(domain, tuple(min(axis.bins, 2) for axis in domain.axes))
    lower, upper = estimate.partition.boxes()  # type: ignore[attr-defined]
    parts = halves.parts(list(lower.T))
    inside = parts == halves.parts(list(upper.T - 1))
    found = np.bincount(parts[inside], estimate.values[inside], halves.size)
    missing = np.abs(estimate.values[~inside]).sum()
    assert np.abs(found - table.count(halves)).max() <= 40 + missing


def test_a_cluster_in_space_gets_small_boxes() -> None:
    domain = Domain(x=Interval(0, 1), y=Interval(0, 1))
    rows = np.random.default_rng(3).normal([700_000, 200_000], 3000, (20_000, 2))
    vault = TableVault(
        IndexedTable(domain, rows),
        domain,
        Fraction(50),
        unit=Rows(),
        neighbours="add-remove",
        noise=Native(),
    )
    estimate = Sorted().estimate(vault)
    assert isinstance(estimate.partition, Boxes)
    lower, upper = estimate.partition.boxes()
    centres = np.abs((lower + upper) / 2 - [700_000, 200_000]).max(axis=1)
    assert estimate.values[centres < 100_000].sum() > 15_000


@pytest.mark.parametrize("shape", ["even", "normal", "spikes"])
def test_intervals_of_ranges_hold_the_truth(shape: str) -> None:
    """Nineteen of twenty; a dozen releases tell it to a few percent."""
    rng = np.random.default_rng(9)
    rows = {
        "even": rng.integers(0, 1000, 10_000),
        "normal": rng.normal(400, 100, 10_000).clip(0, 999).astype(int),
        "spikes": rng.choice([100, 350, 351, 800], 10_000),
    }[shape]
    counts = np.bincount(rows, minlength=1000)
    low = rng.integers(0, 800, 60)
    high = low + rng.integers(20, 200, 60)
    below = np.concatenate([[0], np.cumsum(counts)])
    held = []
    for _ in range(12):
        answers = published(counts).count({"x0_lo": low, "x0_hi": high})
        true = below[high] - below[low]
        held.append(np.mean((answers.lower <= true) & (true <= answers.upper)))
    assert np.mean(held) > 0.9


# Unequal groups and the other regression ----------------------------------------------------------


def test_a_profile_makes_groups_unequal() -> None:
    sums = asked("replace-one", "clamp", group_size=10, profile="4:1:4").measurements[1]
    lengths = sums.partition.lengths
    assert (lengths[0], lengths[len(lengths) // 2], lengths[-1]) == (37, 10, 38)
    assert Sorted(profile=[4, 1, 4]) == Sorted(profile="4:1:4")
    assert Sorted(profile=[4, 1, 4]).parameters()["profile"] == "4:1:4"


@pytest.mark.parametrize("odd", ["", "1:x", "0:1", [], [1.5], "1001", 7, [True], ["1"] * 1001])
def test_odd_profiles_are_refused(odd: Any) -> None:
    with pytest.raises(BadInput, match="profile"):
        Sorted(profile=odd)


@pytest.mark.parametrize("parameters", [{"profile": "9:1:9"}, {"regression": "absolute"}], ids=str)
@pytest.mark.parametrize("shape", [(1,), (2,), (100,), (9, 7), (4, 4, 4)], ids=str)
def test_any_shape_with_any_option(parameters: Any, shape: Any, tmp_path: Any) -> None:
    for counts in (np.zeros(shape, dtype=int), np.random.default_rng(1).poisson(30, shape)):
        release = published(counts, 2, **parameters)
        assert release.to_array().shape == shape
        assert abs(release.count().value - counts.sum()) < 100
        release.save(tmp_path / "r.hush.parquet", overwrite=True)
        again = hg.load(tmp_path / "r.hush.parquet")
        np.testing.assert_array_equal(again.to_array(), release.to_array())


def test_medians_of_noise_serve_clustered_rows() -> None:
    counts = np.zeros(4096, dtype=int)
    counts[[1000, 3000]] = 10_000
    far = [distance(published(counts, regression="absolute"), counts) for _ in range(8)]
    assert np.mean(far) < 0.01


def test_the_other_regression_is_refused_by_name() -> None:
    with pytest.raises(BadInput, match="regression"):
        Sorted(regression="cubes")
