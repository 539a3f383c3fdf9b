"""The questions that errors are predicted for: boxes of some sizes, two in three around a row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from hushgram.declare.axis import Floats
from hushgram.declare.domain import Domain
from hushgram.expect.simulated import SimulatedTable

EACH = 60
"""Boxes of each size."""

STEP = 5
"""One box in that many is among few; it divides `EACH`."""


@dataclass(frozen=True, eq=False)
class AskedBoxes:
    """Boxes in units of indices, as many of every size, and the rows in each."""

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
        """So many boxes of ``each`` size: a share of the domain, by name. Two boxes in three hold a
        row, since people look where rows are; the others are anywhere. They end on the edges of
        declared cells, and anywhere on continuous axes."""
        sizes = question_shares(table.domain) if shares is None else shares
        boxes = [draw_boxes(table, share, rng, each) for share in sizes.values()]
        starts, stops = (np.concatenate(ends) for ends in zip(*boxes, strict=True))
        return cls(tuple(sizes), starts, stops, rows_in(table, starts, stops))

    def mean_by_size(self, numbers: Floats) -> Floats:
        """The mean over the boxes of each size."""
        return np.asarray(numbers.reshape(len(self.sizes), -1).mean(axis=1))

    def few(self) -> AskedBoxes:
        """Some of the boxes of each size, where each takes longer."""
        some = np.arange(0, len(self.starts), STEP)
        return AskedBoxes(self.sizes, self.starts[some], self.stops[some], self.truth[some])


def question_shares(domain: Domain) -> dict[str, float]:
    """Kinds of questions, and which share of the domain they cover."""
    smallest = {"0.01 %": 1e-4} if domain.continuous else {"a cell": 0.0}
    shares = {**smallest, "1 %": 0.01, "10 %": 0.1, "half": 0.5, "all": 1.0}
    least = 1 / domain.cells
    return {name: share for name, share in shares.items() if share == 0 or share >= least}


def draw_boxes(
    table: SimulatedTable, share: float, rng: Generator, many: int
) -> tuple[Floats, Floats]:
    """The starts and stops of boxes that cover a share of the domain, two in three around a row."""
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
    """The rows in each box: those along the first axis are found by order."""
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
