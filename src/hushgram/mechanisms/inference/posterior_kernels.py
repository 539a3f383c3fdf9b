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
from hushgram.mechanisms.inference.family_kernels import MIXED, ROOM, Family, gather, share_out
from hushgram.mechanisms.inference.kind_rows import (
    FIVE,
    FOUR,
    NOTHING,
    ONE,
    THREE,
    TWO,
    add_rows,
    multiply_rows,
    put_row,
    row_at,
    scale_row,
    sum_row,
)
from hushgram.mechanisms.inference.split_kernels import Splits, Stretch, fill_evens
from hushgram.mechanisms.inference.split_kinds import KINDS

NONE, SIX = np.uint64(0), np.uint64(KINDS)

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


@compiled(nogil=True, side_by_side=True)
def piece_of(nodes: WindowedNodes, begin: int, end: int) -> WindowedNodes:
    """A subtree: the nodes of one follow one another."""
    return WindowedNodes(
        nodes.lo[begin:end],
        nodes.length[begin:end],
        nodes.right[begin:end] - begin,
        nodes.counts[:, begin:end],
        nodes.rates[:, begin:end],
    )


@compiled(nogil=True, side_by_side=True)
def starts_of(length: Any) -> Any:
    """Where each node's places start among those of all, and where they end."""
    found = np.zeros(len(length) + 1, np.int64)
    for v in range(len(length)):
        found[v + 1] = found[v] + length[v]
    return found


@compiled(nogil=True, side_by_side=True)
def find_likelihood(nodes: WindowedNodes, first: Any, spacing: float, found: Any) -> None:
    """exp(-Σ rate |count - noisy|) over the window of each node, with 1 for its largest entry."""
    for v in range(len(nodes.lo)):
        own = found[first[v] : first[v + 1]]
        own[:] = 1.0
        for turn in range(len(nodes.rates)):
            if nodes.rates[turn, v] > 0:
                middle = nodes.counts[turn, v] / spacing - nodes.lo[v]
                multiply_around(middle, nodes.rates[turn, v] * spacing, own)
        top = own.max()
        if top > UNLIKELY:
            own *= 1 / top
        else:  # counts contradict each other
            find_by_logs(nodes, v, spacing, own)


@compiled(nogil=True, side_by_side=True)
def multiply_around(middle: float, rate: float, found: Any) -> None:
    """Multiply the i-th number by exp(-rate |i - middle|), but for a factor that all have. Each is
    the one before it, farther to the middle, times the same."""
    size = len(found)
    last = int(np.floor(min(max(middle, -1.0), size - 1.0)))
    down, up, step = 1.0, 1.0, np.exp(-rate)
    if 0 <= last < size - 1:
        down, up = np.exp(-rate * (middle - last)), np.exp(-rate * (last + 1 - middle))
    for i in range(last, -1, -1):
        found[i] *= down
        down *= step
    for i in range(last + 1, size):
        found[i] *= up
        up *= step


@compiled(nogil=True, side_by_side=True)
def find_by_logs(nodes: WindowedNodes, v: int, spacing: float, own: Any) -> None:
    """The same where all are too unlikely for a number to hold."""
    own[:] = 0.0
    for turn in range(len(nodes.rates)):
        rate, noisy = nodes.rates[turn, v], nodes.counts[turn, v]
        for i in range(len(own)):
            own[i] -= rate * abs((nodes.lo[v] + i) * spacing - noisy)
    top = own.max()
    for i in range(len(own)):
        own[i] = np.exp(own[i] - top)


@compiled(nogil=True, side_by_side=True)
def with_room(nodes: WindowedNodes, splits: Splits) -> Any:
    """The table of nearly even splits, with memory behind it for that of any family of large
    counts."""
    products = 0
    for v in range(len(nodes.lo)):
        if nodes.right[v] > 0 and nodes.lo[v] + nodes.length[v] > len(splits.lows):
            products = max(products, nodes.length[v + 1] * nodes.length[nodes.right[v]])
    places, small = nodes.length.max(), len(splits.lows)
    lows, starts = np.empty(small + places, np.int64), np.empty(small + places + 1, np.int64)
    chances = np.empty(len(splits.chances) + 2 * products)
    lows[:small], starts[: small + 1] = splits.lows, splits.starts
    chances[: len(splits.chances)] = splits.chances
    return lows, starts, chances


@compiled(nogil=True, side_by_side=True)
def family_of(nodes: WindowedNodes, v: int, small: int, spacing: float, lows: Any, starts: Any,
              chances: Any) -> Family:  # fmt: skip
    """A node and its halves. Of large counts the nearly even splits are computed."""
    a, b = v + 1, nodes.right[v]
    low, high = Stretch(nodes.lo[a], nodes.length[a]), Stretch(nodes.lo[b], nodes.length[b])
    whole = Stretch(nodes.lo[v], nodes.length[v])
    if whole.lo + whole.size <= small:
        return Family(low, high, whole, whole.lo)
    fill_evens(low, high, whole, spacing, small, lows, starts, chances)
    return Family(low, high, whole, small)


@compiled(nogil=True, side_by_side=True)
def mix_up(steps: Any, likelihood: Any, first: int, size: int, room: Any, places: int, up: Any,
           at: int) -> None:  # fmt: skip
    """Of the whole: what the halves say of other kinds, times the ``steps`` from them to each;
    times the likelihood, and with 1 for the largest entry of all."""
    row, to, top = np.uint64(MIXED * places), np.uint64(at), 0.0
    for i in range(size):
        total = scale_row(step(steps, room, row), likelihood[np.uint64(first + i)])
        put_row(up, to, total)
        top = max(top, max(total))
        row += SIX
        to += SIX
    scale(up, at, size, top)


@compiled(nogil=True, side_by_side=True)
def mix_down(steps: Any, likelihood: Any, first: int, size: int, down: Any, at: int, room: Any,
             places: int) -> None:  # fmt: skip
    """The same of what the whole is told."""
    row, to, top = np.uint64(at), np.uint64(MIXED * places), 0.0
    for i in range(size):
        total = scale_row(step(steps, down, row), likelihood[np.uint64(first + i)])
        put_row(room, to, total)
        top = max(top, max(total))
        row += SIX
        to += SIX
    scale(room, MIXED * places, size, top)


@compiled(nogil=True, side_by_side=True)
def step(steps: Any, known: Any, row: Any) -> Any:
    """A row times a matrix, whose rows lie one after the other."""
    total = scale_row(row_at(steps, NONE), known[row])
    total = add_rows(total, scale_row(row_at(steps, SIX), known[row + ONE]))
    total = add_rows(total, scale_row(row_at(steps, TWO * SIX), known[row + TWO]))
    total = add_rows(total, scale_row(row_at(steps, THREE * SIX), known[row + THREE]))
    total = add_rows(total, scale_row(row_at(steps, FOUR * SIX), known[row + FOUR]))
    return add_rows(total, scale_row(row_at(steps, FIVE * SIX), known[row + FIVE]))


@compiled(nogil=True, side_by_side=True)
def scale(table: Any, at: int, size: int, top: float) -> None:
    """With 1 for the largest entry, unless all are next to nothing."""
    if top > UNLIKELY:
        for n in range(at, at + KINDS * size):
            table[np.uint64(n)] *= 1 / top


@compiled(nogil=True, side_by_side=True)
def fill_ends(nodes: WindowedNodes, first: Any, likelihood: Any, up: Any) -> None:
    """What the leaves tell their parents: what was measured of them, whatever the kind."""
    for v in range(len(nodes.lo)):
        if nodes.right[v] <= 0:
            for i in range(first[v], first[v + 1]):
                up[KINDS * i : KINDS * (i + 1)] = likelihood[i]


@compiled(nogil=True, side_by_side=True)
def send_up(nodes: WindowedNodes, first: Any, likelihood: Any, transitions: Any, splits: Splits,
            up: Any) -> None:  # fmt: skip
    """From the leaves, whose tables are there, upwards: for each kind of a node's parent, how well
    each count of the node goes with all that was measured in it."""
    lows, starts, chances = with_room(nodes, splits)
    places, small, spacing = nodes.length.max(), len(splits.lows), splits.spacing
    room, steps = np.empty(ROOM * places), np.ascontiguousarray(transitions.T).reshape(-1)
    halves, wholes, right = splits.halves, splits.wholes, nodes.right
    for v in range(len(right) - 1, -1, -1):
        if right[v] > 0:
            family = family_of(nodes, v, small, spacing, lows, starts, chances)
            one, two = KINDS * first[v + 1], KINDS * first[right[v]]
            gather(family, up, one, two, halves, wholes, lows, starts, chances, room, places)
            mix_up(steps, likelihood, first[v], family.whole.size, room, places, up,
                   KINDS * first[v])  # fmt: skip


@compiled(nogil=True, side_by_side=True)
def find_moments(up: Any, down: Any, at: int, size: int, kinds: Any, v: int) -> Any:
    """The mean and the variance of a node's place in its window, and how likely each kind is."""
    rows, firsts, seconds, p = NOTHING, NOTHING, NOTHING, np.uint64(at)
    for i in range(size):
        mass = multiply_rows(row_at(up, p), row_at(down, p))
        moment = scale_row(mass, 1.0 * i)
        rows, firsts = add_rows(rows, mass), add_rows(firsts, moment)
        seconds = add_rows(seconds, scale_row(moment, 1.0 * i))
        p += SIX
    total, once, twice = sum_row(rows), sum_row(firsts), sum_row(seconds)
    share = 1 / total if total > 0 else 1.0
    for kind in range(KINDS):
        kinds[v, kind] = rows[kind] * share
    once, twice = once * share, twice * share
    return once, max(twice - once * once, 0.0)


@compiled(nogil=True, side_by_side=True)
def send_down(nodes: WindowedNodes, first: Any, likelihood: Any, transitions: Any, splits: Splits,
              up: Any, down: Any, means: Any, variances: Any, kinds: Any) -> None:  # fmt: skip
    """From the roots downwards; ``down`` holds for the roots what is known of them beforehand.
    Fills in the mean and the variance of every node's count, on the lattice, and how likely each
    kind is that the split above it is of."""
    lows, starts, chances = with_room(nodes, splits)
    places, small, spacing = nodes.length.max(), len(splits.lows), splits.spacing
    room, steps = np.empty(ROOM * places), transitions.reshape(-1)
    halves, wholes, right = splits.halves, splits.wholes, nodes.right
    for v in range(len(right)):
        at = KINDS * first[v]
        mean, variances[v] = find_moments(up, down, at, nodes.length[v], kinds, v)
        means[v] = nodes.lo[v] + mean
        if right[v] > 0:
            family = family_of(nodes, v, small, spacing, lows, starts, chances)
            one, two = KINDS * first[v + 1], KINDS * first[right[v]]
            mix_down(steps, likelihood, first[v], family.whole.size, down, at, room, places)
            share_out(family, up, one, two, halves, wholes, lows, starts, chances, room, places,
                      down, one, two)  # fmt: skip


@compiled(nogil=True, side_by_side=True)
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


@compiled(nogil=True, side_by_side=True)
def tables_in(kept: Any, room: int, places: int) -> Any:
    """Memory for the likelihood of a piece's nodes and for their tables: what is kept of them, or
    new one."""
    size = (1 + KINDS) * places
    found = np.empty(size) if room < 0 else kept[room : room + size]
    return found[:places], found[places:]


@compiled(nogil=True, side_by_side=True)
def lift_piece(piece: WindowedNodes, first: Any, transitions: Any, splits: Splits, likelihood: Any,
               up: Any) -> None:  # fmt: skip
    """Fill in the likelihood of a piece's nodes, and their tables."""
    find_likelihood(piece, first, splits.spacing, likelihood)
    fill_ends(piece, first, likelihood, up)
    send_up(piece, first, likelihood, transitions, splits, up)


@compiled(nogil=True, side_by_side=True)
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


@compiled(nogil=True, side_by_side=True)
def pass_through(nodes: WindowedNodes, transitions: Any, splits: Splits, places: Any, right: Any,
                 roots: Any, start: Any, sizes: Any, up: Any, down: Any, means: Any, variances: Any,
                 kinds: Any) -> None:  # fmt: skip
    """The posterior of the top, which are the nodes at ``places``, from what the pieces told it;
    and what it tells them. ``start`` has how likely kinds are at the roots, and ``sizes`` how
    likely counts are there, one root after the other."""
    top = WindowedNodes(nodes.lo[places], nodes.length[places], right, nodes.counts[:, places],
                nodes.rates[:, places])  # fmt: skip
    first = starts_of(top.length)
    likelihood = np.empty(first[-1])
    find_likelihood(top, first, splits.spacing, likelihood)
    send_up(top, first, likelihood, transitions, splits, up)
    n = 0
    for root in roots:
        for place in range(first[root], first[root + 1]):
            for k in range(KINDS):
                down[KINDS * place + k] = start[k] * sizes[n]
            n += 1
    own, spread = np.empty((2, len(right)))
    posterior_kinds = np.empty((len(right), KINDS))
    send_down(top, first, likelihood, transitions, splits, up, down, own, spread, posterior_kinds)
    means[places], variances[places], kinds[places] = own, spread, posterior_kinds
