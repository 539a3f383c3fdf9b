"""Hide the messages of errors that might quote private numbers.

An error between counting and adding noise may contain exact counts: for example, numpy reports the
shape of an array that does not fit into memory, which can be the number of occupied cells.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from hushgram.errors import EngineFailed, HushgramError

Found = TypeVar("Found")


def unquoted(work: Callable[[], Found]) -> Found:
    """Return the result of the work. Errors that are not Hushgram's are raised without their
    messages.

    The new error is raised outside the handler, so it does not have the original as its context.
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
