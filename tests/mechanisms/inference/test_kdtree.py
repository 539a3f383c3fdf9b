"""The tree is the one that trying every cut would find, and it is found in n log n."""

from __future__ import annotations

import time
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hushgram.mechanisms.inference.kdtree import (
    centre_cells,
    grow,
    prune,
    prune_again,
    pruned_tree,
    threshold_tree,
)

Node = tuple[Any, ...]


@st.composite
def arrays(draw: st.DrawFn) -> np.ndarray:
    """Up to six axes, of few values, so that many cuts are equally good."""
    dims = draw(st.integers(1, 6))
    longest = {1: 12, 2: 5, 3: 4, 4: 3, 5: 2, 6: 2}[dims]
    shape = draw(st.tuples(*(st.integers(1, longest) for _ in range(dims))))
    top = draw(st.sampled_from([1, 9, 10**6]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    return rng.integers(-top, top, shape, endpoint=True)


def error(box: np.ndarray) -> Fraction:
    """n times the variance, literally."""
    values = [Fraction(int(v)) for v in box.ravel()]
    mean = sum(values, Fraction(0)) / len(values)
    return sum(((v - mean) ** 2 for v in values), Fraction(0))


def halves(box: np.ndarray, axis: int, cut: int) -> tuple[np.ndarray, np.ndarray]:
    lower, upper = np.split(box, [cut], axis=axis)
    return lower, upper


def gains(box: np.ndarray, *, longest: bool) -> dict[tuple[int, int], Fraction]:
    """By how much every cut lowers the squared error."""
    sides = [int(np.argmax(box.shape))] if longest else range(box.ndim)
    whole = error(box)
    return {
        (axis, cut): whole - sum(map(error, halves(box, axis, cut)), Fraction(0))
        for axis in sides
        for cut in range(1, box.shape[axis])
    }


def read(axes: np.ndarray, cuts: np.ndarray, box: np.ndarray) -> Node:
    """The tree as nested tuples: (axis, cut, lower, upper), or () for a leaf."""
    nodes = iter(zip(axes.tolist(), cuts.tolist(), strict=True))

    def walk(start: list[int]) -> Node:
        axis, cut = next(nodes)
        if axis < 0:
            return ()
        above = [cut if a == axis else s for a, s in enumerate(start)]
        here = cut - start[axis]
        return axis, here, walk(start), walk(above)

    tree = walk([0] * box.ndim)
    assert next(nodes, None) is None
    return tree


def is_cut_best(tree: Node, box: np.ndarray, *, longest: bool, bound: Any) -> None:
    """Every cut is among the best, and boxes are cut just where their error exceeds the bound."""
    must = box.size > 1 and error(box) > bound(box)
    assert bool(tree) == must
    if tree:
        axis, cut, lower, upper = tree
        found = gains(box, longest=longest)
        assert float(found[axis, cut]) >= float(max(found.values())) * (1 - 1e-9)
        for half, part in zip((lower, upper), halves(box, axis, cut), strict=True):
            is_cut_best(half, part, longest=longest, bound=bound)


@given(arrays(), st.booleans(), st.sampled_from([0, 1, 20, 10**9]))
@example(np.zeros((2, 2), dtype=int), False, 0)
@example(np.array([[0, 9], [9, 0]]), False, 1)
def test_boxes_are_cut_where_they_should_be(values: np.ndarray, longest: bool, xi: int) -> None:
    tree = read(*threshold_tree(values, xi + 1e-7, longest=longest), values)
    is_cut_best(tree, values, longest=longest, bound=lambda box: (xi + Fraction("1e-7")) * box.size)


def pruned(tree: Node, box: np.ndarray, cost: Any, error: Any = error) -> tuple[Node, Fraction]:
    """The best subtree with the same root, and its error plus costs, by trying both ways."""
    alone = error(box) + cost(box)
    if not tree:
        return (), alone
    axis, cut, *below = tree
    sides = zip(below, halves(box, axis, cut), strict=True)
    parts = [pruned(half, part, cost, error) for half, part in sides]
    together = sum((each for _, each in parts), Fraction(0))
    if together < alone:
        return (axis, cut, *(half for half, _ in parts)), together
    return (), alone


ODD = [Fraction(part, 1_000_003) for part in (314_159, 9_271_828, 10**13 + 1)]
"""Penalties that no difference of errors is equal to."""


@given(arrays(), st.booleans(), st.sampled_from(ODD), st.sampled_from([0, 1, 50]))
def test_pruning_leaves_the_tree_of_least_cost(
    values: np.ndarray, longest: bool, penalty: Fraction, times: int
) -> None:
    """And what was not grown would not have stayed."""
    tail = times * penalty

    def cost(box: np.ndarray) -> Fraction:
        return penalty + tail / box.size

    cells, _ = centre_cells(values)
    grown = grow(*cells, 0.0, 0.0, 0.0, longest)
    full = read(*grown[:2], values)
    is_cut_best(full, values, longest=longest, bound=lambda box: 0)
    expected, _ = pruned(full, values, cost)
    assert read(*prune(*grown, float(penalty), float(tail)), values) == expected
    found = pruned_tree(values, float(penalty), float(tail), longest=longest)
    assert read(*found, values) == expected


@given(arrays(), st.sampled_from(ODD), st.sampled_from([0, 1, 50]), st.integers(0, 2**32))
def test_a_second_look_leaves_the_tree_of_least_cost(
    values: np.ndarray, penalty: Fraction, times: int, seed: int
) -> None:
    """Values and precisions of the leaves alone decide: here one value, known to a whole
    precision, for all cells of a leaf, so that errors of boxes can be added up cell by cell."""
    tree = threshold_tree(values, float(np.var(values)) / 3)
    leaf = labels(read(*tree, values), values.shape)
    leaves = int(leaf.max()) + 1
    rng = np.random.default_rng(seed)
    known = rng.integers(-9, 9, leaves), rng.integers(1, 5, leaves)
    tail = times * penalty

    def cost(box: np.ndarray) -> Fraction:
        return penalty + tail / box.size

    def weighted(box: np.ndarray) -> Fraction:
        found = [(Fraction(int(known[0][i])), int(known[1][i])) for i in np.unique(box)]
        mean = sum(v * w for v, w in found) / sum(w for _, w in found)
        return sum((w * (v - mean) ** 2 for v, w in found), Fraction(0))

    expected, _ = pruned(read(*tree, values), leaf, cost, weighted)
    cells = np.bincount(leaf.ravel())
    looked = known[0].astype(float), known[1].astype(float)
    found = prune_again(tree, cells, *looked, float(penalty), float(tail))
    assert read(*found, values) == expected


def labels(tree: Node, shape: tuple[int, ...]) -> np.ndarray:
    """The number of each cell's leaf."""
    if not tree:
        return np.zeros(shape, dtype=int)
    axis, cut, lower, upper = tree
    first, second = halves(np.empty(shape), axis, cut)
    before = labels(lower, first.shape)
    behind = labels(upper, second.shape)
    return np.concatenate([before, behind + before.max() + 1], axis=axis)


def test_a_spike_in_the_middle_is_found() -> None:
    """One cut gains next to nothing; the four around the spike gain all of it."""
    values = np.zeros((101, 101), dtype=int)
    values[50, 50] = 1000
    best = max(50 * 51 / 101 / 101 * (1000 / 5100) ** 2, 1000**2 / 5100)
    assert best < 1000 < 1000**2
    axes, _ = pruned_tree(values, 1000.0)
    assert np.count_nonzero(axes >= 0) == 4


def test_the_paper_s_example() -> None:
    """Fig. 2's cells. Equation 5 groups them by a first cut along the other axis, which gains 220
    and not 648: its leaves are an illustration, not what Algorithm 3 gives."""
    cells = np.array([[10, 21, 37], [20, 0, 0], [53, 0, 0]])
    found = {cut: round(float(gain)) for cut, gain in gains(cells, longest=False).items()}
    assert found == {(0, 1): 220, (0, 2): 18, (1, 1): 648, (1, 2): 50}
    assert read(*threshold_tree(cells, 280.0), cells) == (1, 1, (0, 2, (), ()), ())
    assert read(*threshold_tree(cells, 30.0), cells)[:2] == (1, 1)


def test_flat_noise_is_not_cut() -> None:
    rng = np.random.default_rng(3)
    noise = rng.laplace(scale=10, size=(64, 64)).round().astype(int)
    assert pruned_tree(noise, 200 * np.log(noise.size), 100 * np.log(noise.size) ** 2)[
        0
    ].tolist() == [-1]


@pytest.mark.parametrize("top", [2**63 - 1, 2**62, 10**15])
def test_sums_near_the_end_of_64_bits(top: int) -> None:
    values = np.full((4, 8), -top)
    values[2:, 5:] = top
    tree = read(*pruned_tree(values, 1.0), values)
    assert tree == (1, 5, (), (0, 2, (), ()))


def test_a_common_level_costs_no_precision() -> None:
    rng = np.random.default_rng(5)
    values = rng.integers(0, 9, (12, 9))
    for penalty in (3.0, 20.0, 60.0):
        far, near = pruned_tree(values + 10**16, penalty), pruned_tree(values, penalty)
        assert far[0].tolist() == near[0].tolist()
        assert far[1].tolist() == near[1].tolist()


def spiky(side: int) -> np.ndarray:
    rng = np.random.default_rng(1)
    values = rng.laplace(scale=2, size=(side, side)).round().astype(np.int64)
    places = rng.integers(0, side, (2, 4 * side))
    values[places[0], places[1]] += rng.integers(10, 10_000, 4 * side)
    return values


@pytest.mark.parametrize("rule", ["gain", "variance"])
def test_it_grows_like_n_log_n(rule: str) -> None:
    """Each side twice as long: four times as many cells, at most some nine times the time."""
    seconds = []
    for side in (64, 256, 512, 1024):
        values = spiky(side)
        started = time.process_time()
        if rule == "gain":
            pruned_tree(values, 4 * np.log(values.size), 4 * np.log(values.size) ** 2)
        else:
            threshold_tree(values, 20.0)
        seconds.append(time.process_time() - started)
    exponent = np.log(seconds[3] / seconds[1]) / np.log(16)
    report = f"{rule}: {seconds[3]:.2f} s for 1024 x 1024, exponent {exponent:.2f}"
    print(report)  # noqa: T201
    assert seconds[3] < 5
    assert exponent < 1.6, report
