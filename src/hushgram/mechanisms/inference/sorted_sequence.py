"""The distribution of rows, from noisy sums of sorted groups.

The noisy mean of a group is the position of its middle row. Isotonic regression restores the order
of the means; the curve through (position, rank of the middle row) of all groups is the estimated
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

The parts are between neighbouring cuts, and the count of a part is the rise of the curve there.

Beyond the outermost middles, the curve continues for half a group with the step of the nearest two
groups. The paper's cells extend to the ends of the axis and put rows where there may be none: on
clustered rows, their error is two to ten times as large.
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
"""The regressions that restore the order, by name: least squares or least absolute deviations."""


class OrderedParts(NamedTuple):
    """A layout, and the order of its parts along a curve."""

    layout: Cuts | Boxes
    starts: Ints
    """The starts of the parts on the curve, in its order."""
    numbers: Ints
    """The number of each of these parts in the layout."""

    @property
    def cuts(self) -> Floats:
        """The starting positions of all parts except the first."""
        return np.asarray(self.starts[1:] - CENTRE, dtype=np.float64)

    def to_layout(self, along: Floats) -> Floats:
        """Values in the order of the curve, rearranged to that of the layout."""
        found = np.empty(len(along))
        found[self.numbers] = along
        return found


@dataclass(frozen=True, eq=False)
class SortedSequence(Inference):
    """Counts between cuts, inferred from a total and the sums of sorted groups.

    This inference is not linear, since noise changes positions instead of counts. `pull` and
    `variances` are those of its linearisation: if a position moves, the number of rows that pass a
    cut is given by the density around it, taken over one standard deviation of the position on
    either side. They are approximate, and ignore that the noise determined the pools of isotonic
    regression: where there are many rows, they are about 40 % too wide, and in thin tails sometimes
    too narrow. The noise of the total affects the upper end, where the list is cut or padded.
    """

    kind: ClassVar[str] = "sorted"
    measurements: tuple[Measurement, Measurement]
    """The number of rows, and the sums. They determine the cuts and the positions of the
    linearisation, whatever measurements `push` gets."""
    regression: str = "squares"
    """One of `REGRESSIONS`. Variances are those of means, for medians, too: Laplace noise affects
    medians less."""

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
        """The factor is larger on several axes, where noise moves rows far along the curve."""
        return 2.0 if len(self.sorted_groups.domain) > 1 else 1.5

    @property
    def sorted_groups(self) -> SortedGroups:
        found = self.measurements[1].partition
        assert isinstance(found, SortedGroups)
        return found

    def positions(self, sums: Measurement) -> Floats:
        """The position of each group along the indices, in order, according to these sums."""
        lengths = self.sorted_groups.lengths
        fitted = REGRESSIONS[self.regression](sums.values / lengths, lengths.astype(np.float64))
        return np.clip(fitted, 0, self.sorted_groups.span)

    def rank_curve(self, sums: Measurement) -> RankCurve:
        """The number of rows below each position, according to these sums."""
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
        """The curve of its own measurements."""
        return self.rank_curve(self.measurements[1])

    @cached_property
    def parts(self) -> OrderedParts:
        """The parts of the layout. On one axis, the cuts are where the curve bends and on both
        sides of the cells in which it jumps: at most two per group, however fine the axis is. On
        several axes, boxes are cut until none has two bends.
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
        """The groups as points. Groups at the same point are joined, also if they are only in the
        same cell of the raster along a curve."""
        groups = self.sorted_groups
        found = groups.curve.positions_at(self.positions(self.measurements[1]))
        points, numbers = np.unique(found, axis=0, return_inverse=True)
        rows = np.zeros(len(points), dtype=np.int64)
        np.add.at(rows, numbers.reshape(-1), groups.lengths)
        return SortedPoints(points, rows)

    def reconstruction(self) -> Reconstruction | None:
        """The groups along the axis; None on several axes, where positions are on a curve."""
        if len(self.sorted_groups.domain) > 1:
            return None
        total, sums = self.measurements
        deviations = np.sqrt(self.linearisation.spreads)[self.linearisation.blocks]
        lengths = self.sorted_groups.lengths
        return Reconstruction(self.positions(sums), lengths, deviations, self.curve, total.variance)

    def check(self, partition: Partition, measurements: Sequence[Measurement]) -> None:
        check_layout(partition, self.layout)

    def to_json(self) -> dict[str, Any]:
        data = super().to_json()
        return data if self.regression == "squares" else {**data, "regression": self.regression}

    @classmethod
    def from_json(
        cls, data: Mapping[str, Any], measurements: Sequence[Measurement]
    ) -> SortedSequence:
        return cls.of(measurements, data.get("regression", "squares"))


def cut_at_bends(curve: RankCurve, span: int) -> Ints:
    """The first index of each interval between bends and jumps of a curve, for indices up to
    ``span``."""
    places = curve.positions + CENTRE
    jumps = np.floor(places[:-1][np.diff(places) == 0])
    cuts = np.unique(np.concatenate([np.rint(places), jumps, jumps + 1]).astype(np.int64))
    return np.concatenate([[0], cuts[(cuts > 0) & (cuts <= span)]])


def check_layout(partition: Partition, derived: Cuts | Boxes) -> None:
    """Raise unless the number of parts is correct. Bounds are not compared, since they are rounded
    floats, and another machine may round differently."""
    if type(partition) is not type(derived) or partition.size != derived.size:
        raise BadInput("The parts of sorted rows must start where the sums of their groups do.")
