"""The fast path around its loops: which tables take it, how they are read, and what is kept."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hushgram.declare.axis import Axis, Category, Date, Integer, Interval, Regular, Variable, Window
from hushgram.declare.condition import Where
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows, User
from hushgram.geometry.partition import Boxes, Cuts, Grid, Merged, Partition, Raster, Refined
from hushgram.trusted.engine.compiled import arrow, columns
from hushgram.trusted.engine.compiled.arrow import ArrowTable, Scan, Task
from hushgram.trusted.engine.compiled.columns import category_indices, is_readable
from hushgram.trusted.engine.sources.held import hold
from hushgram.trusted.engine.sources.parquet import parquet_tasks
from hushgram.trusted.engine.sources.plain import seal
from hushgram.trusted.engine.sources.source import open_table
from tests import reference
from tests.trusted.engine.tables import counted

pytestmark = pytest.mark.usefixtures("kernels")


def opened(source: Any, domain: Domain) -> ArrowTable:
    table = open_table(source)
    assert isinstance(table, ArrowTable)
    table.check(domain, Rows())
    return table


TEXT, WHOLE, REAL = (pa.string(), pa.large_string()), (pa.int8(), pa.uint64()), (pa.float32(),)
TIMES = (pa.timestamp("us"), pa.date32())
OTHERS = (pa.bool_(), pa.binary(), pa.decimal128(5), pa.time64("us"), pa.float16())
READABLE: dict[Axis, Sequence[pa.DataType]] = {
    Regular(3, 0, 1): [*WHOLE, *REAL, pa.float64()],
    Interval(0, 1): [*WHOLE, *REAL, pa.float64()],
    Integer(0, 3): [*WHOLE, *REAL, pa.float64()],
    Variable((0.0, 1.0)): [*WHOLE, *REAL, pa.float64()],
    Category(["a"]): [*TEXT, *WHOLE, pa.bool_()],
    Date("2024-01-01", "2024-12-31"): TIMES,
    Window(Date("2024-01-01", "2024-12-31"), 1, 3): TIMES,
    Window(Integer(0, 3), 1, 3): [*WHOLE, *REAL, pa.float64()],
}


@pytest.mark.parametrize("axis", READABLE, ids=repr)
def test_which_columns_become_indices_here(axis: Axis) -> None:
    for kind in (*TEXT, *WHOLE, *REAL, pa.float64(), *TIMES, *OTHERS):
        assert is_readable(axis, kind) == (kind in READABLE[axis]), kind


def test_what_is_left_to_the_engine() -> None:
    """People, conditions and texts; all else is counted here."""
    domain = Domain(x=Integer(0, 3), y=Integer(0, 3))
    rows = pa.table({"x": [0, 1, 2], "y": [3, 3, 1], "who": [1, 1, 2]})
    plain = opened(rows, domain)
    assert plain._counts_here(domain)
    assert not plain.bound_to(domain, User("who", max_rows=1))._counts_here(domain)
    assert plain._counts_here(domain)
    assert not opened(Where(rows, "x > 0"), domain)._counts_here(domain)
    written = opened(pa.table({"x": [0, 1, 2], "y": ["3", "3", "1"]}), domain)
    assert not written._counts_here(domain)
    assert written._counts_here(Domain(x=Integer(0, 3)))
    plain = opened(rows, domain)
    plain.fast = False
    assert not plain._counts_here(domain)


@pytest.mark.parametrize("texts", [False, True])
def test_several_grids_are_counted_together(texts: bool) -> None:
    """One with columns in another order, and where a column needs the engine."""
    x, y = Integer(0, 2), Regular(4, 0, 1)
    columns = {"x": [0, 1, 2, 2, None], "y": [0.1, 0.6, 0.6, 2.0, 0.9]}
    kinds = {"x": [str(v) if texts and v is not None else v for v in columns["x"]]}
    domain = Domain(x=x, y=y)
    table = opened(pa.table(columns | kinds), domain)
    grids = [Grid.of_cells(Domain(y=y, x=x)), Grid.of_cells(Domain(x=x)), Grid(domain, (1, 2))]
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    known = [
        reference.count(grid, [[row[name] for name in grid.domain] for row in rows])
        for grid in grids
    ]
    assert [counts.tolist() for counts in table.count_grids(grids)] == known


def scan_of(*pieces: Sequence[float]) -> Scan:
    """A task for each piece, with a batch for each value."""

    def task(piece: Sequence[float]) -> Task:
        return lambda: iter([pa.record_batch({"x": pa.array([value])}) for value in piece])

    return Scan(lambda: [task(piece) for piece in pieces])


DOMAIN = Domain(x=Regular(8, 0, 1))
PIECES = [[0.1, 0.2], [], [0.9], [0.1, 0.1, 0.95, 2.0]]
VALUES = [[value] for piece in PIECES for value in piece]
PARTITIONS: list[Partition] = [
    Grid.of_cells(DOMAIN),
    Grid(DOMAIN, (3,)),
    Refined(Grid(DOMAIN, (2,)), np.array([[1], [4]])),
    Merged(Grid(DOMAIN, (4,)), np.array([0, 1, 0, 1])),
    Cuts(DOMAIN, (np.array([0, 3, 7]),)),
    Merged(Cuts(DOMAIN, (np.array([0, 3, 7]),)), np.array([0, 1, 0])),
    Boxes(Raster.of_cells(DOMAIN), np.array([0, -1, -1]), np.array([4, 0, 0])),
]


@pytest.mark.parametrize("partition", PARTITIONS, ids=lambda one: type(one).__name__)
def test_every_partition_is_counted_from_all_tasks(partition: Partition) -> None:
    """And when all is counted, all is done."""
    scan = scan_of(*PIECES)
    (found,) = arrow.tally_rows([partition.base], ["x"], scan)
    assert partition.sums(found).tolist() == reference.count(partition, VALUES)
    assert scan.done == pytest.approx(1)


def test_no_task_has_no_row() -> None:
    grid, raster = Grid.of_cells(DOMAIN), Raster.of_cells(DOMAIN)
    assert arrow.tally_rows([grid], ["x"], scan_of())[0].tolist() == [0] * 8
    assert arrow.sort_rows(raster, scan_of()).cells.tolist() == []
    assert arrow.place_rows(raster, scan_of()).lows.tolist() == []


def test_cells_and_places_of_all_tasks() -> None:
    raster, one, other = Raster.of_cells(DOMAIN), scan_of(*PIECES), scan_of(*PIECES)
    cells = arrow.sort_rows(raster, one)
    assert (cells.cells.tolist(), cells.rows.tolist()) == ([0, 1, 7], [3, 1, 2])
    places = arrow.place_rows(raster, other)
    assert places.lows.tolist() == [0, 0, 0, 1, 7, 7]
    assert [one.done, other.done] == [pytest.approx(1)] * 2


def test_who_waits_is_told_how_much_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    told = []

    @contextmanager
    def watch(label: str, share: Callable[[], float]) -> Iterator[None]:
        told.append((label, share()))
        yield
        told.append((label, share()))

    monkeypatch.setattr(arrow, "watch", watch)
    table = opened(pa.table({"x": [0.1, 0.2]}), DOMAIN)
    table.count(Grid.of_cells(DOMAIN))
    table.count_grids([Grid.of_cells(DOMAIN)])
    table.occupied_cells(Raster.of_cells(DOMAIN))
    assert told == [("counting rows", 0.0), ("counting rows", 1.0)] * 3


class Pools(ThreadPoolExecutor):
    """Remembers how many workers were asked for."""

    asked: list[int] = []  # noqa: RUF012

    def __init__(self, workers: int) -> None:
        self.asked.append(workers)
        super().__init__(workers)


@pytest.mark.parametrize(
    ("cores", "tasks", "shared", "workers"),
    [(3, 5, 10**6, 3), (3, 2, 10**6, 2), (3, 0, 10**6, 1), (None, 5, 10**6, 1), (4, 5, 17, 2),
     (4, 5, 7, 1)],
)  # fmt: skip
def test_how_many_cores_count(
    monkeypatch: pytest.MonkeyPatch, cores: int | None, tasks: int, shared: int, workers: int
) -> None:
    """No more than there are tasks, and no more than there is memory for their counts."""
    monkeypatch.setattr(arrow, "ThreadPoolExecutor", Pools)
    monkeypatch.setattr(os, "cpu_count", lambda: cores)
    monkeypatch.setattr(arrow, "SHARED", shared)
    monkeypatch.setattr(Pools, "asked", [])
    some = scan_of(*[[0.5]] * tasks)
    assert arrow.tally_rows([Grid.of_cells(DOMAIN)], ["x"], some)[0].sum() == tasks
    assert Pools.asked == [workers]
    if shared == 10**6:
        arrow.sort_rows(Raster.of_cells(DOMAIN), some)
        arrow.place_rows(Raster.of_cells(DOMAIN), some)
        assert Pools.asked == [workers] * 3


def test_memory_is_what_it_is_said_to_be() -> None:
    per_count = sum(one.itemsize for one in arrow.Counters.zeros(1))
    assert arrow.SHARED * per_count == 200 * 10**6
    assert arrow.KEPT == 256 * 2**20


def test_carried_bytes_are_added() -> None:
    counters = arrow.Counters.zeros(3)
    counters.lows[:] = [255, 0, 7]
    counters.carries[:] = [2, 2**32 - 1, 0]
    totals = np.array([1, 0, 5])
    counters.add_to(totals)
    assert totals.tolist() == [768, (2**32 - 1) * 256, 12]


@pytest.mark.parametrize(("spare", "reads"), [(0, 1), (-1, 2)])
def test_rows_are_kept_if_they_fit_exactly(spare: int, reads: int) -> None:
    batches = [pa.record_batch({"x": pa.array([float(value)])}) for value in range(5)]
    begun = []

    def task() -> Iterator[pa.RecordBatch]:
        begun.append(1)
        return iter(batches)

    read = arrow.keep_batches(task, sum(batch.nbytes for batch in batches) + spare)
    for _ in range(2):
        assert list(read()) == batches
    assert len(begun) == reads


def test_a_reading_that_was_left_is_begun_again() -> None:
    batches = [pa.record_batch({"x": pa.array([float(value)])}) for value in range(3)]
    read = arrow.keep_batches(lambda: iter(batches), 1000)
    assert next(read()) == batches[0]
    assert list(read()) == batches


@pytest.mark.parametrize(("sizes", "lots"), [([4, 4, 4, 4], [12, 4]), ([10, 3], [10, 3]), ([], [])])
def test_cells_are_put_together_in_lots(
    monkeypatch: pytest.MonkeyPatch, sizes: list[int], lots: list[int]
) -> None:
    monkeypatch.setattr(arrow, "LOT", 10)
    found = list(arrow.join_lots(np.full(size, size) for size in sizes))
    assert [len(lot) for lot in found] == lots
    values = [value for lot in found for value in lot.tolist()]
    assert values == [size for size in sizes for _ in range(size)]


def test_a_task_reads_a_group_of_rows_in_batches(tmp_path: Path) -> None:
    """Of the wanted columns, in the wanted order, so many rows at a time that a cache holds."""
    size = 2**16 + 5
    table = pa.table(
        {"a": np.arange(size + 3), "b": np.arange(size + 3) % 7, "c": np.ones(size + 3)}
    )
    pq.write_table(table, tmp_path / "one.parquet", row_group_size=size)
    pq.write_table(table.slice(0, 2), tmp_path / "two.parquet")
    files = hold([tmp_path / "one.parquet", tmp_path / "two.parquet"])
    tasks = parquet_tasks(files, ["b", "a"])
    read = [list(task()) for task in tasks]
    assert [[len(batch) for batch in batches] for batches in read] == [[2**16, 5], [3], [2]]
    assert all(batch.schema.names == ["b", "a"] for batches in read for batch in batches)
    assert read[1][0].column(1).to_pylist() == [size, size + 1, size + 2]


def test_columns_are_sealed_without_a_copy_where_they_can_be() -> None:
    own = np.arange(6.0)
    sealed = seal(own)
    assert not sealed.flags.writeable
    assert own.flags.writeable
    assert np.shares_memory(own, sealed)
    assert np.shares_memory(seal(sealed), sealed)
    scattered = seal(own[::2])
    assert scattered.flags.c_contiguous
    assert not scattered.flags.writeable
    fixed = own[::2]
    fixed.flags.writeable = False
    assert seal(fixed).flags.c_contiguous
    assert seal(fixed).tolist() == [0.0, 2.0, 4.0]


DATES = [
    *(Date("2023-11-01", "2024-03-31", "1mo", outside=one) for one in ("drop", "clamp", "other")),
    *(Date("1969-12-30", "1970-01-03", "1d", outside=one) for one in ("drop", "clamp", "other")),
    Date("1899-01-01", "2001-12-31", "5y"),
    Date("2024-02-28T22:00:00", "2024-03-01", "5h", outside="clamp"),
]


@pytest.mark.parametrize("axis", DATES, ids=repr)
def test_times_fall_into_their_steps(axis: Date) -> None:
    edges = [axis.edge(index) for index in range(axis.bins + 1)]
    tick = dt.timedelta(microseconds=1)
    values = [None, dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31), dt.datetime(1970, 1, 1)]
    values += [moment + step for moment in edges for step in (-tick, tick * 0, tick)]
    domain = Domain(x=axis)
    grid = Grid.of_cells(domain)
    found = counted(pa.table({"x": pa.array(values, pa.timestamp("us"))}), grid)
    assert found == reference.count(grid, [[value] for value in values])
    days = [value and value.date() for value in values]
    found = opened(pa.table({"x": pa.array(days, pa.date32())}), domain).count(grid).tolist()
    assert found == reference.count(grid, [[day] for day in days])


@pytest.mark.parametrize("kind", [pa.int8(), pa.uint64(), pa.float32(), pa.float64()])
def test_numbers_of_every_type_and_none(kind: pa.DataType) -> None:
    domain = Domain(x=Integer(1, 3, outside="other"))
    grid = Grid.of_cells(domain)
    for values in ([1, 2, 3, 3, 0, 4], [1, None, 3, None]):
        found = opened(pa.table({"x": pa.array(values, kind)}), domain).count(grid)
        assert found.tolist() == reference.count(grid, [[value] for value in values])


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
@pytest.mark.parametrize("outside", ["drop", "other"])
def test_words_of_both_lengths(kind: pa.DataType, outside: Any) -> None:
    domain = Domain(x=Category(["b", "a"], outside=outside))
    values = ["a", "b", "b", "c", None]
    found = opened(pa.table({"x": pa.array(values, kind)}), domain).count(Grid.of_cells(domain))
    assert found.tolist() == [2, 1] + [2] * (outside == "other")
    assert category_indices(domain.axes[0], pa.array(values, kind)).tolist()[:3] == [1, 0, 0]


def test_long_texts_stay_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two gigabytes of them would not fit into short ones."""
    kinds = []
    genuine = columns.pc.index_in

    def index_in(values: pa.Array, texts: pa.Array) -> Any:
        kinds.append((values.type, texts.type))
        return genuine(values, texts)

    monkeypatch.setattr(columns.pc, "index_in", index_in)
    for kind, kept in ((pa.large_string(), pa.large_string()), (pa.int8(), pa.string())):
        category_indices(Category(["1"]), pa.array([1, 2]).cast(kind))
        assert kinds[-1] == (kept, kept)


def test_small_tables_are_kept_only_when_the_whole_is_asked_for() -> None:
    table = opened(pa.table({"x": [0.1, 0.9]}), DOMAIN)
    table.count(Grid(DOMAIN, (2,)))
    assert not table._kept
    table.count(Grid(DOMAIN, (1,)))
    assert list(table._kept) == [DOMAIN.names]
    table.forget()
    assert not table._kept


def test_a_part_of_memory_is_kept_for_each_task(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(arrow, "KEPT", 100)
    monkeypatch.setattr(arrow, "keep_batches", lambda task, most: (asked.append(most), task)[1])
    table = opened(pa.table({"x": [0.1]}), DOMAIN)
    for tasks in ([[0.1]], [[0.1], [0.2], [0.3]], []):
        monkeypatch.setattr(table, "tasks", lambda columns, tasks=tasks: scan_of(*tasks).tasks())
        table.count(Grid(DOMAIN, (1,)))
    assert asked == [100, 33, 33, 33]


def test_places_that_do_not_fit_are_not_looked_for() -> None:
    wide = Domain({f"x{axis}": Integer(0, 2**16 - 1) for axis in range(3)})
    table = opened(pa.table({name: [1] for name in wide}), wide)
    assert table.row_places(Raster(wide, (2**16, 2**16, 2))) is None
    assert table.row_places(Raster(wide, (2**16, 2**16, 1))) is not None
    table.fast = False
    assert table.row_places(Raster(wide, (2, 2, 2))) is None
