"""Compiled: the effect of noisy positions on the counts between cuts (see `linearisation`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from hushgram.base.compiled import compiled

NARROWEST = 1e-9
"""The smallest interval on either side of a cut over which the density is taken."""


@compiled()
def segment_at(positions: Any, place: float) -> Any:
    """The segment that contains a place, as the number of its end point."""
    found = np.searchsorted(positions, place)
    return min(max(found, 1), len(positions) - 1)


@compiled()
def share_at(positions: Any, place: float, segment: int) -> Any:
    """The position of a place along its segment, from 0 to 1."""
    start, stop = positions[segment - 1], positions[segment]
    width = stop - start if stop > start else 1.0
    return min(max((place - start) / width, 0.0), 1.0)


@compiled()
def rows_at(curve: Any, place: float) -> Any:
    """The number of rows below a place."""
    if place > curve.positions[-1]:
        return curve.ranks[-1]
    segment = segment_at(curve.positions, place)
    start, stop = curve.ranks[segment - 1], curve.ranks[segment]
    return start + share_at(curve.positions, place, segment) * (stop - start)


@compiled()
def fill_rows_below(curve: Any, places: Any, found: Any) -> None:
    """Fill in the number of rows below each place."""
    for place in range(len(places)):
        found[place] = rows_at(curve, places[place])


@compiled()
def fill_crossings(curve: Any, blocks: Any, spreads: Any, cuts: Any, found: Any) -> None:
    """Fill in the blocks around each cut and their effect, see `Crossings`. The density around a
    cut is taken over one standard deviation of the position on either side."""
    last = len(blocks) - 1
    for cut in range(len(cuts)):
        segment = segment_at(curve.positions, cuts[cut])
        share = share_at(curve.positions, cuts[cut], segment)
        low = blocks[min(max(segment - 2, 0), last)]
        high = blocks[min(max(segment - 1, 0), last)]
        step = (1 - share) * np.sqrt(spreads[low]) + share * np.sqrt(spreads[high])
        step = max(step, NARROWEST)
        above = rows_at(curve, cuts[cut] + step)
        below = rows_at(curve, cuts[cut] - step)
        density = (above - below) / (2 * step)
        found.low[cut], found.high[cut] = low, high
        found.by_low[cut], found.by_high[cut] = -density * (1 - share), -density * share


@compiled()
def fill_by_total(crossings: Any, last: int, moved: float, found: Any) -> None:
    """Fill in the change of each part for one more row in the total, which moves the last block by
    ``moved``."""
    before = 0.0
    for cut in range(len(crossings.low)):
        by_low = crossings.by_low[cut] if crossings.low[cut] == last else 0.0
        by_high = crossings.by_high[cut] if crossings.high[cut] == last else 0.0
        passed = moved * (by_low + by_high)
        found[cut] = passed - before
        before = passed
    found[-1] = 1.0 - before


@compiled()
def covariance(crossings: Any, a: int, b: int, spreads: Any) -> Any:
    """The covariance of the numbers of rows below two cuts, from the blocks that affect both."""
    low, high = crossings.low[a], crossings.high[a]
    by_low, by_high = crossings.by_low[a], crossings.by_high[a]
    found = 0.0
    if low == crossings.low[b]:
        found += spreads[low] * by_low * crossings.by_low[b]
    if low == crossings.high[b]:
        found += spreads[low] * by_low * crossings.by_high[b]
    if high == crossings.low[b]:
        found += spreads[high] * by_high * crossings.by_low[b]
    if high == crossings.high[b]:
        found += spreads[high] * by_high * crossings.by_high[b]
    return found


@compiled()
def fill_variances(crossings: Any, spreads: Any, by_total: Any, total: float, found: Any) -> None:
    """Fill in the variance of each part: of the difference between the rows below its two cuts, and
    of its share in the total."""
    cuts = len(crossings.low)
    before = 0.0
    for part in range(cuts + 1):
        own = covariance(crossings, part, part, spreads) if part < cuts else 0.0
        both = before + own
        if 0 < part < cuts:
            both -= 2 * covariance(crossings, part - 1, part, spreads)
        found[part] = max(both, 0.0) + total * (by_total[part] * by_total[part])
        before = own
