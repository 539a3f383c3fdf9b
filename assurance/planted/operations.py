"""Bugs in the vault's operations and in the table of sensitivities."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from assurance.planted.bug import Bug, instead
from hushgram.declare.unit import Rows
from hushgram.geometry.measured.weighted_nodes import WeightedNodes
from hushgram.trusted.noise import nested
from hushgram.trusted.vault.operations import smooth_median
from hushgram.trusted.vault.operations.bisections import BisectionsOperation
from hushgram.trusted.vault.operations.boundaries import BoundariesOperation
from hushgram.trusted.vault.operations.cell_sums import CellSumsOperation
from hushgram.trusted.vault.operations.counts import CountsOperation
from hushgram.trusted.vault.operations.decomposition import SplitRule
from hushgram.trusted.vault.operations.linear import LinearOperation
from hushgram.trusted.vault.operations.medians import MediansOperation
from hushgram.trusted.vault.operations.sorted_sums import SortedSumsOperation
from hushgram.trusted.vault.sensitivity import Sensitivity

CALIBRATE = SplitRule.calibrate


def row_by_row(self: Sensitivity) -> int:
    return 2 if self.neighbours == "replace-one" else 1


def as_if_added(self: Sensitivity) -> int:
    return self.unit.rows


def free_if_replaced(self: Sensitivity) -> int:
    if self.neighbours == "replace-one" and isinstance(self.unit, Rows) and not self.nested:
        return 0
    return self.counts if self.nested else self.unit.rows


def total_of_a_child(self: Sensitivity) -> int:
    return self.unit.rows


def sparse(self: Any, query: Any, exact: Any, scale: Fraction, noise: Any) -> Any:
    """Add noise only to cells with rows."""
    return np.where(exact == 0, 0, noise.add_discrete_laplace(exact, scale))


def clipped_by_a_cell(self: Any, query: Any, table: Any, domain: Any) -> Any:
    """Clip counts at the count of the last cell, before adding noise."""
    counts = table.count(query.partition)
    return np.minimum(counts, counts[-1])


def count_unbounded(self: Any, query: Any, table: Any, domain: Any) -> Any:
    return table.count(query.grid)[: query.grid.slices[0]]


def steeper(right: Any) -> Any:
    """Use a rate without the 2 in its denominator."""

    def perturb(self: Any, query: Any, exact: Any, scale: Fraction, noise: Any) -> Any:
        return right(self, query, exact, scale / 2, noise)

    return perturb


def rule_with(floor: Any = None, decay: Any = None) -> Any:
    """Return rules with another floor or decay than calibrated."""

    def wrong(threshold: int, scale: Fraction, fan_out: int) -> SplitRule:
        rule = CALIBRATE(threshold, scale, fan_out)
        kept = rule.floor if floor is None else floor(rule)

        class Wrong(SplitRule):
            @property
            def decay(self) -> int:
                return rule.decay if decay is None else int(decay(rule))

        return Wrong(rule.threshold, rule.noise, kept)

    return wrong


def rounded_down(rule: SplitRule) -> int:
    """Return the decay λ ln β, rounded down instead of up to an odd number."""
    return math.floor(float(rule.noise) * math.log(2))


def local_spread(ranked: Any, shift: Fraction, rate: Fraction) -> Fraction:
    """Return the local sensitivity of this table instead of the smooth one."""
    return max(Fraction(1), int(ranked.reach(np.array([0]))[0]) / shift)


def heaviest_node(self: WeightedNodes) -> int:
    """Return how far one row moves the heaviest node, as if its leaf were in no other."""
    return int(self.weights.max())


def heaviest_alone(right: Any, weights: Any) -> Any:
    """Return path sums as if nodes had no ancestors."""
    return weights, np.zeros_like(weights)


def on_multiples(spacing: int, cost: Fraction, size: int) -> Any:
    """Return no spread between the multiples of the spacing."""
    return np.zeros(size, dtype=np.int64).astype(object)


def one_row(self: Any, query: Any, table: Sensitivity) -> int:
    from hushgram.queries.boundary_limits import SCALE

    return SCALE * table.counts


BUGS = (
    Bug("people-as-rows", "a person with many rows protected as one row",
        instead(Sensitivity, "counts", property(row_by_row)), ("PartCounts", "Linear")),
    Bug("replaced-as-added", "a replaced row protected as an added one",
        instead(Sensitivity, "counts", property(as_if_added)), ("PartCounts", "identity")),
    Bug("free-total", "the total published free under replace-one, although rows can vanish",
        instead(Sensitivity, "total", property(free_if_replaced)), ("Total",)),
    Bug("total-inside-split", "the total of a split's child as if no row could change sides",
        instead(Sensitivity, "total", property(total_of_a_child)), ("split", "Total")),
    Bug("contrasts-as-counts", "wavelets with the sensitivity of counts",
        instead(LinearOperation, "sensitivity", lambda self, query, table: table.counts),
        ("Linear", "privelet")),
    Bug("one-sorted-place", "sorted sums as if a row moved one place",
        instead(SortedSumsOperation, "sensitivity", lambda self, query, table: table.below),
        ("SortedSums", "sorted")),
    Bug("one-list-moves", "a row that changes cells moves one sorted list, not two",
        instead(CellSumsOperation, "sensitivity",
                lambda self, query, table: table.below * query.cells.span), ("CellSums",)),
    Bug("heaviest-node", "nodes as if a row moved the heaviest only, not all that hold it",
        instead(WeightedNodes, "cover", property(heaviest_node)), ("NodeCounts",)),
    Bug("heaviest-nested-node", "noise that agrees, as if a row moved the heaviest node only",
        instead(nested, "path_sums", heaviest_alone), ("NestedCounts",)),
    Bug("noise-in-steps", "noise that agrees, in multiples of its spacing only",
        instead(nested, "spread_each", on_multiples), ("NestedCounts",)),
    Bug("sparse-noise", "noise only on cells that have rows",
        instead(CountsOperation, "perturb", sparse), ("PartCounts", "identity")),
    Bug("clipped-by-the-data", "counts clipped at the count of a cell before noise is added",
        instead(CountsOperation, "count", clipped_by_a_cell), ("PartCounts", "identity")),
    Bug("no-bound-on-counts", "boundaries chosen from counts that are not clipped at the bound",
        instead(BoundariesOperation, "count", count_unbounded), ("Boundaries",)),
    Bug("boundary-of-one-row", "boundaries as if a row moved a squared error by one",
        instead(BoundariesOperation, "sensitivity", one_row), ("Boundaries",)),
    Bug("steep-bisections", "bisections at twice the rate",
        instead(BisectionsOperation, "perturb", steeper(BisectionsOperation.perturb)),
        ("Bisections",)),
    Bug("steep-medians", "medians at twice the rate",
        instead(MediansOperation, "perturb", steeper(MediansOperation.perturb)), ("Medians",)),
    Bug("tree-without-floor", "PrivTree without a clamp on its counts",
        instead(SplitRule, "calibrate", rule_with(floor=lambda rule: 10**6)), ("Decomposition",)),
    Bug("tree-without-decay", "PrivTree without decay",
        instead(SplitRule, "calibrate", rule_with(decay=lambda rule: 0)), ("Decomposition",)),
    Bug("tree-with-rounded-decay", "PrivTree with its decay rounded down",
        instead(SplitRule, "calibrate", rule_with(decay=rounded_down)), ("Decomposition",)),
    Bug("local-spread", "the median's noise is calibrated to this table only, not to its "
                        "neighbours",
        instead(smooth_median, "smooth_spread", local_spread), ("SmoothMedian",)),
)  # fmt: skip
