"""Compiled loops over many lists of sorted rows (see `SortedLists`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from hushgram.base.compiled import compiled
from hushgram.mechanisms.inference.linearisation import Crossings
from hushgram.mechanisms.inference.linearisation_kernels import (
    fill_by_total,
    fill_crossings,
    fill_variances,
    rows_at,
)
from hushgram.mechanisms.inference.ranks import CENTRE, RankCurve


@compiled()
def group_ends(rows: int, groups: int) -> Any:
    """The number of rows in each group and all before it: `sorted_groups.deal`, with a leading
    0."""
    found = np.empty(groups + 1, np.int64)
    for group in range(groups + 1):
        found[group] = group * (rows // groups) + group * (rows % groups) // groups
    return found


@compiled()
def pool(values: Any, weights: Any) -> None:
    """Isotonic regression in place: a value below the one before it is pooled with all following
    values that are too low, and then with the pools before it. The steps are those of scipy, so
    that the means are rounded in the same way (Busing, *Monotone regression: a simple and fast O(n)
    PAVA implementation*, 2022)."""
    size = len(values)
    starts = np.zeros(size + 1, np.int64)
    starts[1] = 1
    block, place = 0, 1
    mean_before, weight_before = values[0], weights[0]
    while place < size:
        block += 1
        mean, weight = values[place], weights[place]
        if mean_before >= mean:
            block -= 1
            total = weight_before * mean_before + weight * mean
            weight += weight_before
            mean = total / weight
            while place < size - 1 and mean >= values[place + 1]:
                place += 1
                total += weights[place] * values[place]
                weight += weights[place]
                mean = total / weight
            while block > 0 and values[block - 1] >= mean:
                block -= 1
                total += weights[block] * values[block]
                weight += weights[block]
                mean = total / weight
        values[block] = mean_before = mean
        weights[block] = weight_before = weight
        starts[block + 1] = place + 1
        place += 1
    for number in range(block, -1, -1):
        values[starts[number] : starts[number + 1]] = values[number]


@compiled()
def fit_curves(sums: Any, rows: Any, offsets: Any, span: int, found: Any) -> None:
    """Fill in the curve of each list: see `SortedSequence.rank_curve`."""
    for number in range(len(rows)):
        first, groups = offsets[number], offsets[number + 1] - offsets[number]
        ends = group_ends(rows[number], groups)
        lengths = ends[1:] - ends[:-1]
        own = slice(found.offsets[number], found.offsets[number + 1])
        positions, ranks = found.positions[own], found.ranks[own]
        middles = sums[first : first + groups] / lengths
        pool(middles, lengths.astype(np.float64))
        positions[1:-1] = np.minimum(np.maximum(middles, 0), span)
        ranks[0], ranks[-1] = 0, rows[number]
        ranks[1:-1] = ends[1:] - lengths / 2
        step = positions[2] - positions[1] if groups > 1 else 0.0
        positions[0] = max(positions[1] - step * 0.5, -CENTRE)
        step = positions[-2] - positions[-3] if groups > 1 else 0.0
        positions[-1] = min(positions[-2] + step * 0.5, span + CENTRE)


@compiled()
def spread_counts(curves: Any, offsets: Any, cuts: Any, rows: Any, totals: Any, found: Any) -> None:
    """Fill in the number of rows in each part of each list, in order. The difference between a
    list's total and its declared length is added to the last part."""
    for number in range(len(rows)):
        points = slice(curves.offsets[number], curves.offsets[number + 1])
        curve = RankCurve(curves.positions[points], curves.ranks[points])
        below = 0.0
        for part in range(offsets[number], offsets[number + 1] - 1):
            reached = rows_at(curve, cuts[part + 1])
            found[part] = reached - below
            below = reached
        last = offsets[number + 1] - 1
        found[last] = rows[number] - below
        found[last] += totals[number] - rows[number]


@compiled()
def spread_variances(
    curves: Any, offsets: Any, cuts: Any, rows: Any, span: int, noise: float, total: float,
    found: Any,
) -> None:  # fmt: skip
    """Fill in the variance of each part of each list, as in `Linearisation`."""
    for number in range(len(rows)):
        points = slice(curves.offsets[number], curves.offsets[number + 1])
        curve = RankCurve(curves.positions[points], curves.ranks[points])
        groups = len(curve.positions) - 2
        ends = group_ends(rows[number], groups)
        blocks, block_rows, members = np.zeros(groups, np.int64), np.zeros(groups), np.zeros(groups)
        for group in range(groups):
            if group:
                is_next = curve.positions[group + 1] > curve.positions[group]
                blocks[group] = blocks[group - 1] + is_next
            block_rows[blocks[group]] += ends[group + 1] - ends[group]
            members[blocks[group]] += 1
        last = blocks[-1]
        spreads = noise * members[: last + 1] / block_rows[: last + 1] ** 2
        first, stop = offsets[number], offsets[number + 1]
        count = stop - first - 1
        crossings = Crossings(
            np.empty(count, np.int64), np.empty(count, np.int64), np.empty(count), np.empty(count)
        )
        fill_crossings(curve, blocks, spreads, cuts[first + 1 : stop], crossings)
        by_total = np.empty(count + 1)
        fill_by_total(crossings, last, (span - curve.positions[-2]) / block_rows[last], by_total)
        fill_variances(crossings, spreads, by_total, total, found[first:stop])
