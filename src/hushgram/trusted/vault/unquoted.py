"""Failures that quote nothing of what is counted.

Whatever fails between the rows and the noise may say how much there is of something: numpy names
the shape that does not fit into memory, and that can be the number of cells that have rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from hushgram.errors import EngineFailed, HushgramError

Found = TypeVar("Found")


def unquoted(work: Callable[[], Found]) -> Found:
    """What the work returns. Errors of others than Hushgram come without their messages.

    The new error is raised outside the handler, so that it has no context either.
    """
    try:
        return work()
    except (HushgramError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:
        kind = type(error).__name__
    raise EngineFailed(
        f"Counting failed ({kind}). The message is not shown, because it may quote private "
        "numbers. The charge stays spent. If memory was short, use fewer bins, or a machine with "
        "more memory."
    )
