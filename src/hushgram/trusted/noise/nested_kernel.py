"""Compiled loops of `nested`. This module imports numba, so import it late.

Tables contain doubles, which are taken as exact numbers. A draw is decided here only if the bounds
of ``docs/proofs/nested-counts.md`` guarantee the same result in exact arithmetic. Never compile
with `fastmath`: the proof does not depend on the order of operations, but it needs each to be
rounded once.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hushgram.base.compiled import compiled

DOUBT = 2.0**-40
"""A word this close to a bound, as a share of the total, does not decide."""

UNIT = 2.0**-64

LOW = np.uint64(0xFFFFFFFF)
"""A word is converted to a double in two halves, each of which is exact."""


@compiled()
def fill_tables(low: Any, high: Any, decays: Any, ring: int, tables: Any) -> None:
    """Fill the tables: for each kind of subtree, the likelihood of its noise by its distance from
    zero on the ring, summed over how the noise divides between its halves. A leaf is its own
    halves; all other kinds come after their halves."""
    half = ring // 2
    one, two, found = np.empty(ring), np.empty(2 * ring), np.empty(half + 1)
    powers = np.empty(ring + 1)
    for k in range(len(low)):
        if low[k] == k:
            fill_powers(decays[k], powers)
            for d in range(half + 1):
                tables[k, d] = powers[d] + powers[ring - d]
            continue
        unfold(tables[low[k]], ring, one)
        unfold(tables[high[k]], ring, two[:ring])
        two[ring:] = two[:ring]
        found[:] = 0.0
        for j in range(ring):
            weight, others = one[j], two[ring - j : ring - j + half + 1]
            for z in range(half + 1):
                found[z] += weight * others[z]
        power, top = 1.0, 0.0
        for z in range(half + 1):
            found[z] *= power
            power *= decays[k]
            top = max(top, found[z])
        unit = 1.0
        while top * unit >= 1.0:
            unit *= 0.5
        while top * unit < 0.5:
            unit *= 2.0
        for z in range(half + 1):  # times a power of two, which is exact
            tables[k, z] = found[z] * unit


@compiled()
def find_widest(right: Any, rates: Any) -> float:
    """Return about the largest standard deviation of a node's noise, if the likelihood of each
    node's falls with its rate. Only the size of the ring depends on it."""
    variances = np.empty(len(right))
    for v in range(len(right) - 1, -1, -1):
        precision = rates[v] ** 2 / 2
        if right[v]:
            precision += 1 / (variances[v + 1] + variances[right[v]])
        variances[v] = 1 / precision
    return math.sqrt(variances.max())


@compiled()
def fill_powers(base: float, found: Any) -> None:
    found[0] = 1.0
    for k in range(1, len(found)):
        found[k] = found[k - 1] * base


@compiled()
def unfold(table: Any, ring: int, found: Any) -> None:
    """Write the entry of a table for each place on the ring."""
    found[0] = table[0]
    for d in range(1, ring // 2 + 1):
        found[d] = table[d]
        found[ring - d] = table[d]


@compiled()
def weigh(whole: int, first: Any, second: Any, ring: int, weights: Any) -> None:
    """Write the likelihood of each place of a lower half, given the ``whole``: its own table times
    that of the upper half, which gets the rest."""
    unfold(first, ring, weights)
    for j in range(ring):
        apart = abs(whole - j)
        weights[j] *= second[min(apart, ring - apart)]


@compiled()
def draw_places(right: Any, is_root: Any, alike: Any, tables: Any, ring: int, words: Any,
                start: int, places: Any) -> int:  # fmt: skip
    """Draw each node's place on the ring, from the roots downwards. The word of a root decides its
    place, and that of a lower half its share of the whole. A node v has two turns: at 2 v its own
    place is drawn, if it is a root, and at 2 v + 1 those of its halves. Starts at turn ``start``,
    and returns the turn whose word does not decide, or the total number of turns."""
    weights = np.empty(ring)
    for turn in range(start, 2 * len(right)):
        v = turn // 2
        if turn % 2 == 0:
            if is_root[v]:
                unfold(tables[alike[v]], ring, weights)
                places[v] = choose(weights, words[v])
                if places[v] < 0:
                    return turn
        elif right[v] > 0:
            if places[v + 1] < 0:
                weigh(places[v], tables[alike[v + 1]], tables[alike[right[v]]], ring, weights)
                places[v + 1] = choose(weights, words[v + 1])
                if places[v + 1] < 0:
                    return turn
            places[right[v]] = (places[v] - places[v + 1]) % ring
    return 2 * len(right)


@compiled()
def choose(weights: Any, word: Any) -> int:
    """Return the index whose share of the weights contains a word; -1 if it is too close to the end
    of a share."""
    total = 0.0
    for weight in weights:
        total += weight
    doubt = total * DOUBT
    place = as_share(word) * total
    before = 0.0
    for j in range(len(weights)):
        after = before + weights[j]
        if place < after + doubt or j == len(weights) - 1:
            surely = place + doubt < after or j == len(weights) - 1
            return j if surely and (j == 0 or place > before + doubt) else -1
        before = after
    return -1


@compiled()
def as_share(word: Any) -> float:
    """Return a word divided by 2⁶⁴."""
    return (np.float64(word >> np.uint64(32)) * 4294967296.0 + np.float64(word & LOW)) * UNIT


@compiled()
def find_near(places: Any, decays: Any, ring: int, words: Any, near: Any) -> None:
    """Write which leaves certainly have the number closest to zero among all at their place."""
    for leaf in range(len(places)):
        distance = min(places[leaf], ring - places[leaf])
        beyond, apart = 1.0, 1.0
        for k in range(ring):
            beyond *= decays[leaf]
            if k < ring - 2 * distance:
                apart *= decays[leaf]
        near[leaf] = as_share(words[leaf]) + DOUBT < (1.0 - beyond) / (1.0 + apart)
