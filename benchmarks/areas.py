"""Counts of areas: 3,000 ragged districts on 100,000 parts, from the polygons to the table with
intervals.

    python benchmarks/areas.py

Goal: 5 seconds, all threads counted. Next to it, the values alone by shapely (an index of the
parts, and the areas of the intersections), and how the time grows with areas and parts.
"""

from __future__ import annotations

import time
from fractions import Fraction
from typing import Any

import numpy as np
import shapely
from districts import districts
from report import save

import hushgram as hg
from hushgram.declare.unit import Rows
from hushgram.geometry.partition import Grid, Refined
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.inference.tree import Tree
from hushgram.queries import Measurement
from hushgram.release import Release

DOMAIN = hg.Domain(lon=hg.Interval(5, 15), lat=hg.Interval(47, 55))


def main() -> None:
    rng = np.random.default_rng(3)
    release_with(1_000, rng).areas(cut(10, rng)).to_pandas()  # compiled, or read from the cache
    rows = []
    for parts, areas in ((100_000, 300), (100_000, 3_000), (100_000, 30_000), (10_000, 3_000),
                         (1_000_000, 3_000)):  # fmt: skip
        polygons = cut(areas, rng)
        made = {"adaptive grid": release_with(parts, rng), "bayes-tree": published(parts, rng)}
        for kind, release in made.items():
            seconds, found = timed(lambda r=release, p=polygons: r.areas(p).to_pandas())
            row = {
                "parts": release.estimate.partition.size,
                "layout": kind,
                "areas": len(polygons),
                "points": int(shapely.get_num_coordinates(polygons).sum()),
                "CPU seconds": seconds,
                "shapely, values alone": "",
            }
            if (parts, areas) == (100_000, 3_000):
                slow, values = timed(lambda r=release, p=polygons: by_shapely(r, p))
                assert np.allclose(values, found["count"], rtol=1e-9, atol=1e-6)
                row["shapely, values alone"] = slow
            rows.append(row)
            print(row, flush=True)
    save("areas", rows)


def timed(work: Any) -> tuple[float, Any]:
    """CPU seconds, all threads counted."""
    started = time.process_time()
    found = work()
    return time.process_time() - started, found


def cut(number: int, rng: np.random.Generator) -> np.ndarray:
    bounds = (5.0, 47.0, 15.0, 55.0)
    seeds = (5.0, 47.0) + rng.random((number, 2)) * (10, 8)
    return districts(seeds, bounds, rng, ragged=True)


def release_with(parts: int, rng: np.random.Generator) -> Release:
    """An adaptive grid of about that many parts, as if rows were many."""
    side = max(round((parts / 25) ** 0.5), 1)
    grid = Grid(DOMAIN, (side, side))
    cells = np.clip(np.rint(rng.lognormal(1.45, 0.5, grid.size)), 1, 20).astype(np.int64)
    fine = Refined(grid, np.stack([cells, cells], axis=1))
    measured = [
        Measurement(level, rng.poisson(20, level.size), 8.0, Fraction(2)) for level in (grid, fine)
    ]
    estimate = Estimate.infer(fine, measured, Tree.of(measured))
    return Release(estimate, "adaptive-grid", {}, Fraction(1), Rows(), "add-remove")


def published(parts: int, rng: np.random.Generator) -> Release:
    """A bayes-tree of towns, with rows in proportion to the parts wanted."""
    import pyarrow as pa

    towns = (5.0, 47.0) + rng.random((300, 2)) * (10, 8)
    at = towns[rng.integers(len(towns), size=7 * parts)]
    points = at + rng.normal(scale=0.15, size=at.shape)
    table = pa.table({"lon": points[:, 0], "lat": points[:, 1]})
    return hg.publish(table, DOMAIN, epsilon=1, account="a", mechanism="bayes-tree",
                      ledger=hg.Ledger.in_memory())  # fmt: skip


def by_shapely(release: Release, polygons: np.ndarray) -> np.ndarray:
    lower, upper = release.estimate.partition.boxes()
    (west, south), (east, north) = (
        [axis.edges_at(side[:, n]) for n, axis in enumerate(DOMAIN.axes)] for side in (lower, upper)
    )
    boxes = shapely.box(west, south, east, north)
    area, part = shapely.STRtree(boxes).query(polygons, predicate="intersects")
    shapely.prepare(polygons)
    shares = np.ones(len(area))
    cut = ~shapely.contains_properly(polygons[area], boxes[part])
    inside = shapely.area(shapely.intersection(polygons[area[cut]], boxes[part[cut]]))
    shares[cut] = inside / shapely.area(boxes[part[cut]])
    return np.bincount(area, shares * release.estimate.values[part], len(polygons))


if __name__ == "__main__":
    main()
