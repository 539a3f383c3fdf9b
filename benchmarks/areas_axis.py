"""What it takes to assign points to areas, next to counting the same points by category.

    python benchmarks/areas_axis.py                      1e6 and 1e7 points, 200 and 3,000 areas
    python benchmarks/areas_axis.py 100000 1000000

Areas are the cells of a Voronoi diagram with ragged borders. For each number of points there is a
Parquet file with a point and the number of a category. Kept are, for each engine, the CPU seconds
of a count by area and of one by the category, after a first count that compiles; their ratio; and
the exponent at which the time by area grows with the points. Painting is timed once for each map,
with the bytes that the axis takes in a release.
"""

from __future__ import annotations

import json
import math
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from report import cpu, save
from scipy.spatial import Voronoi

import hushgram as hg
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows
from hushgram.geometry.partition import Grid
from hushgram.trusted.engine.sources.source import open_table

MAPS = (200, 3_000)


def main(sizes: list[int]) -> None:
    painted = [paint(areas) for areas in MAPS]
    save("areas-axis-painting", [about for _, about in painted])
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for rows in sizes:
            path = Path(folder) / "points.parquet"
            write(path, rows)
            for axis, _ in painted:
                for engine in ("arrow", "duckdb"):
                    found.append(assign(path, axis, rows, engine))
                    print(found[-1], flush=True)
    for row in found:
        same = ("areas", "engine")
        alike = [one for one in found if all(one[key] == row[key] for key in same)]
        row["exponent"] = exponent(alike)
    save("areas-axis", found)


def paint(areas: int) -> tuple[hg.Areas, dict[str, Any]]:
    polygons = voronoi(areas)
    started = time.process_time()
    axis = hg.Areas(polygons, ("x", "y"))
    spent = time.process_time() - started
    cells = axis.raster.x.bins * axis.raster.y.bins
    corners = sum(len(ring) for ring in polygons.values())
    return axis, {
        "areas": axis.bins, "corners": corners, "cells": cells, "runs": len(axis.raster.lengths),
        "cpu s": spent, "bytes in a release": len(json.dumps(axis.to_json())),
    }  # fmt: skip


def voronoi(areas: int) -> dict[str, Any]:
    """Areas that cover most of a square, with borders of eight pieces to a side."""
    rng = np.random.default_rng(areas)
    diagram = Voronoi(rng.random((areas, 2)))
    inside = [
        region for region in diagram.regions
        if region and -1 not in region and (np.abs(diagram.vertices[region] - 0.5) <= 0.5).all()
    ]  # fmt: skip
    bent = {}

    def side(a: int, b: int) -> Any:
        """The same bends whichever way a border is walked."""
        key = (min(a, b), max(a, b))
        if key not in bent:
            ends = diagram.vertices[list(key)]
            along = np.linspace(0, 1, 9)[:, np.newaxis]
            length = np.linalg.norm(ends[1] - ends[0])
            jitter = rng.normal(0, 0.03 * length, (9, 2))
            jitter[[0, -1]] = 0
            bent[key] = ends[0] + along * (ends[1] - ends[0]) + jitter
        return bent[key] if (a, b) == key else bent[key][::-1]

    return {
        f"a{number}": np.concatenate([
            side(a, b)[:-1] for a, b in zip(region, [*region[1:], region[0]], strict=True)
        ])
        for number, region in enumerate(inside)
    }  # fmt: skip


def write(path: Path, rows: int) -> None:
    rng = np.random.default_rng(1)
    schema = pa.schema([("x", pa.float64()), ("y", pa.float64()), ("kind", pa.int64())])
    with pq.ParquetWriter(path, schema) as writer:
        for _ in range(0, rows, 10**6):
            many = min(rows, 10**6)
            x, y = rng.random((2, many))
            kind = rng.integers(0, 200, many)
            writer.write_table(pa.table({"x": x, "y": y, "kind": kind}, schema))


def assign(path: Path, axis: hg.Areas, rows: int, engine: str) -> dict[str, Any]:
    by_area = count_seconds(path, Domain(area=axis), engine)
    by_kind = count_seconds(path, Domain(kind=hg.Category(list(range(200)))), engine)
    return {
        "engine": engine, "areas": axis.bins, "points": rows, "by area, cpu s": by_area,
        "by category, cpu s": by_kind, "ratio": by_area / by_kind,
    }  # fmt: skip


def count_seconds(path: Path, domain: Domain, engine: str) -> float:
    """The CPU seconds of a count that reads the file, after one that compiles."""
    table: Any = open_table(str(path))
    table.fast = engine == "arrow"
    table.check(domain, Rows())
    grid = Grid.of_cells(domain)

    def count() -> None:
        table.forget()
        table.count(grid)

    count()
    return cpu(count)


def exponent(rows: list[dict[str, Any]]) -> float:
    first, last = rows[0], rows[-1]
    if first is last:
        return math.nan
    grown = math.log(last["by area, cpu s"] / first["by area, cpu s"])
    return grown / math.log(last["points"] / first["points"])


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]] or [10**6, 10**7])
