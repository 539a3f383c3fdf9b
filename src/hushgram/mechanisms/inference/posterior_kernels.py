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
    BACK,
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
from hushgram.mechanisms.inference.split_kernels import (
    Splits,
    Stretch,
    fill_evens,
    half_weights,
    whole_weights,
)
from hushgram.mechanisms.inference.split_kinds import KINDS, TABLE

UNLIKELY = 1e-300
"""Weights below it cannot be scaled: one over them is more than a float can hold."""

LIKELY, HALVES, WHOLES, ROOM = KINDS, KINDS + 1, KINDS + 1 + FOURS, KINDS + 1 + 2 * FOURS
"""The sections of the room, after the message from or to the halves of a node: the likelihood of
its counts, their weights as those of a half, and as those of a whole; and the size of all."""

STEEP = 100.0
"""Rates from which on exponentials may vanish."""

FAINT, LOUD = 1e-50, 1e50
"""Messages whose sum is outside are scaled, so that no number leaves the range of floats."""


class WindowedNodes(NamedTuple):
    """The nodes of a tree or of a piece of one, in preorder."""

    lo: Any
    length: Any
    right: Any
    """The upper half of each node, and at a leaf 0 or less. The lower half is the next node."""
    is_upper: Any
    """Whether each node is an upper half: its nearly even splits are stored backwards."""
    counts: Any
    rates: Any


class Model(NamedTuple):
    """How likely kinds of splits are after each other, in the `ORDER` of messages, and how likely
    splits are of each kind."""

    transitions: Any
    splits: Splits
    is_averaged: bool
    """Whether places on the lattice stand for all counts around them (`posterior.Lattice`)."""


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
        nodes.is_upper[begin:end],
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
    return np.empty(ROOM * nodes.length.max())


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


@compiled(nogil=True, side_by_side=True, forceinline=True)
def find_likelihood(counts: Any, rates: Any, v: int, window: Stretch, spacing: float,
                    is_averaged: bool, room: Any, at: int) -> None:  # fmt: skip
    """exp(-Σ rate |count - noisy|) over the window of a node, with 1 for its largest entry."""
    is_measured = False
    for i in range(window.size):
        room[np.uint64(at + i)] = 1.0
    for turn in range(len(rates)):
        if rates[turn, v] > 0:
            middle = counts[turn, v] / spacing - window.lo
            rate = rates[turn, v] * spacing
            multiply_around(middle, rate, is_averaged and spacing > 1, room, at, window.size)
            is_measured = True
    if is_measured:
        top = 0.0
        for i in range(window.size):
            top = max(top, room[np.uint64(at + i)])
        if top > UNLIKELY:
            for i in range(window.size):
                room[np.uint64(at + i)] *= 1 / top
        else:  # counts contradict each other
            find_by_logs(counts, rates, v, window, spacing, room, at)


@compiled(nogil=True, side_by_side=True, forceinline=True)
def multiply_around(middle: float, rate: float, is_averaged: bool, found: Any, at: int,
                    size: int) -> None:  # fmt: skip
    """Multiply the i-th number by exp(-rate |i - middle|), but for a factor that all have. Each is
    the one before it, farther to the middle, times the same. If ``is_averaged``, it is the mean
    from i - 1/2 to i + 1/2, which is different only for the place next to the middle."""
    last = int(np.floor(min(max(middle, -1.0), size - 1.0)))
    half = np.exp(-0.5 * rate)
    down, up, step = 1.0, 1.0, half * half
    if 0 <= last < size - 1:
        down = np.exp(-rate * (middle - last))
        up = step / down if rate < STEEP else np.exp(-rate * (last + 1 - middle))
        if is_averaged:
            near, place = (down, last) if down > up else (up, last + 1)
            mean = (2 - half * (near + 1 / near)) / (1 / half - half)
            found[np.uint64(at + place)] *= mean / near
    for i in range(last, -1, -1):
        found[np.uint64(at + i)] *= down
        down *= step
    for i in range(last + 1, size):
        found[np.uint64(at + i)] *= up
        up *= step


@compiled(nogil=True, side_by_side=True)
def find_by_logs(counts: Any, rates: Any, v: int, window: Stretch, spacing: float, room: Any,
                 at: int) -> None:  # fmt: skip
    """The same where all are too unlikely for a number to hold."""
    own = room[at : at + window.size]
    own[:] = 0.0
    for turn in range(len(rates)):
        rate, noisy = rates[turn, v], counts[turn, v]
        for i in range(len(own)):
            own[i] -= rate * abs((window.lo + i) * spacing - noisy)
    top = own.max()
    for i in range(len(own)):
        own[i] = np.exp(own[i] - top)


@compiled(nogil=True, side_by_side=True, forceinline=True)
def weigh_halves(table: Any, window: Stretch, room: Any, at: int) -> None:
    """Fill in the weights of the counts of a half: from the table, or computed for large counts."""
    if window.lo + window.size <= TABLE:
        copy_fours(table, FOURS * window.lo, window.size, room, at)
    else:
        for i in range(window.size):
            put_four(room, np.uint64(at + FOURS * i), half_weights(window.lo + i))


@compiled(nogil=True, side_by_side=True, forceinline=True)
def weigh_wholes(table: Any, window: Stretch, room: Any, at: int) -> None:
    """The same of a whole."""
    if window.lo + window.size <= TABLE:
        copy_fours(table, FOURS * window.lo, window.size, room, at)
    else:
        for i in range(window.size):
            put_four(room, np.uint64(at + FOURS * i), whole_weights(window.lo + i))


@compiled(nogil=True, side_by_side=True, forceinline=True)
def copy_fours(table: Any, start: int, size: int, room: Any, at: int) -> None:
    for i in range(size):
        put_four(room, np.uint64(at + FOURS * i), four_at(table, np.uint64(start + FOURS * i)))


@compiled(nogil=True, side_by_side=True, forceinline=True)
def first_two(at: int, size: int, is_upper: bool) -> Any:
    """Where the second section of a node's message begins, and the step to the next count."""
    begin = at + FOURS * size
    return (np.uint64(begin + TWOS * (size - 1)), BACK) if is_upper else (np.uint64(begin), TWO)


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
def mix_up(window: Stretch, is_upper: bool, at: int, steps: Any, halves: Any, wholes: Any,
           room: Any, places: int, up: Any) -> None:  # fmt: skip
    """The message of a node: what its halves say of other kinds, times the ``steps`` from them to
    each, and times the likelihood."""
    weigh_wholes(wholes, window, room, WHOLES * places)
    weigh_halves(halves, window, room, HALVES * places)
    w, h, likely = (
        np.uint64(WHOLES * places),
        np.uint64(HALVES * places),
        np.uint64(LIKELY * places),
    )
    four, two, to_four = NONE, np.uint64(FOURS * window.size), np.uint64(at)
    to_two, onwards = first_two(at, window.size, is_upper)
    fours, twos = NO_FOUR, NO_TWO
    for _ in range(window.size):
        known, other = multiply_fours(four_at(room, four), four_at(room, w)), two_at(room, two)
        to_fours = scale_four(step_to_four(steps, known, other), room[likely])
        to_twos = scale_two(step_to_two(steps, known, other), room[likely])
        put_four(up, to_four, multiply_fours(to_fours, four_at(room, h)))
        put_two(up, to_two, to_twos)
        fours, twos = add_fours(fours, to_fours), add_twos(twos, to_twos)
        four, two, to_four, to_two = four + FOUR, two + TWO, to_four + FOUR, to_two + onwards
        w, h, likely = w + FOUR, h + FOUR, likely + ONE
    scale(up, at, window.size, sum_four(fours) + sum_two(twos))


@compiled(nogil=True, side_by_side=True, forceinline=True)
def mix_down(window: Stretch, is_upper: bool, at: int, steps: Any, halves: Any, wholes: Any,
             room: Any, places: int, down: Any) -> None:  # fmt: skip
    """The same of what a node is told: the message to its halves."""
    weigh_wholes(wholes, window, room, WHOLES * places)
    weigh_halves(halves, window, room, HALVES * places)
    w, h, likely = (
        np.uint64(WHOLES * places),
        np.uint64(HALVES * places),
        np.uint64(LIKELY * places),
    )
    four, to_two, to_four = np.uint64(at), np.uint64(FOURS * window.size), NONE
    two, onwards = first_two(at, window.size, is_upper)
    fours, twos = NO_FOUR, NO_TWO
    for _ in range(window.size):
        known, other = multiply_fours(four_at(down, four), four_at(room, h)), two_at(down, two)
        to_fours = scale_four(step_to_four(steps, known, other), room[likely])
        to_twos = scale_two(step_to_two(steps, known, other), room[likely])
        put_four(room, to_four, multiply_fours(to_fours, four_at(room, w)))
        put_two(room, to_two, to_twos)
        fours, twos = add_fours(fours, to_fours), add_twos(twos, to_twos)
        four, two, to_four, to_two = four + FOUR, two + onwards, to_four + FOUR, to_two + TWO
        w, h, likely = w + FOUR, h + FOUR, likely + ONE
    scale(room, 0, window.size, sum_four(fours) + sum_two(twos))


@compiled(nogil=True, side_by_side=True, forceinline=True)
def scale(message: Any, at: int, size: int, total: float) -> None:
    """Bring the sum of a message to 1 if it is far from it, unless it is next to nothing."""
    if total > UNLIKELY and not FAINT < total < LOUD:
        for n in range(at, at + KINDS * size):
            message[np.uint64(n)] *= 1 / total


@compiled(nogil=True, side_by_side=True)
def fill_ends(nodes: WindowedNodes, first: Any, model: Model, room: Any, up: Any) -> None:
    """The messages of leaves: what was measured of them, whatever the kind."""
    lo, length, right, is_upper = nodes.lo, nodes.length, nodes.right, nodes.is_upper
    counts, rates, halves = nodes.counts, nodes.rates, model.splits.halves
    spacing = model.splits.spacing
    places = len(room) // ROOM
    for v in range(len(right)):
        if right[v] <= 0:
            window = Stretch(lo[v], length[v])
            find_likelihood(counts, rates, v, window, spacing, model.is_averaged, room,
                            LIKELY * places)  # fmt: skip
            fill_end(window, is_upper[v], KINDS * first[v], halves, room, places, up)


@compiled(nogil=True, side_by_side=True, forceinline=True)
def fill_end(window: Stretch, is_upper: bool, at: int, halves: Any, room: Any, places: int,
             up: Any) -> None:  # fmt: skip
    weigh_halves(halves, window, room, HALVES * places)
    h, place, to_four = np.uint64(HALVES * places), np.uint64(LIKELY * places), np.uint64(at)
    to_two, onwards = first_two(at, window.size, is_upper)
    for _ in range(window.size):
        likely = room[place]
        put_four(up, to_four, scale_four(four_at(room, h), likely))
        put_two(up, to_two, (likely, likely))
        to_four, to_two, h, place = to_four + FOUR, to_two + onwards, h + FOUR, place + ONE


@compiled(nogil=True, side_by_side=True)
def send_up(nodes: WindowedNodes, first: Any, model: Model, room: Any, own: LargeEvens,
            up: Any) -> None:  # fmt: skip
    """From the leaves, whose messages are there, upwards."""
    lo, length, right, is_upper = nodes.lo, nodes.length, nodes.right, nodes.is_upper
    counts, rates, splits, places = nodes.counts, nodes.rates, model.splits, len(room) // ROOM
    spacing, halves, wholes = splits.spacing, splits.halves, splits.wholes
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
                gather_even(family, lows, starts, chances, whole.lo, up, one, two, room)
            else:
                fill_evens(low, high, whole, spacing, own_lows, own_starts, own_chances)
                gather_even(family, own_lows, own_starts, own_chances, 0, up, one, two, room)
            find_likelihood(counts, rates, v, whole, spacing, model.is_averaged, room,
                            LIKELY * places)  # fmt: skip
            mix_up(whole, is_upper[v], KINDS * first[v], steps, halves, wholes, room, places, up)


@compiled(nogil=True, side_by_side=True, forceinline=True)
def find_moments(size: int, is_upper: bool, at: int, up: Any, down: Any) -> Any:
    """The mean and the variance of a node's place in its window, NaN if all of it was rounded away;
    and how likely each kind is."""
    fours, once, twice, p = NO_FOUR, NO_FOUR, NO_FOUR, np.uint64(at)
    twos, once_two, twice_two = NO_TWO, NO_TWO, NO_TWO
    two, onwards = first_two(at, size, is_upper)
    for i in range(size):
        four = multiply_fours(four_at(up, p), four_at(down, p))
        other = multiply_twos(two_at(up, two), two_at(down, two))
        fours, twos = add_fours(fours, four), add_twos(twos, other)
        four, other = scale_four(four, 1.0 * i), scale_two(other, 1.0 * i)
        once, once_two = add_fours(once, four), add_twos(once_two, other)
        four, other = scale_four(four, 1.0 * i), scale_two(other, 1.0 * i)
        twice, twice_two = add_fours(twice, four), add_twos(twice_two, other)
        p, two = p + FOUR, two + onwards
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
    lo, length, right, is_upper = nodes.lo, nodes.length, nodes.right, nodes.is_upper
    counts, rates, splits, places = nodes.counts, nodes.rates, model.splits, len(room) // ROOM
    spacing, halves, wholes = splits.spacing, splits.halves, splits.wholes
    lows, starts, chances = splits.lows, splits.starts, splits.chances
    own_lows, own_starts, own_chances = own.lows, own.starts, own.chances
    steps = model.transitions.reshape(-1)
    for v in range(len(right)):
        at, whole = KINDS * first[v], Stretch(lo[v], length[v])
        mean, variance, four, other = find_moments(whole.size, is_upper[v], at, up, down)
        means[v], variances[v] = whole.lo + mean, variance
        if v < len(kinds):
            kinds[v, 0], kinds[v, 1], kinds[v, 2] = four[EMPTY], four[0], four[1]
            kinds[v, 3], kinds[v, 4], kinds[v, 5] = four[2], other[0], other[1]
        if right[v] > 0:
            a, b = v + 1, right[v]
            low, high = Stretch(lo[a], length[a]), Stretch(lo[b], length[b])
            family, one, two = Family(low, high, whole), KINDS * first[a], KINDS * first[b]
            find_likelihood(counts, rates, v, whole, spacing, model.is_averaged, room,
                            LIKELY * places)  # fmt: skip
            mix_down(whole, is_upper[v], at, steps, halves, wholes, room, places, down)
            share_clumped(family, room, up, down, one, two)
            share_empty(family, room, up, down, one, two)
            if whole.lo + whole.size <= len(lows):
                share_even(family, lows, starts, chances, whole.lo, room, up, down, one, two)
            else:
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
def fill_roots(nodes: WindowedNodes, first: Any, splits: Splits, room: Any, roots: Any, start: Any,
               sizes: Any, down: Any) -> None:  # fmt: skip
    """What is known of the roots beforehand: how likely kinds are, by ``start``, and counts, by
    ``sizes``, one root after the other. Weights of halves are divided out, since messages downwards
    do not have them."""
    n = 0
    for root in roots:
        at, window = KINDS * first[root], Stretch(nodes.lo[root], nodes.length[root])
        weigh_halves(splits.halves, window, room, 0)
        two, onwards = first_two(at, window.size, nodes.is_upper[root])
        for i in range(window.size):
            for place in range(FOURS * i, FOURS * (i + 1)):
                down[at + place] = start[place - FOURS * i] / room[place] * sizes[n]
            put_two(down, two, (start[FOURS] * sizes[n], start[FOURS + 1] * sizes[n]))
            two += onwards
            n += 1


@compiled(nogil=True, side_by_side=True)
def pass_through(nodes: WindowedNodes, model: Model, places: Any, right: Any, roots: Any,
                 start: Any, sizes: Any, up: Any, down: Any, means: Any, variances: Any,
                 kinds: Any) -> None:  # fmt: skip
    """The posterior of the top, which are the nodes at ``places``, from what the pieces told it;
    and what it tells them. ``start`` has how likely kinds are at the roots, in the `ORDER` of
    messages, and ``sizes`` how likely counts are there, one root after the other."""
    top = WindowedNodes(nodes.lo[places], nodes.length[places], right, nodes.is_upper[places],
                nodes.counts[:, places], nodes.rates[:, places])  # fmt: skip
    first = starts_of(top.length)
    room, large = make_room(top), large_evens_of(top, len(model.splits.lows))
    send_up(top, first, model, room, large, up)
    fill_roots(top, first, model.splits, room, roots, start, sizes, down)
    own, spread = np.empty((2, len(right)))
    own_kinds = np.empty((min(len(right), len(kinds)), KINDS))
    send_down(top, first, model, room, large, up, down, own, spread, own_kinds)
    means[places], variances[places] = own, spread
    if len(kinds):
        kinds[places] = own_kinds
