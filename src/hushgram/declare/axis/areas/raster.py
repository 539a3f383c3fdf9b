"""The raster that determines the area of a point."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hushgram.base.packing import pack, unpack, whole_number
from hushgram.declare.axis.areas.painting import NOWHERE
from hushgram.declare.axis.base import Ints
from hushgram.declare.axis.earth import METRES
from hushgram.declare.axis.numeric import Regular
from hushgram.errors import DomainError

MOST_CELLS = 1 << 26
"""The most cells of a raster: their labels take 256 MB while rows are counted."""


class BlockRuns(NamedTuple):
    """The cells in areas, as runs within blocks of equal size: the table that engines join with."""

    width: int
    """Cells per block, a power of two."""
    block: Ints
    start: Ints
    stop: Ints
    label: Ints


@dataclass(frozen=True, eq=False)
class AreaRaster:
    """A grid of equal cells, row by row from the bottom, with the area of each, as runs of labels.

    Two regular axes determine the cell of a point, so every engine finds the same one. The area of
    the point is the label of that cell.
    """

    x: Regular
    y: Regular
    labels: Ints
    """The area of each run of cells, or -1."""
    lengths: Ints
    """The number of cells of each run."""

    def __post_init__(self) -> None:
        check_cells(self.x.bins, self.y.bins)
        whole = len(self.labels) == len(self.lengths) and (self.lengths > 0).all()
        if not whole or int(self.lengths.sum()) != self.x.bins * self.y.bins:
            raise DomainError("The runs of an area raster must cover all its cells.")

    @classmethod
    def of_labels(cls, x: Regular, y: Regular, labels: npt.NDArray[np.int32]) -> AreaRaster:
        starts = np.flatnonzero(np.append(True, labels[1:] != labels[:-1]))
        lengths = np.diff(np.append(starts, len(labels)))
        return cls(x, y, labels[starts].astype(np.int64), lengths)

    def label(self, column: int, row: int) -> int:
        """The area of a cell, or -1."""
        return int(self.cells[row * self.x.bins + column])

    @cached_property
    def cells(self) -> npt.NDArray[np.int32]:
        """The area of every cell."""
        return np.repeat(self.labels.astype(np.int32), self.lengths)

    def sizes(self, areas: int) -> Ints:
        """The number of cells of each area."""
        inside = self.labels >= 0
        found = np.bincount(self.labels[inside], self.lengths[inside], areas)
        return np.asarray(found, dtype=np.int64)

    @cached_property
    def blocks(self) -> BlockRuns:
        """Runs cut at the ends of blocks. There are about as many blocks as runs, so that a block
        holds few of them."""
        width = 1 << max(0, (self.x.bins * self.y.bins // len(self.lengths)).bit_length() - 1)
        ends = np.cumsum(self.lengths)
        borders = np.arange(0, ends[-1], width)
        starts = np.sort(np.concatenate([ends[:-1], borders]))
        starts = starts[np.append(True, starts[1:] != starts[:-1])]
        stops = np.append(starts[1:], ends[-1])
        labels = self.labels[np.searchsorted(ends, starts, side="right")]
        kept = labels != NOWHERE
        return BlockRuns(width, (starts // width)[kept], starts[kept], stops[kept], labels[kept])

    def half_diagonal(self, *, degrees: bool) -> float:
        """The largest distance of a point from the centre of its cell, in metres or in the units of
        the columns. Only rows within this distance of a border can be counted in the neighbouring
        area."""
        width, height = self.x.span / self.x.bins, self.y.span / self.y.bins
        if degrees:
            nearest = 0.0 if self.y.lo < 0 < self.y.hi else min(abs(self.y.lo), abs(self.y.hi))
            width, height = width * math.cos(math.radians(nearest)) * METRES, height * METRES
        return math.hypot(width, height) / 2

    @cached_property
    def key(self) -> str:
        """A hash that identifies the raster."""
        digest = hashlib.sha256(repr((self.x, self.y)).encode())
        digest.update(self.labels.astype("<i8").tobytes())
        digest.update(self.lengths.astype("<i8").tobytes())
        return digest.hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AreaRaster) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def to_json(self) -> dict[str, Any]:
        return {
            "x": [self.x.lo, self.x.hi, self.x.bins],
            "y": [self.y.lo, self.y.hi, self.y.bins],
            "runs": len(self.lengths),
            "labels": pack(self.labels),
            "lengths": pack(self.lengths),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> AreaRaster:
        x, y = (side_from_json(data[name]) for name in ("x", "y"))
        runs = whole_number(data["runs"])
        if not 1 <= runs <= x.bins * y.bins <= MOST_CELLS:
            raise DomainError(
                f"An area raster can have at most one run per cell. Found {runs:,} runs."
            )
        return cls(x, y, unpack(data["labels"], runs), unpack(data["lengths"], runs))


def check_cells(columns: int, rows: int) -> None:
    if columns * rows > MOST_CELLS:
        raise DomainError(
            f"A raster of {columns:,} × {rows:,} cells is too large. Use a lower "
            f"resolution, with at most {MOST_CELLS:,} cells."
        )


def side_from_json(side: Any) -> Regular:
    lo, hi, bins = side
    return Regular(whole_number(bins), lo, hi)
