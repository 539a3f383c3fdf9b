"""The choice of an index for an estimate."""

from __future__ import annotations

import numpy as np

from hushgram.answers.counting.boxes_index import BoxIndex
from hushgram.answers.counting.refined_index import RefinedIndex
from hushgram.geometry.partition import Grid, Ints, Refined
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.inference.levels import NestedLevels

Index = BoxIndex | RefinedIndex

MAX_AXES = 4
"""The most axes of a refined index: a cut cell takes up to 4^axes look-ups."""


def index_of(estimate: Estimate) -> Index | None:
    """An index of the parts; None if the inference is not one of nested levels."""
    tree = estimate.inference.nested_levels(estimate.measurements)
    if tree is None:
        return None
    found = as_refined(tree)
    if found is None:
        return BoxIndex.of(estimate, tree)
    layout, order = found
    return RefinedIndex.of(layout, estimate.values[order].astype(np.float64), tree)


def as_refined(tree: NestedLevels) -> tuple[Refined, Ints] | None:
    """The parts as a refined grid, with each part's number there; None if they are not. A grid
    below a grid is one, too, if it divides every cell evenly."""
    leaves, above = tree.levels[-1], tree.levels[:-1]
    if len(leaves.domain) > MAX_AXES:
        return None
    if isinstance(leaves, Refined) and above in ((), (leaves.grid,)):
        return leaves, np.arange(leaves.size)
    if not (len(above) == 1 and isinstance(above[0], Grid) and isinstance(leaves, Grid)):
        return None
    axes = range(len(leaves.domain))
    cuts = [np.searchsorted(leaves.cuts(axis), above[0].cuts(axis)) for axis in axes]
    sizes = np.stack(np.meshgrid(*map(np.diff, cuts), indexing="ij"), axis=-1)
    found = Refined(above[0], sizes.reshape(-1, len(axes)))
    order = np.argsort(tree.parents[0], kind="stable")
    even = zip(found.boxes(), leaves.boxes(), strict=True)
    return (found, order) if all((a == b[order]).all() for a, b in even) else None
