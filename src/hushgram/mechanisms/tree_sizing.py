"""Tree sizing: the number of nodes and the share of the budget of each level of a tree of counts.

With few levels, each gets more budget; with many levels, a range needs fewer nodes. The best tree
minimises the variance of the average range after least squares, which is known beforehand: see
`range_variance`.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from hushgram.declare.axis import Floats

GAIN = 0.002
"""A further level must reduce the variance by this share. Levels with almost no budget do not."""

ROUNDS = 20
"""Iterations that improve the shares of the budget."""


class Levels(NamedTuple):
    """The levels of a tree over cells."""

    sides: tuple[int, ...]
    """Slices per side, on each level above the cells. Each divides the next."""
    shares: tuple[float, ...]
    """Shares of the budget, the last for the cells, rounded to three digits so that they are the
    same on every machine."""
    variance: float
    """The variance of the average range, relative to that of a count with the whole budget."""


@lru_cache(maxsize=1024)
def best_tree(lengths: tuple[float, ...]) -> Levels:
    """The tree over axes of these lengths with the smallest variance of the average range.

    Tries trees of one more level until that no longer helps: about 10 ms for 10^6 cells.

    >>> best_tree((30,)).sides, best_tree((100,)).sides, best_tree((10**6,)).sides
    ((), (8,), (15, 240, 3600, 54000))
    >>> best = best_tree((256, 256))
    >>> best.sides, [round(share, 2) for share in best.shares]
    ((8, 40), [0.14, 0.25, 0.61])
    """
    best = Levels((), (1.0,), float(range_variance(lengths, np.array([[max(lengths)]]))[0]))
    for height in itertools.count(2):
        found = best_of_height(lengths, height)
        if found is None or found.variance > (1 - GAIN) * best.variance:
            return best
        best = found
    raise AssertionError("unreachable")


def best_of_height(lengths: Sequence[float], height: int) -> Levels | None:
    """The best tree with ``height`` levels, or None if there are too few cells for them.

    Starts with the same branching on every level. As long as it helps, changes that of one level by
    one or by an eighth, or those of two levels by one. The variance is smooth, and the start is
    close to the optimum.
    """
    longest = max(lengths)
    branching = np.full(height - 1, max(2, round(longest ** (1 / height))))
    one = np.eye(height - 1, dtype=np.int64)
    best = None
    while True:
        step = one * np.maximum(1, branching // 8)
        swaps = (one[:, np.newaxis] - one).reshape(-1, height - 1)
        tried = branching + np.concatenate([swaps, one, -one, step, -step])
        tried = tried[(tried >= 2).all(axis=1) & (tried.prod(axis=1) < longest)]
        if not len(tried):
            return None
        sides = np.cumprod(tried, axis=1).T
        shares = best_shares(lengths, with_cells(lengths, sides))
        variances = range_variance(lengths, with_cells(lengths, sides), shares)
        least = int(variances.argmin())
        if best is not None and variances[least] >= best.variance:
            return best
        branching = tried[least]
        above = tuple(int(side) for side in sides[:, least])
        rounded = tuple(float(f"{share:.3g}") for share in shares[:, least])
        best = Levels(above, rounded, float(variances[least]))


def with_cells(lengths: Sequence[float], sides: Any) -> Floats:
    return np.vstack([sides, np.full(sides.shape[1], max(lengths))])


def range_variance(lengths: Sequence[float], sides: Any, shares: Any = None) -> Floats:
    """The variance of the average box of cells after least squares over a tree, relative to that of
    a count with the whole budget. ``sides`` has the slices per side, levels x candidates, and last
    the cells; ``shares`` has the levels' shares of the budget, equal by default.

    Level l has a share e_l of the budget and K_l cells per node. Weights that are constant on the
    nodes of level l, and add up to 0 over each node of the level above, are measured with precision
    P_l = e_l² K_l + e_(l+1)² K_(l+1) + …. The component of a box in this space has the squared
    length S_l - S_(l-1), where S_l is the sum over nodes of the squared number of their cells in
    the box, divided by K_l. S_l is a product over axes. Exact if all nodes of a level are equal.
    """
    if shares is None:
        shares = np.full((len(sides), 1), 1 / len(sides))
    nodes, steps = nodes_and_steps(lengths, sides)
    return np.asarray((steps / precisions(nodes, shares)).sum(axis=0))


def best_shares(lengths: Sequence[float], sides: Any) -> Floats:
    """The shares of the budget with the smallest variance, by majorise-minimise steps.

    The variance is convex in the e_l², so it is at most a sum of b_l / e_l² that equals it at the
    present shares, with b_l = e_l^4 K_l (d_1 / P_1² + … + d_l / P_l²) and d_l = S_l - S_(l-1). This
    sum is smallest for shares proportional to the cube roots of the b_l.
    """
    nodes, steps = nodes_and_steps(lengths, sides)
    shares = np.full(nodes.shape, 1 / len(nodes))
    for _ in range(ROUNDS):
        helped = np.cumsum(steps / precisions(nodes, shares) ** 2, axis=0)
        shares = shares * np.cbrt(shares * nodes * helped)
        shares /= shares.sum(axis=0)
    return np.asarray(shares)


def precisions(nodes: Floats, shares: Any) -> Floats:
    """P_l for every level."""
    return np.asarray(np.cumsum((shares**2 * nodes)[::-1], axis=0)[::-1])


def nodes_and_steps(lengths: Sequence[float], sides: Any) -> tuple[Floats, Floats]:
    """K_l and S_l - S_(l-1) for every level."""
    widths = [np.maximum(length / sides, 1.0) for length in lengths]
    caught_by = [caught(length, width) for length, width in zip(lengths, widths, strict=True)]
    return np.prod(widths, axis=0), np.diff(np.prod(caught_by, axis=0), axis=0, prepend=0)


def caught(cells: float, width: Floats) -> Floats:
    """S for one axis: the mean over all ranges of the sum, over slices of this width, of the
    squared number of their cells in the range, divided by the width.

    Two cells u <= v of 1 … n are both in u (n + 1 - v) of n (n + 1) / 2 ranges.
    """
    spread = (cells + 1) ** 2 / 4 - (cells**2 - width**2) / 12
    return 2 / (cells + 1) * (spread - (cells + 1) * (width**2 - 1) / (6 * width))
