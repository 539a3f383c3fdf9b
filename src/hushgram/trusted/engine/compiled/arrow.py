"""The fast path: compiled loops over Arrow batches, on all cores.

It gives the very integers of the Ibis path, for files and frames that Arrow reads and columns
that need no reading of text; everything else goes to the engine. Which path runs is decided
by the schema and the domain alone.
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
import pyarrow.compute as pc

from hushgram.base.progress import watch
from hushgram.declare.axis import Axis, Category, Date, Floats, Integer, Variable, Window
from hushgram.declare.axis.numeric import Even
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows
from hushgram.geometry.partition import Grid, Ints, Raster, Refined
from hushgram.trusted.engine.compiled.places import RowPlaces, fits, spread
from hushgram.trusted.engine.ibis.table import Found, IbisTable
from hushgram.trusted.engine.occupied import Occupied
from hushgram.trusted.engine.sources.plain import plain, plain_type

ROWS = 1 << 16
"""Rows per batch: their columns stay in the processor's cache."""

LOT = 1 << 20
"""Rows whose cells are sorted together."""

SHARED = 4 * 10**7
"""Counts in all cores' arrays together, at the most: 200 MB."""

KEPT = 1 << 28
"""Bytes of a table's rows that are kept in memory, at the most, where it is read again."""

Task = Callable[[], Iterator[pa.RecordBatch]]
"""Reads some of the rows; tasks run side by side."""


class Counters:
    """One core's counts, each up to 2^40: their low bytes, of which the cache holds millions, and
    how often each was full."""

    def __init__(self, parts: int) -> None:
        self.lows = np.zeros(parts, dtype=np.uint8)
        self.carries = np.zeros(parts, dtype=np.uint32)

    def add_to(self, totals: Ints) -> None:
        totals += self.lows
        carried = self.carries.nonzero()[0]
        totals[carried] += self.carries[carried].astype(np.int64) << 8


def readable(axis: Axis, kind: pa.DataType) -> bool:
    """Whether a plain column of this type becomes indices without the engine."""
    if isinstance(axis, Window):
        return readable(axis.axis, kind)
    if isinstance(axis, Category):
        text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
        return bool(text or pa.types.is_integer(kind) or pa.types.is_boolean(kind))
    if isinstance(axis, Date):
        return bool(pa.types.is_timestamp(kind) or pa.types.is_date32(kind))
    return bool(pa.types.is_integer(kind) or kind in (pa.float32(), pa.float64()))


Tasks = Callable[[Sequence[str]], list[Task]]
"""The tasks that read the named columns, in that order."""


class ArrowTable(IbisTable):
    """A source of Arrow batches: counted here if its columns allow, else by an engine.

    ``fast`` turns the compiled path off, to compare the two.
    """

    fast = True

    def __init__(self, schema: pa.Schema, tasks: Tasks, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.kinds = {field.name: plain_type(field.type) for field in schema}
        self.tasks = tasks
        self._kept: dict[Domain, list[Task]] = {}

    def count_grid(self, grid: Grid | Refined) -> Ints:
        if not self._counted_here(grid.domain):
            return super().count_grid(grid)
        if isinstance(grid, Grid) and set(grid.slices) == {1}:
            self._keep(grid.domain)
        return self._watched(grid.domain, partial(count_tasks, grid))

    def count_grids(self, grids: Sequence[Grid]) -> list[Ints]:
        if not all(self._counted_here(grid.domain) for grid in grids):
            return super().count_grids(grids)
        columns = list(dict.fromkeys(name for grid in grids for name in grid.domain))
        done = [0.0]
        with watch("counting rows", lambda: done[0]):
            return self._pass(lambda: tally_tasks(grids, columns, self.tasks(columns), done))

    def occupied_cells(self, raster: Raster) -> Occupied:
        if not self._counted_here(raster.domain):
            return super().occupied_cells(raster)
        return self._watched(raster.domain, partial(occupied_tasks, raster))

    def row_places(self, raster: Raster) -> RowPlaces | None:
        if not (fits(raster) and self._counted_here(raster.domain)):
            return None
        return self._watched(raster.domain, partial(placed_tasks, raster))

    def _counted_here(self, domain: Domain) -> bool:
        readable_columns = (readable(axis, self.kinds[name]) for name, axis in domain.items())
        plain_rows = isinstance(self._unit, Rows) and self.condition is None
        return self.fast and plain_rows and all(readable_columns)

    def _watched(self, domain: Domain, work: Callable[[list[Task], list[float]], Found]) -> Found:
        done = [0.0]
        with watch("counting rows", lambda: done[0]):
            return self._pass(
                lambda: work(self._kept.get(domain) or self.tasks(list(domain)), done)
            )

    def forget(self) -> None:
        self._kept = {}

    def _keep(self, domain: Domain) -> None:
        """Whoever asks for the whole asks for its parts next: a small table is read once."""
        tasks = self.tasks(list(domain))
        self._kept = {domain: [keeping(task, KEPT // (len(tasks) or 1)) for task in tasks]}


def keeping(task: Task, most: int) -> Task:
    """A task that reads once and then remembers the rows, if they take at most so many bytes."""
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


def occupied_tasks(raster: Raster, tasks: list[Task], done: list[float]) -> Occupied:
    """The cells that have rows: O(rows log rows), a task's rows sorted at a time."""
    number = numberer(raster)

    def work(task: Task) -> Occupied:
        found = [Occupied.of(raster, cells) for cells in gathered(map(number, task()))]
        done[0] += 1 / len(tasks)
        return Occupied.together(raster, found)

    with ThreadPoolExecutor(max(1, min(os.cpu_count() or 1, len(tasks)))) as pool:
        return Occupied.together(raster, list(pool.map(work, tasks)))


def placed_tasks(raster: Raster, tasks: list[Task], done: list[float]) -> RowPlaces:
    """The places of all rows: O(rows log rows), and four bytes per row, then two."""
    from hushgram.trusted.engine.compiled import kernels

    sides, _ = shape_of(raster)
    parts = tuple(spread(raster))
    places, filled, lock = np.empty(0, dtype=np.uint32), 0, Lock()

    def work(task: Task) -> None:
        nonlocal filled
        for batch in task():
            found = np.empty(len(batch), dtype=np.uint32)
            columns = columns_of(raster.domain, batch)
            kept = kernels.number_places(columns, sides, parts, found)
            with lock:
                if filled + kept > len(places):  # grows in place, where the system can
                    places.resize(filled + kept + filled // 8, refcheck=False)
                places[filled : filled + kept] = found[:kept]
                filled += kept
        done[0] += 1 / len(tasks)

    with ThreadPoolExecutor(max(1, min(os.cpu_count() or 1, len(tasks)))) as pool:
        list(pool.map(work, tasks))
    places.resize(filled, refcheck=False)
    return RowPlaces.of(raster, places)


def gathered(pieces: Iterable[Ints]) -> Iterator[Ints]:
    """The cells of rows in lots of a million or so, which are sorted together. Batches themselves
    are never joined: words of two dictionaries may be too many for one."""
    lot: list[Ints] = []
    for cells in pieces:
        lot.append(cells)
        if sum(map(len, lot)) >= LOT:
            yield np.concatenate(lot)
            lot = []
    if lot:
        yield np.concatenate(lot)


def count_tasks(grid: Grid | Refined, tasks: list[Task], done: list[float]) -> Ints:
    """The number of rows in each part: O(rows), and one array of counts per core.

    ``done`` is told how much of it is done.
    """
    return tally_tasks([grid], list(grid.domain), tasks, done)[0]


def tally_tasks(
    grids: Sequence[Grid | Refined], columns: list[str], tasks: list[Task], done: list[float]
) -> list[Ints]:
    """The number of rows in each part of several grids, from tasks that read these columns."""
    sizes = [grid.size for grid in grids]
    workers = max(1, min(os.cpu_count() or 1, len(tasks), SHARED // sum(sizes)))
    talliers = [(tallier(grid), [columns.index(name) for name in grid.domain]) for grid in grids]

    totals, lock = [np.zeros(size, dtype=np.int64) for size in sizes], Lock()

    def work(worker: int) -> None:
        found = [Counters(size) for size in sizes]
        for task in tasks[worker::workers]:
            for batch in task():
                for (tally, places), counts in zip(talliers, found, strict=True):
                    tally(batch.select(places), counts)
            done[0] += 1 / len(tasks)
        with lock:
            for total, counts in zip(totals, found, strict=True):
                counts.add_to(total)

    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(work, range(workers)))
    return totals


def tallier(partition: Grid | Refined) -> Callable[[pa.RecordBatch, Counters], None]:
    """What adds a batch's rows to the counts of their parts."""
    from hushgram.trusted.engine.compiled import kernels

    grid = partition.grid if isinstance(partition, Refined) else partition
    sides, lengths = shape_of(grid)

    def columns(batch: pa.RecordBatch) -> tuple[Floats, ...]:
        return columns_of(grid.domain, batch)

    def tally_grid(batch: pa.RecordBatch, counts: Counters) -> None:
        kernels.tally_grid(columns(batch), sides, lengths, counts.lows, counts.carries)

    if not isinstance(partition, Refined):
        return tally_grid

    lower, upper = grid.boxes()
    lookup = np.stack([lower, upper - lower], axis=2).astype(np.float64)
    starts = tuple(grid.cuts(place).astype(np.float64) for place in range(len(grid.domain)))
    plan = np.column_stack([partition.sizes, partition.offsets[:-1]]).astype(np.int32)
    shape = sides, lengths, starts, plan, lookup

    def tally_refined(batch: pa.RecordBatch, counts: Counters) -> None:
        kernels.tally_refined(columns(batch), *shape, counts.lows, counts.carries)

    return tally_refined


def numberer(raster: Raster) -> Callable[[pa.RecordBatch], Ints]:
    """What gives the number of every row's cell; rows that drop out have none."""
    from hushgram.trusted.engine.compiled import kernels

    sides, lengths = shape_of(raster)

    def number(batch: pa.RecordBatch) -> Ints:
        cells = np.empty(len(batch), dtype=np.int64)
        kept = kernels.number_cells(columns_of(raster.domain, batch), sides, lengths, cells)
        return cells[:kept]

    return number


def columns_of(domain: Domain, batch: pa.RecordBatch) -> tuple[Floats, ...]:
    """A batch as the kernels want it."""
    return tuple(
        sealed(column(axis, plain(batch.column(place)))) for place, axis in enumerate(domain.axes)
    )


def shape_of(grid: Raster) -> tuple[Floats, Ints]:
    """A grid as the kernels want it."""
    sides = np.array([side_of(grid, place) for place in range(len(grid.domain))])
    return sides, np.array(grid.shape, dtype=np.int64)


POLICIES = {"drop": 0, "clamp": 1, "other": 2}


def side_of(grid: Raster, place: int) -> list[float]:
    """An axis of a grid as the kernels want it (see `kernels`).

    Slices are guessed like indices. Where a slice is no whole number of indices, its cut lies up
    to one index above its even share; the guess is shifted down by one index and trusted only
    two indices below the next cut. Trusted or not, a guess is one of the slices: it is looked up
    before it is doubted.
    """
    axis, slices = grid.domain.axes[place], grid.slices[place]
    bins = float(axis.bins)
    if not isinstance(axis, Even):  # its column holds indices already
        shape = [0.0, bins - 1, bins, bins]
        guess = [-0.25, 1.0, 0.5, -0.25, slices / bins, 0.5 if slices == bins else -1.0]
        return [*shape, *guess, slices, POLICIES["other" if axis.other else "drop"]]
    base, rate = axis.guess
    index = 0.0 if axis.bins % slices == 0 else axis.span / bins
    step = slices / axis.span
    shape = [axis.lo, axis.hi, axis.span, bins]
    guess = [base, rate, axis.clear, base + index, step, 1 - (2 * index + axis.doubt) * step]
    return [*shape, *guess, slices, POLICIES[axis.outside]]


def column(axis: Axis, values: pa.Array) -> Floats:
    """A column as doubles: its values where bins are equal, else its indices. NaN drops out."""
    if isinstance(axis, Even):
        return doubles(values)
    if isinstance(axis, Window):
        return window_indices(axis, values)
    if isinstance(axis, Category):
        return category_indices(axis, values)
    if isinstance(axis, Date):
        return date_indices(axis, values)
    x = doubles(values)
    if isinstance(axis, Integer):
        return by_policy(axis, np.asarray(np.floor(x) - axis.lo), x >= axis.hi + 1)
    assert isinstance(axis, Variable)
    edges = np.array(axis.edges)
    found: Floats = np.searchsorted(edges, x, side="right").astype(np.float64) - 1
    found[x == edges[-1]] = axis.bins - 1
    found[np.isnan(x)] = np.nan
    return by_policy(axis, found, x > edges[-1])


def sealed(values: Floats) -> Floats:
    """Read-only and in one piece, like Arrow's own: one type of array, one compiled loop."""
    if values.flags.writeable or not values.flags.c_contiguous:
        values = np.ascontiguousarray(values).view()
        values.flags.writeable = False
    return values


def by_policy(axis: Axis, index: Floats, above: Any) -> Floats:
    """The indices, with those that do not fit where the axis's policy wants them."""
    fits = (index >= 0) & (index < axis.bins)
    if axis.outside == "drop":
        return np.where(fits, index, np.nan)
    other = axis.bins if axis.other else np.where(above, axis.bins - 1.0, 0.0)
    return np.where(fits, index, other)


def doubles(values: pa.Array) -> Floats:
    """A column's numbers as doubles, NULL as NaN."""
    numbers = values.cast(pa.float64(), safe=False)
    if numbers.null_count:  # else not even copied
        numbers = numbers.fill_null(np.nan)
    return np.asarray(numbers.to_numpy())


def window_indices(axis: Window, values: pa.Array) -> Floats:
    from hushgram.trusted.engine.compiled import kernels

    whole = column(axis.axis, values)
    if isinstance(axis.axis, Even):
        alone = Grid.of_cells(Domain(only=axis.axis))
        whole = kernels.indices(whole, np.array([side_of(alone, 0)]))
    inside = (whole >= axis.start) & (whole < axis.stop)
    return np.where(inside, whole - axis.start, np.nan)


def category_indices(axis: Category, values: pa.Array) -> Floats:
    # Long texts stay long: cast to short ones, two gigabytes of them would be an error.
    kind = values.type if pa.types.is_large_string(values.type) else pa.string()
    texts = pa.array(list(axis.spellings), kind)
    elsewhere = axis.bins if axis.other else np.nan
    places = np.array([*axis.spellings.values(), elsewhere], dtype=np.float64)
    found = pc.index_in(values.cast(kind), texts)
    return np.asarray(places[found.fill_null(len(texts)).to_numpy()])


def date_indices(axis: Date, values: pa.Array) -> Floats:
    """Whole steps since the start, rounded down."""
    missing = values.is_null().to_numpy(zero_copy_only=False)
    ticks = values.cast(pa.timestamp("us")).view(pa.int64()).fill_null(0).to_numpy()
    first, last = axis.moment(0), axis.moment(axis.bins)
    inside = (ticks >= first) & (ticks < last) & ~missing
    safe = np.where(inside, ticks, first)
    if axis.monthly:
        months = safe.astype("datetime64[us]").astype("datetime64[M]").astype(np.int64)
        steps = (months + 1970 * 12 - axis.first) // axis.months
    else:
        steps = (safe - axis.first) // axis.microseconds
    return by_policy(
        axis, np.where(inside, steps.astype(np.float64), np.nan), (ticks >= last) & ~missing
    )
