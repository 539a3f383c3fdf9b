"""Compiled loops: numba's, kept on disk, with a note during the first compilation.

Importing this module imports numba, half a second: do it late.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from numba import config, njit
from numba.core.caching import FunctionCache

from hushgram.base.loop_key import NoKey, loop_key

_announced = False


def compiled(*, side_by_side: bool = False, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """``numba.njit`` with its result cached, where there is a folder to keep it in. With
    ``side_by_side``, operations on numbers that lie next to each other are done at once; each is
    rounded as before."""

    def compile_(loop: Callable[..., Any]) -> Any:
        made = njit(**options)(loop)
        if side_by_side:
            made._compiler.compile = vectorised(made._compiler.compile)
        with suppress(RuntimeError):  # no folder to keep it in
            made._cache = KeyedCache(loop)
        _announce(made, loop)
        return made

    return compile_


def vectorised(compile_: Callable[..., Any]) -> Callable[..., Any]:
    """A compilation with a pass that numba has for all loops or for none. Its lock is held."""

    def compile_side_by_side(*arguments: Any) -> Any:
        usual = config.SLP_VECTORIZE
        config.SLP_VECTORIZE = 1
        try:
            return compile_(*arguments)
        finally:
            config.SLP_VECTORIZE = usual

    return compile_side_by_side


class KeyedCache(FunctionCache):  # type: ignore[misc]
    """numba's cache of one loop, which is fresh only for the values that the loop was built with.

    They become part of the stamp that numba compares, so that an outdated file is overwritten and
    none is left behind. It is made as late as the loop is called: by then all its names exist.
    """

    def __init__(self, loop: Callable[..., Any]) -> None:
        super().__init__(loop)
        self._file_stamp = self._cache_file._source_stamp

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What cannot be read, since a disk was full when it was written, is compiled again."""
        with suppress(Exception):
            return super().load_overload(sig, target_context) if self._stamp() else None

    def save_overload(self, sig: Any, data: Any) -> None:
        """A loop that cannot be stored, because the disk is full, still works. A list of kept loops
        that cannot be read, since it names a record that was renamed, is begun again."""
        with suppress(OSError):
            if not self._stamp():
                return
            try:
                super().save_overload(sig, data)
            except AttributeError:
                self.flush()
                super().save_overload(sig, data)

    def _stamp(self) -> bool:
        """Whether the loop has a key; then it is what the files are compared with."""
        try:
            self._cache_file._source_stamp = (self._file_stamp, loop_key(self._py_func))
        except NoKey:
            return False
        return True


def _announce(made: Any, loop: Callable[..., Any]) -> None:
    """Tell a person at a terminal, once, why the first call takes seconds."""
    global _announced
    if _announced or not sys.stderr.isatty():
        return
    kept = made.stats.cache_path
    module = loop.__module__.rpartition(".")[2]
    if not (kept and any(Path(kept).glob(f"{module}.{loop.__qualname__}-*.nbi"))):
        _announced = True
        sys.stderr.write("Hushgram: compiling (first run only) …\n")
