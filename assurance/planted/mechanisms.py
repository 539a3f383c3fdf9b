"""Bugs in mechanisms: true numbers in addition to, or instead of, the paid answers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from assurance.planted.bug import Bug, instead
from hushgram.geometry.partition import Grid, Merged
from hushgram.mechanisms import hierarchical
from hushgram.mechanisms.ahp import AHP, cluster_labels
from hushgram.mechanisms.base import Settled
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.grid_sizing import slices_per_axis
from hushgram.mechanisms.grouping_smoothing import GroupingSmoothing
from hushgram.mechanisms.identity import Identity
from hushgram.mechanisms.inference.pooled import Pooled
from hushgram.mechanisms.inference.tree import reconcile
from hushgram.mechanisms.isotonic import Isotonic
from hushgram.mechanisms.noise_first import NoiseFirst, segments_of
from hushgram.mechanisms.uniform_grid import UniformGrid
from hushgram.queries import Measurement, PartCounts, Total
from hushgram.trusted.noise import Native


def truth(vault: Any, grid: Any = None) -> Any:
    return vault._table.count(Grid.of_cells(vault.domain) if grid is None else grid)


def number(vault: Any) -> int:
    return int(truth(vault, Grid(vault.domain, (1,) * len(vault.domain))).sum())


def true_total(self: Any, vault: Any) -> Estimate:
    """Choose the grid from the true number of rows."""
    grid = Grid(vault.domain, slices_per_axis(vault.domain, 50.0 * number(vault)))
    return Estimate.direct(vault.ask(PartCounts(grid, vault.remaining)))


def true_order(self: Any, vault: Any) -> Estimate:
    """Sort cells by their true counts."""
    cells = Grid.of_cells(vault.domain)
    order = np.argsort(truth(vault), kind="stable")
    groups = Merged(cells, cluster_labels(order, np.arange(0, cells.size, 2)))
    sums = vault.ask(PartCounts(groups, vault.remaining))
    return Estimate.infer(cells, [sums], Pooled(groups, np.arange(groups.size)))


def true_segments(self: Any, vault: Any) -> Estimate:
    """Choose segments from the true counts, as in the paper."""
    cells = Grid.of_cells(vault.domain)
    segments = Merged(cells, segments_of(truth(vault), 0.1))
    sums = vault.ask(PartCounts(segments, vault.remaining))
    return Estimate.infer(cells, [sums], Pooled(segments, np.arange(segments.size)))


def filled_cells(self: Any, vault: Any) -> Estimate:
    """Make only cells with rows separate parts."""
    grid = Grid.of_cells(vault.domain)
    filled = truth(vault) > 0
    labels = np.unique(np.where(filled, np.cumsum(filled), 0), return_inverse=True)[1]
    parts = Merged(grid, labels)
    sums = vault.ask(PartCounts(parts, vault.remaining))
    return Estimate.infer(grid, [sums], Pooled(parts, np.arange(parts.size)))


def noise_per_bin(self: Any, vault: Any) -> Estimate:
    """Add noise to each bin of a cluster, divided by the cluster's size."""
    cells = Grid.of_cells(vault.domain)
    noisy = vault.ask(PartCounts(cells, self.share * vault.epsilon))
    starts = np.arange(0, cells.size, 4)
    clusters = Merged(cells, cluster_labels(np.argsort(noisy.values, kind="stable"), starts))
    scale = vault.ask(PartCounts(clusters, vault.remaining)).scale
    finer = Native().add_discrete_laplace(truth(vault), max(scale / 4, Fraction(1, 8)))
    return Estimate.direct(Measurement(cells, finer, noisy.variance, scale))


def unpaid_pass(self: Any, vault: Any) -> Estimate:
    """Refund the price of the first pass."""
    cells = Grid.of_cells(vault.domain)
    noisy = vault.ask(PartCounts(cells, vault.epsilon / 2))
    vault._remaining = vault.epsilon
    groups = Merged(cells, segments_of(noisy.values, 4 * noisy.variance))
    sums = vault.ask(PartCounts(groups, vault.remaining))
    return Estimate.infer(cells, [sums], Pooled(groups, np.arange(groups.size)))


def levels_as_one(vault: Any, levels: Any, weights: Any = None) -> Estimate:
    """Give each level the whole budget, as if levels were disjoint."""
    budget = vault.remaining
    measured = []
    for level in levels:
        vault._remaining = budget
        measured.append(vault.ask(PartCounts(level, budget)))
    return reconcile(measured)


def keeps_budget(self: Any, vault: Any) -> Estimate:
    return Estimate.direct(vault.ask(PartCounts(Grid.of_cells(vault.domain), vault.remaining / 2)))


def asks_twice(self: Any, vault: Any) -> Estimate:
    vault.ask(Total(vault.epsilon))
    return Estimate.direct(vault.ask(PartCounts(Grid.of_cells(vault.domain), vault.epsilon)))


def true_counts(self: Any, vault: Any) -> Estimate:
    noisy = vault.ask(PartCounts(Grid.of_cells(vault.domain), vault.remaining))
    true = truth(vault)
    return Estimate.direct(Measurement(noisy.partition, true, noisy.variance, noisy.scale))


def true_zeros(self: Any, vault: Any) -> Estimate:
    """Set empty cells to zero after adding noise."""
    noisy = vault.ask(PartCounts(Grid.of_cells(vault.domain), vault.remaining))
    values = np.where(truth(vault) == 0, 0, noisy.values)
    return Estimate.direct(Measurement(noisy.partition, values, noisy.variance, noisy.scale))


def reveal_in_text(self: Any, vault: Any) -> Settled:
    """State the true number of rows in the release."""
    return Settled(self, f"There are {number(vault)} rows.")


def refuses_empty(self: Any, vault: Any) -> Estimate:
    """Raise for an empty table, which reveals that it is empty."""
    if number(vault) == 0:
        raise ValueError("the table is empty")
    return Estimate.direct(vault.ask(PartCounts(Grid.of_cells(vault.domain), vault.remaining)))


BUGS = (
    Bug("true-total", "the grid follows from the true number of rows",
        instead(UniformGrid, "estimate", true_total), ("uniform-grid",)),
    Bug("true-order", "cells sorted by their true counts",
        instead(GroupingSmoothing, "estimate", true_order), ("grouping-smoothing",)),
    Bug("true-segments", "segments from the true counts",
        instead(NoiseFirst, "estimate", true_segments), ("noise-first",)),
    Bug("data-dependent-cells", "only cells with rows are published",
        instead(Identity, "estimate", filled_cells), ("identity",)),
    Bug("noise-per-bin", "noise per bin, divided by the cluster's size, instead of per cluster",
        instead(AHP, "estimate", noise_per_bin), ("ahp",)),
    Bug("unpaid-pass", "a first query whose price is refunded",
        instead(Isotonic, "estimate", unpaid_pass), ("isotonic",)),
    Bug("levels-as-one", "the levels of a tree charged as if they were disjoint",
        instead(hierarchical, "measure_tree", levels_as_one), ("hierarchical",)),
    Bug("budget-left-over", "half of the budget is not spent",
        instead(Identity, "estimate", keeps_budget), ("identity",)),
    Bug("asks-twice", "the whole budget is requested twice",
        instead(Identity, "estimate", asks_twice), ("identity",)),
    Bug("true-counts", "true counts published alongside a paid query",
        instead(Identity, "estimate", true_counts), ("identity",)),
    Bug("true-zeros", "empty cells set to zero after the noise",
        instead(Identity, "estimate", true_zeros), ("identity",)),
    Bug("revealed-in-text", "the true number of rows in the release's explanation",
        instead(Identity, "settle", reveal_in_text), ("identity",)),
    Bug("empty-table-refused", "an error that reveals that the table is empty",
        instead(Identity, "estimate", refuses_empty), ("identity",)),
)  # fmt: skip
