"""Run a grid: the cells that a folder lacks, one after another or in parallel. NONPRIVATE."""

from __future__ import annotations

import io
import os
import signal
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from hushgram.base.files import write_new
from hushgram.errors import BadInput, OutputError
from hushgram.lab.evaluate.grid import LABEL, SCHEMA, Cell, ExperimentGrid


@dataclass(frozen=True, eq=False)
class Results:
    """All results of a grid, and how many cells were run now. NONPRIVATE."""

    table: pa.Table
    cells: int
    ran: int


def run(grid: ExperimentGrid, folder: str | Path, *, jobs: int = 1) -> Results:
    """Run the cells that the folder lacks, and read all results.

    ``jobs`` is the number of processes; with more than one, a script that calls this needs the
    usual ``if __name__ == "__main__":``.
    """
    where = prepare_folder(Path(folder))
    missing = [cell for cell in grid.cells if not file_of(where, cell).exists()]
    work(missing, where, jobs)
    whole = together(file_of(where, cell) for cell in grid.cells)
    return Results(whole, len(grid.cells), len(missing))


def prepare_folder(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(
            f"Cannot use {folder} as a folder for results: {error.strerror}."
        ) from None
    return folder


def file_of(folder: Path, cell: Cell) -> Path:
    return folder / f"{cell.key}.parquet"


def read(folder: str | Path) -> pa.Table:
    """Read the results of all grids that were run in a folder. NONPRIVATE."""
    files = sorted(Path(folder).glob("*.parquet"))
    if not files:
        raise BadInput(f"{folder} contains no results.")
    return together(files)


def together(files: Iterable[Path]) -> pa.Table:
    tables = [read_file(file) for file in files]
    return pa.concat_tables(tables).replace_schema_metadata({"hushgram": LABEL})


def read_file(path: Path) -> pa.Table:
    try:
        return pq.ParquetFile(path).read(SCHEMA.names).cast(SCHEMA)
    except (OSError, ValueError, pa.ArrowException):
        raise OutputError(f"{path} does not contain results of an evaluation. Remove it.") from None


_cells: list[Cell] = []
"""The cells of a worker process, which are sent to it once."""

_folder = Path()


def work(cells: Sequence[Cell], folder: Path, jobs: int) -> None:
    """Run cells and write their files, with a progress bar."""
    from hushgram.base.progress import watch

    done = 0

    def share() -> float:
        return done / len(cells)

    with watch(f"{len(cells)} cells", share):
        for _ in each(cells, folder, min(jobs, len(cells))):
            done += 1


def each(cells: Sequence[Cell], folder: Path, jobs: int) -> Iterable[Path]:
    """Run cells one after another or in parallel, and yield each finished file."""
    if jobs <= 1:
        return (finish(cell, folder) for cell in cells)
    return in_processes(cells, folder, jobs)


def finish(cell: Cell, folder: Path) -> Path:
    buffer = io.BytesIO()
    pq.write_table(cell.results(), buffer, compression="zstd")
    write_new(file_of(folder, cell), buffer.getvalue(), overwrite=True)
    return file_of(folder, cell)


def in_processes(cells: Sequence[Cell], folder: Path, jobs: int) -> Iterator[Path]:
    """Run cells in new processes, not forks: compiled loops and their threads do not survive a
    fork."""
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from multiprocessing import get_context

    pool = ProcessPoolExecutor(jobs, get_context("spawn"), start, (list(cells), folder))
    try:
        for future in as_completed([pool.submit(finish_number, n) for n in range(len(cells))]):
            yield future.result()
    finally:
        pool.shutdown(cancel_futures=True)


def start(cells: list[Cell], folder: Path) -> None:
    """Set up a worker with one thread, because there are as many workers as cores. The main process
    handles interrupts; workers finish their current cells, or end with it."""
    import numba

    global _cells, _folder
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=end_with_parent, daemon=True).start()
    numba.set_num_threads(1)
    _cells, _folder = cells, folder


def end_with_parent() -> None:
    """End this worker if the main process was killed. Otherwise it would wait forever."""
    from multiprocessing import parent_process
    from multiprocessing.connection import wait

    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def finish_number(number: int) -> Path:
    return finish(_cells[number], _folder)


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
