"""Loops compiled by numba and cached on disk, with a note during the first compilation.

Importing this module imports numba, which takes half a second: do it inside functions.
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
    """``numba.njit`` with a disk cache, if there is a folder for it. With ``side_by_side``, LLVM's
    superword vectoriser combines the same operation on adjacent numbers into one instruction; each
    result is rounded as without it."""

    def compile_(loop: Callable[..., Any]) -> Any:
        made = njit(**options)(loop)
        if side_by_side:
            made._compiler.compile = vectorised(made._compiler.compile)
        with suppress(RuntimeError):  # no folder for the cache
            made._cache = KeyedCache(loop)
        _announce(made, loop)
        return made

    return compile_


def vectorised(compile_: Callable[..., Any]) -> Callable[..., Any]:
    """A compilation with a pass that numba only switches for all loops. The caller holds its
    lock."""

    def compile_side_by_side(*arguments: Any) -> Any:
        usual = config.SLP_VECTORIZE
        config.SLP_VECTORIZE = 1
        try:
            return compile_(*arguments)
        finally:
            config.SLP_VECTORIZE = usual

    return compile_side_by_side


class KeyedCache(FunctionCache):  # type: ignore[misc]
    """numba's cache of one loop, valid only for the values that were compiled into it.

    The values become part of the stamp that numba compares, so that an outdated file is overwritten
    and none is left behind. The stamp is computed when the loop is called, since all names that it
    uses exist by then.
    """

    def __init__(self, loop: Callable[..., Any]) -> None:
        super().__init__(loop)
        self._file_stamp = self._cache_file._source_stamp

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The cached loop; None if it is outdated or cannot be read, for example because the disk
        was full when it was written."""
        with suppress(Exception):
            return super().load_overload(sig, target_context) if self._stamp() else None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Cache the loop, ignoring errors such as a full disk. An index that cannot be read,
        because it names a record that was renamed, is discarded first."""
        with suppress(OSError):
            if not self._stamp():
                return
            try:
                super().save_overload(sig, data)
            except AttributeError:
                self.flush()
                super().save_overload(sig, data)

    def _stamp(self) -> bool:
        """Put the loop's key into the stamp that files are compared with; False if it has none."""
        try:
            self._cache_file._source_stamp = (self._file_stamp, loop_key(self._py_func))
        except NoKey:
            return False
        return True


def _announce(made: Any, loop: Callable[..., Any]) -> None:
    """Explain once, if stderr is a terminal, why the first call takes seconds."""
    global _announced
    if _announced or not sys.stderr.isatty():
        return
    kept = made.stats.cache_path
    module = loop.__module__.rpartition(".")[2]
    if not (kept and any(Path(kept).glob(f"{module}.{loop.__qualname__}-*.nbi"))):
        _announced = True
        sys.stderr.write("Hushgram: compiling (first run only) …\n")
