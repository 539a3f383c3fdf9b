from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import hushgram as hg
from hushgram.declare.axis import Category, Integer, Interval
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows
from hushgram.errors import BadInput
from hushgram.geometry.partition import Boxes, Raster, same_parts
from hushgram.lab.checks import rows_of
from hushgram.lab.memory import IndexedTable
from hushgram.mechanisms.base import Mechanism
from hushgram.mechanisms.inference.direct import Direct
from hushgram.mechanisms.inference.levels import parents_of
from hushgram.mechanisms.kd import (
    by_cells,
    by_midpoints,
    cut_twice,
    fine_raster,
    level_shares,
    levels_for,
    separate_other,
)
from hushgram.mechanisms.kd_cell import KDCell
from hushgram.mechanisms.kd_hybrid import KDHybrid
from hushgram.mechanisms.kd_standard import KDStandard
from hushgram.queries import Measurement, Medians, PartCounts, Total
from hushgram.trusted.engine.remembered import Remembered
from hushgram.trusted.noise import Native, entropy
from hushgram.trusted.vault import TableVault

KINDS = (KDStandard, KDHybrid, KDCell)
PLANE = Domain(x=Interval(0, 1), y=Interval(0, 1))
MIXED = Domain(
    x=Interval(0, 1, outside="other"),
    day=Integer(1, 7),
    sex=Category(("F", "M"), outside="other"),
)


class Asked(TableVault):
    """Keeps what was asked."""

    def ask(self, query: Any) -> Any:
        self.__dict__.setdefault("asked", []).append(query)
        return super().ask(query)


def vault_over(domain: Domain, rows: Any, epsilon: str = "1") -> Any:
    return Asked(
        Remembered(IndexedTable(domain, rows)),
        domain,
        Fraction(epsilon),
        unit=Rows(),
        neighbours="add-remove",
        noise=Native(),
    )


@contextmanager
def repeated_noise(seed: int) -> Iterator[None]:
    """The same random words for whoever draws in the same order."""
    before, rng = entropy.words, np.random.default_rng(seed)
    entropy.words = lambda count: rng.integers(0, 2**64, count, dtype=np.uint64)
    try:
        yield
    finally:
        entropy.words = before


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("domain", [PLANE, MIXED, Domain(x=Integer(0, 99))], ids=str)
def test_levels_are_nested_and_all_is_spent(kind: type[Mechanism], domain: Domain) -> None:
    vault = vault_over(domain, rows_of(domain, 3000))
    estimate = kind().estimate(vault)
    assert vault.remaining == 0
    levels = [m.partition for m in estimate.measurements]
    assert levels[-1] is estimate.partition
    assert estimate.partition.size > 20
    for above, below in pairwise(levels):
        upper = above.boxes()[1][parents_of(below, above)]
        assert (below.boxes()[1] <= upper).all()


@pytest.mark.parametrize("kind", KINDS)
def test_other_is_a_part_of_its_own(kind: type[Mechanism]) -> None:
    estimate = kind().estimate(vault_over(MIXED, rows_of(MIXED, 500)))
    lower, upper = estimate.partition.boxes()  # type: ignore[attr-defined]
    for axis in (0, 2):
        other = MIXED.axes[axis].bins
        assert not ((lower[:, axis] < other) & (upper[:, axis] > other)).any()


@pytest.mark.parametrize("kind", [KDStandard, KDHybrid])
def test_medians_are_asked_twice_a_level(kind: Any) -> None:
    vault = vault_over(PLANE, rows_of(PLANE, 20_000))
    kind(height=6).estimate(vault)
    medians = [query for query in vault.asked if isinstance(query, Medians)]
    levels = 6 if kind is KDStandard else 2
    share = Fraction(3, 10) if kind is KDStandard else Fraction(3, 20)
    assert {query.epsilon for query in medians} == {share / (2 * levels)}
    assert len(medians) == 2 * levels
    assert not any(isinstance(query, Total) for query in vault.asked)


def test_the_hierarchical_kd_tree_of_inan_et_al() -> None:
    """Its definition, step by step, on noise that repeats: equal prices, two cuts at private
    medians per level, and the last counts as they are."""
    height, share, epsilon = 3, Fraction(3, 10), Fraction(1)
    rows = rows_of(PLANE, 20_000)
    tree = KDStandard(height=height, budgets="equal", inference="none", prune=0)
    with repeated_noise(7):
        vault = vault_over(PLANE, rows)
        published = tree.estimate(vault)
    with repeated_noise(7):
        own = vault_over(PLANE, rows)
        boxes = separate_other(fine_raster(PLANE))
        for level in range(height):
            own.ask(PartCounts(boxes, (1 - share) * epsilon / (height + 1)))
            for axis in (0, 1):
                cut = (axis,) * boxes.size
                boxes = own.ask(Medians(boxes, cut, share * epsilon / (2 * height)))
            assert boxes.size == 4 ** (level + 1)
        last = own.ask(PartCounts(boxes, (1 - share) * epsilon / (height + 1)))
    assert own.remaining == vault.remaining == 0
    assert [type(one) for one in vault.asked] == [type(one) for one in own.asked]
    assert [one.epsilon for one in vault.asked] == [one.epsilon for one in own.asked]
    assert same_parts(published.partition, boxes)
    assert published.values.tolist() == last.values.tolist()
    assert [m.variance for m in published.measurements] == [last.variance]
    assert isinstance(published.inference, Direct)


def test_a_hierarchical_kd_tree_is_written_as_parameters() -> None:
    text = "kd-standard:budgets=equal,inference=none,prune=0"
    release = hg.publish(hg.Counts(np.full((32, 32), 50)), epsilon=1, mechanism=text)
    assert release.parameters["budgets"] == "equal"
    assert len(release.estimate.measurements) == 1


@pytest.mark.parametrize("order", ["kd-first", "quadtree-first"])
def test_levels_of_a_hybrid_in_both_orders(order: str) -> None:
    vault = vault_over(PLANE, rows_of(PLANE, 50_000))
    KDHybrid(height=3, order=order).estimate(vault)
    kinds = ["m" if isinstance(one, Medians) else "c" for one in vault.asked]
    assert "".join(kinds) == {"kd-first": "cmmccc", "quadtree-first": "cccmmc"}[order]
    halved = [one for one in vault.asked if isinstance(one, PartCounts)][1].partition
    even = (halved.corners[0] % (fine_raster(PLANE).slices[0] // 2) == 0).all()
    assert even == (order == "quadtree-first")
    assert vault.remaining == 0


def test_unknown_orders_and_budgets_are_refused() -> None:
    for kind, wrong in (
        (KDHybrid, {"order": "both"}),
        (KDStandard, {"budgets": "uneven"}),
        (KDStandard, {"inference": "some"}),
    ):
        with pytest.raises(BadInput, match="Unknown"):
            kind(**wrong)


def test_boxes_follow_the_rows() -> None:
    """A kd-tree ends in small boxes where the rows are."""
    rng = np.random.default_rng(1)
    rows = np.minimum((rng.exponential(0.02, (30_000, 2)) * 2**20).astype(int), 2**20 - 1)
    for kind in KINDS:
        estimate = kind().estimate(vault_over(PLANE, rows))
        lower, upper = estimate.partition.boxes()  # type: ignore[attr-defined]
        sides = (upper - lower).max(axis=1)
        near = (lower < 0.05 * 2**20).all(axis=1)
        assert np.median(sides[near]) * 8 < np.median(sides[(lower > 2**19).any(axis=1)])


@pytest.mark.parametrize("kind", KINDS)
def test_a_tree_that_ends_early_counts_its_boxes_again(kind: Any) -> None:
    vault = vault_over(PLANE, [], epsilon="1/10")
    estimate = kind(height=10, prune=10**9).estimate(vault)
    counts = [query for query in vault.asked if isinstance(query, PartCounts)]
    assert estimate.partition.size == 1
    assert [query.partition.size for query in counts[-2:]] == [1, 1]
    assert vault.remaining == 0


@pytest.mark.parametrize("kind", KINDS)
def test_height_zero_is_one_count(kind: Any) -> None:
    estimate = kind(height=0).estimate(vault_over(PLANE, rows_of(PLANE, 10)))
    assert estimate.partition.size == 1


def test_axes_take_turns_and_a_level_has_four_times_the_boxes() -> None:
    domain = Domain(x=Integer(0, 63), y=Integer(0, 63), z=Integer(0, 63))
    boxes = Boxes.whole(Raster.of_cells(domain))
    sides = []
    for level in range(4):
        boxes = cut_twice(boxes, np.ones(boxes.size, dtype=bool), 2 * level, by_midpoints)
        lower, upper = boxes.corners
        assert boxes.size == 4 ** (level + 1)
        sides.append((upper - lower)[0].tolist())
    assert sides == [[32, 32, 64], [16, 32, 32], [16, 16, 16], [8, 8, 16]]


def test_cells_are_cut_at_their_median() -> None:
    domain = Domain(x=Integer(0, 4), y=Integer(0, 2))
    raster = Raster.of_cells(domain)
    counts = np.array([[0, 9, 0], [1, 0, 0], [5, 5, 5], [0, 0, 9], [9, 0, 0]])
    cells = Measurement(raster, counts.reshape(-1), 0.5, Fraction(1, 2))
    halves = by_cells(cells, raster)(separate_other(raster), np.array([0]))
    assert halves.cuts.tolist() == [3, 0, 0]


def test_cells_that_may_be_noise_are_taken_as_empty() -> None:
    raster = Raster.of_cells(Domain(x=Integer(0, 9)))
    cells = Measurement(raster, np.array([20, 20] + [8] * 8), 100.0, Fraction(7))
    halves = by_cells(cells, raster)(separate_other(raster), np.array([0]))
    assert halves.cuts.tolist() == [1, 0, 0]


def test_shares_grow_as_in_the_paper() -> None:
    for axes, growth in ((1, 1.0), (2, 2 ** (1 / 3)), (4, 2 ** (1 / 2))):
        found = level_shares(6, axes)
        assert sum(found) == 1
        ratios = [float(b / a) for a, b in pairwise(found)]
        assert ratios == pytest.approx([growth] * 6, rel=1e-5)


def test_more_rows_deserve_more_levels() -> None:
    levels = [levels_for(10.0**n, PLANE) for n in range(12)]
    assert levels == sorted(levels)
    assert levels[0] == 0
    assert levels[-1] == 10


def test_the_raster_can_be_read_back() -> None:
    """A grid would be written down as one, and read back as a raster."""
    assert type(fine_raster(Domain(x=Integer(0, 9)))) is Raster


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "wrong", [{"height": -1}, {"height": 11}, {"height": True}, {"prune": -1}, {"share": 1}]
)
def test_bad_parameters(kind: Any, wrong: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        kind(**wrong)


@pytest.mark.parametrize("name", ["kd-standard", "kd-hybrid", "kd-cell"])
def test_better_than_an_even_grid_on_clusters(name: str) -> None:
    """Rows in a few cells of many: ranges have a third of an even grid's error, or less."""
    rng = np.random.default_rng(5)
    counts = np.zeros((128, 128), dtype=int)
    np.add.at(counts, tuple((rng.normal(0.3, 0.01, (2, 40_000)) * 128).astype(int)), 1)
    errors = {}
    for mechanism in (name, "uniform-grid"):
        boxes = hg.publish(hg.Counts(counts), epsilon=1, mechanism=mechanism).estimate
        errors[mechanism] = np.abs(cells_of(boxes) - counts).sum()
    assert 3 * errors[name] < errors["uniform-grid"]


def cells_of(estimate: Any) -> np.ndarray:
    found = np.zeros(estimate.partition.domain.shape)
    for lower, upper, value in zip(*estimate.partition.boxes(), estimate.values, strict=True):
        inside = tuple(map(slice, lower, upper))
        found[inside] = value / found[inside].size
    return found
