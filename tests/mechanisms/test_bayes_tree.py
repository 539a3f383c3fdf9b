"""The mechanism bayes-tree: its two passes, its plans, and what is published."""

from __future__ import annotations

import itertools
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hushgram as hg
from hushgram.declare.axis import Category, Integer, Interval, Regular
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows
from hushgram.errors import BadInput, DomainError
from hushgram.geometry.measured.nested_nodes import NestedNodes
from hushgram.geometry.measured.weighted_nodes import MAX_WEIGHT, WeightedNodes
from hushgram.geometry.partition import Boxes, Cuts, Grid, Halving, Ints
from hushgram.lab.checks import rows_of
from hushgram.lab.memory import IndexedTable
from hushgram.mechanisms import bayes_tree
from hushgram.mechanisms.bayes_tree import (
    MAX_NESTED_LEAVES,
    SURELY_JOINT,
    BayesTree,
    apart,
    halve_leaves,
    has_few_cells,
    most_with_joint_noise,
)
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.inference.cut_tree import CutTree
from hushgram.mechanisms.inference.posterior import NodePosterior, least_squares
from hushgram.mechanisms.inference.posterior_means import PosteriorMeans
from hushgram.mechanisms.inference.split_kinds import (
    KINDS,
    ONE_AXIS,
    SPREADS,
    STRENGTHS,
)
from hushgram.mechanisms.kd import fine_raster
from hushgram.mechanisms.node_plan import (
    NodePlan,
    expected_unevenness,
    nested_nodes,
    plan,
    plan_for_noise,
    squared_lengths,
)
from hushgram.queries import Decomposition, NestedCounts, NodeCounts, Total
from hushgram.release.parquet import read
from hushgram.trusted.noise import Native
from hushgram.trusted.vault import TableVault
from tests.strategies import up_to

DOMAINS = [
    Domain(x=Integer(0, 12)),
    Domain(x=Integer(5, 5)),
    Domain(x=Interval(0, 1)),
    Domain(x=Integer(0, 99, outside="other")),
    Domain(x=Category(("a", "b", "c"))),
    Domain(x=Regular(7, 0, 1), y=Regular(5, -1, 1)),
    Domain(x=Interval(0, 1), y=Interval(0, 1)),
    Domain(x=Interval(0, 1, outside="other"), y=Integer(0, 6)),
    Domain(x=Interval(0, 1, resolution=64), sex=Category(("F", "M"), outside="other")),
    Domain(a=Integer(0, 7), b=Integer(0, 7), c=Integer(0, 7)),
    Domain(x=Integer(0, 40), y=Category(("a", "b", "c"), outside="other"), z=Interval(-1, 1)),
]
"""One to three axes, continuous ones, categories, "other", and a single cell."""


class ListeningVault(TableVault):
    """Answers as usual, and keeps the questions."""

    queries: list[Any]

    def ask(self, query: Any) -> Any:
        self.queries.append(query)
        return super().ask(query)


def vault_over(domain: Domain, rows: Any, epsilon: Fraction = Fraction(1)) -> ListeningVault:
    vault = ListeningVault(
        IndexedTable(domain, rows), domain, epsilon, unit=Rows(), neighbours="add-remove",
        noise=Native(),
    )  # fmt: skip
    vault.queries = []
    return vault


def published(counts: Any, epsilon: Any = 1) -> hg.Release:
    return hg.publish(hg.Counts(counts), epsilon=epsilon, mechanism="bayes-tree")


# What is published


@pytest.mark.parametrize("count", [0, 1, 500, 40_000])
@pytest.mark.parametrize("domain", DOMAINS)
def test_any_axes_and_any_number_of_rows(domain: Domain, count: int) -> None:
    vault = vault_over(domain, rows_of(domain, count))
    estimate = BayesTree().estimate(vault)
    assert vault.remaining == 0
    assert isinstance(estimate.partition, Boxes if len(domain) > 1 else Cuts)
    assert isinstance(estimate.inference, PosteriorMeans)
    assert float(estimate.values.sum()) == pytest.approx(count, abs=500)
    assert (estimate.values >= -1e-9).all()
    for measurement in estimate.measurements:
        assert measurement.partition.domain == domain


@pytest.mark.parametrize("place", [0, 333, 999])
def test_a_spike_is_found_where_it_is(place: int) -> None:
    counts = np.zeros(1000, dtype=np.int64)
    counts[place] = 20_000
    release = published(counts)
    assert len(release.estimate.values) < 60
    found = release.to_array()
    assert found.argmax() == place
    assert found[place] == pytest.approx(20_000, abs=60)
    assert np.delete(found, place).sum() < 60


def test_even_rows_get_few_leaves() -> None:
    """Where nothing tells cells apart, nothing is spent on it."""
    releases = [published(np.full(4096, 3), "0.1") for _ in range(5)]
    assert np.mean([len(release.estimate.values) for release in releases]) < 150
    for release in releases:  # a cell's own noise would be 10
        assert np.abs(release.to_array() - 3).mean() < 1


def test_a_crowded_corner_of_a_map_is_cut_and_the_rest_is_left_whole() -> None:
    domain = Domain(x=Interval(0, 1), y=Interval(0, 1))
    rows = np.random.default_rng(5).normal([700_000, 200_000], 3000, (20_000, 2))
    estimate = BayesTree().estimate(vault_over(domain, rows))
    assert isinstance(estimate.partition, Boxes)
    lower, upper = estimate.partition.boxes()
    areas = np.prod((upper - lower) / 2**20, axis=1)
    part = estimate.partition.parts([np.array([700_000]), np.array([200_000])])[0]
    assert areas[part] < 1e-4
    assert areas.max() >= 1 / 64


def test_rows_up_to_the_end_of_64_bits() -> None:
    """Weights are then small: weighted sums are whole numbers of 64 bits."""
    release = published([2**62, 3, 0, 5] + [0] * 61)
    first, second = release.estimate.measurements
    assert isinstance(first.partition, WeightedNodes)
    assert first.partition.cover == 1
    assert isinstance(second.partition, NestedNodes)
    assert release.to_array().sum() == pytest.approx(2**62)
    assert published([10**12] * 20).to_array() == pytest.approx(np.full(20, 10**12), abs=50)


def test_a_release_reads_back_as_it_was() -> None:
    for domain in DOMAINS:
        rows = rows_of(domain, 3000)
        release = from_estimate(domain, BayesTree().estimate(vault_over(domain, rows)))
        again = read(release.to_bytes())
        assert again.to_bytes() == release.to_bytes()
        assert again.count() == release.count()


def from_estimate(domain: Domain, estimate: Estimate) -> hg.Release:
    from hushgram.spending.job import Job, make_release

    job = Job(domain, Fraction(1), Rows(), "add-remove")
    return make_release(BayesTree(), estimate, job, None)


@cache
def of_a_line() -> hg.Release:
    rng = np.random.default_rng(3)
    return published(rng.poisson(rng.gamma(0.3, 200, 300)))


@cache
def of_a_plane() -> hg.Release:
    rng = np.random.default_rng(4)
    return published(rng.poisson(rng.gamma(0.1, 100, (40, 30))))


def test_many_ranges_at_once_are_answered_as_one_by_one() -> None:
    release, rng = of_a_line(), np.random.default_rng(0)
    ends = np.sort(rng.integers(0, 301, (200, 2)), axis=1)
    ends = ends[ends[:, 0] < ends[:, 1]]
    many = release.count({"x0_lo": ends[:, 0], "x0_hi": ends[:, 1]})
    for found, (low, high) in zip(many, ends.tolist(), strict=True):
        alone = release.count(x0=(low, high))
        assert found.value == pytest.approx(alone.value, rel=1e-6, abs=1e-6)
        # the index knows the same variance, and less of the shape of the noise
        assert 0.9 * alone.half_width <= found.half_width <= 1.25 * alone.half_width


def test_views_are_sums_of_what_they_view() -> None:
    release = of_a_plane()
    cells = release.to_array()
    assert release.project("x0").to_array() == pytest.approx(cells.sum(axis=1))
    coarse = release.rollup(x0=10, x1=10)
    meant = cells.reshape(4, 10, 3, 10).sum(axis=(1, 3))
    assert coarse.estimate.values.reshape(4, 3) == pytest.approx(meant)
    for first, second in ((0, 0), (1, 2), (3, 1)):
        box = {"x0": (10 * first, 10 * first + 10), "x1": (10 * second, 10 * second + 10)}
        assert coarse.count(box).noise_interval == pytest.approx(release.count(box).noise_interval)


def test_a_view_of_a_single_look_is_answered() -> None:
    """Nothing of the first look may be left, if the second tree has none of its nodes."""
    estimate = of_a_plane().estimate
    inference = PosteriorMeans.of(estimate.measurements[-1:])
    alone = Estimate.infer(estimate.partition, inference.measurements, inference)
    release = from_estimate(estimate.partition.domain, alone)
    assert release.project("x0").count(x0=(5, 20)).value > 0
    assert release.share(x0=(5, 20)).value > 0
    slice_ = release.slice(x0=(5, 20))
    assert slice_.count().value == pytest.approx(release.count(x0=(5, 20)).value)


def test_quantiles_and_synthetic_rows() -> None:
    release = of_a_line()
    before = np.concatenate([[0], np.cumsum(release.to_array())])
    median = release.median("x0").value
    assert before[int(median)] <= before[-1] / 2 <= before[min(int(median) + 1, 300)]
    sample = release.sample(5000)
    assert len(sample) == 5000
    assert np.median(np.asarray(sample["x0"])) == pytest.approx(median, abs=30)


# Budgets and weights


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("rows", [40, 30_000])
def test_each_look_is_paid_for_and_weights_add_up_on_every_path(domain: Domain, rows: int) -> None:
    vault = vault_over(domain, rows_of(domain, rows), Fraction(1, 3))
    BayesTree().estimate(vault)
    queries = vault.queries
    kinds = [type(query) for query in queries]
    if has_few_cells(domain):
        assert kinds == [NestedCounts]
    else:
        first = [Decomposition, NodeCounts] if Decomposition in kinds else [NodeCounts]
        assert kinds == [Total, *first, NestedCounts]
    assert sum(query.epsilon for query in queries) == Fraction(1, 3)
    for query in queries:
        if isinstance(query, NodeCounts | NestedCounts):
            nodes = query.nodes if isinstance(query, NodeCounts) else query.nodes.nodes
            change = np.zeros(nodes.leaves.size + 1, dtype=np.int64)
            np.add.at(change, nodes.starts, nodes.weights)
            np.subtract.at(change, nodes.stops, nodes.weights)
            assert (np.cumsum(change)[:-1] == MAX_WEIGHT).all()


def test_very_many_leaves_have_noise_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bayes_tree, "SURELY_JOINT", 8)
    monkeypatch.setattr(bayes_tree, "JOINT_AT_ONE", 8)
    vault = vault_over(DOMAINS[0], rows_of(DOMAINS[0], 30_000))
    BayesTree().estimate(vault)
    assert type(vault.queries[-1]) is NodeCounts


def test_more_leaves_have_joint_noise_if_it_is_narrow() -> None:
    found = [most_with_joint_noise(epsilon) for epsilon in (0.001, 0.05, 0.1, 1.0, 9.0)]
    assert found == sorted(found)
    assert (found[0], found[-1]) == (SURELY_JOINT, MAX_NESTED_LEAVES)


@pytest.mark.parametrize("cells", [1, 2, 13, 4096])
def test_weights_of_noise_that_agrees_are_the_same_on_every_path(cells: int) -> None:
    tree = CutTree.of(halve_leaves(Boxes.whole(fine_raster(Domain(x=Integer(0, cells - 1)))),
                                   np.array([12])))  # fmt: skip
    nested = nested_nodes(tree)
    assert nested.nodes.weights.min() >= 1
    sums = np.zeros(len(tree), dtype=np.int64)
    for v in range(len(tree)):
        sums[v] += nested.nodes.weights[v]
        if tree.right[v]:
            sums[v + 1] = sums[tree.right[v]] = sums[v]
    assert set(sums[tree.ends].tolist()) == {MAX_WEIGHT}
    assert nested.right.tolist() == tree.right.tolist()


def test_nodes_that_their_neighbours_tell_about_get_little() -> None:
    """On a full tree of 64 cells: within 1.5 % of the best weights, which a search found."""
    tree = CutTree.of(Cuts(Domain(x=Integer(0, 63)), (np.arange(64),)))
    weights = nested_nodes(tree).nodes.weights / MAX_WEIGHT
    levels = [weights[tree.depths == depth][0] for depth in range(7)]
    assert levels == pytest.approx([0.083, 0.009, 0.127, 0.139, 0.145, 0.076, 0.421], abs=0.005)


@pytest.mark.parametrize(
    ("domain", "rows", "share"),
    [(Domain(x=Integer(0, 64)), 2000, "1/20"), (Domain(x=Integer(0, 64)), 20, "1/10"),
     (DOMAINS[6], 700, "1/10")],
)  # fmt: skip
def test_many_rows_on_one_axis_need_less_to_know_where_to_look(
    domain: Domain, rows: int, share: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Native, "discrete_laplace_wide", lambda self, scale, size: [0] * size)
    vault = vault_over(domain, rows_of(domain, rows))
    BayesTree().estimate(vault)
    prices = [query.epsilon / vault.epsilon for query in vault.queries]
    assert [type(query) for query in vault.queries[:3]] == [Total, Decomposition, NodeCounts]
    assert prices[:2] == [Fraction(1, 100), Fraction(share)]
    assert prices[2] <= Fraction(share)


@pytest.mark.parametrize(
    "given",
    [{"share": "1/2"}, {"share": 0.495}, {"total_share": 0.8}, {"share": 0.4, "total_share": 0.3}],
)
def test_shares_that_leave_nothing_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match="add up to less than 1"):
        BayesTree(**given)


def test_other_shares_spend_all_too() -> None:
    vault = vault_over(DOMAINS[0], rows_of(DOMAINS[0], 100))
    BayesTree(share=Fraction(2, 5), total_share=Fraction(1, 6)).estimate(vault)
    assert vault.remaining == 0


def test_too_many_categories_are_refused() -> None:
    many = Category([str(n) for n in range(5000)])
    with pytest.raises(DomainError, match="combinations of categories"):
        BayesTree().check(Domain(c=many, x=Integer(0, 3)))


def test_the_second_look_alone_has_no_bias() -> None:
    """Which nodes it counts was settled before. So least squares of it have none either, though
    posterior means have."""
    counts = np.zeros(64, dtype=np.int64)
    counts[20] = 30
    domain = Domain(x=Integer(0, 63))
    table = np.repeat(np.arange(64), counts)[:, None]
    found = []
    for _ in range(up_to(400)):
        estimate = BayesTree().estimate(vault_over(domain, table))
        second = PosteriorMeans.of(estimate.measurements[-1:])
        means = least_squares(second.tree, second.noisy).means[second.tree.ends]
        cells = np.diff(np.append(estimate.partition.boxes()[0][:, 0], 64))
        found.append(np.repeat(means / cells, cells).sum())
    error = np.std(found) / np.sqrt(len(found))
    assert abs(np.mean(found) - 30) < 4.5 * error


# The trees


def by_definition(boxes: Boxes, times: Ints) -> list[int]:
    """Where slices start that are halved so many times: the nodes of `Halving`, one by one."""
    halving = Halving.of(boxes.raster)
    slices, deepest = boxes.raster.slices[0], halving.bits[0]
    ends = {
        (depth, number): (-(-slices * number >> depth), -(-slices * (number + 1) >> depth))
        for depth in range(deepest + 1)
        for number in range(1 << depth)
    }
    starts = set()
    for low, high, often in zip(*(corner[:, 0] for corner in boxes.corners), times, strict=True):
        if low >= slices:  # "other"
            starts.add(int(low))
            continue
        depth, number = next(node for node, both in ends.items() if both == (low, high))
        below = min(depth + int(often), deepest)
        for half in range(number << (below - depth), (number + 1) << (below - depth)):
            first, last = ends[below, half]
            if first < last:
                starts.add(first)
    return sorted(starts)


@settings(max_examples=up_to(200))
@given(st.integers(1, 130), st.booleans(), st.integers(0, 2**32 - 1))
def test_slices_are_halved_as_the_tree_of_halves_says(cells: int, other: bool, seed: int) -> None:
    rng = np.random.default_rng(seed)
    domain = Domain(x=Integer(0, cells - 1, outside="other" if other else "drop"))
    boxes = apart(Boxes.whole(fine_raster(domain)))
    for _ in range(4):
        times = rng.integers(0, 4, boxes.size)
        meant = by_definition(boxes, times)
        boxes = halve_leaves(boxes, times)
        assert boxes.corners[0][:, 0].tolist() == meant


def test_boxes_are_halved_on_the_widest_side() -> None:
    domain = Domain(x=Integer(0, 7), y=Integer(0, 3))
    boxes = halve_leaves(Boxes.whole(fine_raster(domain)), np.array([3]))
    lower, upper = boxes.corners
    assert boxes.size == 8
    assert {tuple(one) for one in (upper - lower).tolist()} == {(2, 2)}
    assert halve_leaves(boxes, np.full(8, 9)).size == 32


def test_nothing_joins_categories_or_other() -> None:
    for domain in DOMAINS:
        assert CutTree.of(apart(Boxes.whole(fine_raster(domain)))).is_whole


# The plan


def plan_cost(tree: CutTree, shares: Any) -> float:
    """What the shares cost, by definition: the variances of counted nodes, with a budget of 1, each
    times the squared length that the average range has in it and not in the one above."""
    lengths, cost = squared_lengths(tree), 0.0
    left, above = np.zeros((2, len(tree)))
    left[tree.roots] = 1.0
    for v in range(len(tree)):
        own = shares[v] * left[v]
        if own > 0:
            cost += max(lengths[v] - above[v], 1e-12) / own**2
        if tree.right[v]:
            for half in (v + 1, int(tree.right[v])):
                left[half] = left[v] - own
                above[half] = lengths[v] if own > 0 else above[v]
    return cost


def best_cost(tree: CutTree, counted: Any, v: int = 0, above: float = 0.0) -> float:
    """The least cost if these nodes are counted, by the formula in `node_plan`."""
    own = max(squared_lengths(tree)[v] - above, 1e-12)
    if not tree.right[v]:
        return own
    nearest = squared_lengths(tree)[v] if counted[v] else above
    below = sum(best_cost(tree, counted, half, nearest) for half in (v + 1, int(tree.right[v])))
    return (own ** (1 / 3) + below ** (1 / 3)) ** 3 if counted[v] else below


@pytest.mark.parametrize("starts", [range(8), range(7), [0, 1, 2, 4, 6], [0, 4, 6, 7], [0]])
def test_the_plan_for_noise_is_the_best_of_all(starts: Any) -> None:
    cells = 7 if list(starts) == list(range(7)) else 8
    tree = CutTree.of(Cuts(Domain(x=Integer(0, cells - 1)), (np.array(list(starts)),)))
    found = plan_for_noise(tree)
    inner = np.flatnonzero(tree.right)
    costs = []
    for chosen in itertools.product([False, True], repeat=len(inner)):
        counted = np.zeros(len(tree), dtype=bool)
        counted[inner] = chosen
        costs.append(best_cost(tree, counted))
    assert plan_cost(tree, found.shares) == pytest.approx(min(costs), rel=1e-9)
    assert found.is_leaf.tolist() == (tree.right == 0).tolist()
    rng = np.random.default_rng(1)
    for _ in range(200):  # no other shares cost less
        shares = np.where(tree.right == 0, 1.0, rng.random(len(tree)) * (rng.random() < 0.7))
        assert plan_cost(tree, shares) >= min(costs) * (1 - 1e-9)


def test_trees_of_categories_are_planned_by_themselves() -> None:
    """With many of them, too: nothing is left over from one for the next."""
    domain = Domain(c=Category([str(n) for n in range(40)]), x=Integer(0, 15))
    boxes = apart(Boxes.whole(fine_raster(domain)))
    tree = CutTree.of(halve_leaves(boxes, np.full(boxes.size, 4)))
    alone = CutTree.of(Grid.of_cells(Domain(x=Integer(0, 15))))
    shares = plan_for_noise(tree).shares.reshape(40, -1)
    assert shares == pytest.approx(np.tile(plan_for_noise(alone).shares, (40, 1)))


def test_even_nodes_end_and_uneven_ones_do_not() -> None:
    tree = CutTree.of(Grid.of_cells(Domain(x=Integer(0, 63))))
    even = plan(tree, np.zeros(len(tree)), 0.1)
    assert even.cut_off(tree)[0].leaves.size == 1
    uneven = plan(tree, np.full(len(tree), 1e9), 0.1)
    assert uneven.cut_off(tree)[0].leaves.size == 64
    half = np.where(tree.starts < 32, 1e9, 0.0)
    half[0] = 1e9
    rest = plan(tree, half, 0.1).cut_off(tree)[0]
    assert rest.leaves.size == 33


@settings(max_examples=up_to(60))
@given(st.integers(1, 90), st.integers(0, 2**32 - 1), st.floats(1, 2**62))
def test_weights_add_up_on_every_path(cells: int, seed: int, rows: float) -> None:
    rng = np.random.default_rng(seed)
    tree = CutTree.of(Grid.of_cells(Domain(x=Integer(0, cells - 1))))
    shares = np.where(tree.right == 0, 1.0, rng.random(len(tree)) * (rng.random(len(tree)) < 0.6))
    nodes, asked = NodePlan(shares, tree.right == 0).nodes(tree, rows)
    weights = np.zeros(len(tree), dtype=np.int64)
    weights[asked] = nodes.weights
    passed = weights.copy()
    for v in np.flatnonzero(tree.right):
        for half in (v + 1, tree.right[v]):
            passed[half] += passed[v]
    whole = passed[tree.ends]
    assert (whole == whole[0]).all()
    assert nodes.cover == whole[0]
    assert whole[0] * rows < 2**62 or whole[0] == 1


# Unevenness


def split(rng: Any, kind: int, rows: int) -> int:
    """A lower half of so many rows, drawn by the definition of its kind."""
    if kind == 0:
        return int(rng.integers(0, 2)) * rows
    share = rng.beta(STRENGTHS[kind], STRENGTHS[kind]) if STRENGTHS[kind] else (
        np.clip(0.5 + SPREADS[kind] * rng.normal(), 0, 1)
    )  # fmt: skip
    return int(rng.binomial(rows, share))


@pytest.mark.parametrize("above", range(KINDS))
def test_unevenness_is_that_of_tables_drawn_from_the_prior(above: int) -> None:
    """Of a node that is known, exactly; of those below, as far as it is worked out: how uneven a
    node is and of which kind it is are taken for independent there."""
    tree = CutTree.of(Grid.of_cells(Domain(x=Integer(0, 3))))
    known = CutTree.of(Grid(Domain(x=Integer(0, 3)), (1,)))
    found = NodePosterior(np.array([500.0]), np.zeros(1), np.eye(KINDS)[[above]])
    uneven = expected_unevenness(tree, known, found, ONE_AXIS)
    rng, drawn = np.random.default_rng(above), np.zeros(len(tree))
    runs = 8000
    for _ in range(runs):
        kind = rng.choice(KINDS, p=ONE_AXIS.transitions[above])
        low = split(rng, kind, 500)
        drawn[0] += (low - 250) ** 2
        for node, rows in ((1, low), (4, 500 - low)):
            below = rng.choice(KINDS, p=ONE_AXIS.transitions[kind])
            drawn[node] += (split(rng, below, rows) - rows / 2) ** 2
    drawn /= runs
    assert uneven[0] == pytest.approx(drawn[0], rel=0.05)
    assert uneven[[1, 4]] == pytest.approx(drawn[[1, 4]], rel=0.5)


def test_unevenness_of_known_halves_is_that_of_the_posterior() -> None:
    tree = CutTree.of(Grid.of_cells(Domain(x=Integer(0, 1))))
    found = NodePosterior(
        np.array([10.0, 8.0, 2.0]), np.array([4.0, 3.0, 2.0]), np.full((3, KINDS), 1 / KINDS)
    )
    uneven = expected_unevenness(tree, tree, found, ONE_AXIS)
    assert uneven.tolist() == [3.0**2 + (3.0 + 2.0) / 2 - 4.0 / 4, 0, 0]
