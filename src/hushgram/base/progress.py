"""A progress bar for anything that takes longer than two seconds, on a terminal only."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Share = Callable[[], float | None]
"""How much is done, from 0 to 1, if known."""

_listener: ContextVar[Callable[[str, Share | None], None] | None] = ContextVar(
    "progress", default=None
)

DELAY = 2.0
"""Seconds before a bar appears."""


@contextmanager
def observe(listener: Callable[[str, Share | None], None]) -> Iterator[None]:
    """Call a listener with the label of every task that this context starts, and with a function
    that returns how much of it is done.

    >>> def listener(label, share):
    ...     print(label, share())
    >>> with observe(listener), watch("counting", lambda: 0.5):
    ...     pass
    counting 0.5
    """
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


@contextmanager
def watch(label: str, share: Share | None = None) -> Iterator[None]:
    """Show a bar while the block runs; ``share`` returns how much is done, from 0 to 1, if
    known."""
    listener = _listener.get()
    if listener is not None:
        listener(label, share)
        yield
        return
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


def _show(label: str, share: Share | None, done: threading.Event) -> None:
    if done.wait(DELAY):
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
