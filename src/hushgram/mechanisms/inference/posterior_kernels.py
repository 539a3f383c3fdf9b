"""Compiled message passing on a tree of counts: the loops of `posterior`.

Counts live on a lattice (`split_kernels`). Every node has a window of it, ``lo`` to
``lo + length``, and a table of the places in that window and the kinds of the split above it. The
table of node v starts at ``KINDS * first[v]``. Loops go over kinds innermost: windows are short.

A tree is worked through in pieces, the subtrees below some depth, and a top above them. A piece has
tables of its own, as long as it is worked on; only those of its root are kept, in the top.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hushgram.base.compiled import compiled
from hushgram.mechanisms.inference.kind_rows import (
    NOTHING,
    add_rows,
    multiply_rows,
    put_row,
    row_at,
    scale_row,
)
from hushgram.mechanisms.inference.split_kernels import Splits, Stretch, fill_splits
from hushgram.mechanisms.inference.split_kinds import KINDS

UNLIKELY = 1e-300
"""Weights below it cannot be scaled: one over them is more than a float can hold."""


class WindowedNodes(NamedTuple):
    """The nodes of a tree or of a piece of one, in preorder."""

    lo: Any
    length: Any
    right: Any
    """The upper half of each node, and at a leaf 0 or less. The lower half is the next node."""
    counts: Any
    rates: Any


@compiled(nogil=True)
def piece_of(nodes: WindowedNodes, begin: int, end: int) -> WindowedNodes:
    """A subtree: the nodes of one follow one another."""
    return WindowedNodes(
        nodes.lo[begin:end],
        nodes.length[begin:end],
        nodes.right[begin:end] - begin,
        nodes.counts[:, begin:end],
        nodes.rates[:, begin:end],
    )


@compiled(nogil=True)
def starts_of(length: Any) -> Any:
    """Where each node's places start among those of all, and where they end."""
    found = np.zeros(len(length) + 1, np.int64)
    for v in range(len(length)):
        found[v + 1] = found[v] + length[v]
    return found


@compiled(nogil=True)
def find_likelihood(nodes: WindowedNodes, first: Any, spacing: float, found: Any) -> None:
    """exp(-Σ rate |count - noisy|) over the window of each node, with 1 for its largest entry."""
    for v in range(len(nodes.lo)):
        own = found[first[v] : first[v + 1]]
        own[:] = 0.0
        for turn in range(len(nodes.rates)):
            rate, noisy = nodes.rates[turn, v], nodes.counts[turn, v]
            for i in range(len(own)):
                own[i] -= rate * abs((nodes.lo[v] + i) * spacing - noisy)
        top = own.max()
        for i in range(len(own)):
            own[i] = np.exp(own[i] - top)


class Family(NamedTuple):
    """A node and its halves: their windows, and how likely each split is."""

    low: Stretch
    high: Stretch
    whole: Stretch
    table: Any
    row: int
    """Of the table, for the first count of the lower half."""
    column: int
    """For that of the upper half."""


@compiled(nogil=True)
def family_of(v: int, nodes: WindowedNodes, splits: Splits, room: Any) -> Family:
    """With the shared table, or with one that is made in ``room``."""
    a, b, small = v + 1, nodes.right[v], len(splits.shared)
    low, high = Stretch(nodes.lo[a], nodes.length[a]), Stretch(nodes.lo[b], nodes.length[b])
    whole = Stretch(nodes.lo[v], nodes.length[v])
    if low.lo + low.size <= small and high.lo + high.size <= small:
        return Family(low, high, whole, splits.shared, low.lo, high.lo)
    table = room[: low.size * high.size * KINDS].reshape(low.size, high.size, KINDS)
    fill_splits(low, high, whole, splits.spacing, splits.weights, table)
    return Family(low, high, whole, table, 0, 0)


@compiled(nogil=True)
def make_room(nodes: WindowedNodes) -> Any:
    """Memory for the table of any family."""
    most = 0
    for v in range(len(nodes.lo)):
        if nodes.right[v] > 0:
            most = max(most, nodes.length[v + 1] * nodes.length[nodes.right[v]])
    return np.empty(most * KINDS)


@compiled(nogil=True)
def gather(family: Family, one: Any, two: Any, found: Any) -> None:
    """The weight that the halves give to each count of the whole. ``one`` and ``two`` have the
    weight of each count of theirs."""
    low, high, whole, table, row, column = family
    base = whole.lo - low.lo - high.lo
    found[: whole.size] = 0.0
    for j in range(low.size):
        likely, own = table[row + j], row_at(one, np.uint64(j))
        for m in range(max(base - j, 0), min(base - j + whole.size, high.size)):
            i, k = np.uint64(j + m - base), np.uint64(column + m)
            more = multiply_rows(multiply_rows(own, row_at(likely, k)), row_at(two, np.uint64(m)))
            put_row(found, i, add_rows(row_at(found, i), more))


@compiled(nogil=True)
def share_out(family: Family, outer: Any, one: Any, two: Any, to_one: Any, to_two: Any) -> None:
    """Hand to both halves what is known of them from everywhere else; ``outer`` has the weight of
    each count of the whole from outside of it."""
    low, high, whole, table, row, column = family
    base = whole.lo - low.lo - high.lo
    to_two[:] = 0.0
    for j in range(low.size):
        likely, own, total = table[row + j], row_at(one, np.uint64(j)), NOTHING
        for m in range(max(base - j, 0), min(base - j + whole.size, high.size)):
            i, k, n = np.uint64(j + m - base), np.uint64(column + m), np.uint64(m)
            known = multiply_rows(row_at(likely, k), row_at(outer, i))
            total = add_rows(total, multiply_rows(known, row_at(two, n)))
            put_row(to_two, n, add_rows(row_at(to_two, n), multiply_rows(known, own)))
        put_row(to_one, np.uint64(j), total)


@compiled(nogil=True)
def mix(known: Any, steps: Any, likelihood: Any, found: Any) -> None:
    """What is known of other kinds, times the steps from them to each; times the likelihood, and
    with 1 for the largest entry of all."""
    top = 0.0
    for i in range(len(likelihood)):
        total = NOTHING
        for other in range(KINDS):
            total = add_rows(total, scale_row(row_at(steps, np.uint64(other)), known[i, other]))
        total = scale_row(total, likelihood[i])
        put_row(found, np.uint64(i), total)
        top = max(top, max(total))
    if top > UNLIKELY:
        found[: len(likelihood)] *= 1 / top


@compiled(nogil=True)
def table_at(first: Any, v: int, tables: Any) -> Any:
    """The table of a node: places x kinds."""
    return tables[KINDS * first[v] : KINDS * first[v + 1]].reshape(-1, KINDS)


@compiled(nogil=True)
def fill_ends(nodes: WindowedNodes, first: Any, likelihood: Any, up: Any) -> None:
    """What the leaves tell their parents: what was measured of them, whatever the kind."""
    for v in range(len(nodes.lo)):
        if nodes.right[v] <= 0:
            for i in range(first[v], first[v + 1]):
                up[KINDS * i : KINDS * (i + 1)] = likelihood[i]


@compiled(nogil=True)
def send_up(nodes: WindowedNodes, first: Any, likelihood: Any, transitions: Any, splits: Splits,
            up: Any) -> None:  # fmt: skip
    """From the leaves, whose tables are there, upwards: for each kind of a node's parent, how well
    each count of the node goes with all that was measured in it."""
    room, inside = make_room(nodes), np.empty((nodes.length.max(), KINDS))
    backwards = np.ascontiguousarray(transitions.T)
    for v in range(len(nodes.lo) - 1, -1, -1):
        if nodes.right[v] > 0:
            one, two = table_at(first, v + 1, up), table_at(first, nodes.right[v], up)
            gather(family_of(v, nodes, splits, room), one, two, inside)
            own = likelihood[first[v] : first[v + 1]]
            mix(inside, backwards, own, table_at(first, v, up))


@compiled(nogil=True)
def find_moments(up: Any, down: Any, kinds: Any) -> Any:
    """The mean and the variance of a node's place in its window, and how likely each kind is."""
    total = once = twice = 0.0
    kinds[:] = 0.0
    for i in range(len(up)):
        own = 0.0
        for kind in range(KINDS):
            mass = up[i, kind] * down[i, kind]
            kinds[kind] += mass
            own += mass
        total += own
        once += own * i
        twice += own * i * i
    if total > 0:
        once, twice = once / total, twice / total
        kinds /= total
    return once, max(twice - once * once, 0.0)


@compiled(nogil=True)
def send_down(nodes: WindowedNodes, first: Any, likelihood: Any, transitions: Any, splits: Splits,
              up: Any, down: Any, means: Any, variances: Any, kinds: Any) -> None:  # fmt: skip
    """From the roots downwards; ``down`` holds for the roots what is known of them beforehand.
    Fills in the mean and the variance of every node's count, on the lattice, and how likely each
    kind is that the split above it is of."""
    room, outer = make_room(nodes), np.empty((nodes.length.max(), KINDS))
    for v in range(len(nodes.lo)):
        known = table_at(first, v, down)
        mean, variances[v] = find_moments(table_at(first, v, up), known, kinds[v])
        means[v] = nodes.lo[v] + mean
        if nodes.right[v] > 0:
            a, b = v + 1, nodes.right[v]
            mix(known, transitions, likelihood[first[v] : first[v + 1]], outer)
            share_out(family_of(v, nodes, splits, room), outer, table_at(first, a, up),
                      table_at(first, b, up), table_at(first, a, down),
                      table_at(first, b, down))  # fmt: skip


@compiled(nogil=True)
def lift_pieces(nodes: WindowedNodes, transitions: Any, splits: Splits, kept: Any, up: Any,
                begins: Any, ends: Any, starts: Any, rooms: Any) -> None:  # fmt: skip
    """What each piece tells the top: the tables of its root, which start at ``starts`` there. What
    its nodes tell each other is ``kept`` from its room on, if it has one."""
    for n in range(len(begins)):
        piece = piece_of(nodes, begins[n], ends[n])
        first = starts_of(piece.length)
        likelihood, own = tables_in(kept, rooms[n], first[-1])
        lift_piece(piece, first, transitions, splits, likelihood, own)
        size = KINDS * first[1]
        up[starts[n] : starts[n] + size] = own[:size]


@compiled(nogil=True)
def tables_in(kept: Any, room: int, places: int) -> Any:
    """Memory for the likelihood of a piece's nodes and for their tables: what is kept of them, or
    new one."""
    size = (1 + KINDS) * places
    found = np.empty(size) if room < 0 else kept[room : room + size]
    return found[:places], found[places:]


@compiled(nogil=True)
def lift_piece(piece: WindowedNodes, first: Any, transitions: Any, splits: Splits, likelihood: Any,
               up: Any) -> None:  # fmt: skip
    """Fill in the likelihood of a piece's nodes, and their tables."""
    find_likelihood(piece, first, splits.spacing, likelihood)
    fill_ends(piece, first, likelihood, up)
    send_up(piece, first, likelihood, transitions, splits, up)


@compiled(nogil=True)
def finish_pieces(nodes: WindowedNodes, transitions: Any, splits: Splits, kept: Any, top: Any,
                  means: Any, variances: Any, kinds: Any, begins: Any, ends: Any, starts: Any,
                  rooms: Any) -> None:  # fmt: skip
    """The posterior of each piece's nodes; ``top`` holds at ``starts`` what it is told from above.
    What goes upwards is computed again for pieces of which it was not kept."""
    for n in range(len(begins)):
        begin, end = begins[n], ends[n]
        piece = piece_of(nodes, begin, end)
        first = starts_of(piece.length)
        likelihood, up = tables_in(kept, rooms[n], first[-1])
        if rooms[n] < 0:
            lift_piece(piece, first, transitions, splits, likelihood, up)
        down = np.empty(KINDS * first[-1])
        down[: KINDS * first[1]] = top[starts[n] : starts[n] + KINDS * first[1]]
        send_down(piece, first, likelihood, transitions, splits, up, down,
                  means[begin:end], variances[begin:end], kinds[begin:end])  # fmt: skip


@compiled(nogil=True)
def pass_through(nodes: WindowedNodes, transitions: Any, splits: Splits, places: Any, right: Any,
                 roots: Any, start: Any, up: Any, down: Any, means: Any, variances: Any,
                 kinds: Any) -> None:  # fmt: skip
    """The posterior of the top, which are the nodes at ``places``, from what the pieces told it;
    and what it tells them. ``start`` has how likely kinds are at the roots."""
    top = WindowedNodes(nodes.lo[places], nodes.length[places], right, nodes.counts[:, places],
                nodes.rates[:, places])  # fmt: skip
    first = starts_of(top.length)
    likelihood = np.empty(first[-1])
    find_likelihood(top, first, splits.spacing, likelihood)
    send_up(top, first, likelihood, transitions, splits, up)
    for root in roots:
        table_at(first, root, down)[:] = start
    own, spread, kind = np.empty(len(right)), np.empty(len(right)), np.empty((len(right), KINDS))
    send_down(top, first, likelihood, transitions, splits, up, down, own, spread, kind)
    means[places], variances[places], kinds[places] = own, spread, kind
