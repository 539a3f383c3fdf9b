"""Simulate paper 000's steps: rows on the unit interval, sorted, with noise. NONPRIVATE."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from hushgram.declare.axis import Floats
from hushgram.geometry.hilbert import places as along_hilbert
from hushgram.mechanisms.inference.isotonic import isotonic
from reproduction.data import numbers, places, scatter_points, table_file
from reproduction.judged import Runs

ROWS = 180_000


def isotonic_points(
    points: Floats, epsilon: float, rng: Generator, *, clipped: bool = True
) -> Floats:
    """Return sorted points with noise, after isotonic regression."""
    fitted = isotonic(points + rng.laplace(scale=1 / epsilon, size=len(points)))
    return np.clip(fitted, 0, 1) if clipped else fitted


def errors(
    points: Floats, epsilon: float, runs: int, group: int = 1, *, clipped: bool = True
) -> Runs:
    """Return Err: the earth mover's distance per point, for each run."""
    rng = np.random.default_rng(5)
    means = group_means(points, group)
    spread = np.repeat(np.arange(len(means)), group)[: len(points)]
    return [
        float(
            np.abs(
                points - isotonic_points(means, epsilon * group, rng, clipped=clipped)[spread]
            ).mean()
        )
        for _ in range(runs)
    ]


def group_means(points: Floats, group: int) -> Floats:
    """Return means of groups of neighbours."""
    starts = np.arange(0, len(points), group)
    sizes = np.diff(starts, append=len(points))
    return np.asarray(np.add.reduceat(points, starts) / sizes)


def generalisation_error(points: Floats, group: int) -> float:
    """Return Gen: the average difference of points from their group's mean."""
    spread = np.repeat(np.arange(-(-len(points) // group)), group)[: len(points)]
    return float(np.abs(points - group_means(points, group)[spread]).mean())


def even(many: int) -> Floats:
    return np.linspace(0, 1, many)


def single(many: int) -> Floats:
    return np.full(many, 0.5)


def america() -> tuple[str, Floats]:
    """Return points on a map in the unit square, in place of the paper's Twitter users."""
    path = table_file("geolite2_ipnet_northamerica")
    if path is None:
        return "generated towns", scatter_points("clustered-2d", ROWS, 7)
    found = numbers(path, "lon", "lat")[:ROWS]
    return "networks of North America (GeoLite2)", (found - [-130, 15]) / [70, 45]


def people() -> tuple[str, Floats]:
    """Return points in the unit cube, in place of the paper's Kaluža."""
    path = table_file("kaluza_A01_A03")
    found = places() if path is None else numbers(path, "x", "y", "z")
    low, high = found.min(axis=0), found.max(axis=0)
    about = "places of the world (GeoNames)" if path is None else "Kaluža, a tenth of it"
    return about, (found - low) / (high - low)


def on_curve(points: Floats) -> Floats:
    """Return positions along a Hilbert curve in the unit interval, in the order of the rows."""
    bits = 48 // points.shape[1]
    cells = np.minimum((points * 2**bits).astype(np.int64), 2**bits - 1)
    return np.asarray(along_hilbert(cells, bits) / 2.0 ** (bits * points.shape[1]))


NEW_YORK = ((-74.0 + 130) / 70, (40.7 - 15) / 45)
"""New York on the map of `america`."""


def from_new_york(points: Floats) -> Floats:
    """Return great-circle distances from New York, as shares of the largest: the paper's Fig. 1."""
    lon, lat = np.radians(points * [70, 45] + [-130, 15]).T
    east, north = np.radians([NEW_YORK[0] * 70 - 130, NEW_YORK[1] * 45 + 15])
    half = np.sin((lat - north) / 2) ** 2
    half += np.cos(lat) * np.cos(north) * np.sin((lon - east) / 2) ** 2
    way = np.arcsin(np.sqrt(half))
    return np.asarray(way / way.max())


def sample(points: Floats, many: int) -> Floats:
    rng = np.random.default_rng(many)
    return np.sort(rng.choice(points, many, replace=len(points) < many))
