"""Intervals for the noise hold it as often as they say; those for the truth contain them."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest

import hushgram as hg
from hushgram.answers.counting.cutting import Cutting
from hushgram.answers.counting.intervals import (
    half_width,
    quantile,
    tabulate_quantiles,
    uneven_quantile,
)
from hushgram.answers.tables.olap import spreads
from hushgram.answers.unevenness.widths import MARGIN
from hushgram.release.parquet import build, describe

LINEAR = (
    "grid-hierarchy", "hb", "hierarchical", "identity", "p-hpartition", "privelet", "privtree",
    "privtree-hb", "quadtree", "structure-first", "uniform-grid",
)  # fmt: skip
"""Mechanisms whose values are linear in noise that had no say in where their parts lie."""

COUNTS = np.rint(400 * np.exp(-np.arange(64) / 12)).astype(int)


@pytest.mark.parametrize("epsilon", ["0.1", "1"])
@pytest.mark.parametrize("name", LINEAR)
def test_intervals_hold_noise_that_is_drawn_anew(name: str, epsilon: str) -> None:
    """The weights of questions on the measurements, times noise of the measurements' scale."""
    release = hg.publish(hg.Counts(COUNTS), epsilon=epsilon, mechanism=name)
    estimate, rng = release.estimate, np.random.default_rng(6)
    noise = [drawn(float(m.scale), (4000, m.partition.size), rng) for m in estimate.measurements]
    lows = rng.integers(0, 64, 40)
    highs = lows + 1 + rng.integers(0, 64 - lows)
    covered = []
    for low, high in zip(lows.tolist(), highs.tolist(), strict=True):
        answer = release.count(x0=(low, high))
        pulled = estimate.inference.pull(weights_of(release, low, high))
        off = sum(draws @ weights for draws, weights in zip(noise, pulled, strict=True))
        width = answer.noise_interval[1] - answer.value
        covered.append(float(np.mean(np.abs(off) <= width + 1e-9)))
    assert 0.945 < np.mean(covered) < 0.975
    assert min(covered) > 0.93


@pytest.mark.parametrize("epsilon", ["0.1", "1"])
@pytest.mark.parametrize("name", LINEAR)
def test_simultaneous_intervals_hold_together(name: str, epsilon: str) -> None:
    release = hg.publish(hg.Counts(COUNTS), epsilon=epsilon, mechanism=name)
    table, estimate = release.group_by("x0", simultaneous=True), release.project("x0").estimate
    rng = np.random.default_rng(8)
    noise = [drawn(float(m.scale), (4000, m.partition.size), rng) for m in estimate.measurements]
    each = [np.concatenate(estimate.inference.pull(one)) for one in np.eye(len(table))]
    width = half_width(spreads(estimate), 1 - 0.05 / len(table))
    assert np.all((table["upper"] - table["lower"]).to_numpy() / 2 >= width - 1e-9)
    inside = np.abs(np.concatenate(noise, axis=1) @ np.array(each).T) <= width + 1e-9
    assert inside.all(axis=1).mean() > 0.935


def drawn(scale: float, shape: tuple[int, int], rng: np.random.Generator) -> Any:
    chance = -np.expm1(-1 / scale)
    return (rng.geometric(chance, shape) - rng.geometric(chance, shape)).astype(np.float64)


def weights_of(release: hg.Release, low: int, high: int) -> Any:
    lower, upper = (corner[:, 0] for corner in release.estimate.partition.boxes())  # type: ignore[attr-defined]
    inside = np.minimum(upper, high) - np.maximum(lower, low)
    return np.maximum(inside, 0) / (upper - lower)


@pytest.mark.parametrize("share", [0.05, 0.3, 0.7, 0.95])
def test_one_large_term_among_small_ones_is_held_far_out(share: float) -> None:
    """Against 4 million draws of a Laplace and a normal variable."""
    rng = np.random.default_rng(7)
    scale = np.sqrt(share / 2)
    noise = np.abs(rng.laplace(0, scale, 4_000_000) + rng.normal(0, np.sqrt(1 - share), 4_000_000))
    for confidence in (0.9, 0.99, 0.999):
        beyond = float(np.mean(noise > uneven_quantile(share, confidence)))
        assert beyond == pytest.approx(1 - confidence, rel=0.12)


def test_nearer_in_equal_terms_are_the_wider_ones() -> None:
    assert tabulate_quantiles(0.95)[12] == quantile(float(np.geomspace(1, 4096, 49)[12]), 0.95)
    assert tabulate_quantiles(1 - 1e-4)[12] > quantile(
        float(np.geomspace(1, 4096, 49)[12]), 1 - 1e-4
    )


@pytest.mark.parametrize("name", ["ahp", "noise-first", "isotonic", "dpcube", "grouping-smoothing"])
def test_groups_of_cells_are_parts_that_can_be_cut(name: str) -> None:
    release = hg.publish(hg.Counts(COUNTS // 20), epsilon="0.1", mechanism=name)
    groups = Cutting(release.estimate).groups
    assert groups is not None
    values = np.asarray(release.estimate.values)
    lows, highs = np.array([0, 3, 10, 0]), np.array([64, 4, 30, 63])
    many = release.count({"x0_lo": lows, "x0_hi": highs})
    for row, (low, high) in enumerate(zip(lows, highs, strict=True)):
        inside = np.arange(64)
        inside = (inside >= low) & (inside < high)
        cut = [g for g in np.unique(groups) if not inside[groups == g].all()]
        expected = values[inside & np.isin(groups, cut)].sum()
        one = release.count(x0=(int(low), int(high)))
        assert one.partial == pytest.approx(expected, abs=1e-6)
        assert many.partial[row] == pytest.approx(expected, abs=1e-6)
    assert release.count().partial == 0
    seen = release.rollup(x0=16)
    assert seen.count(x0=(0, 16)).partial == pytest.approx(release.count(x0=(0, 16)).partial)


def test_a_view_tells_of_the_parts_that_it_cut() -> None:
    counts = np.zeros((32, 32), dtype=int)
    counts[:9, :5] = 40
    release = hg.publish(hg.Counts(counts), epsilon=1, mechanism="privtree")
    view = release.project("x0")
    for low, high in [(0, 32), (0, 3), (5, 17)]:
        told = release.count(x0=(low, high))
        assert view.count(x0=(low, high)).partial == pytest.approx(told.partial, abs=1e-6)
        assert view.count(x0=(low, high)).value == pytest.approx(told.value)


def rows_of(counts: Any) -> pd.DataFrame:
    """A row for each that was counted, anywhere in its bin."""
    places = np.repeat(np.arange(len(counts)), counts)
    return pd.DataFrame({"x": places + np.random.default_rng(1).random(len(places))})


def answers_of(release: hg.Release) -> list[hg.Answer]:
    view = release.rollup(x=[16, 32, 48])
    return [
        release.count(), release.count(x=3), release.count(x=(3.5, 17.25)),
        release.count(x=[2, 7, 40]), release.count({"x_lo": [0, 2.5], "x_hi": [9, 30.75]})[1],
        release.rank("x", 9), release.cdf("x", 9), release.cdf("x", 9.5),
        release.share(x=(0, 9)), release.share(x=(3, 9.5)), release.sum("x"),
        release.sum("x", x=(3, 30)), release.average("x"), view.count(), view.count(x=(0, 20)),
        view.sum("x"), view.share(x=(0, 24)),
    ]  # fmt: skip


@pytest.mark.parametrize("name", sorted(hg.MECHANISMS))
def test_intervals_for_the_truth_contain_those_for_the_noise(name: str) -> None:
    domain = hg.Domain(x=hg.Regular(64, 0, 64))
    release = hg.publish(rows_of(COUNTS), domain, epsilon=1, mechanism=name, account="rows")
    for answer in answers_of(release):
        (low, high), (first, last) = answer.interval, answer.noise_interval
        assert low <= first <= answer.value <= last <= high
        assert answer.half_width < 3 * 64 * COUNTS.sum()  # the largest sum there can be, thrice
    cut = release.count(x=(3.5, 17.25))
    assert cut.half_width > (cut.noise_interval[1] - cut.noise_interval[0]) / 2
    for many, answer in zip(
        release.count({"x_lo": [3.5, 0], "x_hi": [17.25, 9]}),
        [cut, release.count(x=(0, 9))],
        strict=True,
    ):
        assert many.value == pytest.approx(answer.value)
        assert answer.half_width * 0.999 <= many.half_width <= 1.09 * answer.half_width


@pytest.mark.parametrize("name", ["hb", "identity", "privelet"])
def test_questions_on_the_edges_of_cells_have_noise_alone(name: str) -> None:
    release = hg.publish(hg.Counts(COUNTS), epsilon=1, mechanism=name)
    for whole in (release.count(), release.count(x0=3), release.count(x0=(3, 17))):
        noise = whole.noise_interval[1] - whole.value
        assert whole.half_width == pytest.approx(MARGIN * noise)
        assert not whole.is_mostly_cut
    table = release.count({"x0_lo": [0, 3], "x0_hi": [64, 17]})
    assert table.widths.truth == pytest.approx(MARGIN * table.widths.noise)


def test_files_of_before_are_read_without_the_words_that_they_had() -> None:
    release = hg.publish(hg.Counts(COUNTS), epsilon=1, mechanism="ahp")
    about = json.loads(describe(release))
    assert "approximate" not in about
    again = build(
        {**about, "approximate": "Cells share one value."},
        release.estimate.partition,
        release.estimate.values,
    )
    assert again.count(x0=(3, 9)) == release.count(x0=(3, 9))
