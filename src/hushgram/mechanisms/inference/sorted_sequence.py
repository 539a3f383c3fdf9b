"""The distribution behind noisy sums of sorted groups.

A group's mean, with noise, is where its middle row lies. Isotonic regression restores the order of
the means; the curve through (position, rank of the middle row) of all groups is the estimated
number of rows below any position::

    rows below
      all  ┤                             ,──•   ends half a group further on
           │                         ,•''
           │                     ,•''            each • is the middle of a group
           │                   •'
           │                   │                 groups pooled at one position: the curve jumps,
           │                   •                 many rows at one value stay there
           │          ,──•─'''
        0  ┤──•──''''
           └──┬──────────┬─────┬┬────┬────┬──>   position along the axis
              cuts: where the curve bends, and on both sides of a jump

What lies between two cuts is a part, and its count is how far the curve rises there.

Beyond the outermost middles the curve goes on for half a group with the step of the nearest two
groups, since the paper's cells, which run to the ends of the axis, put rows where none may be: on
clustered rows their error is two to ten times as large.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.errors import BadInput
from hushgram.geometry.measured.sorted_groups import SortedGroups
from hushgram.geometry.partition import Boxes, Cuts, Ints, Lattice, Partition
from hushgram.mechanisms.inference.base import Inference
from hushgram.mechanisms.inference.isotonic import isotonic, isotonic_absolute
from hushgram.mechanisms.inference.linearisation import Linearisation
from hushgram.mechanisms.inference.ranks import (
    CENTRE,
    RankCurve,
    Reconstruction,
    SortedParts,
    SortedPoints,
)
from hushgram.queries import Measurement

REGRESSIONS = {"squares": isotonic, "absolute": isotonic_absolute}
"""How order is restored, by name: by least squares or by least absolute deviations."""


class OrderedParts(NamedTuple):
    """A layout whose parts follow each other along a curve."""

    layout: Cuts | Boxes
    starts: Ints
    """Where the parts start on the curve, in its order."""
    numbers: Ints
    """The number in the layout of each of these parts."""

    @property
    def cuts(self) -> Floats:
        """The positions where all parts but the first start."""
        return np.asarray(self.starts[1:] - CENTRE, dtype=np.float64)

    def to_layout(self, along: Floats) -> Floats:
        """Values in the order of the curve, by the parts' numbers."""
        found = np.empty(len(along))
        found[self.numbers] = along
        return found


@dataclass(frozen=True, eq=False)
class SortedSequence(Inference):
    """The inference of a total and of the sums of sorted groups: counts between cuts.

    It is not linear, since noise moves positions and not counts. `pull` and `variances` are those
    of its linearisation: where a position moves, rows pass a cut by the density around it, taken
    over one standard deviation of the position to either side. They are approximate, and leave out
    that isotonic regression chose its pools by the noise: among many rows they are about 40 % too
    wide, in thin tails sometimes too narrow. The total's noise falls to the upper end, where the
    list is cut or padded.
    """

    kind: ClassVar[str] = "sorted"
    measurements: tuple[Measurement, Measurement]
    """The number of rows, and the sums. They say where to cut, and around which positions to
    linearise: both stay as they are, whatever `push` is asked for."""
    regression: str = "squares"
    """One of `REGRESSIONS`. Variances are those of means, for medians too: Laplace noise moves
    these less."""

    @classmethod
    def of(cls, measurements: Sequence[Measurement], regression: str = "squares") -> SortedSequence:
        if regression not in tuple(REGRESSIONS):  # a file may say anything
            raise BadInput(f"Unknown regression {regression!r}.")
        if len(measurements) != 2 or not isinstance(measurements[1].partition, SortedGroups):
            raise BadInput("A sorted sequence needs a total and sums of sorted groups.")
        whole = measurements[0].partition
        if not isinstance(whole, Lattice) or whole.size != 1:
            raise BadInput("The total of a sorted sequence must be a single count.")
        return cls((measurements[0], measurements[1]), regression)

    @property
    def is_linear(self) -> bool:
        return False

    @property
    def noise_margin(self) -> float:
        """On several axes noise moves rows along a curve, far from where they are."""
        return 2.0 if len(self.sorted_groups.domain) > 1 else 1.5

    @property
    def sorted_groups(self) -> SortedGroups:
        found = self.measurements[1].partition
        assert isinstance(found, SortedGroups)
        return found

    def positions(self, sums: Measurement) -> Floats:
        """The position of each group along the indices, in order, as these sums have it."""
        lengths = self.sorted_groups.lengths
        fitted = REGRESSIONS[self.regression](sums.values / lengths, lengths.astype(np.float64))
        return np.clip(fitted, 0, self.sorted_groups.span)

    def rank_curve(self, sums: Measurement) -> RankCurve:
        """The number of rows below each position, as these sums have it."""
        positions, groups = self.positions(sums), self.sorted_groups
        ends = groups.ends.astype(np.float64)
        steps = np.diff(positions) if len(positions) > 1 else np.zeros(1)
        below, above = groups.outer_shares
        first = max(positions[0] - steps[0] * below, -CENTRE)
        last = min(positions[-1] + steps[-1] * above, groups.span + CENTRE)
        return RankCurve(
            np.concatenate([[first], positions, [last]]),
            np.concatenate([[0.0], ends - groups.lengths / 2, ends[-1:]]),
        )

    @cached_property
    def curve(self) -> RankCurve:
        """The one that its own measurements have."""
        return self.rank_curve(self.measurements[1])

    @cached_property
    def parts(self) -> OrderedParts:
        """On one axis there are cuts where the curve bends, and on both sides of the cells in which
        it jumps: no more than twice as many as there are groups, however fine the axis is. On more
        axes boxes are cut until none has two bends.
        """
        groups = self.sorted_groups
        if len(groups.domain) > 1:
            return OrderedParts(*groups.curve.boxes_around(self.curve.positions[1:-1]))
        starts = cut_at_bends(self.curve, groups.span)
        return OrderedParts(Cuts(groups.domain, (starts,)), starts, np.arange(len(starts)))

    @property
    def layout(self) -> Cuts | Boxes:
        return self.parts.layout

    def push(self, measurements: Sequence[Measurement]) -> Floats:
        total, sums = measurements
        rows = self.sorted_groups.rows
        curve = self.curve if sums is self.measurements[1] else self.rank_curve(sums)
        below = curve.rows_below(self.parts.cuts)
        values = np.diff(np.concatenate([[0.0], below, [float(rows)]]))
        values[-1] += float(int(total.values[0]) - rows)
        return self.parts.to_layout(values)

    @cached_property
    def linearisation(self) -> Linearisation:
        noise = self.measurements[1].variance
        return Linearisation(self.sorted_groups, self.curve, self.parts.cuts, noise)

    def pull(self, weights: Floats) -> Sequence[Floats]:
        return self.linearisation.pull(weights[self.parts.numbers])

    def variances(self, measurements: Sequence[Measurement]) -> Floats:
        return self.parts.to_layout(self.linearisation.variances(measurements[0].variance))

    def sorted_parts(self) -> SortedParts:
        groups, parts = self.sorted_groups, self.parts
        nearest = np.searchsorted(groups.ends, self.curve.rows_below(parts.cuts))
        return SortedParts(parts.numbers, nearest, int(groups.lengths.max()), groups.rows)

    def sorted_points(self) -> SortedPoints:
        """Groups at one point are one; along a curve, points that are apart may share a cell."""
        groups = self.sorted_groups
        found = groups.curve.positions_at(self.positions(self.measurements[1]))
        points, numbers = np.unique(found, axis=0, return_inverse=True)
        rows = np.zeros(len(points), dtype=np.int64)
        np.add.at(rows, numbers.reshape(-1), groups.lengths)
        return SortedPoints(points, rows)

    def reconstruction(self) -> Reconstruction | None:
        """On several axes the positions are those on a curve, and none along an axis."""
        if len(self.sorted_groups.domain) > 1:
            return None
        total, sums = self.measurements
        deviations = np.sqrt(self.linearisation.spreads)[self.linearisation.blocks]
        lengths = self.sorted_groups.lengths
        return Reconstruction(self.positions(sums), lengths, deviations, self.curve, total.variance)

    def check(self, partition: Partition, measurements: Sequence[Measurement]) -> None:
        check_layout(partition, self.layout)

    def to_json(self) -> dict[str, Any]:
        told = super().to_json()
        return told if self.regression == "squares" else {**told, "regression": self.regression}

    @classmethod
    def from_json(
        cls, data: Mapping[str, Any], measurements: Sequence[Measurement]
    ) -> SortedSequence:
        return cls.of(measurements, data.get("regression", "squares"))


def cut_at_bends(curve: RankCurve, span: int) -> Ints:
    """The first index of each stretch between bends and jumps of a curve, of indices up to
    ``span``."""
    places = curve.positions + CENTRE
    jumps = np.floor(places[:-1][np.diff(places) == 0])
    cuts = np.unique(np.concatenate([np.rint(places), jumps, jumps + 1]).astype(np.int64))
    return np.concatenate([[0], cuts[(cuts > 0) & (cuts <= span)]])


def check_layout(partition: Partition, derived: Cuts | Boxes) -> None:
    """Their number, not their bounds: these are rounded floats, and another machine may round
    otherwise."""
    if type(partition) is not type(derived) or partition.size != derived.size:
        raise BadInput("The parts of sorted rows must start where the sums of their groups do.")
