"""Boxes follow the first noisy look alone, on every kind of domain."""

from __future__ import annotations

import time
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hushgram as hg
from hushgram.declare.axis import Category, Integer, Interval
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows
from hushgram.errors import BadInput, DomainError
from hushgram.geometry.partition import MAX_PARTS, Boxes, Grid, Raster, is_nested
from hushgram.lab import checks
from hushgram.lab.memory import IndexedTable
from hushgram.mechanisms.dpcube import CHOICES, DPCube, cells_for
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.inference.even import EvenLeaves
from hushgram.mechanisms.inference.tree import Tree
from hushgram.mechanisms.inference.truncation import nested_boxes
from hushgram.queries import Measurement
from hushgram.trusted.engine.sources.counted import CountedTable
from hushgram.trusted.noise import Native
from hushgram.trusted.vault import TableVault

PAPER = np.array([[10, 21, 37], [20, 0, 0], [53, 0, 0]])
"""The paper's Fig. 2: age x income."""


def vault_over(domain: Domain, rows: Any, epsilon: Fraction) -> TableVault:
    table = IndexedTable(domain, rows)
    return TableVault(table, domain, epsilon, unit=Rows(), neighbours="add-remove", noise=Native())


def paper_leaves() -> Boxes:
    """Equation 5: {x₁, x₂}, {x₃}, {x₄, x₇}, {x₅, x₆, x₈, x₉}."""
    domain = hg.Counts(PAPER).domain
    tree = np.array([0, 1, -1, -1, 1, -1, -1]), np.array([1, 2, 0, 0, 1, 0, 0])
    return Boxes(Raster.of_cells(domain), *tree)


def test_equations_4_and_5() -> None:
    leaves = paper_leaves()
    cells = Grid.of_cells(leaves.domain)
    labels = leaves.parts(list(cells.boxes()[0].T))
    assert labels.tolist() == [0, 0, 1, 2, 3, 3, 2, 3, 3]
    assert np.bincount(labels, PAPER.ravel()).tolist() == [31, 37, 73, 0]


def test_figure_8_and_theorem_4_6() -> None:
    """The count at ages 30 to 40, x₂ + x₅ + x₈, is y₁₀ / 2 + y₁₃ / 2; and least squares with equal
    noise is the paper's H⁺ within a leaf."""
    leaves = paper_leaves()
    cells = Grid.of_cells(leaves.domain)
    second = Measurement(leaves, np.array([35, 40, 70, 6]), 2.0, Fraction(1))
    uniform = Estimate.infer(cells, [second], EvenLeaves.of([second]))
    assert uniform.values[[1, 4, 7]].sum() == 35 / 2 + 6 / 2
    weights = np.zeros(9)
    weights[[1, 4, 7]] = 1
    assert uniform.moments(weights)[0] == 2.0 * (1 / 4 + 1 / 4)

    first = Measurement(cells, PAPER.ravel() + np.arange(9), 2.0, Fraction(1))
    both = Estimate.infer(cells, [second, first], Tree.of([second, first]))
    inside = np.array([4, 5, 7, 8])  # n_p = 4, so H⁺ has fifths
    inverse = np.concatenate([np.full((4, 1), 1 / 5), np.eye(4) - 1 / 5], axis=1)
    expected = inverse @ np.concatenate([[6], first.values[inside]])
    assert np.allclose(both.values[inside], expected)


@pytest.mark.parametrize("axis", CHOICES["axis"])
@pytest.mark.parametrize("stop", CHOICES["stop"])
@pytest.mark.parametrize("estimator", CHOICES["estimator"])
def test_every_variant_finds_a_block(estimator: str, stop: str, axis: str) -> None:
    counts = np.zeros((40, 30), dtype=int)
    counts[10:20, 5:25] = 500
    mechanism = DPCube(estimator=estimator, stop=stop, axis=axis)
    release = hg.publish(hg.Counts(counts), epsilon=1, mechanism=mechanism)
    leaves = release.estimate.measurements[0].partition
    assert isinstance(leaves, Boxes)
    assert 5 <= leaves.size < 200
    array = release.to_array()
    assert array.shape == counts.shape
    assert np.abs(array - counts).max() < 60
    assert release.parameters["estimator"] == estimator


def test_cuts_are_undone_that_the_second_look_does_not_back(tmp_path: Path) -> None:
    """Some 27 in each run, and 7 at the least in a hundred runs."""
    counts = np.zeros((64, 64), dtype=int)
    counts[10:20, 5:25] = 30
    undone = 0
    for _ in range(5):
        release = hg.publish(hg.Counts(counts), epsilon=1, mechanism="dpcube")
        inference = release.estimate.inference
        assert isinstance(inference, EvenLeaves)
        undone += inference.counted.size - inference.leaves.size
    assert undone > 0
    assert len(np.unique(release.estimate.values)) <= inference.leaves.size
    release.save(tmp_path / "cube.parquet")
    again = hg.load(tmp_path / "cube.parquet").estimate
    assert np.array_equal(again.values, release.estimate.values)
    assert np.array_equal(again.inference.push(again.measurements), again.values)
    assert np.array_equal(again.variances(), release.estimate.variances())


def test_the_paper_s_rule_undoes_nothing() -> None:
    counts = np.arange(64).reshape(8, 8)
    release = hg.publish(hg.Counts(counts), epsilon=1, mechanism=DPCube(stop="variance"))
    inference = release.estimate.inference
    assert isinstance(inference, EvenLeaves)
    assert inference.leaves is inference.counted
    assert inference.to_json() == {"kind": "even"}


@pytest.mark.parametrize("epsilon", [400, 9000])
@pytest.mark.parametrize("estimator", CHOICES["estimator"])
def test_without_noise_all_estimators_see_the_counts(estimator: str, epsilon: int) -> None:
    domain = Domain(
        x=Integer(0, 6, outside="other"), sex=Category(["F", "M"]), y=Integer(0, 4, outside="clamp")
    )
    rows = np.random.default_rng(4).integers(0, domain.shape, (500, 3))
    vault = vault_over(domain, rows, Fraction(epsilon))
    estimate = DPCube(estimator=estimator).estimate(vault)
    table = IndexedTable(domain, rows)
    assert np.allclose(estimate.values, table.count(Grid.of_cells(domain)))


def test_six_axes_and_long_thin_ones() -> None:
    rng = np.random.default_rng(2)
    for shape in ((3, 2, 4, 2, 3, 5), (1, 1), (1,), (500,), (1, 700), (2, 1, 300)):
        counts = rng.poisson(3.0, shape)
        release = hg.publish(hg.Counts(counts), epsilon=2, mechanism="dpcube")
        assert release.to_array().shape == shape
        spread = np.sqrt(release.estimate.moments(np.ones(counts.size))[0])
        assert abs(release.to_array().sum() - counts.sum()) < 40 * (spread + 1)


def test_continuous_axes_are_cut_by_a_noisy_number_of_rows() -> None:
    domain = Domain(x=Interval(0, 1), y=Interval(0, 1, outside="other"), sex=Category(["F", "M"]))
    rng = np.random.default_rng(3)
    rows = rng.integers(0, domain.shape, (20_000, 3))
    rows[:, 0] //= 4
    vault = vault_over(domain, rows, Fraction(1))
    estimate = DPCube().estimate(vault)
    assert vault.remaining == 0
    cells = estimate.partition
    assert isinstance(cells, Grid)
    assert cells.slices[0] == cells.slices[1]
    assert 25 < cells.slices[0] < 38  # the root of 20,000 x 0.98 / 10 / 2
    assert cells.shape == (cells.slices[0], cells.slices[0] + 1, 2)
    left = np.arange(cells.size) // (cells.size // cells.shape[0]) < cells.shape[0] / 4 - 1
    assert estimate.values[left].sum() > 16_000


def test_cells_are_never_too_many_for_continuous_axes() -> None:
    for outside in ("drop", "other"):
        plane = Domain(x=Interval(0, 1, outside=outside), y=Interval(0, 1, outside=outside))
        assert cells_for(plane, 1e30).size <= MAX_PARTS
        assert cells_for(plane, 0).slices == (10, 10)
    short = Domain(x=Interval(0, 1, resolution=8), y=Interval(0, 1))
    assert cells_for(short, 1e6).slices == (8, 1000)


def test_too_many_cells_are_refused_with_advice() -> None:
    many = Integer(0, 10**5)
    for domain in (Domain(x=many, y=many), Domain(x=many, y=many, z=Interval(0, 1))):
        with pytest.raises(DomainError, match="coarser bins"):
            DPCube().check(domain)


@pytest.mark.parametrize(
    "wrong",
    [
        {"share": 1},
        {"total_share": 0},
        {"estimator": "median"},
        {"stop": "never"},
        {"axis": "y"},
        {"xi": -1},
        {"xi": "3"},
        {"xi": float("nan")},
    ],
)
def test_parameters_are_checked(wrong: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match=next(iter(wrong))):
        DPCube(**wrong)


def test_the_variance_rule_takes_its_threshold() -> None:
    counts = np.arange(64).reshape(8, 8) * 40
    sizes = []
    for xi in (0, 10_000, 1e9):
        mechanism = DPCube(stop="variance", xi=xi)
        release = hg.publish(hg.Counts(counts), epsilon=5, mechanism=mechanism)
        sizes.append(len(release.estimate.measurements[0].values))
    assert sizes[0] > sizes[1] > sizes[2] == 1


def test_small_ranges_err_less_than_with_noisy_cells() -> None:
    """A sparse map: 20 runs each; the errors differ by a factor of some five."""
    counts = np.zeros((64, 64), dtype=int)
    counts[5:15, 40:60] = 50
    corners = [(a, b) for a in range(0, 60, 7) for b in range(0, 60, 9)]
    errors = dict.fromkeys(("dpcube", "identity"), 0.0)
    for name in errors:
        for _ in range(20):
            apart = hg.publish(hg.Counts(counts), epsilon=1, mechanism=name).to_array() - counts
            errors[name] += sum(abs(apart[a : a + 4, b : b + 4].sum()) for a, b in corners)
    assert errors["dpcube"] < errors["identity"] / 2


def test_a_million_cells_take_some_seconds() -> None:
    rng = np.random.default_rng(8)
    counts = rng.poisson(np.outer(np.arange(1024) % 50, np.arange(1024) % 70) / 100)
    hg.publish(hg.Counts(counts[:4, :4]), epsilon=1, mechanism="dpcube")
    started = time.process_time()
    hg.publish(hg.Counts(counts), epsilon=1, mechanism="dpcube")
    assert time.process_time() - started < 15


def test_levels_of_the_tree_are_nested_and_grow() -> None:
    rng = np.random.default_rng(5)
    raster = Raster.of_cells(Domain(x=Integer(0, 63), y=Integer(0, 63)))
    boxes = Boxes.whole(raster)
    for _ in range(7):  # uneven: some boxes are not cut any more
        lower, upper = boxes.corners
        axes = np.argmax(upper - lower, axis=1)
        wide = (upper - lower)[np.arange(boxes.size), axes] > 1
        axes = np.where(wide & (rng.random(boxes.size) < 0.8), axes, -1)
        places = lower[np.arange(boxes.size), axes] + 1
        boxes = boxes.cut(axes, places)
    found = nested_boxes(boxes, 4)
    sizes = [one.size for one in found]
    assert sizes == sorted(set(sizes))
    assert found[-1] is boxes
    assert 2 <= len(found) <= 4
    for coarse, fine in pairwise(found):
        assert is_nested(fine, coarse)
    assert nested_boxes(Boxes.whole(raster), 4)[0].size == 1


@pytest.mark.parametrize("estimator", ["uniform", "least-squares"])
def test_the_whole_tree_spends_all_and_is_unbiased_on_boxes(estimator: str) -> None:
    counts = np.zeros((32, 32), dtype=int)
    counts[:16, :16] = 400
    counts[20:, 24:] = 150
    mechanism = DPCube(estimator=estimator, levels=3)
    vault = vault_of(counts, Fraction(2))
    estimate = mechanism.estimate(vault)
    assert vault.remaining == 0
    assert len(estimate.measurements) >= 3
    price = [m.scale for m in estimate.measurements[: 3 if estimator == "uniform" else -1]]
    assert len(set(price)) == 1
    assert abs(estimate.values.sum() - counts.sum()) < 200


def vault_of(counts: Any, epsilon: Fraction) -> TableVault:
    source = hg.Counts(counts)
    table = CountedTable(source)
    return TableVault(
        table, source.domain, epsilon, unit=Rows(), neighbours="add-remove", noise=Native()
    )


def test_the_whole_tree_is_for_large_ranges() -> None:
    """The total is counted in few boxes: its stated error is less than that of all leaves."""
    rng = np.random.default_rng(3)
    counts = rng.poisson(rng.gamma(0.3, 60, (48, 48)))

    def spread(levels: int) -> float:
        mechanism = DPCube(estimator="uniform", stop="variance", xi=200.0, levels=levels)
        release = hg.publish(hg.Counts(counts), epsilon=1, mechanism=mechanism)
        return float(np.ptp(release.count().interval))

    assert spread(4) < spread(1) / 2


def test_levels_go_with_an_estimator() -> None:
    with pytest.raises(BadInput, match='needs estimator="uniform"'):
        DPCube(levels=2)
    for odd in (0, -1, 1.5, "2x", 33):
        with pytest.raises(BadInput, match="levels"):
            DPCube(estimator="uniform", levels=odd)  # type: ignore[arg-type]


@pytest.mark.parametrize("estimator", ["uniform", "least-squares"])
@pytest.mark.parametrize(
    "check",
    [
        checks.check_spends_exactly, checks.check_over_asking, checks.check_replay,
        checks.check_noise_is_fresh, checks.check_small_tables, checks.check_save_load,
    ],
)  # fmt: skip
def test_the_whole_tree_keeps_the_contract(estimator: str, check: Any) -> None:
    """Of all mechanisms: budget, replay on neighbours, odd tables, files."""
    check(DPCube(estimator=estimator, levels=3))
