"""Many trees, one for each combination of categories: how many rows they hold, and their sums."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

import hushgram as hg
from hushgram.declare.axis import Category, Integer
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows
from hushgram.lab.memory import IndexedTable
from hushgram.mechanisms.bayes_tree import BayesTree
from hushgram.mechanisms.inference.aligned import align_trees, find_changes
from hushgram.mechanisms.inference.cut_tree import CutTree
from hushgram.mechanisms.inference.tree_sizes import (
    FEWEST_TREES,
    fit_chances,
    lay_knots,
    weigh_sizes,
)
from hushgram.spending.job import Job, make_release
from hushgram.trusted.noise import Native
from hushgram.trusted.vault import TableVault

GROUPS, CELLS = 200, 20
DOMAIN = Domain(group=Category([f"g{k}" for k in range(GROUPS)]), x=Integer(0, CELLS - 1))


def published(rows: np.ndarray) -> hg.Release:
    job = Job(DOMAIN, Fraction(1), Rows(), "add-remove")
    table = IndexedTable(DOMAIN, rows)
    vault = TableVault(
        table, DOMAIN, job.epsilon, unit=job.unit, neighbours=job.neighbours, noise=Native()
    )
    return make_release(BayesTree(), BayesTree().estimate(vault), job, None)


def rows_with(groups: int, each: int, most_x: int) -> np.ndarray:
    """So many rows in each of the first groups, with x from 0 to below a number."""
    found = itertools.product(range(groups), range(each))
    return np.array([(group, (7 * n) % most_x) for group, n in found]).reshape(-1, 2)


@pytest.mark.parametrize(("groups", "each", "most_x"), [(200, 2, 20), (10, 400, 20), (200, 30, 5)])
def test_intervals_of_sums_over_many_groups_contain_the_truth(
    groups: int, each: int, most_x: int
) -> None:
    """Nearly empty groups, groups of which most are empty, and groups that are all alike: without
    corrections, sums are off by hundreds of rows."""
    rows = rows_with(groups, each, most_x)
    found = []
    for _ in range(5):
        release = published(rows)
        for stop in (3, 10, CELLS):
            low, high = release.count(x=(0, stop)).interval
            found.append(low <= np.count_nonzero(rows[:, 1] < stop) <= high)
    assert sum(found) >= 13


def test_most_of_the_trees_are_empty() -> None:
    rng = np.random.default_rng(3)
    true = np.where(np.arange(300) < 20, 40.0, 0.0)
    means = true + rng.laplace(0, 2, 300)
    variances = np.full(300, 8.0)
    knots = lay_knots(means, variances, 1.0)
    chances = fit_chances(means, variances, knots)
    assert chances.sum() == pytest.approx(1)
    assert chances[knots < 3].sum() > 0.8
    assert chances[(knots > 30) & (knots < 50)].sum() == pytest.approx(20 / 300, abs=0.03)


def test_windows_far_from_zero_and_few_trees() -> None:
    lo, length = np.array([0, 90, 10**6]), np.array([4, 3, 2])
    few = weigh_sizes(np.array([1.0, 91, 10**6]), np.ones(3), lo, length, 1.0)
    assert few.tolist() == [1.0] * 9
    means = np.concatenate([np.zeros(FEWEST_TREES), [91.0, 10**6]])
    lo = np.concatenate([np.zeros(FEWEST_TREES, dtype=np.int64), lo[1:]])
    length = np.concatenate([np.full(FEWEST_TREES, 4), length[1:]])
    many = weigh_sizes(means, np.ones(len(means)), lo, length, 1.0)
    assert (many > 0).all()
    assert many[:4].argmax() == 0
    begins = np.cumsum(length) - length
    assert np.maximum.reduceat(many, begins) == pytest.approx(np.ones(len(means)))


def test_trees_that_are_all_pulled_the_same_way_are_corrected() -> None:
    tree = forest(200, 4)
    fitted = np.zeros(len(tree))
    shares = np.array([0.7, 0.1, 0.1, 0.1])
    for place, (start, stop) in enumerate(zip(tree.starts, tree.stops, strict=True)):
        fitted[place] = 10 * sum(shares[leaf % 4] for leaf in range(start, stop))
    sizes = (tree.stops - tree.starts).astype(np.float64)
    means, variances = 10 * sizes / 4, sizes
    found = align_trees(tree, fitted, 4 * sizes, means, variances)
    inner = np.flatnonzero(tree.right)
    assert found[inner] == pytest.approx(found[inner + 1] + found[tree.right[inner]])
    leaves = found[tree.ends].reshape(200, 4)
    assert leaves.mean(axis=0) == pytest.approx(10 * shares, abs=0.5)
    assert leaves.std(axis=0).max() < 1e-9
    few = tree_part(tree, FEWEST_TREES - 1)
    count = len(few)
    assert align_trees(few, fitted[:count], 4 * sizes[:count], means[:count],
                       variances[:count]).tolist() == means[:count].tolist()  # fmt: skip


def test_what_noise_explains_is_left_alone() -> None:
    places = np.zeros(10, dtype=np.int64)
    missing = np.full(10, 0.3)
    assert find_changes(places, missing, np.ones(10), np.ones(10)).tolist() == [0.0] * 10
    certain = find_changes(places, missing, np.full(10, 1e-9), np.arange(10.0))
    assert certain.sum() == pytest.approx(3)
    assert certain[0] == 0


def forest(groups: int, cells: int) -> CutTree:
    from hushgram.geometry.partition import Boxes
    from hushgram.mechanisms.bayes_tree import apart, halve_leaves
    from hushgram.mechanisms.kd import fine_raster

    domain = Domain(group=Category([f"g{k}" for k in range(groups)]), x=Integer(0, cells - 1))
    roots = apart(Boxes.whole(fine_raster(domain)))
    return CutTree.of(halve_leaves(roots, np.full(roots.size, 2)))


def tree_part(tree: CutTree, groups: int) -> CutTree:
    """The same for its first groups."""
    return forest(groups, tree.leaves.domain.axes[1].bins)
