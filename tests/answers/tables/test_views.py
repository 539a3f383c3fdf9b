"""Views count as the release does, with its covariances: against `Estimate.moments`."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hushgram as hg
from hushgram.answers.counting.counts import counts_of
from hushgram.answers.tables.middles import product, shares_of
from hushgram.declare.axis import Axis, Window
from hushgram.declare.unit import Rows
from hushgram.errors import NotAnswerable, QuestionError
from hushgram.geometry.measured.contrasts import Contrasts
from hushgram.geometry.measured.sorted_groups import SortedGroups
from hushgram.geometry.partition import Boxed, Boxes, Cuts, Grid, Lattice, Merged, Raster, Refined
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.inference.even import EvenLeaves
from hushgram.mechanisms.inference.pooled import Pooled
from hushgram.mechanisms.inference.sorted_sequence import SortedSequence
from hushgram.mechanisms.inference.summed import measured_domain
from hushgram.mechanisms.inference.tree import Tree
from hushgram.mechanisms.inference.wavelet import Wavelet
from hushgram.queries import Measurement
from hushgram.release import Release
from hushgram.release.parquet import read
from tests import strategies
from tests.samples import cells, release_of
from tests.strategies import boxes, cuts, grids, refined


def measured(partition: Any, rng: np.random.Generator, noise: float = 2.0) -> Measurement:
    values = rng.integers(-50, 200, partition.size)
    return Measurement(partition, values, noise, Fraction(1))


def tree_above(layout: Boxed, rng: np.random.Generator) -> Estimate:
    """Reconciled counts of the parts, and of coarser ones above them."""
    whole = Boxes.whole(Raster(layout.domain, (1,) * len(layout.domain)))
    levels: list[Boxed] = [whole, layout]
    if isinstance(layout, Refined):
        levels = [layout.grid, layout]
    found = [measured(level, rng, 1.0 + n) for n, level in enumerate(levels)]
    return Estimate.infer(layout, found, Tree.of(found))


def keeps_other_apart(domain: hg.Domain) -> bool:
    """No window holds "other" beside values: a layout of any slices might join them."""
    windows = [axis for axis in domain.axes if isinstance(axis, Window)]
    return not any(w.start < w.axis.bins < w.stop for w in windows)


@st.composite
def estimates(draw: st.DrawFn) -> Estimate:
    """Estimates of any layout of boxes, and of any inference on it."""
    domain = draw(strategies.domains(3).filter(keeps_other_apart))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kind = draw(st.sampled_from(["direct", "tree", "pooled", "even"]))
    if kind == "pooled":
        grid = draw(st.one_of(grids(domain), cuts(domain)))
        groups = np.unique(rng.integers(0, 4, grid.size), return_inverse=True)[1]
        return Estimate.infer(grid, [measured(grid, rng)], Pooled(grid, groups))
    if kind == "even":
        raster = Raster(domain, draw(grids(domain)).slices)
        found = [measured(Boxes.whole(raster), rng, 1.5)]
        found += [measured(Grid(domain, raster.slices), rng, 3.0)] * draw(st.booleans())
        if any(axis.other for axis in domain.axes):
            return Estimate.direct(measured(Grid(domain, raster.slices), rng))
        inference = EvenLeaves.of(found)
        return Estimate.infer(inference.cells, found, inference)
    layout = draw(st.one_of(grids(domain), cuts(domain), boxes(domain), refined(domain)))
    if kind == "tree":
        return tree_above(layout, rng)
    return Estimate.direct(measured(layout, rng))


def as_release(estimate: Estimate) -> Release:
    return Release(
        estimate, mechanism="identity", parameters={}, epsilon=Fraction(1), unit=Rows(),
        neighbours="add-remove",
    )  # fmt: skip


def overlap(layout: Boxed, lower: Any, upper: Any) -> np.ndarray:
    """The share of each part that lies between two corners."""
    low, high = layout.boxes()
    inside = np.maximum(np.minimum(high, upper) - np.maximum(low, lower), 0)
    return np.asarray((inside / (high - low)).prod(axis=1))


def check_parts(original: Estimate, seen: Estimate, corners: Any) -> None:
    """Each part of the view is the sum over its corners in the original's indices."""
    noise = seen.variances()
    for part, (lower, upper) in enumerate(corners):
        weights = overlap(original.partition, lower, upper)  # type: ignore[arg-type]
        unit = np.zeros(len(noise))
        unit[part] = 1.0
        expected = original.moments(weights)
        assert seen.values[part] == pytest.approx(weights @ original.values, abs=1e-6)
        assert noise[part] == pytest.approx(expected[0], abs=1e-9)
        assert seen.moments(unit) == pytest.approx(expected, abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(estimates(), st.data())
def test_a_projection_has_the_sums_and_their_covariances(estimate: Estimate, data: Any) -> None:
    domain = estimate.partition.domain
    names = data.draw(st.lists(st.sampled_from(domain.names), min_size=1, unique=True))
    seen = as_release(estimate).project(*names, bins=7).estimate
    assert seen.partition.domain.names == tuple(names)
    lower, upper = seen.partition.boxes()  # type: ignore[attr-defined]
    places = [domain.names.index(name) for name in names]
    first = np.zeros((len(lower), len(domain)))
    last = np.tile(np.array(domain.shape), (len(lower), 1))
    first[:, places], last[:, places] = lower, upper
    check_parts(estimate, seen, list(zip(first, last, strict=True))[:40])
    weights = np.linspace(-1, 2, len(seen.values))
    spread = np.zeros(len(estimate.values))
    for weight, low, high in zip(weights, first, last, strict=True):
        spread += weight * overlap(estimate.partition, low, high)  # type: ignore[arg-type]
    assert seen.moments(weights) == pytest.approx(estimate.moments(spread), rel=1e-6, abs=1e-6)


@settings(max_examples=60, deadline=None)
@given(estimates(), st.data())
def test_a_view_is_saved_and_read_again(estimate: Estimate, data: Any) -> None:
    name = data.draw(st.sampled_from(estimate.partition.domain.names))
    seen = as_release(estimate).project(name, bins=5).project(name, bins=2)
    again = read(seen.to_bytes())
    assert again.domain == seen.domain
    assert again.estimate.values == pytest.approx(seen.estimate.values)
    assert again.variances() == pytest.approx(seen.variances())
    assert again.to_bytes() == seen.to_bytes()
    assert again.count() == seen.count()
    about = again.estimate.inference.to_json()
    assert measured_domain(about, again.domain) == estimate.partition.domain


def edges_asked(axis: Axis, start: int, stop: int) -> Any:
    """What somebody asks for who means the indices from start to stop."""
    whole = axis.axis if isinstance(axis, Window) else axis
    offset = axis.start if isinstance(axis, Window) else 0
    if isinstance(whole, hg.Category):
        texts = [*whole.values, "other"]
        return [texts[place + offset] for place in range(start, stop)]
    return axis.edge(start), axis.edge(stop) if stop + offset < whole.bins else None


@settings(max_examples=60, deadline=None)
@given(estimates(), st.data())
def test_a_slice_counts_as_the_original_does_in_that_range(estimate: Estimate, data: Any) -> None:
    release = as_release(estimate)
    ranges = {}
    for name, axis in release.domain.items():
        offset = axis.start if isinstance(axis, Window) else 0
        whole = axis.axis if isinstance(axis, Window) else axis
        size = axis.bins if not axis.ordered else min(axis.bins, whole.bins - offset)
        if size > 0 and data.draw(st.booleans()):
            start = data.draw(st.integers(0, size - 1))
            stop = data.draw(st.integers(start + 1, size))
            ranges[name] = edges_asked(axis, start, stop)
    seen = release.slice(ranges, bins=5)
    mine, theirs = seen.count(), release.count(ranges)
    assert mine.value == pytest.approx(theirs.value, abs=1e-6)
    assert seen.estimate.moments(np.ones(len(seen.estimate.values))) == pytest.approx(
        estimate.moments(product(estimate.partition, shares_of(estimate.partition, ranges))),  # type: ignore[arg-type]
        rel=1e-6, abs=1e-9,
    )  # fmt: skip


PEOPLE = cells(
    age=hg.Integer(0, 5), city=hg.Category(["a", "b", "c", "d"], outside="other"),
    x=hg.Regular(4, 0, 2, outside="other"),
)  # fmt: skip


def test_counts_on_views_are_those_of_the_release() -> None:
    release = release_of(PEOPLE)
    seen = release.project("city", "age")
    for question in ({"age": (1, 4)}, {"city": ["a", "other"]}, {"city": "b", "age": 3}, {}):
        assert seen.count(question) == release.count(question)
    one = {"age_lo": [0, 2], "age_hi": [3, None]}
    assert seen.count(one).to_pandas().equals(release.count(one).to_pandas())
    assert release.project("x").count(x=["other"]) == release.count(x=["other"])
    assert isinstance(seen.estimate.partition, Grid)


def test_a_slice_may_take_categories_from_anywhere() -> None:
    release = release_of(PEOPLE)
    seen = release.slice(city=["d", "a", "other"])
    assert seen.domain["city"] == hg.Category(["a", "d"], outside="other")
    for city in ("a", "d", "other"):
        assert seen.count(city=city) == release.count(city=city)
    near = release.slice(city=["d", "other"])
    assert near.domain["city"] == Window(release.domain["city"], 3, 5)
    assert near.count(city="other") == release.count(city="other")
    again = near.slice(city="other").project("city")
    assert again.count() == release.count(city="other")
    with pytest.raises(QuestionError, match="is not on the axis"):
        near.count(city="zz")
    assert near.to_pandas()["city"].unique().tolist() == ["d", "other"]


def test_slices_cut_no_declared_bin() -> None:
    release = release_of(PEOPLE)
    with pytest.raises(QuestionError, match=r"Use 0\.5 or 1\.0"):
        release.slice(x=(0.6, 2))
    with pytest.raises(QuestionError, match="contains nothing"):
        release.slice(age=(2, 2))
    with pytest.raises(QuestionError, match="one range"):
        release.slice(age=[1, 3])
    with pytest.raises(QuestionError, match="no axis 'sex'"):
        release.slice(sex="F")
    with pytest.raises(QuestionError, match="two ends"):
        release.slice(age=(1, 2, 3))


def test_a_continuous_axis_is_sliced_anywhere() -> None:
    release = release_of(Grid(hg.Domain(x=(0, 1), y=(0, 1)), (8, 8)))
    seen = release.slice(x=(0.3, 0.71), y=(None, 0.5))
    assert seen.count().value == pytest.approx(release.count(x=(0.3, 0.71), y=(0, 0.5)).value, 1e-5)
    assert seen.count(x=(0.4, 0.5)).value == pytest.approx(
        release.count(x=(0.4, 0.5), y=(0, 0.5)).value
    )
    with pytest.raises(QuestionError, match="is continuous"):
        release.slice(x=0.5)


@pytest.mark.parametrize(
    ("wanted", "questions"),
    [
        ({"age": 4}, [{"age": (0, 4)}, {"age": (4, 6)}]),
        ({"age": [2, 3]}, [{"age": (0, 2)}, {"age": (2, 3)}, {"age": (3, 6)}]),
        ({"x": 1.5}, [{"x": (0, 1.5)}, {"x": (1.5, 2)}, {"x": "other"}]),
        ({"city": {"u": ["d", "a"], "v": ["other"]}},
         [{"city": ["a", "d"]}, {"city": "other"}, {"city": ["b", "c"]}]),
    ],
)  # fmt: skip
def test_rollups_add_up(wanted: dict[str, Any], questions: list[dict[str, Any]]) -> None:
    release = release_of(PEOPLE)
    (name,) = wanted
    seen = release.rollup(wanted).project(name)
    expected = [release.count(question).value for question in questions]
    assert seen.values().tolist() == expected
    weights = [product(PEOPLE, shares_of(PEOPLE, question)) for question in questions]
    noise = [release.estimate.moments(each)[0] for each in weights]
    assert seen.variances() == pytest.approx(noise)


def test_dates_roll_up_by_steps() -> None:
    release = release_of(cells(day=hg.Date("2024-01-01", "2024-03-05")))
    months = release.rollup(day="1mo")
    assert months.values().tolist() == [
        release.count(day=(f"2024-0{m}-01", f"2024-0{m + 1}-01")).value for m in (1, 2, 3)
    ]
    assert months.to_pandas()["day_lo"].tolist() == [dt.date(2024, m, 1) for m in (1, 2, 3)]
    weeks = release.slice(day=("2024-01-08", "2024-01-22")).rollup(day="1w")
    assert weeks.values().tolist() == [
        release.count(day=("2024-01-08", "2024-01-15")).value,
        release.count(day=("2024-01-15", "2024-01-22")).value,
    ]


@pytest.mark.parametrize(
    ("wanted", "says"),
    [
        ({"age": 0}, "number. Found 0"),
        ({"age": 1.5}, "whole numbers"),
        ({"age": {"young": [1]}}, "has an order"),
        ({"city": 2}, "Name its groups:"),
        ({"city": {"u": ["a"], "v": ["a"]}}, "in two groups"),
        ({"city": {"u": []}}, "Add values to"),
        ({"city": {}}, "Add values"),
        ({"city": {"u": ["zz"]}}, "is not on the axis"),
        ({"x": 0.3}, "a declared bin"),
        ({"sex": 1}, "no axis 'sex'"),
    ],
)
def test_bad_rollups_are_refused(wanted: dict[str, Any], says: str) -> None:
    with pytest.raises(QuestionError, match=says):
        release_of(PEOPLE).rollup(wanted)
    with pytest.raises(QuestionError, match="a step such as"):
        release_of(cells(day=hg.Date("2024-01-01", "2024-03-05"))).rollup(day=7)


def test_axes_may_come_in_a_list() -> None:
    release = release_of(PEOPLE)
    assert release.project(["x", "age"]).domain == release.project("x", "age").domain
    assert release.group_by(["age"]).equals(release.group_by("age"))


@pytest.mark.parametrize("names", [(), ("age", "age"), ("sex",), ([],), (1,), (["age"], "x")])
def test_bad_projections_are_refused(names: tuple[str, ...]) -> None:
    with pytest.raises(QuestionError):
        release_of(PEOPLE).project(*names)


@pytest.mark.parametrize("bins", [0, True, 1.5, {"age": -1}])
def test_bins_are_a_number(bins: Any) -> None:
    with pytest.raises(QuestionError, match="bins must be a positive whole number"):
        release_of(PEOPLE).project("age", bins=bins)


def test_what_is_no_box_has_no_view() -> None:
    grid = cells(age=hg.Integer(0, 3))
    merged = Merged(grid, np.array([0, 1, 1, 0]))
    release = as_release(Estimate.direct(measured(merged, np.random.default_rng(0))))
    with pytest.raises(NotAnswerable, match="merged"):
        release.project("age")


def map_of(kind: str) -> Release:
    """A release of boxes on a map with a category beside it."""
    domain = hg.Domain(x=(0, 1), y=(0, 1), kind=hg.Category(["a", "b"]))
    rng = np.random.default_rng(3)
    grid = Grid(domain, (4, 4, 2))
    layout: Boxed = Refined(grid, np.array([[1, 2, 1], [3, 1, 1]] * 16))
    if kind == "boxes":
        tree = Boxes.whole(Raster(domain, (64, 64, 2)))
        for depth in range(8):
            lower, upper = tree.corners
            wide = upper - lower
            axis = np.where(depth == 3, 2, depth % 2) * np.ones(tree.size, dtype=np.int64)
            axis = np.where(np.take_along_axis(wide, axis[:, None], 1)[:, 0] > 1, axis, -1)
            middle = (lower + upper + (rng.random(lower.shape) < 0.5)) // 2
            tree = tree.cut(axis, np.take_along_axis(middle, np.abs(axis)[:, None], 1)[:, 0])
        layout = tree
    return as_release(tree_above(layout, rng))


@pytest.mark.parametrize("kind", ["refined", "boxes"])
def test_boxes_are_laid_on_slices(kind: str) -> None:
    release = map_of(kind)
    along = release.project("x")
    assert isinstance(along.estimate.partition, Cuts | Grid)
    lower, upper = release.estimate.partition.boxes()  # type: ignore[attr-defined]
    ends = np.unique(np.concatenate([lower[:, 0], upper[:, 0]]))
    assert along.grid.cuts(0).tolist() == ends.tolist()
    both = release.project("y", "kind")
    assert both.grid.shape == (256, 2)
    assert release.project("y", "kind", bins={"y": 10}).grid.shape == (10, 2)
    for question in ({"y": (0.2, 0.7)}, {"y": (0.1, 0.11), "kind": "b"}):
        mine, theirs = both.count(question), release.count(question)
        assert mine.value == pytest.approx(theirs.value, rel=0.05, abs=0.5)
    assert both.count().value == pytest.approx(release.count().value)


def test_views_of_a_wavelet_have_products_of_norms() -> None:
    domain = hg.Domain(
        x=hg.Integer(0, 9, outside="other"), y=hg.Integer(0, 6), z=hg.Category(["a", "b"])
    )
    found = measured(Contrasts(domain, ("haar", "flat", "identity")), np.random.default_rng(0))
    wavelet = Wavelet.of([found])
    release = as_release(Estimate.infer(Grid.of_cells(domain), [found], wavelet))
    for seen in (release.project("x"), release.rollup(x=4), release.rollup(y=2).project("y", "x")):
        found = seen.estimate.variances()
        unit = np.eye(len(found))
        assert found == pytest.approx([seen.estimate.moments(one)[0] for one in unit])


def test_too_much_at_once_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    domain = hg.Domain(x=(0, 40))
    rng = np.random.default_rng(0)
    total = Measurement(Grid(domain, (1,)), np.array([60]), 2.0, Fraction(1))
    sums = measured(SortedGroups(domain, 60, 3), rng)
    inference = SortedSequence.of([total, sums])
    release = as_release(Estimate.infer(inference.layout, [total, sums], inference))
    seen = release.rollup(x=10)
    unit = np.eye(4)
    noise = [seen.estimate.moments(one)[0] for one in unit]
    assert seen.variances() == pytest.approx(noise)
    monkeypatch.setattr("hushgram.mechanisms.inference.base.MAX_ROWS", 3)
    with pytest.raises(NotAnswerable, match="4 sums take too long"):
        seen.variances()
    monkeypatch.setattr("hushgram.mechanisms.inference.view.MAX_PIECES", 30)
    with pytest.raises(NotAnswerable, match="fewer bins"):
        map_of("refined").project("x", "y")


def strips() -> Release:
    """Sixteen strips along x, each cut at places of its own."""
    tree = Boxes.whole(Raster(hg.Domain(x=(0, 1), y=(0, 1)), (1024, 16)))
    rng = np.random.default_rng(5)
    for axis in (1, 1, 1, 1, 0, 0, 0):
        lower, upper = (corner[:, axis] for corner in tree.corners)
        aside = rng.integers(-3, 4, tree.size) * (axis == 0)
        tree = tree.cut(np.full(tree.size, axis), (lower + upper) // 2 + aside)
    return as_release(Estimate.direct(measured(tree, rng)))


def test_cuts_are_thinned_when_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    release = strips()
    every = release.project("x").grid.size
    monkeypatch.setattr("hushgram.answers.tables.views.MAX_PIECES", 1)
    fewer = release.project("x")
    assert 4 < fewer.grid.size < every
    assert fewer.count().value == pytest.approx(release.count().value)


def test_huge_counts_do_not_wrap() -> None:
    grid = cells(age=hg.Integer(0, 3))
    release = release_of(grid, [2**62, 2**62, 2**62, 2**62])
    assert release.rollup(age=4).values().tolist() == [2.0**64]


def test_counts_and_views_of_views_agree() -> None:
    release = release_of(PEOPLE)
    seen = release.rollup(age=2).slice(city=["a", "c"]).project("age", "city")
    assert seen.count(age=(2, 4), city="c") == release.count(age=(2, 4), city="c")
    assert counts_of(seen.estimate).one({"age": (0, 1)}).partial != 0
    assert isinstance(seen.grid, Lattice)
