"""Rehearse publishing without rows, before anything is charged.

Failures of the machine (a broken package, a loop that does not compile, no temporary folder, no
space left) show up here: at no cost, and with the original message, which cannot quote any rows.
The same steps are rehearsed once per process.
"""

from __future__ import annotations

import math
import shutil
import tempfile
from collections.abc import Callable, Hashable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hushgram.base.text import shorten
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Unit
from hushgram.errors import EngineFailed, HushgramError, MachineNotReady
from hushgram.mechanisms.base import Mechanism

if TYPE_CHECKING:
    from hushgram.trusted.engine.table import Table
    from hushgram.trusted.noise import Noise

MANY = 1 << 16
"""With more declared cells, a corner of the domain is rehearsed instead of the whole."""

CORNER = 1 << 12
"""The maximum number of cells of that corner."""

SPARE = 16 << 20
"""The minimum number of free bytes on a disk."""

_rehearsed: set[Hashable] = set()


def rehearse(steps: Callable[[], Any], key: Hashable) -> None:
    """Run steps that do not read rows, and raise `MachineNotReady` if they fail."""
    if key in _rehearsed:
        return
    try:
        check_space(Path(tempfile.gettempdir()))
        with tempfile.TemporaryFile():
            steps()
    except MachineNotReady:
        raise
    except EngineFailed:  # a server's message may quote rows, even if none were requested
        raise MachineNotReady(
            "The engine failed in a trial run without rows. Nothing was spent. Its "
            "message is not shown, because it may quote private values. Run a query on "
            "the same columns in the engine itself to see what is wrong."
        ) from None
    except Exception as error:
        why = f"{type(error).__name__}: {shorten(str(error), 500)}"
        raise MachineNotReady(
            "This machine cannot publish this release: a trial run without rows failed "
            f"({why}). Nothing was spent. Fix the problem, then try again."
        ) from error
    _rehearsed.add(key)


def rehearsal_key(
    table: Table, domain: Domain, unit: Unit, noise: Noise, asked: Mapping[str, object]
) -> Hashable:
    """Return a key that is equal for requests that run through the same code."""
    kinds = tuple(axis.whole.kind for axis in domain.axes)
    code = type(table), table.reading, type(unit), type(noise)
    return *code, kinds, domain.cells > MANY, repr(sorted(asked.items()))


def check_space(folder: Path) -> None:
    """Raise if the disk of a folder is nearly full."""
    free = shutil.disk_usage(folder).free
    if free < SPARE:
        raise MachineNotReady(
            f"Only {free:,} bytes are free in {folder}, but publishing needs {SPARE:,}. "
            "Nothing was spent. Free some space, then try again."
        )


def corner(mechanism: Mechanism, domain: Domain) -> Domain:
    """Return a small part of a domain with many declared cells, which runs through the same loops.

    >>> from hushgram.declare.axis import Integer
    >>> from hushgram.mechanisms import MECHANISMS
    >>> corner(MECHANISMS["identity"](), Domain(x=Integer(0, 999), y=Integer(0, 999))).shape
    (63, 63)
    """
    if domain.continuous or domain.cells <= MANY:
        return domain
    sizes = list(domain.shape)
    while math.prod(sizes) > CORNER:
        longest = max(range(len(sizes)), key=sizes.__getitem__)
        sizes[longest] = -(-sizes[longest] // 2)
    small = domain.box([(0, size) for size in sizes])
    try:
        mechanism.check(small)
    except HushgramError:  # the mechanism needs more cells
        return domain
    return small
