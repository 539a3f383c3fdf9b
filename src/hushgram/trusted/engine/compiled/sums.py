"""Add up amounts in one pass over Arrow batches: see `arrow`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from hushgram.declare.amount import Amount
from hushgram.declare.axis import Floats
from hushgram.declare.domain import Domain
from hushgram.geometry.partition import Boxes, Grid, Ints, Raster, Refined
from hushgram.trusted.engine.compiled.columns import amount_column, columns_of
from hushgram.trusted.engine.compiled.layout import GridLayout, RefinedLayout

Batches = Callable[[], Iterator[pa.RecordBatch]]

Locate = Callable[[tuple[Floats, ...], int], npt.NDArray[np.int32] | Ints]
"""Computes the part of each row from columns and a number of rows, -1 if the row is dropped."""


class Adder:
    """Adds up batches on several cores, each with its own arrays.

    ``places`` are the columns of the amounts; the axes of the partition come first.
    """

    def __init__(
        self, partition: Grid | Refined | Boxes, amounts: Sequence[Amount], places: Sequence[int]
    ) -> None:
        self.domain, self.size = partition.domain, partition.size
        self.locate = locate_in(partition)
        self.amounts, self.places = amounts, places
        self.sides = np.concatenate([side_of(amount) for amount in amounts])
        self.missing = np.array([index_of_missing(amount) for amount in amounts], dtype=np.int32)
        self._waiting: list[Ints] = []
        self._lock = Lock()

    def work(self, task: Batches) -> None:
        with self._lock:
            tallies = self._waiting.pop() if self._waiting else self._zeros()
        for batch in task():
            self.add(batch, tallies)
        with self._lock:
            self._waiting.append(tallies)

    def add(self, batch: pa.RecordBatch, tallies: Ints) -> None:
        from hushgram.trusted.engine.compiled import sum_kernels

        parts = self.locate(columns_of(self.domain, batch), len(batch))
        columns = tuple(amount_column(batch.column(place)) for place in self.places)
        sum_kernels.add_amounts(parts, columns, self.sides, self.missing, tallies)

    def totals(self) -> list[Ints]:
        """Return the sums over all cores."""
        return list(np.ascontiguousarray(sum(self._waiting, self._zeros()).T))

    def _zeros(self) -> Ints:
        """Return empty tallies: for each part, the number of rows and the sums of the amounts."""
        return np.zeros((self.size, 1 + len(self.amounts)), dtype=np.int64)


def side_of(amount: Amount) -> Floats:
    return GridLayout.of(Raster.of_cells(Domain(only=amount.axis))).sides


def index_of_missing(amount: Amount) -> int:
    """Return the index of a row without a number, -1 if it is dropped."""
    return -1 if amount.missing is None else amount.missing - amount.low


def locate_in(partition: Grid | Refined | Boxes) -> Locate:
    """Return the function that finds the parts of rows."""
    from hushgram.trusted.engine.compiled import sum_kernels

    if isinstance(partition, Boxes):
        return locate_in_boxes(partition)
    cells = GridLayout.of(partition.grid if isinstance(partition, Refined) else partition)
    finer = RefinedLayout.of(partition) if isinstance(partition, Refined) else None

    def locate(columns: tuple[Floats, ...], rows: int) -> Any:
        parts = np.empty(rows, dtype=np.int32)  # there are at most `MAX_PARTS`
        sum_kernels.cells_of_rows(columns, cells, parts)
        if finer is not None:
            sum_kernels.parts_of_cells(columns, cells, finer, parts)
        return parts

    return locate


def locate_in_boxes(boxes: Boxes) -> Locate:
    from hushgram.trusted.engine.compiled import sum_kernels

    layout, shape = GridLayout.of(boxes.raster), boxes.raster.shape

    def locate(columns: tuple[Floats, ...], rows: int) -> Any:
        parts = np.empty(rows, dtype=np.int64)
        sum_kernels.cells_of_rows(columns, layout, parts)
        there = parts >= 0
        slices = np.stack(np.unravel_index(parts[there], shape), axis=1)
        parts[there] = boxes.parts_of_slices(slices)
        return parts

    return locate
