"""PrivTree's decomposition: halve all axes repeatedly where rows are, and return the leaves.

A row is in a node of every depth. This is private not just because each decision has noise, but
because only few of these decisions depend noticeably on the row. See
``docs/proofs/decomposition.md``.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from hushgram.declare.domain import Domain
from hushgram.errors import BadInput
from hushgram.geometry.partition import MAX_PARTS, Boxes, Cuts, Grid, Halving, Ints
from hushgram.geometry.partition.halving import Nodes
from hushgram.queries import Decomposition
from hushgram.trusted.engine.compiled.places import RowPlaces
from hushgram.trusted.engine.occupied import Occupied
from hushgram.trusted.engine.table import Table
from hushgram.trusted.noise import Noise
from hushgram.trusted.vault.sensitivity import Sensitivity

LN_2 = Fraction(69_314_718_056, 10**11)
"""An upper bound on ln 2, too large by 6e-14."""

LN_3 = Fraction(109_861_228_867, 10**11)
"""An upper bound on ln 3, too large by 2e-12."""

LARGEST = 2**63 - 1


class DecompositionOperation:
    proof: ClassVar[str] = "decomposition"
    additive: ClassVar[bool] = False

    def check(self, query: Decomposition, domain: Domain) -> None:
        if query.raster.domain != domain:
            raise BadInput("The raster belongs to a different domain than the vault's.")
        for name, value in (("start", query.start), ("threshold", query.threshold)):
            given: Any = value
            if isinstance(given, bool) or not isinstance(given, int) or given < 0:
                raise BadInput(f"{name} must be a whole number. Found {given!r}.")
        if Halving.of(query.raster).max_nodes(query.start) > MAX_PARTS:
            raise BadInput(f"There are too many nodes at a depth of {query.start}.")

    def sensitivity(self, query: Decomposition, table: Sensitivity) -> int:
        return table.counts

    def count(self, query: Decomposition, table: Table, domain: Domain) -> Occupied | RowPlaces:
        """On one axis, count all cells, because the counts of leaves are computed from them
        later."""
        if isinstance(query.raster, Grid) and len(domain) == 1:
            return Occupied.among(query.raster, table.count(query.raster))
        return table.row_places(query.raster) or table.occupied_cells(query.raster)

    def perturb(
        self, query: Decomposition, exact: Occupied | RowPlaces, scale: Fraction, noise: Noise
    ) -> Ints:
        """Return the places where leaves start, in order: see `Halving`."""
        halving = Halving.of(query.raster)
        rule = SplitRule.calibrate(query.threshold, scale, halving.fan_out(query.start))
        nodes = halving.nodes_at(query.start)
        rows = exact if isinstance(exact, RowPlaces) else Placed.of(halving, exact)
        found = np.concatenate(list(leaves(halving, nodes, rows, rule, noise)))
        found.sort()
        return found

    def answer(self, query: Decomposition, noisy: Ints, scale: Fraction) -> Cuts | Boxes:
        halving = Halving.of(query.raster)
        return halving.intervals(noisy) if len(halving.bits) == 1 else halving.leaves(noisy)


@dataclass(frozen=True)
class SplitRule:
    """Split a node at depth d iff max(count - θ - d·decay, -floor) + noise > 0."""

    threshold: int
    noise: Fraction
    """The scale λ of the discrete Laplace noise."""
    floor: int

    @classmethod
    @lru_cache(maxsize=64)
    def calibrate(cls, threshold: int, scale: Fraction, fan_out: int) -> SplitRule:
        """Return the rule with the least noise and decay that the proof allows, for a ``scale`` of
        sensitivity / ε: λ = (1 + β² / ((2β-1)(β²-1))) · scale, floor = ⌈λ ln β - 1/2⌉.

        Nodes have up to ``fan_out`` children, a power of two. β is three quarters of that, but at
        least 2. A smaller β would mean less decay, but more splits of empty nodes.

        >>> SplitRule.calibrate(0, Fraction(100), fan_out=2)
        SplitRule(threshold=0, noise=Fraction(1300, 9), floor=100)
        """
        beta = max(2, 3 * fan_out // 4)
        noise = scale * (1 + Fraction(beta**2, (2 * beta - 1) * (beta**2 - 1)))
        doublings = fan_out.bit_length() - 3
        logarithm = LN_2 if doublings < 0 else LN_3 + doublings * LN_2
        return cls(threshold, noise, math.ceil(noise * logarithm - Fraction(1, 2)))

    @property
    def decay(self) -> int:
        return 2 * self.floor + 1

    def split(self, counts: Ints, depth: int, noise: Noise) -> npt.NDArray[np.bool_]:
        """Return which nodes of one depth split. Both sides of the comparison are shifted so that
        the left one is a count, and nothing exceeds 64 bits."""
        bar = self.threshold + depth * self.decay
        least = min(max(bar - self.floor, 0), LARGEST)
        noisy = noise.add_discrete_laplace(np.maximum(counts, least) - least, self.noise)
        return noisy > min(bar - least, LARGEST)


@dataclass(frozen=True, eq=False)
class Placed:
    """The places of the occupied cells in ascending order, and the number of rows before each."""

    places: Ints
    before: Ints
    """Has one more entry than there are places: the number of all rows."""

    @classmethod
    def of(cls, halving: Halving, occupied: Occupied) -> Placed:
        """Create from occupied cells. O(n log n); on one axis, they are already in order."""
        places, rows = halving.places(occupied.cells), occupied.rows
        if len(halving.bits) > 1:
            order = np.argsort(places)
            places, rows = places[order], rows[order]
        before = np.zeros(len(rows) + 1, dtype=np.int64)
        np.cumsum(rows, out=before[1:])
        return cls(places, before)

    def between(self, starts: Ints, stops: Ints) -> Ints:
        """Return the number of rows in each stretch of places. O(log n) each."""
        first, last = np.searchsorted(self.places, starts), np.searchsorted(self.places, stops)
        return np.asarray(self.before[last] - self.before[first])


def leaves(
    halving: Halving, nodes: Nodes, rows: RowPlaces | Placed, rule: SplitRule, noise: Noise
) -> Iterator[Ints]:
    """Yield the first places of the leaves of each depth, below the given nodes.

    A node of one cell is a leaf; the rule decides about larger ones. The noise of all nodes of a
    depth is drawn together.
    """
    for depth in itertools.count():
        yield halving.starts(nodes)[nodes.single]
        larger = nodes.subset(~nodes.single)
        if not len(larger):
            return
        starts = halving.starts(larger)
        split = rule.split(rows.between(starts, halving.stops(larger)), depth, noise)
        yield starts[~split]
        nodes = halving.children(larger.subset(split))
