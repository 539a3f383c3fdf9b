"""Distances against scipy, brute force and each other."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hushgram as hg
from hushgram.answers.learning.distances import rows_in
from hushgram.declare.domain import Domain
from hushgram.errors import MissingExtra, NotAnswerable, QuestionError
from hushgram.geometry.partition import Boxed, Cuts, Lattice
from hushgram.lab.distances import distance_from_truth
from hushgram.mechanisms.estimate import Estimate
from tests.answers.counting.test_quantiles import exact
from tests.samples import cells
from tests.strategies import partitions

counts = st.lists(st.integers(0, 9), min_size=6, max_size=6).filter(any)


@given(counts, counts)
def test_one_axis_of_whole_numbers_is_scipy_s(a: list[int], b: list[int]) -> None:
    from scipy.stats import wasserstein_distance

    grid = cells(x=hg.Integer(10, 15))
    found = hg.distance(exact(grid, a), exact(grid, b))
    values = np.arange(6)
    assert found == pytest.approx(wasserstein_distance(values, values, a, b), abs=1e-12)


@settings(max_examples=40)
@given(counts, counts, st.sampled_from(["regular", "variable", "date"]))
def test_one_axis_is_the_area_between_cumulative_shares(
    a: list[int], b: list[int], kind: str
) -> None:
    axis: Any = {
        "regular": hg.Regular(6, 0, 12),
        "variable": hg.Variable([0, 1, 2, 7, 8, 30, 31]),
        "date": hg.Date("1970-01-01", "1970-06-30", "1mo"),
    }[kind]
    edges = {
        "regular": np.arange(0, 13, 2),
        "variable": np.array([0, 1, 2, 7, 8, 30, 31]),
        "date": np.array([0, 31, 59, 90, 120, 151, 181]),
    }[kind].astype(float)
    cumulative = [np.concatenate([[0], np.cumsum(c) / sum(c)]) for c in (a, b)]
    fine = np.linspace(edges[0], edges[-1], 200_001)
    first, second = (np.interp(fine, edges, one) for one in cumulative)
    area = np.trapezoid(np.abs(first - second), fine)
    grid = cells(x=axis)
    assert hg.distance(exact(grid, a), exact(grid, b)) == pytest.approx(area, rel=1e-3, abs=1e-3)


@given(counts, counts)
def test_counts_are_compared_cell_by_cell(a: list[int], b: list[int]) -> None:
    grid = cells(x=hg.Integer(0, 2), c=hg.Category(["a"], outside="other"))
    first, second = exact(grid, a), exact(grid, b)
    apart = np.subtract(a, b)
    assert hg.distance(first, second, "l1") == pytest.approx(np.abs(apart).sum())
    assert hg.distance(first, second, "l2") == pytest.approx(np.linalg.norm(apart))
    p, q = ((np.array(c) + 1 / 6) / (sum(c) + 1) for c in (a, b))
    assert hg.distance(first, second, "kl") == pytest.approx((p * np.log(p / q)).sum(), abs=1e-12)


def test_divergence_does_not_depend_on_the_cells() -> None:
    domain = hg.Domain(x=hg.Interval(0, 1, 8))

    def release(starts: list[int], rows: list[int]) -> Any:
        return exact(Cuts(domain, (np.array(starts),)), rows)  # type: ignore[arg-type]

    coarse = hg.distance(release([0, 4], [3, 9]), release([0, 4], [5, 5]), "kl")
    fine = hg.distance(release([0, 4], [3, 9]), release([0, 2, 4], [2, 3, 5]), "kl")
    same = hg.distance(release([0, 4], [4, 6]), release([0, 2, 4], [2, 2, 6]), "kl")
    assert coarse != pytest.approx(fine)
    assert same == pytest.approx(0, abs=1e-15)
    assert hg.distance(release([0, 4], [0, 9]), release([0, 4], [9, 0]), "kl") < math.inf


@settings(max_examples=60)
@given(st.data())
def test_parts_are_dealt_out_in_proportion(data: st.DataObject) -> None:
    domain = Domain(x=hg.Integer(0, 6, outside="other"), y=hg.Regular(5, 0, 1))
    layout = data.draw(partitions(domain).filter(lambda one: isinstance(one, Boxed)))
    lattice = data.draw(partitions(domain).filter(lambda one: isinstance(one, Lattice)))
    assert isinstance(layout, Boxed)
    assert isinstance(lattice, Lattice)
    values = np.random.default_rng(data.draw(st.integers(0, 99))).integers(-5, 50, layout.size)
    estimate = exact(layout, values).estimate  # type: ignore[arg-type]
    grid = np.indices(domain.shape).reshape(2, -1)
    lower, upper = layout.boxes()
    each = values / (upper - lower).prod(axis=1)
    expected = np.zeros(lattice.size)
    np.add.at(expected, lattice.parts(list(grid)), each[layout.parts(list(grid))])
    np.testing.assert_allclose(rows_in(lattice, estimate), expected, atol=1e-9)


def test_several_axes_move_rows_between_cells() -> None:
    pytest.importorskip("ot")
    grid = cells(x=hg.Regular(4, 0, 4), y=hg.Regular(4, 0, 4))
    a, b = np.zeros((2, 4, 4), dtype=int)
    a[0, 0] = 10
    b[3, 0], b[0, 3] = 5, 5
    assert hg.distance(exact(grid, a), exact(grid, b)) == pytest.approx(3)
    b[:] = 0
    b[3, 3] = 7
    assert hg.distance(exact(grid, a), exact(grid, b)) == pytest.approx(math.hypot(3, 3))
    assert hg.distance(exact(grid, a), exact(grid, b), slices=2) == pytest.approx(math.hypot(2, 2))
    assert hg.distance(exact(grid, b), exact(grid, b)) == pytest.approx(0, abs=1e-12)


def test_several_axes_agree_with_one_if_the_other_does_not_matter() -> None:
    pytest.importorskip("ot")
    wide, flat = cells(x=hg.Integer(0, 5), y=hg.Integer(0, 0)), cells(x=hg.Integer(0, 5))
    a, b = [5, 0, 2, 0, 0, 1], [0, 1, 0, 0, 3, 0]
    two = hg.distance(exact(wide, a), exact(wide, b))
    assert two == pytest.approx(hg.distance(exact(flat, a), exact(flat, b)))


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "ot", None)
    release = exact(cells(x=hg.Integer(0, 1), y=hg.Integer(0, 1)), [1, 2, 3, 4])
    with pytest.raises(MissingExtra, match='the extra "transport"'):
        hg.distance(release, release)


@pytest.mark.parametrize("name", ["adaptive-grid", "privtree", "sorted", "quadtree", "identity"])
def test_releases_of_any_layout_can_be_compared(name: str) -> None:
    table = np.zeros((16, 16), dtype=int)
    table[2:5, 3:9] = 50
    release = hg.publish(hg.Counts(table), epsilon=4, mechanism=name)
    other = hg.publish(hg.Counts(table[::-1]), epsilon=4)
    for kind in ("l1", "l2", "kl"):
        assert distance_from_truth(release, table, kind) < hg.distance(release, other, kind)
        assert hg.distance(release, release, kind) == pytest.approx(0, abs=1e-9)


def test_more_noise_is_farther_from_the_truth() -> None:
    table = np.rint(100 * np.exp(-((np.arange(64) - 20) ** 2) / 90)).astype(int)
    near, far = (
        distance_from_truth(hg.publish(hg.Counts(table), epsilon=e), table) for e in ("9", "0.02")
    )
    assert near < far


def test_noise_below_zero_is_taken_from_the_rest() -> None:
    grid = cells(x=hg.Integer(0, 2))
    found = hg.distance(exact(grid, [11, -2, 1]), exact(grid, [10, 0, 0]))
    assert found == pytest.approx(0, abs=1e-12)


def test_what_cannot_be_compared() -> None:
    one, two = exact(cells(x=hg.Integer(0, 1)), [1, 2]), exact(cells(x=hg.Integer(0, 2)), [1, 2, 3])
    with pytest.raises(QuestionError, match="same domain"):
        hg.distance(one, two)
    with pytest.raises(QuestionError, match="Use emd, kl, l1, l2"):
        hg.distance(one, one, "cosine")
    for slices in (0, -1, True, 1.5):
        with pytest.raises(QuestionError, match="slices must be a positive whole number"):
            hg.distance(one, one, "l1", slices=slices)  # type: ignore[arg-type]
    sex = exact(cells(c=hg.Category(["F", "M"])), [1, 2])
    with pytest.raises(NotAnswerable, match=r"no distance between the categories"):
        hg.distance(sex, sex)
    empty = exact(cells(x=hg.Integer(0, 1)), [0, 0])
    with pytest.raises(NotAnswerable, match="no rows there"):
        hg.distance(one, empty)
    big = hg.Domain(x=hg.Interval(0, 1), y=hg.Interval(0, 1))
    fine = exact(Cuts(big, (np.arange(3000), np.array([0]))), np.ones(3000))  # type: ignore[arg-type]
    other = exact(Cuts(big, (np.array([0]), np.arange(3000))), np.ones(3000))  # type: ignore[arg-type]
    with pytest.raises(NotAnswerable, match=r"9,000,000 cells.*slices=64"):
        hg.distance(fine, other, "l1")
    assert hg.distance(fine, other, "l1", slices=8) > 0
    with pytest.raises(NotAnswerable, match="too many cells"):
        hg.distance(fine, other, "l1", slices=10**6)
    assert isinstance(fine.estimate, Estimate)
