"""Posterior means of a tree of counts, against sums over every table there could be."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from hushgram.declare.axis import Category, Integer
from hushgram.declare.domain import Domain
from hushgram.errors import BadInput
from hushgram.geometry.measured.nested_nodes import NestedNodes
from hushgram.geometry.measured.weighted_nodes import WeightedNodes
from hushgram.geometry.partition import Boxes, Cuts, Grid, Raster
from hushgram.mechanisms.bayes_tree import halve_leaves
from hushgram.mechanisms.inference.cut_tree import CutTree, as_parts
from hushgram.mechanisms.inference.cut_tree_kernels import find_narrow_variance
from hushgram.mechanisms.inference.likelihood_kernels import multiply_around
from hushgram.mechanisms.inference.noisy_nodes import noisy_nodes
from hushgram.mechanisms.inference.posterior import (
    LATTICES,
    NoisyNodes,
    expect_nodes,
    least_squares,
    posterior,
)
from hushgram.mechanisms.inference.posterior_means import PosteriorMeans
from hushgram.mechanisms.inference.split_kinds import (
    BETAS,
    KINDS,
    MORE_AXES,
    ONE_AXIS,
    SPREADS,
    STRENGTHS,
)
from hushgram.queries import Measurement
from hushgram.trusted.noise import add_nested_laplace
from tests.strategies import up_to

MOST = 26
"""Rows in a node, at the most: what has a probability beyond it is next to nothing here."""


def line(cells: int) -> CutTree:
    return CutTree.of(Grid.of_cells(Domain(x=Integer(0, cells - 1))))


def split_probability(kind: int, low: int, whole: int) -> float:
    """How likely a lower half of a whole is, by definition."""
    if kind == 0:
        return (low == 0) * 0.5 + (low == whole) * 0.5
    if kind in BETAS:
        strength = STRENGTHS[kind]

        def ways(k: int, s: float) -> float:
            return math.lgamma(k + s) - math.lgamma(k + 1) - math.lgamma(s)

        logs = ways(low, strength) + ways(whole - low, strength) - ways(whole, 2 * strength)
        return math.exp(logs)
    variance = (SPREADS[kind] * whole) ** 2 + whole / 4 + 0.08
    return math.exp(-((low - whole / 2) ** 2) / 2 / variance) / normal_total(whole, variance)


@lru_cache(maxsize=10_000)
def normal_total(whole: int, variance: float) -> float:
    return sum(math.exp(-((j - whole / 2) ** 2) / 2 / variance) for j in range(whole + 1))


def by_definition(tree: CutTree, noisy: NoisyNodes) -> tuple[list[float], list[float]]:
    """Means and variances over all counts of four leaves and all kinds of three splits."""
    assert tree.right.tolist() == [4, 3, 0, 0, 6, 0, 0]
    moments = np.zeros((3, 7))
    table = np.array([
        [[split_probability(kind, low, whole) if low <= whole else 0.0 for low in range(MOST)]
         for whole in range(2 * MOST)] for kind in range(KINDS)
    ])  # fmt: skip
    start, steps = ONE_AXIS
    for counts in itertools.product(range(MOST), repeat=4):
        a, b, c, d = counts
        nodes = np.array([a + b + c + d, a + b, a, b, c + d, c, d])
        if nodes[0] >= MOST:
            continue
        logs = -(noisy.rates * np.abs(nodes - noisy.counts)).sum()
        if logs < -40:
            continue
        root, low, high = table[:, a + b + c + d, a + b], table[:, a + b, a], table[:, c + d, c]
        kinds = start @ steps * root * (steps @ low) * (steps @ high)
        weight = math.exp(logs) * kinds.sum()
        moments += weight * np.array([np.ones(7), nodes, nodes**2])
    means = moments[1] / moments[0]
    return means.tolist(), (moments[2] / moments[0] - means**2).tolist()


@pytest.mark.parametrize(
    "noisy",
    [[9.0, 8.0, 7.0, 1.0, 2.0, 1.0, 1.0], [6.0, 3.0, 1.0, 2.0, 3.0, -2.0, 4.0], [-3.0] * 7],
)
def test_means_and_variances_are_those_over_all_tables(noisy: list[float]) -> None:
    tree = line(4)
    rates = np.array([[1.1, 0.0, 1.2, 1.3, 0.9, 1.2, 1.4]])
    given = NoisyNodes.independent(np.array([noisy]), rates)
    found = posterior(tree, given, ONE_AXIS)
    means, variances = by_definition(tree, given)
    assert np.allclose(found.means, means, atol=0.02)
    assert np.allclose(found.variances, variances, atol=0.05)


@pytest.mark.parametrize(
    "noisy", [[900.0, 500.0, 380.0], [310.0, 290.0, 0.0], [600.0, -4.0, 603.0]]
)
def test_large_counts_have_the_means_and_variances_over_all_tables(noisy: list[float]) -> None:
    """Their nearly even splits are not looked up but computed. Kinds are those below the root's."""
    tree, rate = line(2), 1.0
    low, high = np.meshgrid(np.arange(1200), np.arange(1200), indexing="ij")
    away = abs(low + high - noisy[0]) + abs(low - noisy[1]) + abs(high - noisy[2])
    near = np.argwhere(away < away.min() + 25)
    moments = np.zeros((3, 3))
    for a, b in near.tolist():
        split = sum(
            share * split_probability(kind, a, a + b)
            for kind, share in enumerate(ONE_AXIS.start @ ONE_AXIS.transitions)
        )
        weight = split * math.exp(-rate * (away[a, b] - away.min()))
        nodes = np.array([a + b, a, b])
        moments += weight * np.array([np.ones(3), nodes, nodes**2])
    means = moments[1] / moments[0]
    given = NoisyNodes.independent(np.array([noisy]), np.full((1, 3), rate))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hushgram.mechanisms.inference.posterior.WIDTH", 12.0)
        found = posterior(tree, given, ONE_AXIS)
    assert np.allclose(found.means, means, rtol=1e-3, atol=0.05)
    assert np.allclose(found.variances, moments[2] / moments[0] - means**2, rtol=0.02)


def test_nodes_measured_twice_with_different_results_have_a_likelihood() -> None:
    """So different that no number holds how unlikely every count is."""
    tree = line(2)
    counts = np.array([[40.0, 20.0, 20.0], [4000.0, 2000.0, 2000.0]])
    found = posterior(tree, NoisyNodes.independent(counts, np.full((2, 3), 1.0)), ONE_AXIS)
    fitted = least_squares(tree, NoisyNodes.independent(counts, np.full((2, 3), 1.0)))
    assert np.abs(found.means - fitted.means).max() < 20


@settings(max_examples=up_to(40))
@given(st.integers(1, 60), st.floats(0.001, 5), st.integers(0, 2**32 - 1))
def test_halves_add_up_and_counts_are_not_negative(cells: int, rate: float, seed: int) -> None:
    tree, rng = line(cells), np.random.default_rng(seed)
    counts = rng.poisson(rng.gamma(0.3, 50, cells))
    before = np.concatenate([[0], np.cumsum(counts)])
    truth = before[tree.stops] - before[tree.starts]
    noise = rng.laplace(scale=1 / rate, size=(2, len(tree)))
    rates = rate * (rng.random((2, len(tree))) < 0.7)
    rates[0, tree.ends] = rate
    found = posterior(tree, NoisyNodes.independent(truth + noise, rates), ONE_AXIS)
    inner = np.flatnonzero(tree.right)
    halves = found.means[inner + 1] + found.means[tree.right[inner]]
    assert np.allclose(halves, found.means[inner], rtol=1e-6, atol=1e-6)
    assert (found.means >= -1e-9).all()
    assert (found.variances >= 0).all()
    assert np.allclose(found.kinds.sum(axis=1), 1)


@settings(max_examples=up_to(25))
@given(st.integers(1, 90), st.floats(0.01, 2), st.integers(1, 200), st.integers(0, 2**32 - 1))
def test_pieces_of_any_size_find_the_same(cells: int, rate: float, most: int, seed: int) -> None:
    """Counts are small and large, so that splits are looked up and computed."""
    rng = np.random.default_rng(seed)
    domain = Domain(sex=Category(["F", "M"]), x=Integer(0, cells - 1))
    halves = Boxes.whole(Raster.of_cells(domain)).cut(np.array([0]), np.array([1]))
    tree = CutTree.of(halve_leaves(halves, rng.integers(0, 7, 2)))
    before = np.concatenate([[0], np.cumsum(rng.poisson(rng.gamma(0.2, 900, tree.leaves.size)))])
    noisy = before[tree.stops] - before[tree.starts] + rng.laplace(scale=1 / rate, size=len(tree))
    given = NoisyNodes.independent(noisy[None], np.full((1, len(tree)), rate))
    whole = posterior(tree, given, ONE_AXIS, 10**6)
    found = posterior(tree, given, ONE_AXIS, most)
    for one, other in zip(whole, found, strict=True):
        assert np.allclose(one, other, rtol=1e-9, atol=1e-9)
    for kept in (0, 5000):  # what is not kept between the two passes is computed again
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("hushgram.mechanisms.inference.posterior.MOST_KEPT", kept)
            again = posterior(tree, given, ONE_AXIS, most)
        assert all(np.array_equal(one, other) for one, other in zip(found, again, strict=True))


def test_halves_below_zero_leave_room_for_their_siblings() -> None:
    """Many leaves far below zero are taken for empty: what is left must still add up."""
    tree = line(64)
    rng = np.random.default_rng(5)
    for _ in range(50):
        noisy = rng.laplace(scale=30, size=len(tree)) * (1 + 4 * (rng.random(len(tree)) < 0.1))
        rates = np.where(tree.right == 0, 0.03, rng.choice([0.0, 2.0], len(tree)))
        found = posterior(tree, NoisyNodes.independent(noisy[None], rates[None]), ONE_AXIS)
        inner = np.flatnonzero(tree.right)
        halves = found.means[inner + 1] + found.means[tree.right[inner]]
        assert np.allclose(halves, found.means[inner], atol=1e-6)
        assert (found.means >= -1e-9).all()  # it is not least squares


def test_what_is_stated_holds() -> None:
    """On a table like those that the prior is made of, 95 % of deviations are within two."""
    rng, tree = np.random.default_rng(3), line(1024)
    counts = np.repeat(rng.gamma(0.4, 100, 128), 8)
    before = np.concatenate([[0], np.cumsum(rng.poisson(counts))])
    truth = before[tree.stops] - before[tree.starts]
    noisy = truth + rng.laplace(scale=20, size=len(tree))
    found = posterior(
        tree, NoisyNodes.independent(noisy[None], np.full((1, len(tree)), 0.05)), ONE_AXIS
    )
    held = np.abs(found.means - truth) < 2 * np.sqrt(found.variances)
    assert 0.92 < held.mean() < 0.99
    plain = least_squares(tree, NoisyNodes.independent(noisy[None], np.full((1, len(tree)), 0.05)))
    assert ((found.means - truth) ** 2).mean() < 0.5 * ((plain.means - truth) ** 2).mean()


@pytest.mark.parametrize("rate", [1e-20, 1e-7, 0.1, 1.0, 2.0])
@pytest.mark.parametrize("middle", [-3.0, 2.0, 2.3, 3.5, 4.9, 12.0])
def test_places_of_a_coarse_lattice_stand_for_the_counts_around_them(
    rate: float, middle: float
) -> None:
    found = np.ones(9)
    multiply_around(middle, rate, True, found, 0, 9)
    around = np.arange(9)[:, None] + (np.arange(2000) + 0.5) / 2000 - 0.5
    means = np.exp(-rate * np.abs(around - middle)).mean(axis=1)
    assert np.allclose(found / found.sum(), means / means.sum(), rtol=1e-5)


def test_means_on_a_coarse_lattice_have_nearly_the_same_errors() -> None:
    """On a map in which groups of eight cells are even, which a coarse lattice shows least well."""
    raster = Raster.of_cells(Domain(x=Integer(0, 31), y=Integer(0, 31)))
    tree = CutTree.of(halve_leaves(Boxes.whole(raster), np.array([10])))
    rates = 0.01 * ((tree.right == 0) | (tree.depths == 5) | (tree.depths == 0))
    squares = dict.fromkeys(LATTICES, 0.0)
    for seed in range(4):
        rng = np.random.default_rng(seed)
        counts = rng.poisson(np.repeat(rng.gamma(0.4, 300, 128), 8))
        before = np.concatenate([[0], np.cumsum(counts)])
        truth = before[tree.stops] - before[tree.starts]
        noisy = truth + rng.laplace(scale=100, size=len(tree))
        given = NoisyNodes.independent(noisy[None], rates[None])
        for name, lattice in LATTICES.items():
            found = expect_nodes(tree, given, MORE_AXES, lattice)
            squares[name] += ((found.means - truth) ** 2).mean()
            assert (np.abs(found.means - truth) < 2 * np.sqrt(found.variances)).mean() > 0.93
    assert squares["coarse"] < 1.05**2 * squares["fine"]


def test_least_squares_are_those_of_the_normal_equations() -> None:
    rng, tree = np.random.default_rng(1), line(13)
    counts, rates = rng.normal(size=(2, 2, len(tree)))
    rates = np.abs(rates) * (rng.random(rates.shape) < 0.6)
    rates[0, tree.ends] = 1.0
    found = least_squares(tree, NoisyNodes.independent(counts, rates))
    design = np.array([
        (np.arange(13) >= a) & (np.arange(13) < b)
        for a, b in zip(tree.starts, tree.stops, strict=True)
    ]).astype(float)  # fmt: skip
    every = np.concatenate([design, design])
    weight = (rates**2 / 2).reshape(-1)
    covariance = np.linalg.inv(every.T @ (weight[:, None] * every))
    leaves = covariance @ every.T @ (weight * counts.reshape(-1))
    assert np.allclose(found.means, design @ leaves)
    assert np.allclose(found.variances, np.diag(design @ covariance @ design.T))


# The tree of cuts


@given(st.integers(1, 200), st.booleans(), st.data())
def test_slices_of_a_line_become_boxes_and_slices_again(
    cells: int, other: bool, data: st.DataObject
) -> None:
    axis = Integer(0, cells - 1, outside="other") if other else Integer(0, cells - 1)
    tree = CutTree.of(Grid.of_cells(Domain(x=axis)))
    last = np.array(data.draw(st.lists(st.booleans(), min_size=len(tree), max_size=len(tree))))
    coarse = tree.cut_off(last | (tree.right == 0))
    again = CutTree.of(as_parts(coarse))
    assert np.array_equal(again.leaves.axes, coarse.axes)
    assert np.array_equal(again.leaves.cuts, coarse.cuts)
    assert again.is_whole
    assert len(again.roots) == 1 + other


def test_categories_have_trees_of_their_own() -> None:
    raster = Raster.of_cells(Domain(sex=Category(["F", "M"]), x=Integer(0, 7)))
    whole = Boxes.whole(raster)
    assert not CutTree.of(whole).is_whole
    halves = whole.cut(np.array([0]), np.array([1]))
    tree = CutTree.of(halves.cut(np.array([1, -1]), np.array([4, 0])))
    assert tree.is_whole
    assert tree.roots.tolist() == [0, 3]
    assert tree.starts.tolist() == [0, 0, 1, 2]


# The inference


def measured(leaves: Grid | Cuts | Boxes, seed: int = 0) -> Measurement:
    tree, rng = CutTree.of(leaves), np.random.default_rng(seed)
    nodes = WeightedNodes(
        leaves, tree.starts, tree.stops, rng.integers(1, 9, len(tree), dtype=np.int64)
    )
    values = nodes.sums(rng.poisson(30, leaves.size)) + rng.integers(-40, 40, len(tree))
    return Measurement(nodes, values, 800.0, nodes.cover)


def test_releases_of_large_maps_state_their_lattice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of small ones do not, like all releases from before there was a coarse one."""
    raster = Raster.of_cells(Domain(x=Integer(0, 3), y=Integer(0, 3)))
    given = [measured(halve_leaves(Boxes.whole(raster), np.array([4])))]
    small = PosteriorMeans.of(given)
    assert small.to_json() == {"kind": "posterior"}
    monkeypatch.setattr("hushgram.mechanisms.inference.posterior.LARGE", 8)
    large = PosteriorMeans.of(given)
    assert large.to_json() == {"kind": "posterior", "lattice": "coarse"}
    for written in (small, large):
        read = PosteriorMeans.from_json(written.to_json(), given)
        assert read.lattice == written.lattice
    old = PosteriorMeans.from_json({"kind": "posterior"}, given)
    assert old.lattice == "fine"
    assert np.array_equal(old.push(given), PosteriorMeans.of(given, "fine").push(given))
    with pytest.raises(BadInput, match=r"Unknown lattice 'round'\. Read this release with a newer"):
        PosteriorMeans.from_json({"kind": "posterior", "lattice": "round"}, given)


def test_variances_are_those_of_sums_one_by_one() -> None:
    leaves = Grid.of_cells(Domain(x=Integer(0, 20)))
    inference = PosteriorMeans.of([measured(leaves)])
    every = np.eye(leaves.size)
    alone = [inference.terms(row, inference.measurements).sum() for row in every]
    assert np.allclose(inference.variances(inference.measurements), alone)
    rows = np.random.default_rng(2).random((9, leaves.size)) * (every[:9] < 0.5)
    alone = [inference.terms(row, inference.measurements).sum() for row in rows]
    together = inference.row_variances(csr_array(rows), inference.measurements)
    assert np.allclose(together, alone)


def test_levels_tell_the_same_variances() -> None:
    """By the rule of `hushgram.answers.counting.boxes_index`."""
    leaves = Cuts(Domain(x=Integer(0, 20)), (np.array([0, 6, 8, 9, 11, 16]),))
    inference = PosteriorMeans.of([measured(leaves, 4)])
    levels = inference.nested_levels(inference.measurements)
    own, sums = levels.spreads
    for seed in range(20):
        weights = np.random.default_rng(seed).random(leaves.size)
        row, variance = weights, (weights**2 * own[-1]).sum()
        for level in reversed(range(len(levels.parents))):
            share = own[level + 1] / sums[level][levels.parents[level]]
            row = levels.sum_children(level, share * row)
            variance -= (row**2 * (sums[level] - own[level])).sum()
        asked = inference.terms(weights, inference.measurements).sum()
        assert variance == pytest.approx(asked, rel=1e-6)


@pytest.mark.parametrize("scale", [0, Fraction(1, 10**30), 1, 10**70])
@pytest.mark.parametrize("top", [10**3, 10**9, 2**62])
def test_counts_that_contradict_each_other_are_answered(scale: Fraction, top: int) -> None:
    """Whoever wrote a release may have written anything. Windows of all counts between the largest
    one and its negative would need all memory."""
    rng, leaves = np.random.default_rng(0), Grid.of_cells(Domain(x=Integer(0, 499)))
    tree = CutTree.of(leaves)
    nodes = WeightedNodes(leaves, tree.starts, tree.stops, rng.integers(1, 9, len(tree)))
    for often in (0.01, 0.3, 1.0):
        values = rng.integers(-top, top, len(tree)) * (rng.random(len(tree)) < often)
        given = [Measurement(nodes, values, 2 * float(scale) ** 2, scale)]
        inference = PosteriorMeans.of(given)
        assert np.isfinite(inference.push(given)).all()
        assert np.isfinite(PosteriorMeans.of(given, "coarse").push(given)).all()
        nested = NestedNodes(WeightedNodes(leaves, tree.starts, tree.stops, nodes.weights))
        leaf_values = values[tree.ends]
        agreeing = PosteriorMeans.of([Measurement(nested, leaf_values, 1.0, scale)])
        assert np.isfinite(agreeing.push(agreeing.measurements)).all()
        for each in (inference, agreeing):
            variances = each.variances(each.measurements)
            assert np.isfinite(variances).all()
            assert (variances >= 0).all()


def test_large_counts_are_as_good_as_small_ones() -> None:
    """Products of such counts do not fit in 64 bits."""
    tree, rng = line(16), np.random.default_rng(5)
    counts = 5 * 10**9 + rng.integers(0, 100, 16)
    before = np.concatenate([[0], np.cumsum(counts)])
    truth = before[tree.stops] - before[tree.starts]
    noisy = truth + rng.laplace(scale=4, size=len(tree))
    found = posterior(
        tree, NoisyNodes.independent(noisy[None], np.full((1, len(tree)), 0.25)), ONE_AXIS
    )
    assert np.abs(found.means - truth).max() < 6 * np.sqrt(found.variances.max())
    assert found.variances.max() < 100


def test_counts_that_agree_say_of_each_node_what_its_leaves_add_up_to() -> None:
    """And least squares take its noise for a little more than it is."""
    leaves = Grid.of_cells(Domain(x=Integer(0, 15)))
    tree = CutTree.of(leaves)
    nested = NestedNodes(
        WeightedNodes(leaves, tree.starts, tree.stops, 20 + 40 * (tree.right == 0))
    )
    scale = Fraction(40)
    zero = np.zeros(16, dtype=np.int64)
    draws = np.array(
        [add_nested_laplace(zero, nested.right, nested.nodes.weights, scale) for _ in range(2000)]
    )
    noisy = noisy_nodes(tree, [Measurement(nested, draws[0], 1.0, scale)])
    sums = np.array([draws[0, a:b].sum() for a, b in zip(tree.starts, tree.stops, strict=True)])
    assert noisy.counts[0].tolist() == sums.tolist()
    assert noisy.rates[0] == pytest.approx(nested.nodes.weights / nested.nodes.cover / 40)
    fitted = least_squares(tree, noisy)
    assert fitted.means == pytest.approx(sums)
    seen = [np.var(draws[:, a:b].sum(axis=1)) for a, b in zip(tree.starts, tree.stops, strict=True)]
    assert ((seen < 1.1 * fitted.variances) & (fitted.variances < 1.7 * np.array(seen))).all()


def test_noise_that_two_factors_narrow_has_the_stated_variance() -> None:
    for rate in (0.0, 0.3, 2.0, 9.9, 10.1, 30.0):
        z = np.linspace(0, 12 / max(rate, 1.0), 200_001)
        likely = np.exp(-(z**2) / 2 - rate * z)
        exact = (z**2 * likely).sum() / likely.sum()
        assert find_narrow_variance(rate) == pytest.approx(exact, rel=1e-3)


def test_what_is_not_a_node_is_refused() -> None:
    leaves = Grid.of_cells(Domain(x=Integer(0, 7)))
    nodes = WeightedNodes(leaves, np.array([1]), np.array([3]), np.array([1]))
    with pytest.raises(BadInput, match="not those of the tree"):
        PosteriorMeans.of([Measurement(nodes, np.array([4]), 2.0, 1)])
    with pytest.raises(BadInput, match=r"counts of nodes\. Found grid"):
        PosteriorMeans.of([Measurement(leaves, np.zeros(8, dtype=np.int64), 2.0, 1)])
