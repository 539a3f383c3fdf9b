"""Paper 002's four sets of points, and relative errors of map queries on them. NONPRIVATE."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

import hushgram as hg
from hushgram.declare.axis import Floats
from reproduction.data import numbers, places, scatter_points, table_file, texts

SIZES, QUERIES = 6, 200
RHO = 0.001

DEVIATIONS = 1.96
"""Half the width of a 95 % interval for nearly normal noise, in standard deviations."""


@dataclass(frozen=True)
class Points:
    """A set of points in a public box, and the sides of the largest query."""

    name: str
    x: tuple[float, float]
    y: tuple[float, float]
    largest: tuple[float, float]
    read: Callable[[], tuple[str, Floats]]
    paper_rows: int
    """The number of rows in the paper."""

    @property
    def domain(self) -> hg.Domain:
        return hg.Domain(x=self.x, y=self.y)

    def rows(self) -> tuple[str, Floats]:
        """Return a description of the points, and those inside the box: rows x 2."""
        about, found = self.read()
        lows, highs = np.array([self.x, self.y]).T
        return about, found[((found >= lows) & (found <= highs)).all(axis=1)]


ROAD = np.array([[-6e5, 6e5], [-9.2e5, 9.2e5]])


def road() -> tuple[str, Floats]:
    path = table_file("osm_road_nodes_seattle")
    if path is None:
        inside = scatter_points("road-2d", 200_000, 1)
        return "generated roads", ROAD[:, 0] + inside * (ROAD[:, 1] - ROAD[:, 0])
    return "nodes of the roads around Seattle (OpenStreetMap)", numbers(path, "x", "y")


def checkin() -> tuple[str, Floats]:
    path = table_file("geolite2_ipnet_world_1m")
    if path is None:
        return "places of the world (GeoNames)", places()
    return "networks of the world (GeoLite2)", numbers(path, "lon", "lat")


def landmark() -> tuple[str, Floats]:
    path = table_file("geolite2_ipnet_northamerica")
    if path is None:
        towns = scatter_points("clustered-2d", 200_000, 2)
        return "generated towns", towns * [60, 40] + [-125, 20]
    kept = texts(path, "country") == "US"
    return "networks of the United States (GeoLite2)", numbers(path, "lon", "lat")[kept]


def storage() -> tuple[str, Floats]:
    path = table_file("us_power_plants_48")
    if path is None:
        return "a few generated towns", scatter_points("clustered-2d", 9_000, 3) * [60, 40] + [
            -125,
            20,
        ]
    return "power plants of the United States (WRI)", numbers(path, "lon", "lat")


AMERICA = {"x": (-125.0, -65.0), "y": (20.0, 60.0), "largest": (40.0, 20.0)}
SETS = {
    one.name: one
    for one in (
        Points("road", (-6e5, 6e5), (-9.2e5, 9.2e5), (7.68e5, 1.472e6), road, 1_600_000),
        Points("checkin", (-180.0, 180.0), (-65.0, 85.0), (192.0, 96.0), checkin, 1_000_000),
        Points("landmark", **AMERICA, read=landmark, paper_rows=900_000),
        Points("storage", **AMERICA, read=storage, paper_rows=9_000),
    )
}


@dataclass(frozen=True, eq=False)
class AskedPoints:
    """A set's rows, and 200 boxes of each of six sizes with their true counts. NONPRIVATE."""

    points: Points
    about: str
    rows: Floats
    boxes: Floats
    true: Floats

    @classmethod
    def of(cls, points: Points) -> AskedPoints:
        about, rows = points.rows()
        boxes = queries(points.domain, points.largest)
        by_x = rows[np.argsort(rows[:, 0])]
        true = [inside(by_x, *box) for box in boxes.reshape(-1, 2, 2)]
        return cls(points, about, rows, boxes, np.array(true, dtype=float))

    def errors(
        self, mechanism: Any, epsilon: str, runs: int, domain: hg.Domain | None = None
    ) -> Floats:
        """Return |noisy - true| / max(true, 0.001 N): runs x sizes x queries."""
        return self.to_relative(self.absolute_errors(mechanism, epsilon, runs, domain))

    def to_relative(self, absolute: Floats) -> Floats:
        """Convert absolute errors to shares of max(true, 0.001 N)."""
        return np.asarray(absolute / self._floors)

    def to_absolute(self, relative: Floats) -> Floats:
        """Convert relative errors to absolute ones."""
        return np.asarray(relative * self._floors)

    @property
    def _floors(self) -> Floats:
        floors = np.maximum(self.true, RHO * len(self.rows))
        return np.asarray(floors.reshape(SIZES, QUERIES))

    def absolute_errors(
        self, mechanism: Any, epsilon: str, runs: int, domain: hg.Domain | None = None
    ) -> Floats:
        """Return |noisy - true|: runs x sizes x queries."""
        found = []
        for _ in range(runs):
            release = self._publish(mechanism, epsilon, domain)
            found.append(np.abs(release.count(self._table).values - self.true))
        return np.array(found).reshape(runs, SIZES, QUERIES)

    def noise_by_size(
        self, mechanism: Any, epsilon: str, domain: hg.Domain | None = None
    ) -> list[float]:
        """Return the standard deviation of the noise in the answers, as a release states it: the
        root of the mean variance over the queries of each size."""
        answers = self._publish(mechanism, epsilon, domain).count(self._table)
        deviations = (answers.noise_upper - answers.noise_lower) / (2 * DEVIATIONS)
        by_size = (deviations.reshape(SIZES, QUERIES) ** 2).mean(axis=1)
        return [float(one) for one in np.sqrt(by_size)]

    def _publish(self, mechanism: Any, epsilon: str, domain: hg.Domain | None) -> hg.Release:
        table = pa.table({"x": self.rows[:, 0], "y": self.rows[:, 1]})
        return hg.publish(
            table, domain or self.points.domain, epsilon=epsilon, mechanism=mechanism,
            account="points", ledger=hg.Ledger.in_memory(),
        )  # fmt: skip

    @property
    def _table(self) -> pa.Table:
        return pa.table(
            {
                f"{axis}_{end}": self.boxes[:, :, place, side].ravel()
                for place, axis in enumerate("xy")
                for side, end in enumerate(("lo", "hi"))
            }
        )


def relative_errors(
    points: Points, mechanisms: Sequence[Any], epsilons: Sequence[str], runs: int
) -> Iterator[tuple[str, Any, Floats]]:
    """Yield the relative errors for each ε and mechanism: runs x sizes x queries."""
    asked = AskedPoints.of(points)
    for epsilon in epsilons:
        for mechanism in mechanisms:
            yield epsilon, mechanism, asked.errors(mechanism, epsilon, runs)


def queries(domain: hg.Domain, largest: tuple[float, float]) -> Floats:
    """Draw random boxes inside the domain: sizes x queries x axes x (lo, hi)."""
    rng = np.random.default_rng(2)
    boxes = np.empty((SIZES, QUERIES, 2, 2))
    for size in range(SIZES):
        for place, axis in enumerate(domain.axes):
            side = largest[place] / 2 ** (SIZES - 1 - size)
            low = rng.uniform(axis.lo, axis.hi - side, QUERIES)  # type: ignore[attr-defined]
            boxes[size, :, place] = np.stack([low, low + side], axis=1)
    return boxes


def inside(rows: Floats, x: Floats, y: Floats) -> int:
    """Count the rows in a box, given rows sorted by x."""
    first, last = np.searchsorted(rows[:, 0], x)
    across = rows[first:last, 1]
    return int(((across >= y[0]) & (across < y[1])).sum())
