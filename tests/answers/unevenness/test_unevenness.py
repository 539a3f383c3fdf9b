"""What rows that do not lie evenly can do to answers: sums by brute force, clumping that is known,
and intervals that hold."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hushgram as hg
from hushgram.answers.unevenness.base import WIDE, Uneven, cell_weights
from hushgram.answers.unevenness.clumping import MIN_ON_A_LINE, clumping_of
from hushgram.answers.unevenness.cut_walk import (
    cut_boxes,
    cut_slice_sums,
    cut_slices,
    cut_sums,
)
from hushgram.answers.unevenness.evidence import unevenness_of
from hushgram.answers.unevenness.groups import BlindGroups, GroupUnevenness
from hushgram.answers.unevenness.parts import A_ROW, PartUnevenness
from hushgram.answers.unevenness.ranks import RankUnevenness
from hushgram.answers.unevenness.views import ViewUnevenness
from hushgram.answers.unevenness.widths import uneven_width
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows
from hushgram.geometry.partition import Boxed, Cuts, Grid, Merged
from hushgram.lab.checks import vault_for
from hushgram.lab.memory import IndexedTable
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.inference.pooled import Pooled
from hushgram.queries import Measurement
from hushgram.release.parquet import read
from hushgram.spending.job import Job, release_from_vault
from tests.strategies import boxes, cuts, refined


@st.composite
def layouts(draw: st.DrawFn) -> Boxed:
    domain = draw(st.sampled_from(DOMAINS))
    kind = draw(st.sampled_from([boxes, cuts, refined]))
    return draw(kind(domain))


DOMAINS = (
    Domain(x=hg.Integer(0, 30)),
    Domain(x=hg.Interval(0, 1, resolution=64), y=hg.Integer(0, 9)),
    Domain(x=hg.Integer(0, 5), y=hg.Regular(4, 0, 1), z=hg.Integer(0, 6)),
)


def some_boxes(domain: Domain, many: int, seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    shape = np.array(domain.shape)
    ends = np.sort(rng.random((2, many, len(shape))), axis=0) * shape
    whole = rng.random(ends.shape) < 0.3
    return tuple(np.where(whole, np.rint(ends), ends))


# Sums over cut parts -------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(layout=layouts(), seed=st.integers(0, 99))
def test_variances_are_sums_over_all_cut_parts(layout: Boxed, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, noise = rng.normal(20, 30, layout.size), rng.random(layout.size) * 50
    part = PartUnevenness(layout, rows, noise)
    starts, stops = some_boxes(layout.domain, 7, seed)
    found = part.of_boxes(starts, stops)
    lower, upper = layout.boxes()
    shares, squares = part.clumping.shares, rows**2 - noise
    for number, (start, stop) in enumerate(zip(starts, stops, strict=True)):
        f = np.clip((np.minimum(upper, stop) - np.maximum(lower, start)) / (upper - lower), 0, 1)
        weights = f.prod(axis=1)
        f = np.where(f > 1 - 1e-12, 1, np.where(f < 1e-12, 0, f))
        weights = f.prod(axis=1)
        cut = (weights > 0) & (f < 1).any(axis=1)
        expected = 0.0
        for axis, share in enumerate(shares):
            below = lower[:, axis] < start[axis]
            place = np.where(below, start[axis], stop[axis])
            even = np.where(
                (upper[:, axis] - place < 1) & (upper[:, axis] - lower[:, axis] >= WIDE),
                0.25,
                f[:, axis] - f[:, axis] ** 2,
            )
            t = (f[:, :axis] ** 2).prod(axis=1) * even * f[:, axis + 1 :].prod(axis=1)
            for side in (below, ~below):
                here = side & cut & (f[:, axis] < 1)
                own = share * (t * squares)[here].sum()
                own += (1 - share) * max((t * rows)[here].sum(), 0)
                together = (np.sqrt(t) * rows)[here].sum() ** 2 - (t * rows**2)[here].sum()
                kappa = part.clumping.coherence_of(axis, np.array([here.sum()]))[0]
                expected += max(own, 0) + kappa * max(together, 0)
        expected = max(expected, A_ROW**2) if cut.any() else 0
        assert found.variance[number] == pytest.approx(expected, rel=1e-9, abs=1e-6)
        inside = np.maximum(rows, 0)[cut]
        far = np.maximum(weights, 1 - weights)[cut]
        most = max(weights[cut] @ inside, (1 - weights[cut]) @ inside)
        most += 2 * np.sqrt(far**2 @ noise[cut])
        most = max(most, 1) if cut.any() else 0
        assert found.most[number] == pytest.approx(most, rel=1e-9, abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(layout=st.sampled_from(DOMAINS).flatmap(cuts), seed=st.integers(0, 99))
def test_slices_are_boxes(layout: Cuts, seed: int) -> None:
    """Both walks find the same cut parts."""
    rng = np.random.default_rng(seed)
    rows, noise = rng.normal(20, 30, layout.size), rng.random(layout.size) * 50
    starts, stops = some_boxes(layout.domain, 7, seed)
    starts[0] = stops[0]  # an empty one
    sides = [layout.cuts(axis) for axis in range(len(layout.domain))]
    by_slices = cut_slice_sums(cut_slices(sides, rows, noise), starts, stops)
    order = rng.permutation(layout.size)
    by_boxes = cut_sums(cut_boxes(*layout.boxes(), order, rows, noise), starts, stops)
    for one, other in zip(by_slices, by_boxes, strict=True):
        assert one == pytest.approx(other, rel=1e-9, abs=1e-6)


def test_the_axes_share_a_parts_variance() -> None:
    f = np.random.default_rng(1).random((100, 3))
    parts = [
        (f[:, :a] ** 2).prod(1) * (f[:, a] - f[:, a] ** 2) * f[:, a + 1 :].prod(1) for a in range(3)
    ]
    w = f.prod(axis=1)
    assert np.sum(parts, axis=0) == pytest.approx(w - w**2)


def test_questions_on_edges_cut_nothing() -> None:
    domain = DOMAINS[0]
    part = PartUnevenness(Cuts(domain, (np.array([0, 4, 9]),)), np.full(3, 50.0), np.ones(3))
    on, off = np.array([[0.0], [4.0]]), np.array([[9.0], [31.0]])
    assert not part.may_cut(on, off).any()
    assert part.of_boxes(on, off).variance.tolist() == [0, 0]
    assert part.may_cut(on + 0.5, off).all()
    assert (part.of_boxes(on + 0.5, off).variance > 0).all()


@settings(max_examples=30, deadline=None)
@given(layout=cuts(DOMAINS[0]), seed=st.integers(0, 99))
def test_weights_and_boxes_agree_on_a_line(layout: Boxed, seed: int) -> None:
    rng = np.random.default_rng(seed)
    part = PartUnevenness(layout, rng.random(layout.size) * 40 + 10, np.zeros(layout.size))
    starts, stops = np.zeros((4, 1)), 31 * rng.random((4, 1))
    gaps = layout.boxes()[1][:, 0] - stops
    stops[((gaps > 0) & (gaps < 1)).any(axis=1)] = 0  # these count as cut in the middle
    by_box = part.of_boxes(starts, stops)
    by_weights = part.of_weights(np.stack(list(cell_weights(layout, starts, stops))))
    assert by_weights.variance == pytest.approx(by_box.variance)
    assert by_weights.most == pytest.approx(by_box.most)


# Clumping ------------------------------------------------------------------------------------


def plane(side: int = 64) -> Grid:
    return Grid(Domain(x=hg.Interval(0, 1), y=hg.Interval(0, 1)), (side, side))


def test_even_rows_are_not_clumped() -> None:
    rng = np.random.default_rng(2)
    rows = rng.poisson(50, 64 * 64).astype(float)
    found = clumping_of(plane(), rows, np.zeros(len(rows)))
    assert (found.shares < 0.03).all()
    assert found.coherence.max() < 0.01


def test_noise_is_not_taken_for_clumping() -> None:
    rng = np.random.default_rng(3)
    rows = 200 + rng.laplace(0, 30, 64 * 64)
    found = clumping_of(plane(), rows, np.full(len(rows), 2 * 30.0**2))
    assert (found.shares < 0.05).all()


def test_rows_at_few_places_are_clumped() -> None:
    rng = np.random.default_rng(4)
    rows = np.where(rng.random(64 * 64) < 0.02, 1000.0, 0.0)
    found = clumping_of(plane(), rows, np.zeros(len(rows)))
    assert (found.shares > 0.9).all()


def test_streets_are_coherent() -> None:
    """All rows of each second row of cells: a cut across y takes them in all parts or in none."""
    rows = np.zeros((64, 64))
    rows[:, ::2] = 100 + np.random.default_rng(5).poisson(20, (64, 32))
    found = clumping_of(plane(), rows.reshape(-1), np.zeros(64 * 64))
    along, across = found.coherence
    assert across.min() > 0.8
    assert along.max() < 0.05


def test_few_parts_prove_little() -> None:
    line = Grid(Domain(x=hg.Interval(0, 1)), (3,))
    assert clumping_of(line, np.full(3, 100.0), np.zeros(3)).shares[0] >= MIN_ON_A_LINE
    alone = Grid(Domain(x=hg.Interval(0, 1)), (1,))
    assert clumping_of(alone, np.full(1, 100.0), np.zeros(1)).shares[0] == 1


# Widths --------------------------------------------------------------------------------------


def test_widths_end_at_the_most_that_can_be() -> None:
    uneven = Uneven(np.array([1e6, 1e6]), np.zeros(2), np.array([50.0, 1e9]))
    widths = uneven_width(uneven, 0.95)
    assert widths[0] == 50
    assert widths[1] == pytest.approx(1960, rel=0.02)


def test_a_single_place_is_in_or_out() -> None:
    assert uneven_width(Uneven(100.0, 1.0, 400.0), 0.95) == 400


def test_what_was_seen_is_allowed_for() -> None:
    seen = Uneven(np.array([100.0]), np.zeros(1), np.array([np.inf]), np.array([-300.0]))
    assert uneven_width(seen, 0.95)[0] > 300 + 1.6 * 10


def test_higher_confidence_is_wider() -> None:
    uneven = Uneven(np.full(3, 100.0), np.zeros(3), np.full(3, 1e9))
    widths = [uneven_width(uneven, level)[0] for level in (0.5, 0.9, 0.95, 0.999)]
    assert widths == sorted(widths)


# Which kind of evidence ----------------------------------------------------------------------


def publish(counts: Any, mechanism: str, epsilon: str = "1") -> Any:
    return hg.publish(hg.Counts(counts), epsilon=epsilon, mechanism=mechanism)


@pytest.mark.parametrize(
    ("mechanism", "kind"),
    [
        ("identity", PartUnevenness),
        ("structure-first", PartUnevenness),
        ("sorted", RankUnevenness),
        ("ahp", GroupUnevenness),
        ("noise-first", GroupUnevenness),
        ("isotonic", GroupUnevenness),
        ("grouping-smoothing", GroupUnevenness),
        ("dpcube", GroupUnevenness),
    ],
)
def test_evidence_of_mechanisms(mechanism: str, kind: type) -> None:
    release = publish(np.arange(40), mechanism)
    assert isinstance(unevenness_of(release.estimate), kind)
    assert isinstance(unevenness_of(release.slice(x0=(3, 30)).estimate), ViewUnevenness)


def test_sorted_rows_are_known_to_half_a_group() -> None:
    """But for the ends of the axis, and for rows inside of a part that is cut."""
    release = publish(np.full(40, 50), "sorted")
    found = unevenness_of(release.estimate)
    assert isinstance(found, RankUnevenness)
    half = found.rows.longest / 2
    cuts = release.estimate.partition.cuts(0).astype(float)
    far = int(np.flatnonzero(found.rows.groups > found.rows.groups[2])[0]) + 1
    ends = cuts[[0, 0, 3]], cuts[[-1, far, far]]
    variance = found.of_boxes(*(side[:, None] for side in ends)).variance
    assert variance == pytest.approx([0, half**2, 2 * half**2])
    parts = np.arange(len(cuts) - 1)
    weights = [(parts >= a) & (parts < b) for a, b in ((0, len(parts)), (0, far), (3, far))]
    assert found.of_weights(np.array(weights, dtype=float)).variance == pytest.approx(variance)
    inside = found.of_boxes(np.array([[cuts[3]]]), np.array([[cuts[far] + 0.5]])).variance[0]
    assert inside >= 2 * half**2


def test_rows_sorted_along_a_curve_are_known_to_half_a_group_at_each_crossing() -> None:
    """A box that touches few groups is less uncertain than one that touches many, and what lies in
    one group is no more than that group."""
    release = publish(np.full((32, 32), 20), "sorted")
    found = unevenness_of(release.estimate)
    assert isinstance(found, RankUnevenness)
    order, groups = found.rows.order, found.rows.groups
    half = (found.rows.longest / 2) ** 2
    one, alternate, whole = np.zeros((3, len(order)))
    one[order[0]], alternate[order[::2]], whole[:] = 1, 1, 1
    variance = found.of_weights(np.array([one, alternate, whole])).variance
    assert variance == pytest.approx([half, half * len(np.unique(groups)), 0])
    small = found.of_boxes(np.array([[3.0, 3.0]]), np.array([[3.5, 3.5]]))
    assert small.variance[0] >= half


def test_a_cut_part_has_room_for_a_row() -> None:
    """However small the share: people ask where rows are."""
    part = PartUnevenness(plane(2), np.zeros(4), np.full(4, 1e-9))
    uneven = part.of_boxes(np.array([[5.0, 5.0]]), np.array([[6.0, 6.0]]))
    assert 1 <= uneven_width(uneven, 0.95)[0] < 1.1


def test_parts_that_go_together_are_like_a_single_one() -> None:
    """Streets along the cut: the interval reaches nearly as far as all rows on one side."""
    rows = np.zeros((64, 64))
    rows[:, ::2] = 100
    together = PartUnevenness(plane(), rows.reshape(-1), np.full(64 * 64, 1e-6))
    apart = PartUnevenness(
        plane(), np.random.default_rng(1).permutation(rows.reshape(-1)), np.full(64 * 64, 1e-6)
    )
    whole = float(plane().domain.shape[0])
    box = np.array([[0.0, 0.0]]), np.array([[whole, whole * 32.5 / 64]])
    one, many = together.of_boxes(*box), apart.of_boxes(*box)
    assert one.alone[0] > 0.5 > many.alone[0]


def test_a_cut_in_the_last_index_of_a_wide_part_counts_as_one_in_its_middle() -> None:
    """Many rows may share the very value that was asked for, and are on one side of the cut."""
    domain = Domain(x=hg.Interval(0, 200_000))
    grid = Grid(domain, (100,))
    rows, noise = np.full(100, 50.0), np.full(100, 1e-6)
    found = PartUnevenness(grid, rows, noise)
    edge = float(grid.cuts(0)[10])
    middle = float(grid.cuts(0)[9:11].mean())
    cuts = np.array([[edge], [edge - 0.4], [edge - 2], [middle]])
    on, last, near, half = found.of_boxes(np.zeros((4, 1)), cuts).variance
    assert on == 0
    assert last == pytest.approx(half)
    assert near < half / 4


def test_groups_without_a_look_can_be_anywhere() -> None:
    cells = Grid.of_cells(Domain(x=hg.Integer(0, 3)))
    groups = Merged(cells, np.array([0, 0, 0, 1]))
    sums = Measurement(groups, np.array([900, 10]), 2.0, Fraction(1))
    estimate = Estimate.infer(cells, [sums], Pooled(groups, np.arange(2)))
    assert isinstance(unevenness_of(estimate), BlindGroups)
    found = unevenness_of(estimate).of_weights(np.array([[1.0, 0, 0, 0], [1, 1, 1, 0]]))
    assert found.most.tolist() == pytest.approx([600 + 4 / 3 * 2**0.5, 0])
    assert uneven_width(found, 0.95).tolist() == pytest.approx(found.most.tolist())


@pytest.mark.parametrize("mechanism", ["ahp", "isotonic", "grouping-smoothing"])
def test_the_first_look_is_kept(mechanism: str) -> None:
    release = publish(np.arange(40), mechanism)
    again = read(release.to_bytes())
    assert len(again.estimate.measurements) == 2
    assert again.count(x0=(3, 9)) == release.count(x0=(3, 9))
    assert again.estimate.values.tolist() == release.estimate.values.tolist()


@pytest.mark.parametrize("mechanism", ["identity", "ahp", "privtree-hb", "dpcube", "sorted"])
def test_one_question_and_many_agree(mechanism: str) -> None:
    counts = np.random.default_rng(8).poisson(30, (12, 16))
    release = publish(counts, mechanism)
    lows, highs = np.array([[0.0, 2], [3, 3], [1, 0]]), np.array([[5.0, 9], [4, 11], [12, 16]])
    table = {"x0_lo": lows[:, 0], "x0_hi": highs[:, 0], "x1_lo": lows[:, 1], "x1_hi": highs[:, 1]}
    many = release.count(table)
    for number, (low, high) in enumerate(zip(lows, highs, strict=True)):
        one = release.count(x0=(low[0], high[0]), x1=(low[1], high[1]))
        assert many[number].interval == pytest.approx(one.interval, rel=0.1, abs=1e-6)
        assert one.interval[0] <= one.noise_interval[0]
        assert one.noise_interval[1] <= one.interval[1]


@pytest.mark.parametrize("mechanism", ["identity", "privtree-hb", "dpcube"])
def test_a_view_is_as_wide_as_the_release(mechanism: str) -> None:
    counts = np.random.default_rng(8).poisson(30, (12, 16, 2))
    release = publish(counts, mechanism)
    view = release.project("x1", "x0")
    part = view.slice(x0=(2, 11)).rollup(x1=4)
    asked = {"x0": (3, 9), "x1": (4, 12)}
    expected = release.count(asked)
    for one in (view.count(asked), part.count(asked)):
        assert one.value == pytest.approx(expected.value)
        assert one.half_width == pytest.approx(expected.half_width, rel=0.1)


# Intervals that hold -------------------------------------------------------------------------


def held_share(domain: Domain, rows: Any, mechanism: str, epsilon: str, releases: int) -> float:
    """How often intervals of ranges along x hold the truth."""
    table = IndexedTable(domain, np.floor(domain.axes[0].positions(rows[:, 0]))[:, None])
    job = Job(domain, Fraction(epsilon), Rows(), "add-remove")
    rng = np.random.default_rng(1)
    hits = []
    for _ in range(releases):
        release = release_from_vault(hg.MECHANISMS[mechanism](), vault_for(job, table), job, None)
        ends = np.sort(rng.random((2, 40)) * 100, axis=0)
        answers = release.count({"x_lo": ends[0], "x_hi": ends[1]})
        truth = [((rows[:, 0] >= a) & (rows[:, 0] < b)).sum() for a, b in ends.T]
        hits += ((answers.lower <= truth) & (truth <= answers.upper)).tolist()
    return float(np.mean(hits))


@pytest.mark.parametrize("mechanism", ["identity", "ahp", "noise-first", "structure-first", "hb"])
def test_intervals_hold_on_heaped_rows(mechanism: str) -> None:
    """Half of the rows lie at multiples of 5, the rest anywhere; 40 bins of 2.5."""
    rng = np.random.default_rng(9)
    exact = rng.gamma(3, 12, 5000) % 100
    rows = np.where(rng.random(5000) < 0.5, np.rint(exact / 5) * 5 % 100, exact)[:, None]
    domain = Domain(x=hg.Regular(40, 0, 100))
    assert held_share(domain, rows, mechanism, "0.5", 8) >= 0.93


def test_whole_numbers_in_bins_that_start_at_whole_numbers() -> None:
    """Ages and hours are whole: a cut just above one has all of its rows below it, in every bin
    that it meets."""
    rng = np.random.default_rng(5)
    rows = {"age": rng.integers(18, 90, 20_000), "hours": rng.integers(1, 60, 20_000)}
    domain = hg.Domain(age=hg.Regular(20, 0, 100), hours=hg.Regular(15, 0, 60))
    release = hg.publish(pa.table(rows), domain, epsilon=1, mechanism="identity", account="a")
    cuts = np.arange(20.05, 80, 1.0)
    held = [
        low <= (rows["age"] < cut).sum() <= high
        for cut in cuts
        for low, high in [release.rank("age", float(cut)).interval]
    ]
    assert np.mean(held) > 0.9


def test_a_single_part_that_is_cut_is_no_pair() -> None:
    """Nothing goes together with it: what rounding leaves of that is not taken for rows."""
    domain = Domain(x=hg.Integer(0, 19))
    parts = PartUnevenness(Cuts(domain, ((0, 10),)), np.array([-3.0, 40.0]), np.full(2, 9.4))
    shares = np.stack([np.linspace(0.01, 0.99, 99), np.zeros(99)], axis=1)
    found = parts.of_weights(shares)
    assert not found.variance.any()
    assert not found.alone.any()
