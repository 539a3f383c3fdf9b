"""Generators of row positions, from evenly spread to highly concentrated.

Each takes the number of rows, the number of axes and a random generator, and returns an array (rows
x axes) of positions from 0 to 1. Real tables are clustered at every scale: towns consist of smaller
towns, numbers are rounded, addresses repeat.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.random import Generator

from hushgram.declare.axis import Floats
from hushgram.expect.splits import COMMON, Crowds, Splitter, draw_kinds, hash_places
from hushgram.mechanisms.inference.split_kinds import MORE_AXES, ONE_AXIS

Scatter = Callable[[int, int, Generator], Floats]

DEPTH = 22
"""The number of splits of a cascade."""

TYPICAL = 6
"""The number of `typical` tables: they differ more than others of one kind."""

FINEST = 1 << 20
"""The number of indices of an axis on which `typical` rows are placed."""


def even(rows: int, axes: int, rng: Generator) -> Floats:
    """Uniformly distributed positions."""
    return rng.random((rows, axes))


def hills(rows: int, axes: int, rng: Generator) -> Floats:
    """Five round clusters of different sizes and widths."""
    which = rng.choice(5, rows, p=rng.dirichlet(np.ones(5)))
    centres, widths = rng.uniform(0.1, 0.9, (5, axes)), rng.uniform(0.02, 0.12, 5)
    return fold_inside(centres[which] + widths[which, None] * rng.normal(size=(rows, axes)))


def cascade(rows: int, axes: int, rng: Generator, strength: float = 1.0) -> Floats:
    """Clusters within clusters: at every scale, the two halves get random shares of the rows.

    The axes are halved in turn. The share of a half is Beta(1 / strength, 1 / strength), so it is
    uniform for a strength of 1.
    """
    shares = rng.beta(1 / strength, 1 / strength, COMMON)
    nodes, places = np.ones(rows, dtype=np.int64), np.zeros((rows, axes))
    width = np.ones(axes)
    for level in range(DEPTH):
        axis = level % axes
        width[axis] /= 2
        upper = rng.random(rows) < shares[hash_places(nodes)]
        places[:, axis] += width[axis] * upper
        nodes = 2 * nodes + upper
    return np.asarray(places + width * rng.random((rows, axes)))


def steep_cascade(rows: int, axes: int, rng: Generator) -> Floats:
    """A cascade in which most halves have nearly all their rows in one of their own halves."""
    return cascade(rows, axes, rng, strength=3.0)


def heaps(rows: int, axes: int, rng: Generator) -> Floats:
    """Round numbers: two in five rows have one of 40 values on each axis, a third one of 200."""
    places, kind = cascade(rows, axes, rng, strength=0.5), rng.random((rows, 1))
    steps = np.where(kind < 0.4, 40, np.where(kind < 0.73, 200, 1 << 20))
    return np.asarray(np.floor(places * steps) / steps)


def addresses(rows: int, axes: int, rng: Generator) -> Floats:
    """Repeated positions: a few have many rows, and many have one."""
    known = max(rows // 20, 1)
    shares = rng.pareto(1.0, known) + 0.1
    places = cascade(known, axes, rng, strength=1.0)
    return np.asarray(places[rng.choice(known, rows, p=shares / shares.sum())])


def roads(rows: int, axes: int, rng: Generator) -> Floats:
    """Positions along thirty narrow, straight roads with very different traffic: axes are
    correlated."""
    ends, shares = rng.random((2, 30, axes)), rng.pareto(1.0, 30) + 0.1
    which = rng.choice(30, rows, p=shares / shares.sum())
    along = ends[0, which] + rng.random((rows, 1)) * (ends[1, which] - ends[0, which])
    return fold_inside(along + rng.normal(0, 0.002, (rows, axes)))


def streets(rows: int, axes: int, rng: Generator) -> Floats:
    """Streets in towns: as `hills`, with every row at a round number on one of the axes."""
    found = hills(rows, axes, rng)
    row, axis = np.arange(rows), rng.integers(0, axes, rows)
    found[row, axis] = fold_inside(np.rint(found[row, axis] * 40) / 40)
    return found


def typical(rows: int, axes: int, rng: Generator) -> Floats:
    """Halves of halves, divided as in public tables. Values of an axis that are frequent in one
    place are frequent in all."""
    prior = ONE_AXIS if axes == 1 else MORE_AXES
    shape = np.full(axes, FINEST)
    whole = Crowds(
        np.zeros((1, axes), dtype=np.int64),
        shape[None],
        np.array([rows]),
        draw_kinds(prior.start[None], rng),
    )
    splitter = Splitter(shape.astype(np.float64), prior, np.ones(axes), rng)
    return splitter.place(whole if rows else whole.where(np.array([False]))) / FINEST


def fold_inside(places: Floats) -> Floats:
    """Reflect positions outside 0 to 1 at the ends."""
    inside = np.abs(places) % 2
    return np.asarray(np.minimum(np.where(inside > 1, 2 - inside, inside), np.nextafter(1, 0)))


SCATTERS: dict[str, Scatter] = {
    one.__name__: one
    for one in (even, hills, cascade, steep_cascade, heaps, addresses, roads, streets)
}
"""The generators by name."""

TYPICAL_SCATTERS: dict[str, Scatter] = {f"typical {n + 1}": typical for n in range(TYPICAL)}
"""Typical tables, as often as they are drawn."""
