"""Mechanisms that group cells: ahp, noise-first, isotonic, grouping-smoothing; and the trees."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hushgram as hg
from hushgram.errors import BadInput, DomainError
from hushgram.mechanisms import MECHANISMS
from hushgram.mechanisms.ahp import AHP
from hushgram.mechanisms.grouping_smoothing import GroupingSmoothing, best_size
from hushgram.mechanisms.hierarchical import Hierarchical
from hushgram.mechanisms.isotonic import Isotonic
from hushgram.mechanisms.noise_first import NoiseFirst
from hushgram.release.parquet import read

NAMES = ["ahp", "noise-first", "isotonic", "grouping-smoothing", "hierarchical", "hb"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("bins", [1, 2, 3, 7, 64, 100, 1001])
def test_any_number_of_bins_full_or_empty(name: str, bins: int) -> None:
    for counts in (np.zeros(bins, dtype=int), np.arange(bins) * 50):
        release = hg.publish(hg.Counts(counts), epsilon=2, mechanism=name)
        array = release.to_array()
        assert array.shape == (bins,)
        assert np.isfinite(array).all()
        answer = release.count(x0=(0, bins))
        assert abs(answer.value - counts.sum()) < 400 + 60 * bins**0.5


@pytest.mark.parametrize("name", ["noise-first", "isotonic"])
def test_mechanisms_of_one_axis_say_so(name: str) -> None:
    with pytest.raises(DomainError, match="single axis with an order"):
        hg.publish(hg.Counts(np.ones((3, 3), dtype=int)), epsilon=1, mechanism=name)


def test_flat_data_stays_flat() -> None:
    flat = np.full(1024, 100)

    def typical(mechanism: Any) -> float:
        """The usual number of segments: a single run may meet several outliers of the noise."""
        runs = [hg.publish(hg.Counts(flat), epsilon=0.1, mechanism=mechanism) for _ in range(5)]
        return float(np.median([len(np.unique(run.to_array())) for run in runs]))

    assert typical("noise-first") <= 10 < typical(NoiseFirst(penalty="paper"))


def test_steps_are_found() -> None:
    steps = np.repeat([10, 500, 90], 200)
    for name in ("noise-first", "isotonic", "ahp", "grouping-smoothing"):
        array = hg.publish(hg.Counts(steps), epsilon=0.5, mechanism=name).to_array()
        plain = hg.publish(hg.Counts(steps), epsilon=0.5, mechanism="identity").to_array()
        assert np.abs(array - steps).mean() < np.abs(plain - steps).mean()


@pytest.mark.parametrize("kind", [NoiseFirst, Isotonic])
def test_the_number_of_groups_can_be_given(kind: Any) -> None:
    steps = np.repeat([10, 5000, 900, 7000], 50)
    for groups, expected in ((1, 1), (2, 2), (4, 4)):
        release = hg.publish(hg.Counts(steps), epsilon=1, mechanism=kind(groups=groups))
        assert len(np.unique(release.to_array())) == expected
    assert np.abs(release.to_array() - steps).max() < 5
    assert release.parameters["groups"] == 4
    more = hg.publish(hg.Counts([3, 800]), epsilon=1, mechanism=kind(groups=9))
    assert more.estimate.partition.size == 2


def test_both_counts_are_averaged_where_most_cells_stay_alone() -> None:
    """350 million rows in 100 unlike categories: twice the error of plain noise, not four times."""
    unlike = np.random.default_rng(1).permutation(np.arange(1, 101) ** 2) * 1000
    errors = []
    for _ in range(20):
        release = hg.publish(hg.Counts(unlike), epsilon="0.01", mechanism="isotonic")
        errors.append(((release.to_array() - unlike) ** 2).mean())
        assert release.to_bytes() == read(release.to_bytes()).to_bytes()
    plain = 2 / 0.01**2
    assert 1.5 * plain < np.mean(errors) < 3 * plain
    flat = hg.publish(hg.Counts(np.zeros(100, int)), epsilon=1, mechanism="isotonic")
    assert flat.to_array().std() < 1


@pytest.mark.parametrize("kind", [NoiseFirst, Isotonic])
def test_too_many_groups_are_refused_before_anything_is_charged(kind: Any) -> None:
    long = hg.Domain(x=hg.Integer(0, 10**6 - 1))
    kind(groups=20).check(long)
    kind().check(long)
    with pytest.raises(DomainError, match="at most 20 groups"):
        kind(groups=21).check(long)


@pytest.mark.parametrize("clustering", ["optimal", "greedy", "empirical"])
def test_clusterings(clustering: str) -> None:
    counts = np.tile([0, 300], 200)
    recipe = AHP(clustering=clustering)
    release = hg.publish(hg.Counts(counts), epsilon=1, mechanism=recipe)
    assert release.parameters["clustering"] == clustering
    assert np.abs(release.to_array() - counts).mean() < 5
    assert release.estimate.measurements[0].partition.size < 100


def test_the_same_cells_share_one_draw() -> None:
    """Noise once per cluster: cells of a cluster have the same value."""
    release = hg.publish(hg.Counts(np.zeros(500, dtype=int)), epsilon=1, mechanism="ahp")
    assert len(np.unique(release.to_array())) <= release.estimate.measurements[0].partition.size


def test_group_sizes() -> None:
    rising = np.arange(1024.0)
    assert best_size(rising, 1e-9, 1e-9) == 1
    assert best_size(np.zeros(1024), 1.0, 100.0) == 1024
    fixed = GroupingSmoothing(group_size=10)
    release = hg.publish(hg.Counts(np.arange(95)), epsilon=1, mechanism=fixed)
    assert release.estimate.measurements[0].partition.size == 10


@pytest.mark.parametrize("scale", [2.0, 20.0, 200.0])
def test_the_size_by_default_is_near_the_best(scale: float) -> None:
    """Sorted noise looks smooth: a rule that believes it merges half of a sparse table."""
    rng = np.random.default_rng(3)
    sparse = (rng.pareto(1.2, 8192) * 5 * (rng.random(8192) < 0.1)).astype(np.int64).clip(0, 900)
    steps = np.repeat(rng.integers(0, 400, 128), 64)
    for counts in (sparse, steps, rng.poisson(30, 8192)):
        noisy = counts + np.rint(rng.laplace(0, scale, 8192))
        order = np.argsort(noisy, kind="stable")
        errors = {2**p: fixed_error(counts[order], 2**p, 2 * scale**2) for p in range(14)}
        chosen = best_size(noisy[order], 2 * scale**2, 2 * scale**2)
        assert errors[chosen] < 1.3 * min(errors.values())


def fixed_error(counts: np.ndarray, size: int, noise: float) -> float:
    groups = counts.reshape(-1, size)
    within = ((groups - groups.mean(axis=1, keepdims=True)) ** 2).sum()
    return float(within + noise * len(groups) / size)


@pytest.mark.parametrize(
    "bad",
    [
        lambda: AHP(clustering="best"),
        lambda: AHP(share=1),  # type: ignore[arg-type]
        lambda: NoiseFirst(penalty="none"),
        lambda: NoiseFirst(groups=0),
        lambda: Isotonic(groups=2.5),  # type: ignore[arg-type]
        lambda: Isotonic(share=0),  # type: ignore[arg-type]
        lambda: GroupingSmoothing(group_size=0),
        lambda: Hierarchical(branching=1),
    ],
)
def test_bad_parameters(bad: Any) -> None:
    with pytest.raises(BadInput):
        bad()


def test_a_tree_is_consistent_and_reads_back() -> None:
    release = hg.publish(hg.Counts(np.arange(50) * 9), epsilon=1, mechanism="hb")
    again = read(release.to_bytes())
    question = {"x0_lo": [0, 3, 10], "x0_hi": [50, 20, 11]}
    ours, theirs = release.count(question), again.count(question)
    assert np.array_equal(ours.values, theirs.values)
    assert np.allclose(ours.lower, theirs.lower)
    for place, (low, high) in enumerate([(0, 50), (3, 20), (10, 11)]):
        single = again.count(x0=(low, high))
        assert np.isclose(single.value, ours.values[place])
        half = single.interval[1] - single.value  # many at once are as wide as the worst noise
        assert half <= ours.upper[place] - ours.values[place] <= 1.09 * half
    assert set(NAMES) <= set(MECHANISMS)
