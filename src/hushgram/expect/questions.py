"""The questions for which errors are predicted: boxes of several sizes, two in three around a
row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from hushgram.declare.axis import Floats
from hushgram.declare.domain import Domain
from hushgram.expect.simulated import SimulatedTable

EACH = 60
"""The number of boxes of each size."""

STEP = 5
"""`few` keeps one box in so many. It divides `EACH`."""


@dataclass(frozen=True, eq=False)
class AskedBoxes:
    """Boxes in units of indices, the same number of each size, and the true rows in each."""

    sizes: tuple[str, ...]
    starts: Floats
    stops: Floats
    truth: Floats

    @classmethod
    def draw(
        cls,
        table: SimulatedTable,
        rng: Generator,
        shares: Mapping[str, float] | None = None,
        each: int = EACH,
    ) -> AskedBoxes:
        """Draw ``each`` boxes of every size. ``shares`` maps the names of sizes to shares of the
        domain. Two in three boxes contain a row, because people ask about places with rows; the
        others are anywhere. Boxes end at the edges of declared cells, or anywhere on continuous
        axes."""
        sizes = question_shares(table.domain) if shares is None else shares
        boxes = [draw_boxes(table, share, rng, each) for share in sizes.values()]
        starts, stops = (np.concatenate(ends) for ends in zip(*boxes, strict=True))
        return cls(tuple(sizes), starts, stops, rows_in(table, starts, stops))

    def mean_by_size(self, numbers: Floats) -> Floats:
        """Return the mean over the boxes of each size."""
        return np.asarray(numbers.reshape(len(self.sizes), -1).mean(axis=1))

    def few(self) -> AskedBoxes:
        """Return one in `STEP` boxes, for computations that take longer per box."""
        some = np.arange(0, len(self.starts), STEP)
        return AskedBoxes(self.sizes, self.starts[some], self.stops[some], self.truth[some])


def question_shares(domain: Domain) -> dict[str, float]:
    """Return the sizes of boxes by name, as shares of the domain."""
    smallest = {"0.01 %": 1e-4} if domain.continuous else {"a cell": 0.0}
    shares = {**smallest, "1 %": 0.01, "10 %": 0.1, "half": 0.5, "all": 1.0}
    least = 1 / domain.cells
    return {name: share for name, share in shares.items() if share == 0 or share >= least}


def draw_boxes(
    table: SimulatedTable, share: float, rng: Generator, many: int
) -> tuple[Floats, Floats]:
    """Return the starts and stops of boxes that cover a share of the domain, two in three around a
    row."""
    bins = np.array(table.domain.shape, dtype=np.float64)
    whole = np.array([not axis.continuous for axis in table.domain.axes])
    lengths = bins * share ** (1 / len(bins))
    lengths = np.where(whole, np.maximum(np.rint(lengths), 1), lengths)
    middles = bins * rng.random((many, len(bins)))
    if len(table.rows):
        around = rng.choice(len(table.rows), many, p=table.rows / table.rows.sum())
        middles = np.where(np.arange(many)[:, None] % 3 > 0, table.places[around], middles)
    back = lengths * rng.random((many, len(bins)))
    starts = np.where(whole, np.floor(middles) - np.floor(back), middles - back)
    starts = np.clip(starts, 0, bins - lengths)
    return starts, starts + lengths


def rows_in(table: SimulatedTable, starts: Floats, stops: Floats) -> Floats:
    """Count the rows in each box. Rows are sorted by the first axis."""
    order = np.argsort(table.places[:, 0], kind="stable")
    places, rows = table.places[order], table.rows[order]
    first, last = (np.searchsorted(places[:, 0], ends[:, 0]) for ends in (starts, stops))
    if places.shape[1] == 1:
        sums = np.append(0, np.cumsum(rows))
        return np.asarray(sums[last] - sums[first], dtype=np.float64)
    others = np.ascontiguousarray(places[:, 1:].T)
    found = np.empty(len(starts))
    for box, (low, high) in enumerate(zip(first, last, strict=True)):
        inside = np.ones(high - low, dtype=bool)
        for column, start, stop in zip(others, starts[box, 1:], stops[box, 1:], strict=True):
            inside &= (column[low:high] >= start) & (column[low:high] < stop)
        found[box] = rows[low:high][inside].sum()
    return found
