"""Compiled loops as the Python that they are written in.

It is ready at once, it complains about an index outside of its array where compiled code reads or
writes whatever lies there, and its blocks can be made so small that a few rows fill several.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

import hushgram.base.compiled


def interpret(patch: pytest.MonkeyPatch, name: str, **constants: Any) -> ModuleType:
    """Replace a module of compiled loops by its own source, uncompiled."""
    with patch.context() as during:
        during.setattr(hushgram.base.compiled, "compiled", as_it_is)
        spec = importlib.util.find_spec(name)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    for constant, value in constants.items():
        patch.setattr(module, constant, value)
    room, _, stem = name.rpartition(".")
    patch.setitem(sys.modules, name, module)
    patch.setattr(sys.modules[room], stem, module, raising=False)
    return module


def as_it_is(**options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return lambda loop: loop
