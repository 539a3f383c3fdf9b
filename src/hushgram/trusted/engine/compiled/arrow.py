"""The fast path: count Arrow batches with compiled loops, on all cores.

It returns the same integers as the Ibis path. It handles files and frames that Arrow reads, if no
column has to be parsed from text; everything else goes to the engine. Only the schema and the
domain decide which path runs::

    source ──▶ tasks ────▶ batches ───▶ columns ────────▶ kernels ────────▶ one result per core
               one per      of 64K       of doubles:       cells of 2,048    counts, cells or
               row group,   rows         values, or        rows at a time,   places, joined at
               in parallel               indices           without a lock    the end
               `Scan`                    `columns_of`
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Lock
from typing import Any

import numpy as np
import pyarrow as pa

from hushgram.base.progress import watch
from hushgram.declare.amount import Amount
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows
from hushgram.geometry.partition import Boxes, Grid, Halving, Ints, Raster, Refined
from hushgram.trusted.engine.compiled.columns import columns_of, is_readable, without_dropped
from hushgram.trusted.engine.compiled.layout import (
    Counters,
    GridLayout,
    RefinedLayout,
    StretchLayout,
)
from hushgram.trusted.engine.compiled.place_tally import PlaceTally, node_bits
from hushgram.trusted.engine.compiled.places import (
    PlaceList,
    PlacePieces,
    Places,
    RowPlaces,
    are_stretches,
    fits,
)
from hushgram.trusted.engine.compiled.sums import Adder
from hushgram.trusted.engine.ibis.table import Found, IbisTable
from hushgram.trusted.engine.occupied import Occupied
from hushgram.trusted.engine.sources.plain import plain_type

ROWS = 1 << 16
"""Rows per batch: few enough for their columns to fit into the processor's cache."""

LOT = 1 << 20
"""The number of rows whose cells are sorted together."""

SHARED = 4 * 10**7
"""The maximum number of counts in the arrays of all cores together: 200 MB."""

KEPT = 1 << 28
"""The maximum number of bytes of rows to keep in memory for a second pass."""

Task = Callable[[], Iterator[pa.RecordBatch]]
"""Reads some of the rows. Tasks run in parallel."""

Tasks = Callable[[Sequence[str]], list[Task]]
"""Returns the tasks that read the named columns, in that order."""


class Scan:
    """One pass over all rows, and its progress."""

    def __init__(self, tasks: Callable[[], list[Task]]) -> None:
        self.tasks = tasks
        self.done = 0.0

    def run(self, work: Callable[[Task], Found], most: int = 1 << 16) -> list[Found]:
        """Run the work on each task, on all cores or on at most ``most``, and return the
        results."""
        tasks = self.tasks()

        def step(task: Task) -> Found:
            found = work(task)
            self.done += 1 / len(tasks)
            return found

        with ThreadPoolExecutor(max(1, min(os.cpu_count() or 1, len(tasks), most))) as pool:
            return list(pool.map(step, tasks))


class ArrowTable(IbisTable):
    """A source of Arrow batches, counted here if its columns allow it, otherwise by an engine.

    ``fast = False`` turns the compiled path off, for comparisons.
    """

    fast = True

    def __init__(self, schema: pa.Schema, tasks: Tasks, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.arrow = schema
        self.tasks = tasks
        self._kept: dict[tuple[str, ...], list[Task]] = {}

    def count_grid(self, grid: Grid | Refined) -> Ints:
        if not self._counts_here(grid.domain):
            return super().count_grid(grid)
        if isinstance(grid, Grid) and set(grid.slices) == {1}:
            self._keep_rows(self._columns(grid.domain.columns))
        columns = list(grid.domain.columns)
        return self._scan(columns, partial(tally_rows, [grid], columns))[0]

    def count_grids(self, grids: Sequence[Grid]) -> list[Ints]:
        if not all(self._counts_here(grid.domain) for grid in grids):
            return super().count_grids(grids)
        columns = dict.fromkeys(name for grid in grids for name in grid.domain.columns)
        return self._scan(columns, partial(tally_rows, grids, list(columns)))

    def count_stretches(self, boxes: Boxes) -> Ints | None:
        domain = boxes.domain
        if not (fits(boxes.raster) and self._counts_here(domain) and are_stretches(boxes)):
            return None
        return self._scan(domain, partial(tally_rows, [boxes], list(domain)))[0]

    def tally_grid(self, grid: Grid | Refined) -> list[Ints]:
        if not self._counts_here(grid.domain):
            return super().tally_grid(grid)
        return self._add_up(grid) if self.amounts else [self.count_grid(grid)]

    def tally_boxes(self, boxes: Boxes) -> list[Ints]:
        if not self._counts_here(boxes.domain):
            return super().tally_boxes(boxes)
        return self._add_up(boxes) if self.amounts else [self.count_boxes(boxes)]

    def _add_up(self, partition: Grid | Refined | Boxes) -> list[Ints]:
        columns = self._columns(partition.domain.columns)
        adder = Adder(
            partition, self.amounts, [columns.index(amount.column) for amount in self.amounts]
        )
        most = SHARED // (partition.size * (1 + len(self.amounts)))
        self._scan(columns, lambda scan: scan.run(adder.work, most=most), filtered=False)
        return adder.totals()

    def occupied_cells(self, raster: Raster) -> Occupied:
        if not self._counts_here(raster.domain):
            return super().occupied_cells(raster)
        return self._scan(raster.domain.columns, partial(sort_rows, raster))

    def row_places(self, raster: Raster) -> RowPlaces | None:
        if not (fits(raster) and self._counts_here(raster.domain)):
            return None
        return self._scan(raster.domain.columns, partial(place_rows, raster))

    def place_tally(self, raster: Raster) -> PlaceTally | None:
        if not (fits(raster) and self._counts_here(raster.domain)):
            return None
        if not raster.domain.continuous:  # slices of its axes may be queried next
            self._keep_rows(self._columns(raster.domain.columns))
        return self._scan(raster.domain.columns, partial(tally_places, raster))

    def forget(self) -> None:
        self._kept = {}

    def kind_of(self, name: str) -> pa.DataType:
        """Return the type that a column has for the engine."""
        return plain_type(self.arrow.field(name).type)

    def _counts_here(self, domain: Domain) -> bool:
        read = domain.columns_read
        wanted = [*read, *((one.column, one.axis) for one in self.amounts)]
        readable_columns = (is_readable(axis, self.kind_of(name)) for name, axis in wanted)
        plain_rows = isinstance(self._unit, Rows) and self.condition is None
        each_once = len({name for name, _ in read}) == len(read)
        return self.fast and plain_rows and each_once and all(readable_columns)

    def _scan(
        self, columns: Iterable[str], work: Callable[[Scan], Found], *, filtered: bool = True
    ) -> Found:
        """Run the work on the rows that count. If they are not ``filtered``, the work itself leaves
        out rows without an amount."""
        names = self._columns(columns)
        dropping = [one for one in self.amounts if one.drops and filtered]
        drops = [(names.index(one.column), one) for one in dropping]

        def tasks() -> list[Task]:
            found = self._kept.get(names) or self.tasks(list(names))
            return [partial(leave_out, task, drops) for task in found] if drops else found

        scan = Scan(tasks)
        with watch("counting rows", lambda: scan.done):
            return self._pass(lambda: work(scan))

    def _columns(self, columns: Iterable[str]) -> tuple[str, ...]:
        """Return the columns that a pass reads: these, then those of amounts, each once."""
        return tuple(dict.fromkeys([*columns, *(amount.column for amount in self.amounts)]))

    def _keep_rows(self, names: tuple[str, ...]) -> None:
        """Keep the rows of a small table, because queries for its parts usually follow."""
        tasks = self.tasks(list(names))
        self._kept = {names: [keep_batches(task, KEPT // (len(tasks) or 1)) for task in tasks]}


def keep_batches(task: Task, most: int) -> Task:
    """Return a task that reads once, and keeps the rows if they take at most this many bytes."""
    kept: list[pa.RecordBatch] | None = None

    def read() -> Iterator[pa.RecordBatch]:
        nonlocal kept
        if kept is not None:
            yield from kept
            return
        found: list[pa.RecordBatch] = []
        size = 0
        for batch in task():
            size += batch.nbytes
            if size <= most:
                found.append(batch)
            else:
                found.clear()
            yield batch
        kept = found if size <= most else None

    return read


def leave_out(task: Task, drops: Sequence[tuple[int, Amount]]) -> Iterator[pa.RecordBatch]:
    """Return a task's batches without the rows that are dropped because of an amount."""
    return (without_dropped(batch, drops) for batch in task())


def tally_rows(
    grids: Sequence[Grid | Refined | Boxes], columns: list[str], scan: Scan
) -> list[Ints]:
    """Count the rows in each part of several grids or boxes, from batches of these columns.
    O(rows), with arrays of counts for each core that its next task reuses."""
    sizes = [grid.size for grid in grids]
    tallies = [
        (tally_of(grid), [columns.index(name) for name in grid.domain.columns]) for grid in grids
    ]
    waiting: list[list[Counters]] = []
    lock = Lock()

    def work(task: Task) -> None:
        with lock:
            counts = waiting.pop() if waiting else [Counters.zeros(size) for size in sizes]
        for batch in task():
            for (tally, places), counters in zip(tallies, counts, strict=True):
                tally(batch.select(places), counters)
        with lock:
            waiting.append(counts)

    scan.run(work, most=SHARED // sum(sizes))
    totals = [np.zeros(size, dtype=np.int64) for size in sizes]
    for counts in waiting:
        for total, counters in zip(totals, counts, strict=True):
            counters.add_to(total)
    return totals


def tally_of(grid: Grid | Refined | Boxes) -> Callable[[pa.RecordBatch, Counters], None]:
    """Return the function that adds a batch's rows to the counts of their parts."""
    from hushgram.trusted.engine.compiled import kernels

    if isinstance(grid, Refined):
        cells, parts = GridLayout.of(grid.grid), RefinedLayout.of(grid)
        return lambda batch, counters: kernels.tally_refined(
            columns_of(grid.domain, batch), cells, parts, counters
        )
    if isinstance(grid, Boxes):
        raster, stretches = GridLayout.of(grid.raster), StretchLayout.of(grid)
        return lambda batch, counters: kernels.tally_stretches(
            columns_of(grid.domain, batch), raster, stretches, counters
        )
    layout = GridLayout.of(grid)
    return lambda batch, counters: kernels.tally_grid(
        columns_of(grid.domain, batch), layout, counters
    )


def sort_rows(raster: Raster, scan: Scan) -> Occupied:
    """Return the cells that have rows, by sorting. O(rows log rows)."""
    from hushgram.trusted.engine.compiled import kernels

    layout = GridLayout.of(raster)

    def number(batch: pa.RecordBatch) -> Ints:
        cells = np.empty(len(batch), dtype=np.int64)
        return cells[: kernels.number_cells(columns_of(raster.domain, batch), layout, cells)]

    def work(task: Task) -> Occupied:
        lots = join_lots(map(number, task()))
        return Occupied.together(raster, [Occupied.of(raster, cells) for cells in lots])

    return Occupied.together(raster, scan.run(work))


def join_lots(pieces: Iterable[Ints]) -> Iterator[Ints]:
    """Join the cells of rows into lots of about a million, which are sorted together. Batches
    themselves are never joined, because the values of two dictionaries may not fit into one."""
    lot: list[Ints] = []
    for cells in pieces:
        lot.append(cells)
        if sum(map(len, lot)) >= LOT:
            yield np.concatenate(lot)
            lot = []
    if lot:
        yield np.concatenate(lot)


def place_rows(raster: Raster, scan: Scan) -> RowPlaces:
    """Return the places of all rows. O(rows log rows), with four bytes per row, then two."""
    places = PlaceList()
    number = place_numbers(raster)

    def work(task: Task) -> None:
        for batch in task():
            places.add(number(batch))

    scan.run(work)
    return RowPlaces.of(raster, places.all())


def tally_places(raster: Raster, scan: Scan) -> PlaceTally:
    """Count the rows in each node of a depth, and keep the places of all rows if they need at most
    `KEPT` bytes. O(rows)."""
    from hushgram.trusted.engine.compiled import place_kernels

    places = PlacePieces(KEPT)
    number = place_numbers(raster)
    bits, shift = node_bits(raster)
    waiting: list[Counters] = []
    lock = Lock()

    def work(task: Task) -> None:
        with lock:
            counters = waiting.pop() if waiting else Counters.zeros(1 << bits)
        for batch in task():
            found = number(batch)
            place_kernels.tally_nodes(found, shift, counters)
            places.add(found)
        with lock:
            waiting.append(counters)

    scan.run(work)
    totals = np.zeros(1 << bits, dtype=np.int64)
    for counters in waiting:
        counters.add_to(totals)
    return PlaceTally.of(raster, totals, places.kept)


def place_numbers(raster: Raster) -> Callable[[pa.RecordBatch], Places]:
    """Return the function that computes the places of a batch's rows."""
    from hushgram.trusted.engine.compiled import kernels

    layout = GridLayout.of(raster)
    added = tuple(part.astype(np.uint32) for part in Halving.of(raster).slice_places)

    def number(batch: pa.RecordBatch) -> Places:
        found = np.empty(len(batch), dtype=np.uint32)
        columns = columns_of(raster.domain, batch)
        return found[: kernels.number_places(columns, layout, added, found)]

    return number
