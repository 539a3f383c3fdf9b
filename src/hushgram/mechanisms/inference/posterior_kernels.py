"""Compiled message passing on a tree of counts: the loops of `posterior`.

Counts live on a lattice (`split_kernels`). Every node has a window of it, ``lo`` to
``lo + length``, and a message to its parent, which says how well each count goes with all that was
measured in the node, for each kind of the split above it (`kind_rows`). It is stored from
``KINDS * first[v]`` on, multiplied by the weights that a half has (`split_kernels`). The message
from the parent is stored at the same place of another array, without these weights.

A tree is worked through in pieces, the subtrees below some depth, and a top above them. A piece has
messages of its own, as long as it is worked on; only those of its root are kept, in the top.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hushgram.base.compiled import compiled
from hushgram.mechanisms.inference.family_kernels import (
    Family,
    gather_clumped,
    gather_empty,
    gather_even,
    share_clumped,
    share_empty,
    share_even,
)
from hushgram.mechanisms.inference.kind_rows import (
    EMPTY,
    FIVE,
    FOUR,
    FOURS,
    NO_FOUR,
    NO_TWO,
    NONE,
    ONE,
    SIX,
    THREE,
    TWO,
    TWOS,
    add_fours,
    add_twos,
    four_at,
    multiply_fours,
    multiply_twos,
    put_four,
    put_two,
    scale_four,
    scale_two,
    sum_four,
    sum_two,
    two_at,
)
from hushgram.mechanisms.inference.likelihood_kernels import UNLIKELY, find_likelihood
from hushgram.mechanisms.inference.split_kernels import (
    Splits,
    Stretch,
    fill_evens,
    half_weights,
    lay_evens,
    whole_weights,
)
from hushgram.mechanisms.inference.split_kinds import KINDS, TABLE

ONES, LIKELY, HALVES, WHOLES, ROOM = KINDS, KINDS + 1, KINDS + 2, KINDS + 6, KINDS + 10
"""The sections of the room, after the message from or to the halves of a node: the likelihood of
its counts if nothing was measured, and if something was; their weights as those of a half, and as
those of a whole, if they are large; and the size of all."""

FAINT = 1e-50
"""Messages whose sum is smaller, or larger than one over it, are scaled, so that no number leaves
the range of floats."""


class WindowedNodes(NamedTuple):
    """The nodes of a tree or of a piece of one, in preorder."""

    lo: Any
    length: Any
    right: Any
    """The upper half of each node, and at a leaf 0 or less. The lower half is the next node."""
    counts: Any
    rates: Any


class Model(NamedTuple):
    """How likely kinds of splits are after each other, in the `ORDER` of messages, and how likely
    splits are of each kind."""

    transitions: Any
    splits: Splits
    is_averaged: bool
    """Whether places on the lattice stand for all counts around them (`posterior.CountLattice`)."""


class LargeEvens(NamedTuple):
    """Memory for the nearly even splits of a node with large counts (`Splits`)."""

    lows: Any
    starts: Any
    chances: Any


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
def make_room(nodes: WindowedNodes) -> Any:
    """Memory for one node at a time, in sections for each of its places."""
    return np.ones(ROOM * nodes.length.max())


@compiled(nogil=True, side_by_side=True)
def large_evens_of(nodes: WindowedNodes, small: int) -> LargeEvens:
    """Enough for any node, if splits of counts below ``small`` are known."""
    places, products = nodes.length.max(), 0
    for v in range(len(nodes.lo)):
        if nodes.right[v] > 0 and nodes.lo[v] + nodes.length[v] > small:
            products = max(products, nodes.length[v + 1] * nodes.length[nodes.right[v]])
    return LargeEvens(
        np.empty(places, np.int64), np.empty(places + 1, np.int64), np.empty(TWOS * products)
    )


@compiled(nogil=True, side_by_side=True)
def weigh_large(window: Stretch, room: Any, places: int) -> None:
    """Fill in the weights of counts that are too large for the tables."""
    for i in range(window.size):
        k = window.lo + i
        put_four(room, np.uint64(HALVES * places + FOURS * i), half_weights(k))
        put_four(room, np.uint64(WHOLES * places + FOURS * i), whole_weights(k))


@compiled(nogil=True, side_by_side=True, forceinline=True)
def step_to_four(steps: Any, four: Any, two: Any) -> Any:
    """The numbers of all kinds times a matrix, whose rows lie one after the other: its first four
    columns."""
    a = scale_four(four_at(steps, NONE), four[0])
    b = scale_four(four_at(steps, SIX), four[1])
    a = add_fours(a, scale_four(four_at(steps, TWO * SIX), four[2]))
    b = add_fours(b, scale_four(four_at(steps, THREE * SIX), four[3]))
    a = add_fours(a, scale_four(four_at(steps, FOUR * SIX), two[0]))
    b = add_fours(b, scale_four(four_at(steps, FIVE * SIX), two[1]))
    return add_fours(a, b)


@compiled(nogil=True, side_by_side=True, forceinline=True)
def step_to_two(steps: Any, four: Any, two: Any) -> Any:
    """Its last two columns."""
    a = scale_two(two_at(steps, FOUR), four[0])
    b = scale_two(two_at(steps, SIX + FOUR), four[1])
    a = add_twos(a, scale_two(two_at(steps, TWO * SIX + FOUR), four[2]))
    b = add_twos(b, scale_two(two_at(steps, THREE * SIX + FOUR), four[3]))
    a = add_twos(a, scale_two(two_at(steps, FOUR * SIX + FOUR), two[0]))
    b = add_twos(b, scale_two(two_at(steps, FIVE * SIX + FOUR), two[1]))
    return add_twos(a, b)


@compiled(nogil=True, side_by_side=True, forceinline=True)
def mix(size: int, steps: Any, known: Any, at: int, weights: Any, w: int, room: Any, likely: int,
        found: Any, to: int, own_weights: Any, own: int) -> None:  # fmt: skip
    """A message from another one, which is ``known``: what it says of other kinds, times the
    ``steps`` from them to each, and times the likelihood, which is in the room. Both are multiplied
    by weights."""
    four, two = np.uint64(at), np.uint64(at + FOURS * size)
    to_four, to_two = np.uint64(to), np.uint64(to + FOURS * size)
    before, after, place = np.uint64(w), np.uint64(own), np.uint64(likely)
    fours, twos = NO_FOUR, NO_TWO
    for _ in range(size):
        said, other = (
            multiply_fours(four_at(known, four), four_at(weights, before)),
            two_at(known, two),
        )
        own_four = scale_four(step_to_four(steps, said, other), room[place])
        own_two = scale_two(step_to_two(steps, said, other), room[place])
        put_four(found, to_four, multiply_fours(own_four, four_at(own_weights, after)))
        put_two(found, to_two, own_two)
        fours, twos = add_fours(fours, own_four), add_twos(twos, own_two)
        four, two, to_four, to_two = four + FOUR, two + TWO, to_four + FOUR, to_two + TWO
        before, after, place = before + FOUR, after + FOUR, place + ONE
    scale(found, to, size, sum_four(fours) + sum_two(twos))


@compiled(nogil=True, side_by_side=True, forceinline=True)
def mix_up(window: Stretch, steps: Any, halves: Any, wholes: Any, room: Any, places: int,
           likely: int, up: Any, at: int) -> None:  # fmt: skip
    """The message of a node from what its halves say."""
    size, k = window.size, FOURS * window.lo
    if window.lo + size <= TABLE:
        mix(size, steps, room, 0, wholes, k, room, likely, up, at, halves, k)
    else:
        weigh_large(window, room, places)
        mix(
            size, steps, room, 0, room, WHOLES * places, room, likely, up, at, room, HALVES * places
        )


@compiled(nogil=True, side_by_side=True, forceinline=True)
def mix_down(window: Stretch, steps: Any, halves: Any, wholes: Any, room: Any, places: int,
             likely: int, down: Any, at: int) -> None:  # fmt: skip
    """The message to the halves of a node from what it is told."""
    size, k = window.size, FOURS * window.lo
    if window.lo + size <= TABLE:
        mix(size, steps, down, at, halves, k, room, likely, room, 0, wholes, k)
    else:
        weigh_large(window, room, places)
        mix(
            size,
            steps,
            down,
            at,
            room,
            HALVES * places,
            room,
            likely,
            room,
            0,
            room,
            WHOLES * places,
        )


@compiled(nogil=True, side_by_side=True, forceinline=True)
def scale(message: Any, at: int, size: int, total: float) -> None:
    """Bring the sum of a message to 1 if it is far from it, unless it is next to nothing."""
    if total > UNLIKELY and not FAINT < total < 1 / FAINT:
        for n in range(at, at + KINDS * size):
            message[np.uint64(n)] *= 1 / total


@compiled(nogil=True, side_by_side=True)
def fill_ends(nodes: WindowedNodes, first: Any, model: Model, room: Any, up: Any) -> None:
    """The messages of leaves: what was measured of them, whatever the kind."""
    lo, length, right, counts, rates = (
        nodes.lo,
        nodes.length,
        nodes.right,
        nodes.counts,
        nodes.rates,
    )
    halves, spacing, places = model.splits.halves, model.splits.spacing, len(room) // ROOM
    for v in range(len(right)):
        if right[v] <= 0:
            window = Stretch(lo[v], length[v])
            likely = find_likelihood(counts, rates, v, window, spacing, model.is_averaged, room,
                                     LIKELY * places, ONES * places)  # fmt: skip
            if window.lo + window.size <= TABLE:
                fill_end(window.size, halves, FOURS * window.lo, room, likely, up, KINDS * first[v])
            else:
                weigh_large(window, room, places)
                fill_end(window.size, room, HALVES * places, room, likely, up, KINDS * first[v])


@compiled(nogil=True, side_by_side=True, forceinline=True)
def fill_end(size: int, weights: Any, w: int, room: Any, likely: int, up: Any, at: int) -> None:
    four, two, weight = np.uint64(at), np.uint64(at + FOURS * size), np.uint64(w)
    for i in range(size):
        own = room[np.uint64(likely + i)]
        put_four(up, four, scale_four(four_at(weights, weight), own))
        put_two(up, two, (own, own))
        four, two, weight = four + FOUR, two + TWO, weight + FOUR


@compiled(nogil=True, side_by_side=True)
def send_up(nodes: WindowedNodes, first: Any, model: Model, room: Any, own: LargeEvens,
            up: Any) -> None:  # fmt: skip
    """From the leaves, whose messages are there, upwards."""
    lo, length, right = nodes.lo, nodes.length, nodes.right
    counts, rates, splits, places = nodes.counts, nodes.rates, model.splits, len(room) // ROOM
    spacing, halves, wholes = splits.spacing, splits.halves, splits.wholes
    is_averaged = model.is_averaged
    lows, starts, chances = splits.lows, splits.starts, splits.chances
    own_lows, own_starts, own_chances = own.lows, own.starts, own.chances
    steps = np.ascontiguousarray(model.transitions.T).reshape(-1)
    for v in range(len(right) - 1, -1, -1):
        if right[v] > 0:
            a, b = v + 1, right[v]
            low, high = Stretch(lo[a], length[a]), Stretch(lo[b], length[b])
            whole = Stretch(lo[v], length[v])
            family, one, two = Family(low, high, whole), KINDS * first[a], KINDS * first[b]
            gather_clumped(family, up, one, two, room)
            gather_empty(family, up, one, two, room)
            if whole.lo + whole.size <= len(lows):
                gather_even(family, lows, starts, chances, low.lo, up, one, two, room)
            else:
                lay_evens(low, high, whole, spacing, own_lows, own_starts)
                fill_evens(low, high, whole, spacing, own_lows, own_starts, own_chances)
                gather_even(family, own_lows, own_starts, own_chances, 0, up, one, two, room)
            likely = find_likelihood(counts, rates, v, whole, spacing, is_averaged, room,
                                     LIKELY * places, ONES * places)  # fmt: skip
            mix_up(whole, steps, halves, wholes, room, places, likely, up, KINDS * first[v])


@compiled(nogil=True, side_by_side=True, forceinline=True)
def find_moments(size: int, at: int, up: Any, down: Any) -> Any:
    """The mean and the variance of a node's place in its window, NaN if all of it was rounded away;
    and how likely each kind is."""
    fours, once, twice, p = NO_FOUR, NO_FOUR, NO_FOUR, np.uint64(at)
    twos, once_two, twice_two, two = NO_TWO, NO_TWO, NO_TWO, np.uint64(at + FOURS * size)
    for i in range(size):
        four = multiply_fours(four_at(up, p), four_at(down, p))
        other = multiply_twos(two_at(up, two), two_at(down, two))
        fours, twos = add_fours(fours, four), add_twos(twos, other)
        four, other = scale_four(four, 1.0 * i), scale_two(other, 1.0 * i)
        once, once_two = add_fours(once, four), add_twos(once_two, other)
        four, other = scale_four(four, 1.0 * i), scale_two(other, 1.0 * i)
        twice, twice_two = add_fours(twice, four), add_twos(twice_two, other)
        p, two = p + FOUR, two + TWO
    total = sum_four(fours) + sum_two(twos)
    share = 1 / total if total > 0 else np.nan
    mean = (sum_four(once) + sum_two(once_two)) * share
    square = (sum_four(twice) + sum_two(twice_two)) * share
    return mean, max(square - mean * mean, 0.0), scale_four(fours, share), scale_two(twos, share)


@compiled(nogil=True, side_by_side=True)
def send_down(nodes: WindowedNodes, first: Any, model: Model, room: Any, own: LargeEvens, up: Any,
              down: Any, means: Any, variances: Any, kinds: Any) -> None:  # fmt: skip
    """From the roots downwards; ``down`` holds for the roots what is known of them beforehand.
    Fills in the mean and the variance of every node's count, on the lattice, and, if there is room
    for it, how likely each kind is that the split above it is of."""
    lo, length, right = nodes.lo, nodes.length, nodes.right
    counts, rates, splits, places = nodes.counts, nodes.rates, model.splits, len(room) // ROOM
    spacing, halves, wholes = splits.spacing, splits.halves, splits.wholes
    is_averaged = model.is_averaged
    lows, starts, chances = splits.lows, splits.starts, splits.chances
    own_lows, own_starts, own_chances = own.lows, own.starts, own.chances
    steps = model.transitions.reshape(-1)
    for v in range(len(right)):
        at, whole = KINDS * first[v], Stretch(lo[v], length[v])
        mean, variance, four, other = find_moments(whole.size, at, up, down)
        means[v], variances[v] = whole.lo + mean, variance
        if v < len(kinds):
            kinds[v, 0], kinds[v, 1], kinds[v, 2] = four[EMPTY], four[0], four[1]
            kinds[v, 3], kinds[v, 4], kinds[v, 5] = four[2], other[0], other[1]
        if right[v] > 0:
            a, b = v + 1, right[v]
            low, high = Stretch(lo[a], length[a]), Stretch(lo[b], length[b])
            family, one, two = Family(low, high, whole), KINDS * first[a], KINDS * first[b]
            likely = find_likelihood(counts, rates, v, whole, spacing, is_averaged, room,
                                     LIKELY * places, ONES * places)  # fmt: skip
            mix_down(whole, steps, halves, wholes, room, places, likely, down, at)
            share_clumped(family, room, up, down, one, two)
            share_empty(family, room, up, down, one, two)
            if whole.lo + whole.size <= len(lows):
                share_even(family, lows, starts, chances, low.lo, room, up, down, one, two)
            else:
                lay_evens(low, high, whole, spacing, own_lows, own_starts)
                fill_evens(low, high, whole, spacing, own_lows, own_starts, own_chances)
                share_even(family, own_lows, own_starts, own_chances, 0, room, up, down, one, two)


@compiled(nogil=True, side_by_side=True)
def lift_pieces(nodes: WindowedNodes, model: Model, kept: Any, up: Any, begins: Any, ends: Any,
                starts: Any, rooms: Any) -> None:  # fmt: skip
    """What each piece tells the top: the message of its root, which starts at ``starts`` there. All
    its messages are ``kept`` from its room on, if it has one."""
    every = piece_of(nodes, begins[0], ends[-1])
    room, own = make_room(every), large_evens_of(every, len(model.splits.lows))
    for n in range(len(begins)):
        piece = piece_of(nodes, begins[n], ends[n])
        first = starts_of(piece.length)
        found = messages_in(kept, rooms[n], first[-1])
        lift_piece(piece, first, model, room, own, found)
        size = KINDS * first[1]
        up[starts[n] : starts[n] + size] = found[:size]


@compiled(nogil=True, side_by_side=True)
def messages_in(kept: Any, room: int, places: int) -> Any:
    """Memory for the messages of a piece's nodes: what is kept of them, or new one."""
    return np.empty(KINDS * places) if room < 0 else kept[room : room + KINDS * places]


@compiled(nogil=True, side_by_side=True)
def lift_piece(piece: WindowedNodes, first: Any, model: Model, room: Any, own: LargeEvens,
               up: Any) -> None:  # fmt: skip
    """Fill in the messages of a piece's nodes."""
    fill_ends(piece, first, model, room, up)
    send_up(piece, first, model, room, own, up)


@compiled(nogil=True, side_by_side=True)
def finish_pieces(nodes: WindowedNodes, model: Model, kept: Any, top: Any, means: Any,
                  variances: Any, kinds: Any, begins: Any, ends: Any, starts: Any,
                  rooms: Any) -> None:  # fmt: skip
    """The posterior of each piece's nodes; ``top`` holds at ``starts`` what it is told from above.
    What goes upwards is computed again for pieces of which it was not kept."""
    every = piece_of(nodes, begins[0], ends[-1])
    room, own = make_room(every), large_evens_of(every, len(model.splits.lows))
    for n in range(len(begins)):
        begin, end = begins[n], ends[n]
        piece = piece_of(nodes, begin, end)
        first = starts_of(piece.length)
        up = messages_in(kept, rooms[n], first[-1])
        if rooms[n] < 0:
            lift_piece(piece, first, model, room, own, up)
        down = np.empty(KINDS * first[-1])
        down[: KINDS * first[1]] = top[starts[n] : starts[n] + KINDS * first[1]]
        send_down(piece, first, model, room, own, up, down, means[begin:end], variances[begin:end],
                  kinds[begin:end])  # fmt: skip


@compiled(nogil=True, side_by_side=True)
def fill_roots(nodes: WindowedNodes, first: Any, splits: Splits, roots: Any, start: Any, sizes: Any,
               down: Any) -> None:  # fmt: skip
    """What is known of the roots beforehand: how likely kinds are, by ``start``, and counts, by
    ``sizes``, one root after the other. Weights of halves are divided out, since messages downwards
    do not have them."""
    n = 0
    for root in roots:
        at, window = KINDS * first[root], Stretch(nodes.lo[root], nodes.length[root])
        two = at + FOURS * window.size
        for i in range(window.size):
            k = window.lo + i
            known = four_at(splits.halves, FOURS * np.uint64(k)) if k < TABLE else half_weights(k)
            for place in range(FOURS):
                down[at + FOURS * i + place] = start[place] / known[place] * sizes[n]
            for place in range(TWOS):
                down[two + TWOS * i + place] = start[FOURS + place] * sizes[n]
            n += 1


@compiled(nogil=True, side_by_side=True)
def pass_through(nodes: WindowedNodes, model: Model, places: Any, right: Any, roots: Any,
                 start: Any, sizes: Any, up: Any, down: Any, means: Any, variances: Any,
                 kinds: Any) -> None:  # fmt: skip
    """The posterior of the top, which are the nodes at ``places``, from what the pieces told it;
    and what it tells them. ``start`` has how likely kinds are at the roots, in the `ORDER` of
    messages, and ``sizes`` how likely counts are there, one root after the other."""
    top = WindowedNodes(nodes.lo[places], nodes.length[places], right,
                nodes.counts[:, places], nodes.rates[:, places])  # fmt: skip
    first = starts_of(top.length)
    room, large = make_room(top), large_evens_of(top, len(model.splits.lows))
    send_up(top, first, model, room, large, up)
    fill_roots(top, first, model.splits, roots, start, sizes, down)
    own, spread = np.empty((2, len(right)))
    own_kinds = np.empty((min(len(right), len(kinds)), KINDS))
    send_down(top, first, model, room, large, up, down, own, spread, own_kinds)
    means[places], variances[places] = own, spread
    if len(kinds):
        kinds[places] = own_kinds
