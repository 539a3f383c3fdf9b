"""A bug: a small change to the real code, and the areas that it affects."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any
from unittest import mock

Plant = Callable[[], AbstractContextManager[Any]]


@dataclass(frozen=True)
class Bug:
    """A bug: a one-line description, how to plant it, and the areas to check.

    An area is ``noise``, ``people``, ``books``, ``amounts``, ``split``, the name of a mechanism, or
    that of a query: all checks of its areas are run, not only those that are known to catch it.
    """

    name: str
    what: str
    plant: Plant
    areas: tuple[str, ...]


def instead(owner: Any, name: str, wrong: Any) -> Plant:
    """Return a plant that replaces one function, method or property."""
    return lambda: mock.patch.object(owner, name, wrong)
