"""What all benchmarks share: CPU seconds, peak memory, a table and a CSV."""

from __future__ import annotations

import csv
import multiprocessing
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"


def cpu(work: Callable[[], Any], repeat: int = 3) -> float:
    """The least CPU seconds of some runs, all threads counted: the smallest disturbed run."""
    best = float("inf")
    for _ in range(repeat):
        started = time.process_time()
        work()
        best = min(best, time.process_time() - started)
    return best


def apart(work: Callable[..., Any], *arguments: Any) -> Any:
    """Run in a process of its own, so that its peak memory is its own."""
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        return pool.apply(work, arguments)


def peak_mb() -> float:
    """This process's peak memory in megabytes; unlike getrusage, not its parent's before it."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def save(name: str, rows: list[dict[str, Any]], by: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    """Print the rows as a table, and keep them as CSV. With ``by``, rows of an earlier run stay
    if these columns differ from those of all new ones. Returns all that the file holds."""
    columns = list(rows[0])
    texts = [[shown(row[column]) for column in columns] for row in rows]
    widths = [max(len(c), *(len(t[i]) for t in texts)) for i, c in enumerate(columns)]
    for line in (columns, *texts):
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)))
    RESULTS.mkdir(exist_ok=True)
    about = {
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
        "command": " ".join([Path(sys.argv[0]).name, *sys.argv[1:]]),
        "commit": commit(),
    }
    path = RESULTS / f"{name}.csv"
    kept = others(path, rows, by) if by and path.exists() else []
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, [*columns, *about], lineterminator="\n")
        writer.writeheader()
        writer.writerows([*kept, *({**row, **about} for row in rows)])
    return [*kept, *rows]


def commit() -> str:
    """Which code ran, marked if it was changed since; nothing outside of a clone."""
    command = ["git", "describe", "--always", "--dirty", "--exclude", "*"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=RESULTS.parent)
    return done.stdout.strip()


def others(path: Path, rows: list[dict[str, Any]], by: tuple[str, ...]) -> list[dict[str, str]]:
    """What the file holds about other things than the rows."""
    new = {tuple(str(row[column]) for column in by) for row in rows}
    with path.open(newline="") as file:
        return [row for row in csv.DictReader(file) if tuple(row[c] for c in by) not in new]


def shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
