"""The best start for each level, which makes the dynamic programming of boundaries fast.

Cut a row of counts into groups, each around a level. For every level that the last group may have,
one start of it is the best so far: it *claims* that level. Claims are intervals, in ascending
order, and cover all levels. When the last group may also begin at a new place, at a cost (the
``cap``), each start keeps the levels at which it costs less, and the place claims the others. They
are an interval, for the cost of a start is a parabola over levels. A start that has lost a level
never gets it back, since all groups that end at the same place grow by the same counts; so a start
without a level is never the best again.

Errors are integers, ends of intervals are floats. A start keeps a level unless it costs more there
for certain, and the place is denied only what a start holds for certain: claims may overlap by
a little, and no start is lost to rounding. Proof: ``docs/proofs/boundaries.md``.

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
"""More than all rounding errors of an end, relative to the numbers that it is computed from."""


class Row(NamedTuple):
    """Sums and sums of squares of the first counts, and their least errors in one group fewer."""

    sums: Any
    squares: Any
    before: Any


@compiled()
def group_error(sums: Any, squares: Any, start: int, stop: int) -> Any:
    """The squared error of one group, times `SCALE` and rounded down."""
    length = stop - start
    quotient, rest = divmod(sums[stop] - sums[start], length)
    whole = squares[stop] - squares[start] - quotient * (quotient * length + 2 * rest)
    return SCALE * whole + (-SCALE * rest * rest) // length


@compiled()
def fill_row(row: Row, first: int, into: Any) -> None:
    """``into[stop]``: the smallest error of the first ``stop`` counts in one group more, for all
    stops beyond ``first``, where the last group may begin."""
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
    """The claims that are left when a group may begin at ``place``, and that of the place to all
    other levels from 0 to ``top``; how many claims there are."""
    written = 0
    free = 0.0  # all levels below have an owner
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
    """Whether a group from ``start`` costs less at this level for certain than the cap at the
    place. No division: this is asked most."""
    apart = float(row.before[start] - row.before[place])
    squares = float(row.squares[place] - row.squares[start])
    twice = 2.0 * level * float(row.sums[place] - row.sums[start])
    even = level * level * float(place - start)
    margin = SLACK * (abs(apart) + SCALE * (squares + twice + even))
    return apart + SCALE * (squares - twice + even) < -margin


@compiled()
def reach_of(row: Row, start: int, place: int) -> tuple[float, float, float]:
    """The mean of the group from ``start`` to the place, and how far around it a level costs less
    than the cap: at most, and for certain. Negative if nowhere."""
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
    """The least error up to ``stop`` of all starts. It is that of a start that claims the mean of
    its group: elsewhere another start is at least as good."""
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
