"""Places where the rows of a table can lie: many ways, from evenly to all in a heap.

Each is a function of how many rows there are, of how many axes, and of a random generator; it gives
rows x axes, each from 0 to 1. Real tables are clumped at every scale: towns of towns, round
numbers, addresses that repeat.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.random import Generator

from hushgram.declare.axis import Floats
from hushgram.geometry.partition import Ints

Scatter = Callable[[int, int, Generator], Floats]

DEPTH = 22
"""How often a cascade splits."""

SPLITS = 1 << 15
"""Shares that a cascade draws; of more halves, some share theirs."""


def even(rows: int, axes: int, rng: Generator) -> Floats:
    """Anywhere."""
    return rng.random((rows, axes))


def hills(rows: int, axes: int, rng: Generator) -> Floats:
    """Five round hills of different sizes and widths."""
    which = rng.choice(5, rows, p=rng.dirichlet(np.ones(5)))
    centres, widths = rng.uniform(0.1, 0.9, (5, axes)), rng.uniform(0.02, 0.12, 5)
    return fold_inside(centres[which] + widths[which, None] * rng.normal(size=(rows, axes)))


def cascade(rows: int, axes: int, rng: Generator, strength: float = 1.0) -> Floats:
    """Towns of towns: each half of a half has its own share of the rows, at every scale.

    One axis after the other is halved; the share of a half is Beta(1 / strength, 1 / strength), so
    that a strength of 1 gives each share the same chance.
    """
    shares = rng.beta(1 / strength, 1 / strength, SPLITS)
    nodes, places = np.ones(rows, dtype=np.int64), np.zeros((rows, axes))
    width = np.ones(axes)
    for level in range(DEPTH):
        axis = level % axes
        width[axis] /= 2
        upper = rng.random(rows) < shares[hash_nodes(nodes)]
        places[:, axis] += width[axis] * upper
        nodes = 2 * nodes + upper
    return np.asarray(places + width * rng.random((rows, axes)))


def hash_nodes(nodes: Ints) -> Ints:
    """A number below `SPLITS` for each node: multiplicative hashing."""
    return np.asarray((nodes * 0x9E3779B1 >> 16) % SPLITS)


def steep_cascade(rows: int, axes: int, rng: Generator) -> Floats:
    """Towns of towns where most of a half has most of its rows in one half."""
    return cascade(rows, axes, rng, strength=3.0)


def heaps(rows: int, axes: int, rng: Generator) -> Floats:
    """Round numbers: two rows in five at one of 40 values of each axis, a third at one of 200."""
    places, kind = cascade(rows, axes, rng, strength=0.5), rng.random((rows, 1))
    steps = np.where(kind < 0.4, 40, np.where(kind < 0.73, 200, 1 << 20))
    return np.asarray(np.floor(places * steps) / steps)


def addresses(rows: int, axes: int, rng: Generator) -> Floats:
    """Places that repeat: few have many rows, and many have one."""
    known = max(rows // 20, 1)
    shares = rng.pareto(1.0, known) + 0.1
    places = cascade(known, axes, rng, strength=1.0)
    return np.asarray(places[rng.choice(known, rows, p=shares / shares.sum())])


def roads(rows: int, axes: int, rng: Generator) -> Floats:
    """Along thirty straight roads, narrow, of very different traffic: axes go together."""
    ends, shares = rng.random((2, 30, axes)), rng.pareto(1.0, 30) + 0.1
    which = rng.choice(30, rows, p=shares / shares.sum())
    along = ends[0, which] + rng.random((rows, 1)) * (ends[1, which] - ends[0, which])
    return fold_inside(along + rng.normal(0, 0.002, (rows, axes)))


def streets(rows: int, axes: int, rng: Generator) -> Floats:
    """Along the streets of towns: hills, of which every row is at a round number on one axis."""
    found = hills(rows, axes, rng)
    row, axis = np.arange(rows), rng.integers(0, axes, rows)
    found[row, axis] = fold_inside(np.rint(found[row, axis] * 40) / 40)
    return found


def fold_inside(places: Floats) -> Floats:
    """Places outside of 0 to 1, mirrored at the ends."""
    inside = np.abs(places) % 2
    return np.asarray(np.minimum(np.where(inside > 1, 2 - inside, inside), np.nextafter(1, 0)))


SCATTERS: dict[str, Scatter] = {
    one.__name__: one
    for one in (even, hills, cascade, steep_cascade, heaps, addresses, roads, streets)
}
"""Ways of lying, by name."""
