"""How often the intervals of area counts contain the truth, and how wide they are.

    HUSHGRAM_DATA=… python benchmarks/area_coverage.py
    HUSHGRAM_DATA=… python benchmarks/area_coverage.py --tables Rome --mechanisms hb --releases 5

Real points are published several times and counted in generated districts: Voronoi cells whose
seeds are spread evenly, or at rows, as districts are small where people are many; with straight or
ragged borders. `hb` counts bins, the others continuous axes. Kept are the share of 95 % intervals
that held the truth, for counts and for shares, and the mean half width over the mean error.
NONPRIVATE: it sees true counts.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import shapely
from districts import districts
from report import save

from hushgram.declare.axis import Interval, Regular
from hushgram.declare.domain import Domain
from hushgram.lab.coverage.judge import Judge
from hushgram.lab.coverage.run import single_thread
from hushgram.lab.coverage.tables import JudgedTable, choose_recipes
from hushgram.mechanisms.registry import parse_mechanism

TABLES = ("Rome", "Uber", "cities", "networks", "Houston")
MECHANISMS = ("adaptive-grid", "bayes-tree", "hb")
EPSILONS = ("0.1", "1")
NUMBERS = (12, 100, 1000)
"""Districts of a table."""
BINS = 128
"""Of each axis, where bins are declared."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", nargs="+", default=TABLES)
    parser.add_argument("--mechanisms", nargs="+", default=MECHANISMS)
    parser.add_argument("--releases", type=int, default=8)
    asked = parser.parse_args()
    rows: list[dict[str, Any]] = []
    with single_thread():
        for recipe in choose_recipes(list(asked.tables), "both"):
            table = recipe.make()
            shapes = {kind: (found, true_counts(found, table)) for kind, found in drawn(table)}
            for mechanism in asked.mechanisms:
                rows += judge(with_bins(table) if mechanism == "hb" else table, mechanism, shapes,
                              asked.releases)  # fmt: skip
    save("area-coverage", rows, by=("table", "mechanism", "epsilon", "districts"))
    pooled(rows)


def drawn(table: JudgedTable) -> Iterator[tuple[str, np.ndarray]]:
    """Districts of each kind and number."""
    rng = np.random.default_rng(7)
    (left, right), (bottom, top) = (
        (axis.edge(0), axis.edge(axis.bins)) for axis in table.domain.axes
    )
    size = np.array([right - left, top - bottom])
    for number in NUMBERS:
        for at_rows in (False, True):
            seeds = (left, bottom) + size * rng.random((number, 2))
            if at_rows:
                picked = table.rows[rng.choice(len(table.rows), number, replace=False)]
                seeds = np.clip(picked + 1e-3 * size * rng.normal(size=(number, 2)),
                                (left, bottom), (right, top))  # fmt: skip
            for ragged in (False, True):
                kind = f"{number} {'at rows' if at_rows else 'even'}{', ragged' * ragged}"
                yield kind, districts(seeds, (left, bottom, right, top), rng, ragged=ragged)


def true_counts(polygons: np.ndarray, table: JudgedTable) -> np.ndarray:
    """Rows in each district; those on a border are in one of them."""
    points = shapely.points(table.rows)
    places, found = shapely.STRtree(polygons).query(points, predicate="intersects")
    _, first = np.unique(places, return_index=True)
    return np.bincount(found[first], minlength=len(polygons))


def with_bins(table: JudgedTable) -> JudgedTable:
    axes = {
        name: Regular(BINS, axis.lo, axis.hi) if isinstance(axis, Interval) else axis
        for name, axis in table.domain.items()
    }
    return JudgedTable(table.name, table.half, Domain(axes), table.rows)


def judge(
    table: JudgedTable, mechanism: str, shapes: dict[str, Any], releases: int
) -> Iterator[dict[str, Any]]:
    source, total = Judge(table, many=1), len(table.rows)
    for epsilon in EPSILONS:
        seen: dict[str, list[np.ndarray]] = {}
        for _ in range(releases):
            release = source.publish(parse_mechanism(mechanism), Fraction(epsilon))
            for kind, (polygons, truth) in shapes.items():
                found = release.areas(polygons)
                counts, shares = found.measure("count"), found.measure("share")
                errors = np.abs(counts.values - truth)
                apart = np.abs(shares.values - truth / total)
                columns = (errors, counts.widths.truth, counts.widths.noise,
                           apart <= shares.widths.truth)  # fmt: skip
                seen.setdefault(kind, []).append(np.array(columns))
        for kind, blocks in seen.items():
            errors, truth_width, noise, share_held = np.concatenate(blocks, axis=1)
            yield {
                "table": table.name,
                "mechanism": mechanism,
                "epsilon": epsilon,
                "districts": kind,
                "releases": releases,
                "counts": len(errors),
                "held": float((errors <= truth_width).mean()),
                "shares held": float(share_held.mean()),
                "error": float(errors.mean()),
                "half width": float(truth_width.mean()),
                "noise": float(noise.mean()),
                "ratio": float(truth_width.mean() / errors.mean()),
            }


def pooled(rows: list[dict[str, Any]]) -> None:
    """One line for each table, mechanism and epsilon."""
    for key in dict.fromkeys((row["table"], row["mechanism"], row["epsilon"]) for row in rows):
        some = [row for row in rows if (row["table"], row["mechanism"], row["epsilon"]) == key]
        many = np.array([row["counts"] for row in some])
        held, ratio = (
            np.average([row[c] for row in some], weights=many) for c in ("held", "ratio")
        )
        worst = min(row["held"] for row in some)
        print(*key, f"held {held:.1%}, ratio {ratio:.2f}, worst kind {worst:.1%}")


if __name__ == "__main__":
    main()
