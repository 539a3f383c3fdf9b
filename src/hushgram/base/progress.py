"""A progress bar for whatever takes longer than two seconds, on a terminal only."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PATIENCE = 2.0
"""Seconds before a bar appears."""


@contextmanager
def watch(label: str, share: Callable[[], float | None] | None = None) -> Iterator[None]:
    """Show a bar while the block runs; ``share`` tells how much is done, from 0 to 1, if known."""
    if not sys.stderr.isatty():
        yield
        return
    done = threading.Event()
    bar = threading.Thread(target=_show, args=(label, share, done), daemon=True)
    bar.start()
    try:
        yield
    finally:
        done.set()
        bar.join()


def _show(label: str, share: Callable[[], float | None] | None, done: threading.Event) -> None:
    if done.wait(PATIENCE):
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(label, total=None)
        while not done.wait(0.1):
            reached = share() if share else None
            if reached is not None and reached > 0:
                progress.update(task, total=1.0, completed=min(reached, 1.0))
