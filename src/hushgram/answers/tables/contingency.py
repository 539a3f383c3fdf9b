"""Noisy contingency counts: how often each class occurs with each combination of features."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hushgram.answers.counting.question import check_names
from hushgram.declare.axis import Category, Floats, Integer
from hushgram.errors import NotAnswerable
from hushgram.geometry.partition import Boxed, Cuts, Grid, Ints, Lattice
from hushgram.mechanisms.estimate import Estimate

if TYPE_CHECKING:
    from hushgram.release.release import Release

MAX_CELLS = 10**7
"""The most combinations of features and classes."""


@dataclass(frozen=True, eq=False)
class Contingency:
    """Unclipped counts by combinations of features and by classes."""

    codes: Ints
    """The code of each feature's value: combinations x features."""
    counts: Floats
    """Combinations x classes."""
    noise: Callable[[Ints, int], float]
    """The variance of the sum of some combinations' counts of one class."""


def noiseless(_: Ints, __: int) -> float:
    return 0.0


def classes_of(release: Release, target: str) -> list[Any]:
    """The values of a class axis, without "other", which is not a class."""
    check_names(release.domain, [target])
    axis = release.domain[target]
    if not isinstance(axis.whole, Category | Integer):
        raise NotAnswerable(
            f"The target {target!r} must be a category or an integer. Found {axis.whole.kind}."
        )
    if not axis.declared:
        raise NotAnswerable(
            f'The target {target!r} only has the value "other" here, so there is nothing to '
            "predict."
        )
    return [axis.edge(index) for index in range(axis.declared)]


def cells_of(release: Release, target: str, purpose: str) -> Lattice:
    """The lattice of the features' slices, with every value of the target separate."""
    layout = release.estimate.partition
    if isinstance(layout, Lattice):
        lattice = single_values(layout, target)
    elif isinstance(layout, Boxed) and not release.domain.continuous:
        lattice = Grid.of_cells(release.domain)
    else:
        raise NotAnswerable(
            f"A {layout.kind} layout splits its continuous axes differently in different "
            f"places, so there are no values of features for {purpose}. Train another "
            "classifier on weighted_rows(release, target), or publish with declared bins."
        )
    if lattice.size > MAX_CELLS:
        raise NotAnswerable(
            f"{lattice.size:,} cells are too many for {purpose}. Publish fewer axes or "
            f"coarser bins, with at most {MAX_CELLS:,} cells."
        )
    return lattice


def single_values(layout: Lattice, name: str) -> Lattice:
    """The same slices, except that every index of one axis is separate."""
    axis, place = layout.domain[name], layout.domain.names.index(name)
    if layout.slices[place] == axis.bins:
        return layout
    starts = [layout.cuts(n)[:slices] for n, slices in enumerate(layout.slices)]
    starts[place] = np.arange(axis.bins)
    return Cuts(layout.domain, tuple(starts))


def contingency(release: Release, target: str) -> Contingency:
    """The counts of a release by the target's classes and all other axes."""
    lattice, classes = cells_of(release, target, "a tree"), len(classes_of(release, target))
    place = release.domain.names.index(target)
    parts, shares = spread(release.estimate, lattice)
    each = (release.estimate.values[parts] * shares).reshape(lattice.shape)
    indices = np.delete(np.indices(lattice.shape), place, axis=0)

    def by_class(cells: Any) -> Any:
        table = np.moveaxis(cells.reshape(lattice.shape), place, -1)
        return table.reshape(-1, table.shape[-1])[:, :classes]

    codes = np.take(indices, 0, axis=place + 1).reshape(len(indices), -1).T
    noise = variances(release.estimate, by_class(parts), by_class(shares))
    return Contingency(codes, by_class(each), noise)


def spread(estimate: Estimate, lattice: Lattice) -> tuple[Ints, Floats]:
    """The part of each cell, and the cell's share of it."""
    layout = estimate.partition
    if layout is lattice:
        return np.arange(lattice.size), np.ones(lattice.size)
    assert isinstance(layout, Boxed)
    parts = layout.parts(list(lattice.boxes()[0].T))
    return parts, 1 / np.bincount(parts, minlength=layout.size)[parts]


def variances(estimate: Estimate, parts: Ints, shares: Floats) -> Callable[[Ints, int], float]:
    """A function for the variance of a sum of cells: O(cells) for counts that were measured once,
    else O(parts)."""
    size = estimate.partition.size
    independent = estimate.inference.is_direct and bool((shares == 1).all())

    def noise(rows: Ints, label: int) -> float:
        if independent:
            return len(rows) * estimate.measurements[0].variance
        chosen = parts[rows, label]
        weights = np.zeros(size)
        np.add.at(weights, chosen, shares[rows, label])
        return estimate.moments(weights)[0]

    return noise
