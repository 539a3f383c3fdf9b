"""Compiled loops: numba's, kept on disk, with a word to whoever waits for the first compilation.

Importing this module imports numba, half a second: do it late.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba import njit

_told = False


def compiled(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """``numba.njit`` with its result cached, where there is a folder to keep it in."""

    def compile_(loop: Callable[..., Any]) -> Any:
        try:
            made = njit(cache=True, **options)(loop)
        except RuntimeError:  # no folder to keep it in
            made = njit(**options)(loop)
        _announce(made, loop)
        return made

    return compile_


def _announce(made: Any, loop: Callable[..., Any]) -> None:
    """Tell a person at a terminal, once, why the first call takes seconds."""
    global _told
    if _told or not sys.stderr.isatty():
        return
    kept = made.stats.cache_path
    module = loop.__module__.rpartition(".")[2]
    if not (kept and any(Path(kept).glob(f"{module}.{loop.__qualname__}-*.nbi"))):
        _told = True
        sys.stderr.write("Hushgram: compiling once …\n")
