"""PrivTree, and the tree of counts over its leaves."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hushgram as hg
from hushgram.declare.axis import Category, Integer, Interval
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows
from hushgram.errors import BadInput, DomainError
from hushgram.geometry.partition import Boxes, Cuts, Raster
from hushgram.lab.memory import IndexedTable
from hushgram.mechanisms.base import Mechanism
from hushgram.mechanisms.inference.tree import Tree
from hushgram.mechanisms.privtree import PrivTree
from hushgram.mechanisms.privtree_hb import PrivTreeHB, even_lengths, halve_parts, levels_above
from hushgram.mechanisms.tree_sizing import best_tree
from hushgram.trusted.noise import Native
from hushgram.trusted.vault import TableVault

BOTH = pytest.mark.parametrize("kind", [PrivTree, PrivTreeHB])


def spiky(bins: int = 1000) -> Any:
    counts = np.zeros(bins, dtype=np.int64)
    counts[bins // 3] = 20_000
    return counts


@BOTH
def test_a_spike_is_published_as_one(kind: type[Mechanism]) -> None:
    counts = spiky()
    release = hg.publish(hg.Counts(counts), epsilon=1, mechanism=kind())
    assert isinstance(release.estimate.partition, Cuts)
    assert len(release.estimate.values) < 200
    assert abs(release.to_array()[333] - 20_000) < 200


@BOTH
@pytest.mark.parametrize("bins", [1, 2, 3, 5, 100])
def test_any_number_of_bins(kind: type[Mechanism], bins: int) -> None:
    release = hg.publish(hg.Counts(np.full(bins, 50)), epsilon=2, mechanism=kind())
    assert release.to_array().shape == (bins,)
    assert release.to_array().sum() == pytest.approx(50 * bins, abs=400)


@BOTH
def test_bad_parameters_are_refused(kind: Any) -> None:
    for share in (0, 1, -1, "x"):
        with pytest.raises(BadInput, match="share"):
            kind(share=share)
    for threshold in (-1, 1.5, True, "0"):
        with pytest.raises(BadInput, match="threshold"):
            kind(threshold=threshold)


@BOTH
def test_a_start_that_is_too_deep_is_refused(kind: Any) -> None:
    with pytest.raises(BadInput, match="start"):
        kind(start=-1)
    with pytest.raises(DomainError, match="too deep"):
        kind(start=14).check(Domain(x=Interval(0, 1), y=Interval(0, 1)))


DOMAINS = [
    Domain(x=Interval(0, 1), y=Interval(0, 1)),
    Domain(x=Interval(0, 1, outside="other"), y=Integer(0, 6)),
    Domain(x=Integer(0, 40), y=Category(("a", "b", "c"), outside="other"), z=Interval(-1, 1)),
    Domain(x=Category(("a", "b", "c"))),
    Domain({f"x{n}": Integer(0, n) for n in range(6)}),
]


@BOTH
@pytest.mark.parametrize("domain", DOMAINS)
def test_any_axes(kind: type[Mechanism], domain: Domain) -> None:
    rng = np.random.default_rng(5)
    rows = (rng.beta(0.4, 3, (3000, len(domain))) * domain.shape).astype(np.int64)
    estimate = kind().estimate(vault_over(domain, rows))
    assert isinstance(estimate.partition, Boxes if len(domain) > 1 else Cuts)
    assert float(estimate.values.sum()) == pytest.approx(3000, abs=1500)
    for measurement in estimate.measurements:
        assert measurement.partition.domain == domain


@BOTH
def test_leaves_are_small_where_rows_are(kind: type[Mechanism]) -> None:
    domain = Domain(x=Interval(0, 1), y=Interval(0, 1))
    rows = np.random.default_rng(5).normal([700_000, 200_000], 3000, (20_000, 2))
    estimate = kind().estimate(vault_over(domain, rows))
    assert isinstance(estimate.partition, Boxes)
    lower, upper = estimate.partition.boxes()
    areas = np.prod((upper - lower) / 2**20, axis=1)
    part = estimate.partition.parts([np.array([700_000]), np.array([200_000])])[0]
    assert areas[part] < 1e-4
    assert areas.max() >= 1 / 16
    assert len(areas) < 2000


def vault_over(domain: Domain, rows: Any) -> TableVault:
    return TableVault(
        IndexedTable(domain, rows),
        domain,
        Fraction(1),
        unit=Rows(),
        neighbours="add-remove",
        noise=Native(),
    )


def test_a_threshold_makes_leaves_fewer() -> None:
    counts = hg.Counts(np.full(4096, 20))
    sizes = [
        len(hg.publish(counts, epsilon=1, mechanism=PrivTree(threshold=t)).estimate.values)
        for t in (0, 2000)
    ]
    assert sizes[1] < sizes[0] / 4


@given(st.lists(st.integers(1, 5), max_size=2000), st.booleans())
def test_levels_nest_down_to_the_leaves(widths: list[int], other: bool) -> None:
    starts = np.concatenate([[0], np.cumsum(widths, dtype=np.int64)])
    outside = "other" if other else "drop"
    leaves = Cuts(Domain(x=Integer(0, int(starts[-1]), outside=outside)), (starts,))
    levels, shares = levels_above(leaves)
    assert levels[-1] is leaves
    assert len(shares) == len(levels)
    for above, below in pairwise(levels):
        assert set(above.starts[0].tolist()) <= set(below.starts[0].tolist())
        counts = np.bincount(np.searchsorted(above.starts[0], leaves.starts[0], side="right") - 1)
        assert counts.max() - counts.min() <= 1


@given(st.integers(1, 400), st.integers(0, 2**32))
def test_levels_of_boxes_nest(size: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    boxes = Boxes.whole(Raster(Domain(x=Interval(0, 1), y=Interval(0, 1)), (2**16, 2**16)))
    while boxes.size < size:
        lower, upper = boxes.corners
        part, axis = int(rng.integers(boxes.size)), int(rng.integers(2))
        if upper[part, axis] - lower[part, axis] > 1:
            axes = np.full(boxes.size, -1)
            axes[part] = axis
            boxes = boxes.cut(axes, (lower[:, axis] + upper[:, axis]) // 2)
    levels, shares = levels_above(boxes)
    assert levels[-1] is boxes
    best = best_tree(even_lengths(size, (2**16, 2**16)))
    assert len(levels) == len(shares) == len(best.sides) + 1
    for side, level in zip(best.sides, levels, strict=False):
        held = np.bincount(level.parts(list(boxes.boxes()[0].T)))
        assert len(held) == level.size >= side**2 / 2
        assert held.max() <= 2 * size / side**2


def test_short_axes_leave_the_leaves_to_long_ones() -> None:
    assert even_lengths(10**4, (2**16,)) == (10**4,)
    for slices in ((256, 256), (2, 2**16), (2**16, 3, 1), (2, 2)):
        lengths = even_lengths(1000, slices)
        assert sorted(lengths) == list(lengths)
        assert all(a <= b for a, b in zip(lengths, sorted(slices), strict=True))
        assert np.prod(lengths) == pytest.approx(min(1000, np.prod(slices)))


def test_the_levels_are_fitted_together() -> None:
    """Ranges of whole upper nodes are known better than their leaves alone would tell."""
    release = hg.publish(hg.Counts(np.full(4096, 100)), epsilon=1, mechanism=PrivTreeHB())
    measured = release.estimate.measurements
    assert isinstance(release.estimate.inference, Tree)
    assert len(measured) > 1
    assert sum(m.scale**-1 for m in measured) == Fraction(4, 5)
    weights = np.ones(len(release.estimate.values))
    variance, _ = release.estimate.moments(weights)
    assert variance < measured[-1].variance * len(weights) / 10


def test_it_beats_a_tree_over_all_cells_on_sparse_data() -> None:
    counts = spiky(4096)
    errors = {}
    for name in ("privtree-hb", "hb"):
        runs = [hg.publish(hg.Counts(counts), epsilon=1, mechanism=name) for _ in range(5)]
        sums = [np.cumsum(release.to_array()) - np.cumsum(counts) for release in runs]
        errors[name] = float(np.sqrt(np.mean(np.square(sums))))
    assert errors["privtree-hb"] < errors["hb"]


@given(st.lists(st.booleans(), min_size=1, max_size=40), st.booleans())
def test_halving_cuts_every_slice_in_two(cut: list[bool], other: bool) -> None:
    axis = Integer(0, len(cut) - 1, outside="other" if other else "drop")
    leaves = Cuts(Domain(x=axis), (np.flatnonzero([True, *cut[1:]]),))
    finer = halve_parts(leaves)
    assert isinstance(finer, Cuts)
    found = {start for low, high in pairwise([*leaves.starts[0], len(cut)])
             for start in (low, (low + high) // 2)}  # fmt: skip
    assert finer.starts[0].tolist() == sorted(found)


@pytest.mark.parametrize("shape", [(1000,), (30, 17), (5, 9, 3)])
def test_leaves_are_halved_down_to_the_cells(shape: tuple[int, ...]) -> None:
    whole = PrivTreeHB(share=Fraction(1, 50), further=12)
    release = hg.publish(hg.Counts(np.full(shape, 5)), epsilon=1, mechanism=whole)
    assert release.estimate.partition.size == np.prod(shape)
    assert sum(1 / m.scale for m in release.estimate.measurements) == Fraction(49, 50)


def test_boxes_are_halved_along_the_longest_side() -> None:
    raster = Raster.of_cells(Domain(x=Integer(0, 9), y=Integer(0, 4)))
    once = halve_parts(Boxes.whole(raster))
    assert [corner.tolist() for corner in once.boxes()] == [[[0, 0], [5, 0]], [[5, 5], [10, 5]]]
    assert [halve_parts(once).size, halve_parts(halve_parts(once)).size] == [4, 8]


@pytest.mark.parametrize("wrong", [-1, 1.5, True])
def test_a_number_of_halvings_is_whole(wrong: Any) -> None:
    with pytest.raises(BadInput, match="further must be a whole number"):
        PrivTreeHB(further=wrong)
