"""Lazy imports of a package's public names, from the same list that type checkers read.

The list is the block under ``if TYPE_CHECKING:`` in the package's ``__init__.py``. It is read from
that file, as `lazy_loader <https://scientific-python.org/specs/spec-0001/>`_ reads a stub.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

LINE = re.compile(r"^    from ([\w.]+) import (\w+) as \2$", re.MULTILINE)
"""``from module import name as name``, indented once: an exported name."""


def lazy_names(package: str) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """The ``__getattr__``, ``__dir__`` and ``__all__`` of a package, from the block in its file."""
    module: Any = sys.modules[package]
    source: bytes = module.__loader__.get_data(module.__file__)
    homes = {name: home for home, name in LINE.findall(source.decode())}
    public = [*homes, "__version__"]

    def load_name(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(homes[name]), name)
        vars(module)[name] = value
        return value

    return load_name, lambda: sorted(public), public
