"""Patterns of generated data: the share of the rows in every cell, for any number of cells.

Each is a function of a shape and a random generator, so the same seed gives the same data.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.random import Generator

from hushgram.declare.axis import Floats

Shape = tuple[int, ...]
Pattern = Callable[[Shape, Generator], Floats]


def uniform(shape: Shape, rng: Generator) -> Floats:
    """The same share for every cell."""
    return np.ones(shape)


def gaussians(shape: Shape, rng: Generator) -> Floats:
    """Five round clusters of different widths."""
    found = np.zeros(shape)
    for weight in rng.dirichlet(np.ones(5)):
        centre, width = rng.uniform(0.1, 0.9, len(shape)), rng.uniform(0.02, 0.12)
        sides = [
            np.exp(-(((x - c) / width) ** 2) / 2) for x, c in zip(axes(shape), centre, strict=True)
        ]
        found += weight * normal(product(sides))
    return found


def zipf(shape: Shape, rng: Generator) -> Floats:
    """A few large cells and a long tail, ordered along every axis: shares fall as 1 / rank."""
    return product([1 / np.arange(1, length + 1) for length in shape])


def spiky(shape: Shape, rng: Generator) -> Floats:
    """One cell in fifty, anywhere, has nearly all rows; heights differ by orders of magnitude."""
    cells = int(np.prod(shape))
    found = np.full(cells, 0.02 / cells)
    spikes = rng.choice(cells, max(cells // 50, 1), replace=False)
    found[spikes] += 0.98 * normal(rng.pareto(1.0, len(spikes)) + 0.1)
    return found.reshape(shape)


def towns(shape: Shape, rng: Generator) -> Floats:
    """Towns: thirty clusters with heavy tails, of very different sizes, on a thin background."""
    x, y = np.meshgrid(*axes(shape), indexing="ij")
    found = np.full(shape, 0.02 / x.size)
    for weight in normal(rng.pareto(1.0, 30) + 0.1):
        (a, b), width = rng.uniform(0, 1, 2), rng.uniform(0.005, 0.03)
        found += 0.98 * weight * normal((1 + ((x - a) ** 2 + (y - b) ** 2) / width**2) ** -2)
    return found


def road(shape: Shape, rng: Generator) -> Floats:
    """Points along a network of winding roads between forty towns, with streets around each."""
    towns = rng.uniform(0.03, 0.97, (40, 2))
    apart = np.linalg.norm(towns[:, None] - towns[None], axis=2)
    points = []
    for here, near in enumerate(np.argsort(apart, axis=1)[:, 1:4]):
        for there in near:
            bend = (towns[here] + towns[there]) / 2 + rng.normal(0, 0.02, 2)
            for start, stop in pairwise([towns[here], bend, towns[there]]):
                steps = max(int(4000 * np.linalg.norm(stop - start)), 2)
                along = rng.uniform(0, 1, (steps, 1))
                points.append(start + along * (stop - start) + rng.normal(0, 0.001, (steps, 2)))
        streets = rng.normal(0, 0.03, (600, 2))
        crossing = rng.integers(0, 2, 600)
        streets[np.arange(600), crossing] = np.round(streets[np.arange(600), crossing], 2)
        points.append(towns[here] + streets)
    found, *_ = np.histogramdd(np.concatenate(points), bins=shape, range=[(0, 1), (0, 1)])
    return found


def axes(shape: Shape) -> list[Floats]:
    """Return the middles of the cells along each axis, from 0 to 1."""
    return [(np.arange(length) + 0.5) / length for length in shape]


def product(sides: list[Floats]) -> Floats:
    found = sides[0]
    for side in sides[1:]:
        found = np.multiply.outer(found, side)
    return found


def normal(weights: Floats) -> Floats:
    """Return weights as shares of their sum."""
    return np.asarray(weights / weights.sum())


ANY_AXES: dict[str, Pattern] = {
    "uniform": uniform,
    "gaussians": gaussians,
    "zipf": zipf,
    "spiky": spiky,
}
PLANES: dict[str, Pattern] = {"clustered": towns, "road": road}

GENERATORS: dict[str, tuple[int, Pattern]] = {
    **{f"{name}-{d}d": (d, pattern) for d in (1, 2, 3) for name, pattern in ANY_AXES.items()},
    **{f"{name}-2d": (2, pattern) for name, pattern in PLANES.items()},
}
"""The number of axes and the pattern, by name."""
