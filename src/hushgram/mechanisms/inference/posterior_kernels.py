"""Compiled message passing on a tree of counts: the loops of `posterior`.

Counts live on a lattice (`split_kernels`). Every node has a window of it, ``lo`` to
``lo + length``, and for each kind of split of its parent a table over that window. The tables of
node v start at ``KINDS * first[v]``, one kind after the other.

A tree is worked through in pieces, the subtrees below some depth, and a top above them. A piece has
tables of its own, as long as it is worked on; only those of its root are kept, in the top.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hushgram.base.compiled import compiled
from hushgram.mechanisms.inference.split_kernels import FAST, Splits, Stretch, fill_splits
from hushgram.mechanisms.inference.split_kinds import KINDS


class Nodes(NamedTuple):
    """The nodes of a tree or of a piece of one, in preorder."""

    lo: Any
    length: Any
    right: Any
    """The upper half of each node, and at a leaf 0 or less. The lower half is the next node."""
    counts: Any
    rates: Any


class Room(NamedTuple):
    """Memory for one node's work."""

    table: Any
    bands: Any
    outer: Any


@compiled(nogil=True)
def make_room(nodes: Nodes) -> Room:
    widest = nodes.length.max()
    return Room(
        np.empty((widest, widest)), np.empty((widest, 2), np.int64), np.empty((KINDS, widest))
    )


@compiled(nogil=True)
def piece_of(nodes: Nodes, begin: int, end: int) -> Nodes:
    """A subtree: the nodes of one follow one another."""
    return Nodes(
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
def find_likelihood(nodes: Nodes, first: Any, spacing: float) -> Any:
    """exp(-Σ rate |count - noisy|) over the window of each node, with 1 for its largest entry."""
    found = np.empty(first[-1])
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
    return found


@compiled(nogil=True)
def find_splits(kind: int, low: Stretch, high: Stretch, whole: Stretch, splits: Splits,
                room: Room) -> Any:  # fmt: skip
    """The table of a kind and its bands, and the row and the column at which the windows start."""
    small = splits.shared.shape[1]
    if low.lo + low.size <= small and high.lo + high.size <= small:
        return splits.shared[kind], splits.bands[kind], low.lo, high.lo
    fill_splits(kind, low, high, whole, splits.spacing, splits.weights, room.table, room.bands)
    return room.table, room.bands, 0, 0


@compiled(nogil=True, fastmath=FAST)
def add_products(factor: float, likely: Any, two: Any, found: Any) -> None:
    for m in range(len(found)):
        found[m] += factor * likely[m] * two[m]


@compiled(nogil=True, fastmath=FAST)
def share_products(factor: float, likely: Any, outer: Any, two: Any, to_two: Any) -> float:
    total = 0.0
    for m in range(len(two)):
        known = likely[m] * outer[m]
        total += known * two[m]
        to_two[m] += factor * known
    return total


@compiled(nogil=True)
def gather(kind: int, low: Stretch, high: Stretch, whole: Stretch, splits: Splits, room: Room,
           one: Any, two: Any, found: Any) -> None:  # fmt: skip
    """The weight that two halves give to each count of the whole, if the split is of a kind. ``one``
    and ``two`` have the weight of each count of theirs."""
    table, bands, row, column = find_splits(kind, low, high, whole, splits, room)
    base = whole.lo - low.lo - high.lo
    found[:] = 0.0
    for j in range(low.size):
        begin = max(bands[row + j, 0] - column, base - j, 0)
        end = min(bands[row + j, 1] - column, base - j + whole.size, high.size)
        if begin < end:
            likely, at = table[row + j, column + begin : column + end], begin + j - base
            add_products(one[j], likely, two[begin:end], found[at : at + end - begin])


@compiled(nogil=True)
def share_out(kind: int, low: Stretch, high: Stretch, whole: Stretch, splits: Splits, room: Room,
              one: Any, two: Any, to_one: Any, to_two: Any) -> None:  # fmt: skip
    """Hand to both halves what is known of them from everywhere else, if the split is of a kind."""
    table, bands, row, column = find_splits(kind, low, high, whole, splits, room)
    base = whole.lo - low.lo - high.lo
    outer = room.outer[kind]
    to_one[:] = 0.0
    to_two[:] = 0.0
    for j in range(low.size):
        begin = max(bands[row + j, 0] - column, base - j, 0)
        end = min(bands[row + j, 1] - column, base - j + whole.size, high.size)
        if begin < end:
            likely, at = table[row + j, column + begin : column + end], begin + j - base
            known = outer[at : at + end - begin]
            to_one[j] = share_products(one[j], likely, known, two[begin:end], to_two[begin:end])


@compiled(nogil=True)
def fill_ends(nodes: Nodes, first: Any, likelihood: Any, up: Any) -> None:
    """What the leaves tell their parents: what was measured of them, whatever the kind."""
    for v in range(len(nodes.lo)):
        if nodes.right[v] <= 0:
            own = likelihood[first[v] : first[v + 1]]
            for kind in range(KINDS):
                start = KINDS * first[v] + kind * len(own)
                up[start : start + len(own)] = own


@compiled(nogil=True, fastmath=FAST)
def mix(transitions: Any, known: Any, likelihood: Any, found: Any) -> None:
    """For each kind the sum of all others, as likely as they are; times the likelihood, and with 1
    for the largest entry of all."""
    size, top = len(likelihood), 0.0
    for one in range(KINDS):
        row = found[one]
        row[:size] = transitions[one, 0] * known[0, :size]
        for other in range(1, KINDS):
            share, more = transitions[one, other], known[other]
            for i in range(size):
                row[i] += share * more[i]
        for i in range(size):
            row[i] *= likelihood[i]
            top = max(top, row[i])
    if top > 0:
        for one in range(KINDS):
            found[one, :size] *= 1 / top


@compiled(nogil=True)
def send_up(nodes: Nodes, first: Any, likelihood: Any, transitions: Any, splits: Splits,
            room: Room, up: Any) -> None:  # fmt: skip
    """From the leaves, whose tables are there, upwards: for each kind of a node's parent, how well
    each count of the node goes with all that was measured in it."""
    inside = np.empty((KINDS, nodes.length.max()))
    for v in range(len(nodes.lo) - 1, -1, -1):
        if nodes.right[v] <= 0:
            continue
        a, b = v + 1, nodes.right[v]
        low, high = Stretch(nodes.lo[a], nodes.length[a]), Stretch(nodes.lo[b], nodes.length[b])
        whole = Stretch(nodes.lo[v], nodes.length[v])
        one, two, own = tables_at(first, a, up), tables_at(first, b, up), tables_at(first, v, up)
        for kind in range(KINDS):
            gather(kind, low, high, whole, splits, room, one[kind], two[kind],
                   inside[kind, : whole.size])  # fmt: skip
        mix(transitions, inside, likelihood[first[v] : first[v + 1]], own)


@compiled(nogil=True)
def tables_at(first: Any, v: int, tables: Any) -> Any:
    """The tables of a node: kinds x places."""
    return tables[KINDS * first[v] : KINDS * first[v + 1]].reshape(KINDS, -1)


@compiled(nogil=True, fastmath=FAST)
def add_moments(up: Any, down: Any, kinds: Any) -> Any:
    """The mean and the variance of a node's place in its window; and the probability of each kind.
    """
    total = once = twice = 0.0
    for kind in range(KINDS):
        own = 0.0
        for i in range(up.shape[1]):
            mass = up[kind, i] * down[kind, i]
            own += mass
            once += mass * i
            twice += mass * i * i
        kinds[kind] = own
        total += own
    if total > 0:
        once, twice = once / total, twice / total
        kinds /= total
    return once, max(twice - once * once, 0.0)


@compiled(nogil=True)
def send_down(nodes: Nodes, first: Any, likelihood: Any, forwards: Any, splits: Splits, room: Room,
              up: Any, down: Any, means: Any, variances: Any, kinds: Any) -> None:  # fmt: skip
    """From the roots downwards; ``down`` holds for the roots what is known of them beforehand. Fills
    in the mean and the variance of every node's count, on the lattice, and how likely each kind is
    that the split above it is of. ``forwards`` are the transitions from column to row."""
    for v in range(len(nodes.lo)):
        known = tables_at(first, v, down)
        mean, variances[v] = add_moments(tables_at(first, v, up), known, kinds[v])
        means[v] = nodes.lo[v] + mean
        if nodes.right[v] <= 0:
            continue
        a, b = v + 1, nodes.right[v]
        low, high = Stretch(nodes.lo[a], nodes.length[a]), Stretch(nodes.lo[b], nodes.length[b])
        whole = Stretch(nodes.lo[v], nodes.length[v])
        one, two = tables_at(first, a, up), tables_at(first, b, up)
        to_one, to_two = tables_at(first, a, down), tables_at(first, b, down)
        mix(forwards, known, likelihood[first[v] : first[v + 1]], room.outer)
        for kind in range(KINDS):
            share_out(kind, low, high, whole, splits, room, one[kind], two[kind],
                      to_one[kind], to_two[kind])  # fmt: skip


@compiled(nogil=True)
def lift_pieces(nodes: Nodes, transitions: Any, splits: Splits, up: Any, begins: Any, ends: Any,
                starts: Any) -> None:  # fmt: skip
    """What each piece tells the top: the tables of its root, which start at ``starts`` there."""
    for n in range(len(begins)):
        piece = piece_of(nodes, begins[n], ends[n])
        first = starts_of(piece.length)
        own = lift_piece(piece, first, transitions, splits)[1]
        size = KINDS * first[1]
        up[starts[n] : starts[n] + size] = own[:size]


@compiled(nogil=True)
def lift_piece(piece: Nodes, first: Any, transitions: Any, splits: Splits) -> Any:
    """The likelihood of a piece's nodes, and their tables."""
    likelihood = find_likelihood(piece, first, splits.spacing)
    up = np.empty(KINDS * first[-1])
    fill_ends(piece, first, likelihood, up)
    send_up(piece, first, likelihood, transitions, splits, make_room(piece), up)
    return likelihood, up


@compiled(nogil=True)
def finish_pieces(nodes: Nodes, transitions: Any, splits: Splits, top: Any, means: Any,
                  variances: Any, kinds: Any, begins: Any, ends: Any,
                  starts: Any) -> None:  # fmt: skip
    """The posterior of each piece's nodes; ``top`` holds at ``starts`` what it is told from above.
    What goes upwards is computed again, which takes less than to keep it for all."""
    forwards = np.ascontiguousarray(transitions.T)
    for n in range(len(begins)):
        begin, end = begins[n], ends[n]
        piece = piece_of(nodes, begin, end)
        first = starts_of(piece.length)
        likelihood, up = lift_piece(piece, first, transitions, splits)
        down = np.empty(KINDS * first[-1])
        down[: KINDS * first[1]] = top[starts[n] : starts[n] + KINDS * first[1]]
        send_down(piece, first, likelihood, forwards, splits, make_room(piece), up, down,
                  means[begin:end], variances[begin:end], kinds[begin:end])  # fmt: skip


@compiled(nogil=True)
def pass_through(nodes: Nodes, transitions: Any, splits: Splits, places: Any, right: Any,
                 roots: Any, start: Any, up: Any, down: Any, means: Any, variances: Any,
                 kinds: Any) -> None:  # fmt: skip
    """The posterior of the top, which are the nodes at ``places``, from what the pieces told it;
    and what it tells them. ``start`` has how likely kinds are at the roots."""
    top = Nodes(nodes.lo[places], nodes.length[places], right, nodes.counts[:, places],
                nodes.rates[:, places])  # fmt: skip
    first = starts_of(top.length)
    likelihood = find_likelihood(top, first, splits.spacing)
    room = make_room(top)
    send_up(top, first, likelihood, transitions, splits, room, up)
    for root in roots:
        tables_at(first, root, down)[:] = start.reshape(-1, 1)
    own, spread, kind = np.empty(len(right)), np.empty(len(right)), np.empty((len(right), KINDS))
    forwards = np.ascontiguousarray(transitions.T)
    send_down(top, first, likelihood, forwards, splits, room, up, down, own, spread, kind)
    means[places], variances[places], kinds[places] = own, spread, kind
