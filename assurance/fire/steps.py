"""The steps of a publish at which it can be killed.

A step is the moment before or after a system call that changes files, a call to SQLite or
PostgreSQL, or a call of a function of the ledger, of publishing or of writing files. They are found
with `sys.setprofile`, so the product needs no hooks.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

SYSTEM = {
    "posix": {"open", "close", "write", "fsync", "rename", "replace", "link", "unlink", "remove",
              "mkdir", "chmod", "ftruncate"},
    "_io": {"open", "write", "flush", "close"},
}  # fmt: skip
DRIVERS = ("sqlite3", "_sqlite3", "psycopg", "psycopg_binary")
OURS = ("hushgram.trusted.ledger", "hushgram.spending", "hushgram.base.files")
STATEMENTS = {"execute", "commit", "rollback", "connect", "close"}


class StepCounter:
    """Counts steps by name, and calls a function at the chosen one."""

    def __init__(self, at: int | None = None, happen: Callable[[str], None] | None = None) -> None:
        self.names: list[str] = []
        self._at = at
        self._happen = happen

    def __enter__(self) -> StepCounter:
        sys.setprofile(self._see)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)

    def _see(self, frame: FrameType, event: str, arg: Any) -> None:
        called = c_name(arg) if event.startswith("c_") else python_name(frame)
        if called is None:
            return
        self.names.append(f"{'before' if event.endswith('call') else 'after'} {called}")
        if self._happen and len(self.names) - 1 == self._at:
            self._happen(self.names[-1])


def c_name(called: Any) -> str | None:
    """Return the name of a system call, or of a call of a driver in C."""
    owner = getattr(called, "__self__", None)
    module = getattr(called, "__module__", None) or type(owner).__module__
    name = getattr(called, "__name__", "")
    if module in DRIVERS or name in SYSTEM.get(module, ()):
        return f"{module.strip('_')}.{name}"
    return None


def python_name(frame: FrameType) -> str | None:
    """Return the name of a function of Hushgram, or of a statement of a driver in Python."""
    module = frame.f_globals.get("__name__", "")
    name = getattr(frame.f_code, "co_qualname", frame.f_code.co_name)
    if module.startswith(OURS):
        return f"{module.removeprefix('hushgram.')}.{name}"
    if module.startswith(DRIVERS) and frame.f_code.co_name in STATEMENTS:
        return f"{module.partition('.')[0]}.{frame.f_code.co_name}"
    return None
