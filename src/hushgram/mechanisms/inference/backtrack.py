"""Backtracking through a dynamic program over prefixes."""

from __future__ import annotations

from typing import Any

import numpy as np

from hushgram.base.compiled import compiled


@compiled()
def trace_starts(last: Any) -> Any:
    """The starts of the pieces, in order, where the last piece of the first n values starts at
    ``last[n - 1]``."""
    count, end = 0, len(last)
    while end > 0:
        end = last[end - 1]
        count += 1
    starts = np.empty(count, np.int64)
    end = len(last)
    for index in range(count - 1, -1, -1):
        end = last[end - 1]
        starts[index] = end
    return starts
