"""Compiled message passing on a tree of counts: the loops of `posterior`.

Counts live on a lattice: number k stands for k times its spacing. Every node has a window of it,
``lo`` to ``lo + length``, and for each kind of split of its parent a table over that window. The
tables of node v start at ``KINDS * first[v]``, one kind after the other.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hushgram.base.compiled import compiled
from hushgram.mechanisms.inference.split_kinds import (
    BETAS,
    EMPTY_HALF,
    GAUSSIANS,
    KINDS,
    SPREADS,
    STRENGTHS,
    TABLE,
)

REACH = 4.5
"""Standard deviations of a nearly even split that are added up."""

GRAIN = 0.08
"""The variance of rounding to a lattice."""

UNLIKELY = 1e-300
"""Weights below it cannot be scaled: one over them is more than a float can hold."""


@compiled()
def weight(table: Any, gamma: float, strength: float, k: int) -> float:
    """Γ(k + s) / (k! Γ(s)) for a strength s: from a table, or by the power law that it follows."""
    if k < TABLE:
        return float(table[k])
    return float((k + 0.5 * strength) ** (strength - 1) / gamma)


@compiled()
def weigh(kind: int, lo: int, message: Any, tables: Any, found: Any) -> None:
    """A message times the weights of its counts."""
    for i in range(len(message)):
        found[i] = message[i] * weight(tables[0][kind], tables[1][kind], STRENGTHS[kind], lo + i)


@compiled()
def normal_sum(k: int, variance: float) -> float:
    """The sum over j = 0 … k of exp(-(j - k/2)² / 2 variance)."""
    if variance > 2.0 and 1.0 * k * k > 64.0 * variance:
        return float(np.sqrt(2 * np.pi * variance))
    reach = 6.0 * np.sqrt(variance) + 1
    first, last = max(0, int(0.5 * k - reach)), min(k, int(0.5 * k + reach) + 1)
    found = 0.0
    for j in range(first, last + 1):
        found += np.exp(-0.5 * (j - 0.5 * k) ** 2 / variance)
    return found


@compiled()
def even_variance(kind: int, k: int, spacing: float) -> float:
    """The variance of half of k, on the lattice: of the share, of rows that fall either way, and
    of rounding."""
    return float((SPREADS[kind] * k) ** 2 + 0.25 * k / spacing + GRAIN)


@compiled()
def fill_likelihood(lo: Any, length: Any, first: Any, spacing: float, rates: Any, noisy: Any,
                    found: Any) -> None:  # fmt: skip
    """exp(-Σ rate |count - noisy|) over the window of each node, with 1 for its largest entry."""
    for v in range(len(lo)):
        top = -np.inf
        begin = first[v]
        for i in range(length[v]):
            count, total = (lo[v] + i) * spacing, 0.0
            for m in range(len(rates)):
                total -= rates[m, v] * abs(count - noisy[m, v])
            found[begin + i] = total
            top = max(top, total)
        for i in range(length[v]):
            found[begin + i] = np.exp(found[begin + i] - top)


@compiled()
def combine_children(v: int, lo: Any, length: Any, first: Any, right: Any, up: Any, spacing: float,
                     tables: Any, room: Any, inside: Any) -> None:  # fmt: skip
    """For each kind of split of v, the weight that the halves below give to each count of v."""
    a, b = v + 1, right[v]
    size, base = length[v], lo[v] - lo[a] - lo[b]
    from_a, from_b = room[0], room[1]
    start_a, start_b = KINDS * first[a], KINDS * first[b]
    for kind in BETAS:
        one = up[start_a + kind * length[a] : start_a + (kind + 1) * length[a]]
        two = up[start_b + kind * length[b] : start_b + (kind + 1) * length[b]]
        weigh(kind, lo[a], one, tables, from_a)
        weigh(kind, lo[b], two, tables, from_b)
        inside[kind, :size] = 0.0
        for j in range(length[a]):
            begin, end = max(0, j - base), min(size, j - base + length[b])
            factor = from_a[j]
            for i in range(begin, end):
                inside[kind, i] += factor * from_b[i + base - j]
        table, gamma, strength = tables[2][kind], tables[3][kind], 2 * STRENGTHS[kind]
        for i in range(size):
            inside[kind, i] /= weight(table, gamma, strength, lo[v] + i)
    for i in range(size):
        k = lo[v] + i
        total = 0.0
        if lo[a] == 0 and 0 <= k - lo[b] < length[b]:
            total += 0.5 * up[start_a] * up[start_b + k - lo[b]]
        if lo[b] == 0 and 0 <= k - lo[a] < length[a]:
            total += 0.5 * up[start_a + k - lo[a]] * up[start_b]
        inside[EMPTY_HALF, i] = total
        for kind in GAUSSIANS:
            variance = even_variance(kind, k, spacing)
            reach = REACH * np.sqrt(variance)
            begin = max(max(lo[a], k - lo[b] - length[b] + 1), int(np.floor(0.5 * k - reach)))
            end = min(min(lo[a] + length[a] - 1, k - lo[b]), int(np.ceil(0.5 * k + reach)))
            total = 0.0
            if begin <= end:
                at_a, at_b = start_a + kind * length[a] - lo[a], start_b + kind * length[b] - lo[b]
                away = begin - 0.5 * k
                density = np.exp(-0.5 * away * away / variance)
                ratio = np.exp(-(away + 0.5) / variance)
                change = np.exp(-1.0 / variance)
                for j in range(begin, end + 1):
                    total += density * up[at_a + j] * up[at_b + k - j]
                    density *= ratio
                    ratio *= change
            inside[kind, i] = total / normal_sum(k, variance) if total > 0 else 0.0


@compiled()
def send_up(lo: Any, length: Any, first: Any, right: Any, likelihood: Any, transitions: Any,
            spacing: float, tables: Any, up: Any) -> None:  # fmt: skip
    """From the leaves upwards: for each kind of a node's parent, how well each count of the node
    goes with all that was measured in it."""
    widest = length.max()
    room, inside = np.empty((2, widest)), np.empty((KINDS, widest))
    for v in range(len(lo) - 1, -1, -1):
        size, start = length[v], KINDS * first[v]
        if right[v] == 0:
            for kind in range(KINDS):
                for i in range(size):
                    up[start + kind * size + i] = likelihood[first[v] + i]
            continue
        combine_children(v, lo, length, first, right, up, spacing, tables, room, inside)
        top = 0.0
        for above in range(KINDS):
            for i in range(size):
                total = 0.0
                for kind in range(KINDS):
                    total += transitions[above, kind] * inside[kind, i]
                total *= likelihood[first[v] + i]
                up[start + above * size + i] = total
                top = max(top, total)
        scale = 1 / top if top > UNLIKELY else 1.0
        for i in range(KINDS * size):
            up[start + i] *= scale


@compiled()
def share_out(v: int, lo: Any, length: Any, first: Any, right: Any, outer: Any, up: Any, down: Any,
              spacing: float, tables: Any, room: Any) -> None:  # fmt: skip
    """Hand to both halves of v what is known of them from everywhere else; ``outer`` has the weight
    of each kind of split and count of v from outside of it."""
    a, b = v + 1, right[v]
    size, base = length[v], lo[v] - lo[a] - lo[b]
    start_a, start_b = KINDS * first[a], KINDS * first[b]
    from_a, from_b, to_a, to_b, scaled = room[0], room[1], room[2], room[3], room[4]
    for kind in BETAS:
        at_a, at_b = start_a + kind * length[a], start_b + kind * length[b]
        weigh(kind, lo[a], up[at_a : at_a + length[a]], tables, from_a)
        weigh(kind, lo[b], up[at_b : at_b + length[b]], tables, from_b)
        table, gamma, strength = tables[2][kind], tables[3][kind], 2 * STRENGTHS[kind]
        for i in range(size):
            scaled[i] = outer[kind, i] / weight(table, gamma, strength, lo[v] + i)
        to_a[: length[a]] = 0.0
        to_b[: length[b]] = 0.0
        for m in range(length[b]):
            begin, end = max(0, base - m), min(length[a], size + base - m)
            factor = from_b[m]
            for j in range(begin, end):
                to_a[j] += factor * scaled[j + m - base]
        for j in range(length[a]):
            begin, end = max(0, base - j), min(length[b], size + base - j)
            factor = from_a[j]
            for m in range(begin, end):
                to_b[m] += factor * scaled[j + m - base]
        weigh(kind, lo[a], to_a[: length[a]], tables, from_a)
        weigh(kind, lo[b], to_b[: length[b]], tables, from_b)
        for j in range(length[a]):
            down[at_a + j] += from_a[j]
        for m in range(length[b]):
            down[at_b + m] += from_b[m]
    for i in range(size):
        k = lo[v] + i
        half = 0.5 * outer[EMPTY_HALF, i]
        if half > 0 and lo[a] == 0 and 0 <= k - lo[b] < length[b]:
            down[start_a] += half * up[start_b + k - lo[b]]
            down[start_b + k - lo[b]] += half * up[start_a]
        if half > 0 and lo[b] == 0 and 0 <= k - lo[a] < length[a]:
            down[start_a + k - lo[a]] += half * up[start_b]
            down[start_b] += half * up[start_a + k - lo[a]]
        for kind in GAUSSIANS:
            if outer[kind, i] <= 0:
                continue
            variance = even_variance(kind, k, spacing)
            reach = REACH * np.sqrt(variance)
            begin = max(max(lo[a], k - lo[b] - length[b] + 1), int(np.floor(0.5 * k - reach)))
            end = min(min(lo[a] + length[a] - 1, k - lo[b]), int(np.ceil(0.5 * k + reach)))
            if begin > end:
                continue
            at_a, at_b = start_a + kind * length[a] - lo[a], start_b + kind * length[b] - lo[b]
            away = begin - 0.5 * k
            density = outer[kind, i] / normal_sum(k, variance)
            density *= np.exp(-0.5 * away * away / variance)
            ratio = np.exp(-(away + 0.5) / variance)
            change = np.exp(-1.0 / variance)
            for j in range(begin, end + 1):
                down[at_a + j] += density * up[at_b + k - j]
                down[at_b + k - j] += density * up[at_a + j]
                density *= ratio
                ratio *= change


@compiled()
def send_down(lo: Any, length: Any, first: Any, right: Any, likelihood: Any, transitions: Any,
              spacing: float, tables: Any, up: Any, down: Any, means: Any, variances: Any,
              kinds: Any) -> None:  # fmt: skip
    """From the roots downwards; ``down`` holds for the roots what is known of them beforehand, and
    0 elsewhere. Fills in the mean and the variance of every node's count, on the lattice, and how
    likely each kind is that the split above it is of."""
    widest = length.max()
    room, outer = np.empty((5, widest)), np.empty((KINDS, widest))
    for v in range(len(lo)):
        size, start = length[v], KINDS * first[v]
        total = once = twice = top = 0.0
        for kind in range(KINDS):
            before = total
            for i in range(size):
                mass = down[start + kind * size + i] * up[start + kind * size + i]
                total += mass
                once += mass * i
                twice += mass * i * i
                top = max(top, down[start + kind * size + i])
            kinds[v, kind] = total - before
        if total > 0:
            once, twice = once / total, twice / total
            kinds[v] /= total
        means[v] = lo[v] + once
        variances[v] = max(twice - once * once, 0.0)
        if right[v] == 0:
            continue
        scale = 1 / top if top > UNLIKELY else 1.0
        for kind in range(KINDS):
            for i in range(size):
                known = 0.0
                for above in range(KINDS):
                    known += down[start + above * size + i] * transitions[above, kind]
                outer[kind, i] = scale * known * likelihood[first[v] + i]
        share_out(v, lo, length, first, right, outer, up, down, spacing, tables, room)
