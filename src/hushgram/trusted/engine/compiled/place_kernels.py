"""Compiled loops over the positions of rows (see `places` and `place_tally`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from hushgram.base.compiled import compiled
from hushgram.trusted.engine.compiled.kernels import add_one


@compiled(nogil=True)
def tally_nodes(places: Any, shift: int, counters: Any) -> None:
    """Count the rows in each node. A node is a place without its lower bits."""
    for row in range(len(places)):
        add_one(counters, places[row] >> np.uint32(shift))


@compiled(nogil=True)
def tally_finer(places: Any, entries: Any, shift: int, drop_bits: int, counters: Any) -> None:
    """Count the rows in each part of divided nodes (see `place_tally.FinerNodes`)."""
    inside, drops = np.uint32((1 << shift) - 1), np.uint32((1 << drop_bits) - 1)
    for row in range(len(places)):
        entry = entries[places[row] >> np.uint32(shift)]
        part = (places[row] & inside) >> (entry & drops)
        add_one(counters, (entry >> np.uint32(drop_bits)) + part)
