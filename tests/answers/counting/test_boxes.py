"""Counts of box layouts and of trees, against every part's share and every covariance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hushgram as hg
from hushgram.answers.counting.boxes_index import BoxIndex
from hushgram.answers.counting.counts import counts_of
from hushgram.answers.counting.index import index_of
from hushgram.answers.counting.intervals import Spread, half_width
from hushgram.answers.counting.refined_index import RefinedIndex
from hushgram.answers.unevenness.widths import MARGIN
from hushgram.declare.domain import Domain
from hushgram.geometry.partition import Boxed, Boxes, Cuts, Grid, Raster, Refined
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.inference.base import Inference
from hushgram.mechanisms.inference.tree import Tree
from hushgram.queries import Measurement
from tests.answers.counting.test_counts import assert_uneven, bin_share, most_uneven, questions
from tests.samples import domains
from tests.strategies import boxes, refined, up_to

NOISE = (0.7, 3.0, 11.0, 1.3)


def measured(level: Boxed, seed: int, variance: float) -> Measurement:
    values = np.random.default_rng(seed).integers(-50, 1000, level.size)
    return Measurement(level, values, variance, Fraction(1))


def tree_estimate(levels: Sequence[Boxed]) -> Estimate:
    measurements = [measured(level, n, NOISE[n % 4]) for n, level in enumerate(levels)]
    return Estimate.infer(levels[-1], measurements, Tree.of(measurements))


def pruned(layout: Boxes, rng: np.random.Generator) -> Boxes:
    """A coarser tree: some inner nodes become leaves."""
    axes, cuts, skipping = [], [], 0
    for axis, cut in zip(layout.axes.tolist(), layout.cuts.tolist(), strict=True):
        if skipping:
            skipping += 1 if axis >= 0 else -1
            continue
        stays = axis >= 0 and rng.random() < 0.7
        skipping = 2 if axis >= 0 and not stays else 0
        axes.append(axis if stays else -1)
        cuts.append(cut if stays else 0)
    return Boxes(layout.raster, np.array(axes), np.array(cuts))


def fewer_cuts(layout: Cuts, rng: np.random.Generator) -> Cuts:
    return Cuts(
        layout.domain, tuple(s[(rng.random(len(s)) < 0.6) | (s == 0)] for s in layout.starts)
    )


@st.composite
def trees(draw: Any, domain: Domain) -> list[Boxed]:
    """Levels that refine each other: cuts, refined grids and boxes."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kind = draw(st.sampled_from(["refined", "rooted", "boxes", "cuts", "single"]))
    if kind in ("refined", "rooted"):
        fine = draw(refined(domain))
        root = [Grid(domain, (1,) * len(domain))] if kind == "rooted" else []
        return [*root, fine.grid, fine]
    if kind == "boxes":
        leaves = draw(boxes(domain))
        middle = pruned(leaves, rng)
        return [pruned(middle, rng), middle, leaves]
    if kind == "cuts":
        leaf = Cuts(domain, tuple(np.unique([0, *rng.integers(0, a.bins, 4)]) for a in domain.axes))
        between = fewer_cuts(leaf, rng)
        return [fewer_cuts(between, rng), between, leaf]
    return [draw(st.one_of(refined(domain), boxes(domain)))]


@st.composite
def estimates(draw: Any) -> Estimate:
    domain = draw(domains(3))
    if draw(st.booleans()):
        return tree_estimate(draw(trees(domain)))
    return Estimate.direct(measured(draw(st.one_of(refined(domain), boxes(domain))), 0, 3.0))


def brute_weights(layout: Boxed, question: dict[str, Any]) -> np.ndarray:
    """A part counts by the mean share of its indices, one axis at a time."""
    found = []
    for lower, upper in zip(*(corner.tolist() for corner in layout.boxes()), strict=True):
        shares = [
            sum(bin_share(axis, n, question.get(name)) for n in range(a, b)) / (b - a)
            for (name, axis), a, b in zip(layout.domain.items(), lower, upper, strict=True)
        ]
        found.append(math.prod(shares))
    return np.array(found)


def covariance(estimate: Estimate) -> np.ndarray:
    """Of all parts: the inference of each measured number by itself."""
    columns = []
    for place, one in enumerate(estimate.measurements):
        for number in range(one.partition.size):
            unit = [np.zeros(m.partition.size, dtype=np.int64) for m in estimate.measurements]
            unit[place][number] = 1
            moved = [
                Measurement(m.partition, values, m.variance, m.scale)
                for m, values in zip(estimate.measurements, unit, strict=True)
            ]
            columns.append(estimate.inference.push(moved) * math.sqrt(one.variance))
    return np.array(columns).T @ np.array(columns)


@settings(max_examples=up_to(150), deadline=None)
@given(st.data())
def test_one_count_weighs_every_part_by_its_share(data: Any) -> None:
    estimate = data.draw(estimates())
    layout = estimate.partition
    assert isinstance(layout, Boxed)
    question = data.draw(questions(layout))  # type: ignore[arg-type]
    weights = brute_weights(layout, question)
    answer = counts_of(estimate).one(question)
    assert answer.value == pytest.approx(float(weights @ estimate.values), rel=1e-6, abs=1e-3)
    cut = ~np.isclose(weights, 1, atol=1e-9)
    partial = float(weights[cut] @ estimate.values[cut])
    assert answer.partial == pytest.approx(partial, rel=1e-6, abs=1e-3)
    low, high = answer.noise_interval
    whole = bool(np.isclose(weights, np.round(weights), atol=1e-9).all())
    exact = np.round(weights) if whole else weights
    steps = (exact.max(), whole) if len(estimate.measurements) == 1 else ()
    if estimate.inference.kind == "direct":
        width = float(half_width(Spread(*estimate.moments(exact), *steps), 0.95))
        assert high - answer.value == pytest.approx(width, rel=1e-4, abs=1e-3)
    assert high - answer.value == pytest.approx(answer.value - low, abs=1e-6)
    assert_uneven(answer, most_uneven(estimate, exact))


@settings(max_examples=up_to(200), deadline=None)
@given(st.data())
def test_many_counts_are_what_one_count_gives(data: Any) -> None:
    estimate = data.draw(estimates())
    layout = estimate.partition
    ordered = [name for name, axis in layout.domain.items() if axis.ordered]
    if not ordered:
        return
    some = questions(layout, only_ranges=True)  # type: ignore[arg-type]
    asked = data.draw(st.lists(some, min_size=1, max_size=5))
    table = {n: [question.get(n, (None, None)) for question in asked] for n in ordered}
    counts = counts_of(estimate)
    found = counts.many(table)
    dense = covariance(estimate)
    for row, answer in enumerate(found):
        question = {n: table[n][row] for n in ordered}
        one = counts.one(question)
        assert answer.value == pytest.approx(one.value, rel=1e-9, abs=1e-6)
        assert answer.partial == pytest.approx(one.partial, rel=1e-9, abs=1e-6)
        if estimate.inference.kind == "direct":
            assert answer.interval == pytest.approx(one.interval, rel=1e-6, abs=1e-6)
            assert answer.noise_interval == pytest.approx(one.noise_interval, rel=1e-6, abs=1e-6)
            continue
        weights = brute_weights(layout, question)  # type: ignore[arg-type]
        width = half_width(Spread(weights @ dense @ weights, None), 0.95)
        assert half_noise(answer) == pytest.approx(float(width), rel=1e-5, abs=1e-5)
        assert half_noise(one) <= width * (1 + 1e-5) + 1e-5
        assert uneven_square(answer) == pytest.approx(uneven_square(one), rel=1e-5, abs=1e-3)


def half_noise(answer: hg.Answer) -> float:
    return (answer.noise_interval[1] - answer.noise_interval[0]) / 2


def uneven_square(answer: hg.Answer) -> float:
    """What uneven rows add to the square of half an interval's width."""
    return (answer.half_width / MARGIN) ** 2 - half_noise(answer) ** 2


def adaptive(axes: int, cells: int, finest: int, seed: int = 1) -> Refined:
    domain = Domain({f"x{n}": hg.Interval(0, 1) for n in range(axes)})
    grid = Grid(domain, (cells,) * axes)
    sizes = np.random.default_rng(seed).integers(1, finest + 1, (grid.size, axes))
    return Refined(grid, sizes)


def halved(axes: int, depth: int) -> Boxes:
    """The leaves of a random tree of cuts through a continuous domain."""
    domain = Domain({f"x{n}": hg.Interval(0, 1) for n in range(axes)})
    rng = np.random.default_rng(depth)
    nodes: list[tuple[int, int]] = []

    def cut(lower: list[int], upper: list[int], left: int) -> None:
        axis = int(rng.integers(axes))
        if left == 0 or upper[axis] - lower[axis] < 2 or rng.random() < 0.1:
            nodes.append((-1, 0))
            return
        at = int(rng.integers(lower[axis] + 1, upper[axis]))
        nodes.append((axis, at))
        middle_up, middle_low = list(upper), list(lower)
        middle_up[axis] = middle_low[axis] = at
        cut(lower, middle_up, left - 1)
        cut(middle_low, upper, left - 1)

    cut([0] * axes, [1 << 12] * axes, depth)
    return Boxes(Raster(domain, (1 << 12,) * axes), *np.array(nodes).T)


def random_ranges(domain: Domain, count: int) -> tuple[np.ndarray, np.ndarray]:
    ends = np.sort(np.random.default_rng(3).random((count, len(domain), 2)), axis=2)
    ends[::7] = np.round(ends[::7] * 16) / 16  # some on edges, some of them empty
    ends *= domain.axes[0].bins
    return np.ascontiguousarray(ends[:, :, 0]), np.ascontiguousarray(ends[:, :, 1])


LARGE = {
    "refined 1": [adaptive(1, 50, 40)],
    "refined 2": [adaptive(2, 12, 9).grid, adaptive(2, 12, 9)],
    "refined 3": [adaptive(3, 5, 4).grid, adaptive(3, 5, 4)],
    "rooted": [Grid(adaptive(2, 9, 9).domain, (3, 1)), adaptive(2, 9, 9).grid, adaptive(2, 9, 9)],
    "boxes 1": [halved(1, 9)],
    "boxes 2": [pruned(halved(2, 12), np.random.default_rng(0)), halved(2, 12)],
    "boxes 3": [halved(3, 11)],
    "grids": [Grid(adaptive(2, 4, 1).domain, (n, n)) for n in (2, 8, 64)],
    "refined by a grid": [Grid(adaptive(2, 4, 1).domain, (n, 2 * n)) for n in (4, 32)],
    "uneven grids": [Grid(Domain(x0=hg.Interval(0, 1, 100)), (n,)) for n in (9, 27)],
}


@pytest.mark.parametrize("name", LARGE)
def test_a_large_index(name: str) -> None:
    """Layouts that need joints: every question against the weights of all parts."""
    estimate = tree_estimate(LARGE[name])
    tree = estimate.inference.nested_levels(estimate.measurements)
    assert tree is not None
    found = [BoxIndex.of(estimate, tree)]
    index = index_of(estimate)
    assert isinstance(index, RefinedIndex if name.startswith("refined") else BoxIndex)
    starts, stops = random_ranges(estimate.partition.domain, 60)
    for sums in [each.ask(starts, stops) for each in (*found, index)]:
        for row, (start, stop) in enumerate(zip(starts, stops, strict=True)):
            lower, upper = LARGE[name][-1].boxes()
            inside = np.maximum(np.minimum(upper, stop) - np.maximum(lower, start), 0)
            weights = (inside / (upper - lower)).prod(axis=1)
            parts = weights * estimate.values
            assert sums.value[row] == pytest.approx(parts.sum(), rel=1e-9, abs=1e-6)
            assert sums.partial[row] == pytest.approx(parts[weights < 1].sum(), rel=1e-9, abs=1e-6)
            variance = estimate.moments(weights)[0]
            assert sums.variance[row] == pytest.approx(variance, rel=1e-9, abs=1e-6)
            assert sums.largest[row] == pytest.approx(weights.max(), abs=1e-12)


def test_a_point_on_every_side_of_a_cells_slices() -> None:
    """Slices of uneven widths, each end on, before and behind each edge."""
    domain = Domain(x=hg.Interval(0, 1, resolution=23))
    layout = Refined(Grid(domain, (2,)), np.array([[5], [7]]))
    estimate = Estimate.direct(measured(layout, 0, 2.0))
    edges = np.concatenate([np.arange(24.0), np.arange(23.0) + 0.3])
    starts, stops = (side.reshape(-1, 1) for side in np.meshgrid(edges, edges))
    forward = (starts <= stops)[:, 0]
    starts, stops = starts[forward], stops[forward]
    index = index_of(estimate)
    assert index is not None
    found = index.ask(starts, stops)
    lower, upper = (corner[:, 0] for corner in layout.boxes())
    inside = np.maximum(np.minimum(upper, stops) - np.maximum(lower, starts), 0)
    weights = inside / (upper - lower)
    assert found.value == pytest.approx(weights @ estimate.values, abs=1e-9)
    assert found.partial == pytest.approx((weights * (weights < 1)) @ estimate.values, abs=1e-9)
    assert found.variance == pytest.approx(2 * (weights**2).sum(axis=1), abs=1e-9)
    assert found.fourths == pytest.approx(2 * (weights**4).sum(axis=1), abs=1e-9)
    assert found.largest == pytest.approx(weights.max(axis=1), abs=1e-12)


class Halves(Inference):
    """An inference that no index knows: all values halved."""

    kind = "halves"

    def push(self, measurements: Sequence[Measurement]) -> Any:
        return measurements[0].values / 2

    def pull(self, weights: Any) -> Sequence[Any]:
        return [weights / 2]

    def variances(self, measurements: Sequence[Measurement]) -> Any:
        return np.full(measurements[0].partition.size, measurements[0].variance / 4)

    def check(self, partition: Any, measurements: Sequence[Measurement]) -> None:
        pass

    @classmethod
    def from_json(cls, data: Any, measurements: Sequence[Measurement]) -> Halves:
        return cls()


@pytest.mark.parametrize("layout", [adaptive(2, 3, 3), Grid(adaptive(2, 1, 1).domain, (4, 4))])
def test_any_other_inference_is_asked_for_its_moments(layout: Boxed) -> None:
    estimate = Estimate.infer(layout, [measured(layout, 0, 8.0)], Halves())
    counts = counts_of(estimate)
    pairs = [(0.1, 0.7), (0.0, 1.0), (0.4, 0.4)]
    many = counts.many({"x0": pairs, "x1": pairs[::-1]})
    for row, answer in enumerate(many):
        one = counts.one({"x0": pairs[row], "x1": pairs[2 - row]})
        assert answer.value == pytest.approx(one.value)
        assert answer.partial == pytest.approx(one.partial)
        assert answer.interval == pytest.approx(one.interval)


def test_intervals_of_many_counts_hold_what_they_promise_at_any_confidence() -> None:
    """Unknown noise is as wide as any: a single Laplace at 95 %, a normal one at 50 %."""
    for confidence in (0.1, 0.5, 0.8, 0.9, 0.95, 0.999):
        unknown = half_width(Spread(np.array([4.0]), None), confidence)
        for kurtosis in (3.0, 1.5, 0.3, 0.0):
            assert unknown[0] >= half_width(Spread(4.0, kurtosis), confidence) - 1e-12
    assert float(half_width(Spread(1.0, None), 0.95)) == pytest.approx(math.log(20) / math.sqrt(2))


def test_lists_and_categories_of_a_box_layout() -> None:
    domain = Domain(n=hg.Integer(0, 9), sex=hg.Category(["F", "M"], outside="other"))
    raster = Raster.of_cells(domain)
    layout = Boxes(raster, np.array([1, 0, -1, -1, 1, -1, -1]), np.array([1, 4, 0, 0, 2, 0, 0]))
    estimate = Estimate.direct(Measurement(layout, np.array([40, 60, 100, 7]), 2.0, Fraction(1)))
    count = counts_of(estimate).one
    assert count({"sex": "F"}).value == 100
    assert count({"sex": "M"}).value == 100
    assert count({"sex": ["F", "other"]}).value == 107
    assert count({"n": [0, 1, 9], "sex": "F"}).value == pytest.approx(30)
    assert count({"n": (0, 4), "sex": "F"}).partial == 0
    assert count({"n": 3}).value == pytest.approx(10 + 10 + 0.7)
    assert count({"n": 3}).partial == count({"n": 3}).value
