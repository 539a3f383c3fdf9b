"""Find the best start for each level, which makes the dynamic programming of boundaries fast.

Counts are cut into groups, each around a level. For every level of the last group, one start is the
best so far: it *claims* that level. Claims are intervals, in ascending order, and cover all levels.
If the last group may also start at a new place, at a cost (the ``cap``), each start keeps the
levels at which it costs less, and the new place claims the others. These levels are an interval,
because the cost of a start is a parabola in the level. A start that has lost a level never regains
it, because all groups that end at the same place grow by the same counts. So a start without levels
is never the best again.

Errors are integers, and the ends of intervals are floats. A start keeps a level unless it certainly
costs more there, and the new place claims every level that no start certainly keeps. So claims may
overlap slightly, and no start is lost to rounding. Proof: ``docs/proofs/boundaries.md``.

Rigaill, *A pruned dynamic programming algorithm to recover the best segmentations with 1 to K_max
change-points*, Journal de la Société Française de Statistique 156, 2015.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hushgram.base.compiled import compiled
from hushgram.queries.boundary_limits import SCALE

LOW, HIGH = range(2)

SLACK = 2.0**-46
"""A bound on the rounding errors of an end, relative to the numbers from which it is computed."""


class Row(NamedTuple):
    """Sums and sums of squares of the first counts, and their least errors with one group fewer."""

    sums: Any
    squares: Any
    before: Any


@compiled()
def group_error(sums: Any, squares: Any, start: int, stop: int) -> Any:
    """Return the squared error of one group, times `SCALE` and rounded down."""
    length = stop - start
    quotient, rest = divmod(sums[stop] - sums[start], length)
    whole = squares[stop] - squares[start] - quotient * (quotient * length + 2 * rest)
    return SCALE * whole + (-SCALE * rest * rest) // length


@compiled()
def fill_row(row: Row, first: int, into: Any) -> None:
    """Write ``into[stop]``: the smallest error of the first ``stop`` counts with one more group,
    for all stops after ``first``, the first possible start of the last group."""
    top = float((row.sums[1:] - row.sums[:-1]).max())
    starts, levels = np.empty(64, np.int64), np.empty((64, 2))
    new_starts, new_levels = np.empty(64, np.int64), np.empty((64, 2))
    count = 0
    for place in range(first, len(into) - 1):
        if 2 * count + 1 > len(new_starts):
            new_starts, new_levels = np.empty(4 * count, np.int64), np.empty((4 * count, 2))
        count = claim(row, starts[:count], levels, place, top, new_starts, new_levels)
        starts, new_starts = new_starts, starts
        levels, new_levels = new_levels, levels
        into[place + 1] = least_cost(row, starts[:count], levels, place + 1)


@compiled()
def claim(
    row: Row, starts: Any, levels: Any, place: int, top: float, new_starts: Any, new_levels: Any
) -> int:
    """Write the claims that remain if a group may start at ``place``, and the claims of that place
    to all other levels from 0 to ``top``. Returns the number of claims."""
    written = 0
    free = 0.0  # all levels below are claimed
    for index in range(len(starts)):
        start = starts[index]
        low, high = levels[index]
        sure_low, sure_high = low, high
        if not (costs_less(row, start, place, low) and costs_less(row, start, place, high)):
            mean, reach, sure_reach = reach_of(row, start, place)
            sure_low, sure_high = max(low, mean - sure_reach), min(high, mean + sure_reach)
            low, high = max(low, mean - reach), min(high, mean + reach)
        if sure_low <= sure_high:
            if free < sure_low:
                new_starts[written], new_levels[written, LOW] = place, free
                new_levels[written, HIGH] = sure_low
                written += 1
            free = max(free, sure_high)
        if low <= high:
            new_starts[written], new_levels[written, LOW] = start, low
            new_levels[written, HIGH] = high
            written += 1
    if free < top or written == 0:
        new_starts[written], new_levels[written, LOW] = place, free
        new_levels[written, HIGH] = top
        written += 1
    return written


@compiled()
def costs_less(row: Row, start: int, place: int, level: float) -> bool:
    """Return whether a group from ``start`` certainly costs less at this level than the cap at the
    place. Avoids division, because it is called most often."""
    apart = float(row.before[start] - row.before[place])
    squares = float(row.squares[place] - row.squares[start])
    twice = 2.0 * level * float(row.sums[place] - row.sums[start])
    even = level * level * float(place - start)
    margin = SLACK * (abs(apart) + SCALE * (squares + twice + even))
    return apart + SCALE * (squares - twice + even) < -margin


@compiled()
def reach_of(row: Row, start: int, place: int) -> tuple[float, float, float]:
    """Return the mean of the group from ``start`` to the place, and the distance around it within
    which a level costs less than the cap: at most, and certainly. Negative if there is none."""
    room = row.before[place] - row.before[start]
    room -= group_error(row.sums, row.squares, start, place)
    if room <= 0:
        return 0.0, -np.inf, -np.inf
    length = float(place - start)
    mean = float(row.sums[place] - row.sums[start]) / length
    reach = np.sqrt(float(room) / (SCALE * length))
    sure = np.sqrt(float(room - 1) / (SCALE * length))  # the error was rounded down
    slack = SLACK * (mean + reach)
    return mean, reach + slack, sure - slack


@compiled()
def least_cost(row: Row, starts: Any, levels: Any, stop: int) -> Any:
    """Return the smallest error up to ``stop`` over all starts. Only starts that claim the mean of
    their group are considered: for the others, another start is at least as good."""
    best = np.int64(2**62)
    for index in range(len(starts)):
        start = starts[index]
        length = float(stop - start)
        total = float(row.sums[stop] - row.sums[start])
        low, high = levels[index]
        if low * length <= total * (1 + SLACK) and high * length >= total * (1 - SLACK):
            cost = row.before[start] + group_error(row.sums, row.squares, start, stop)
            best = min(best, cost)
    return best
