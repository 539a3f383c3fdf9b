"""Compiled: what neighbouring cuts of sorted rows have in common."""

from __future__ import annotations

from typing import Any

from hushgram.base.compiled import compiled


@compiled()
def add_shared(
    low: Any,
    high: Any,
    by_low: Any,
    by_high: Any,
    other_low: Any,
    other_high: Any,
    by_other_low: Any,
    by_other_high: Any,
    spreads: Any,
    found: Any,
) -> None:
    """Add up what two cuts each share, block by block."""
    for cut in range(len(found)):
        a, b, c, d = low[cut], high[cut], other_low[cut], other_high[cut]
        if a == c:
            found[cut] += spreads[a] * by_low[cut] * by_other_low[cut]
        if a == d:
            found[cut] += spreads[a] * by_low[cut] * by_other_high[cut]
        if b == c:
            found[cut] += spreads[b] * by_high[cut] * by_other_low[cut]
        if b == d:
            found[cut] += spreads[b] * by_high[cut] * by_other_high[cut]
