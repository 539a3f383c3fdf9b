"""Compiled: the sums of groups of sorted rows, list by list."""

from __future__ import annotations

from typing import Any

from hushgram.base.compiled import compiled


@compiled()
def sum_groups(held: Any, lengths: Any, offsets: Any, span: int, found: Any) -> None:
    """Fill in `SortedGroups.sums` for each list, which is cut to its length or padded with
    ``span``. O(places + groups)"""
    for number in range(len(lengths)):
        groups = offsets[number + 1] - offsets[number]
        whole, rest = lengths[number] // groups, lengths[number] % groups
        place, stop = held.starts[number], held.stops[number]
        left = held.rows[place] if place < stop else 0
        before = 0
        for group in range(1, groups + 1):
            end = group * whole + group * rest // groups
            missing, before = end - before, end
            total = 0
            while missing and place < stop:
                taken = min(left, missing)
                total += held.places[place] * taken
                missing -= taken
                left -= taken
                if not left:
                    place += 1
                    left = held.rows[place] if place < stop else 0
            found[offsets[number] + group - 1] = total + span * missing
