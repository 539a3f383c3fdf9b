"""A bug: a small change to the real code, and the rooms that it is in."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any
from unittest import mock

Plant = Callable[[], AbstractContextManager[Any]]


@dataclass(frozen=True)
class Bug:
    """What is wrong in one line, how it is planted, and where the checks are to look.

    A room is ``noise``, ``people``, ``books``, ``amounts``, ``split``, the name of a mechanism, or
    that of a query: all checks of its rooms are run, not only those that are known to catch it.
    """

    name: str
    what: str
    plant: Plant
    rooms: tuple[str, ...]


def instead(owner: Any, name: str, wrong: Any) -> Plant:
    """Replace one function, method or property while the bug is planted."""
    return lambda: mock.patch.object(owner, name, wrong)
