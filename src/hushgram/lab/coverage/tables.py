"""The tables that intervals are judged on. NONPRIVATE.

Half of them are for choosing, the other half for confirming: whatever is tuned is tuned on the
first half, and the second half then says whether it holds. Real tables lie in the folder
``HUSHGRAM_DATA``; generated ones need no folder.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np

from hushgram.declare.axis import Axis, Category, Floats, Integer, Interval, Regular
from hushgram.declare.domain import Domain
from hushgram.lab.memory import IndexedTable

Half = Literal["choosing", "confirming"]

MOST_ROWS = 200_000
"""Rows of a table, at the most."""


@dataclass(frozen=True, eq=False)
class JudgedTable:
    """Rows that are known: an array of rows x axes, categories by their number. NONPRIVATE."""

    name: str
    half: Half
    domain: Domain
    rows: Floats

    @cached_property
    def indexed(self) -> IndexedTable:
        """The rows as a mechanism counts them."""
        pairs = zip(self.domain.axes, self.rows.T, strict=True)
        columns = [np.floor(positions(axis, column)) for axis, column in pairs]
        last = np.array(self.domain.shape) - 1
        return IndexedTable(self.domain, np.minimum(np.stack(columns, axis=1), last))


def positions(axis: Axis, column: Floats) -> Floats:
    return axis.positions(column) if axis.ordered else column


@dataclass(frozen=True)
class TableRecipe:
    """How a table is made. Rows outside of the domain are left out."""

    name: str
    half: Half
    axes: dict[str, Axis]
    load: Callable[[], Floats]

    def make(self) -> JudgedTable:
        rows = self.load()
        rows = rows[np.isfinite(rows).all(axis=1)]
        inside = np.ones(len(rows), dtype=bool)
        for axis, column in zip(self.axes.values(), rows.T, strict=True):
            if axis.ordered:
                low, high = axis.edge(0), axis.edge(axis.bins)
                inside &= (column >= low) & (column < high)
        rows = rows[inside]
        if len(rows) > MOST_ROWS:
            rows = rows[np.random.default_rng(0).permutation(len(rows))[:MOST_ROWS]]
        return JudgedTable(self.name, self.half, Domain(self.axes), rows)


def data_folder() -> Path | None:
    where = os.environ.get("HUSHGRAM_DATA")
    return Path(where) if where else None


# Generated ---------------------------------------------------------------------------------


def heaped(rows: int, seed: int) -> Floats:
    """Earnings as people report them: two in five at a multiple of 5,000, a third at one of 1,000,
    the rest anywhere."""
    rng = np.random.default_rng(seed)
    exact = rng.lognormal(10.4, 0.7, rows)
    kind = rng.random(rows)
    step = np.where(kind < 0.4, 5000.0, np.where(kind < 0.73, 1000.0, 1.0))
    return np.asarray(np.rint(exact / step) * step)[:, None]


def even(rows: int, axes: int, seed: int) -> Floats:
    return np.random.default_rng(seed).random((rows, axes))


def spike(rows: int, axes: int) -> Floats:
    """All rows at one place."""
    return np.full((rows, axes), 0.371)


def hills(rows: int, axes: int, seed: int) -> Floats:
    """Five normal clusters of different widths."""
    rng = np.random.default_rng(seed)
    centres, widths = rng.random((5, axes)), np.geomspace(0.01, 0.2, 5)
    which = rng.integers(5, size=rows)
    return np.asarray(centres[which] + widths[which, None] * rng.normal(size=(rows, axes)))


def generated() -> list[TableRecipe]:
    line, plane = {"x": Interval(0, 1)}, {"x": Interval(0, 1), "y": Interval(0, 1)}
    bins = {"x": Regular(100, 0, 1)}
    grid = {"x": Regular(32, 0, 1), "y": Regular(48, 0, 1)}
    pay, pay_bins = {"pay": Interval(0, 200_000)}, {"pay": Regular(100, 0, 200_000)}
    empty: Floats = np.empty((0, 2))
    return [
        TableRecipe("heaped", "choosing", pay, lambda: heaped(30_000, 1)),
        TableRecipe("heaped, 100 bins", "choosing", pay_bins, lambda: heaped(30_000, 2)),
        TableRecipe("heaped, few rows", "confirming", pay, lambda: heaped(4_000, 3)),
        TableRecipe("heaped, 80 bins", "confirming", {"pay": Regular(80, 0, 200_000)},
                    lambda: heaped(100_000, 4)),
        TableRecipe("even", "choosing", line, lambda: even(20_000, 1, 1)),
        TableRecipe("even, 100 bins", "confirming", bins, lambda: even(50_000, 1, 2)),
        TableRecipe("even plane", "choosing", plane, lambda: even(50_000, 2, 3)),
        TableRecipe("even grid", "confirming", grid, lambda: even(50_000, 2, 4)),
        TableRecipe("hills", "choosing", plane, lambda: hills(40_000, 2, 5)),
        TableRecipe("hills, 100 bins", "confirming", bins, lambda: hills(40_000, 1, 6)),
        TableRecipe("spike", "choosing", line, lambda: spike(10_000, 1)),
        TableRecipe("spike, 100 bins", "choosing", bins, lambda: spike(10_000, 1)),
        TableRecipe("spike plane", "confirming", plane, lambda: spike(20_000, 2)),
        TableRecipe("empty", "choosing", line, lambda: empty[:, :1]),
        TableRecipe("empty plane", "confirming", plane, lambda: empty),
    ]  # fmt: skip


# Real --------------------------------------------------------------------------------------


def columns_of(folder: Path, file: str, names: Sequence[str]) -> Callable[[], Floats]:
    """Columns of a Parquet file; texts by the order of their values."""

    def load() -> Floats:
        import pandas as pd

        frame = pd.read_parquet(folder / f"{file}.parquet", columns=list(names))
        columns = [numbers(frame[name]) for name in names]
        return np.stack(columns, axis=1)

    return load


def numbers(column: Any) -> Floats:
    if column.dtype.kind in "iuf":
        return np.asarray(column, dtype=np.float64)
    return np.asarray(column.astype("category").cat.codes, dtype=np.float64)


def texts_of(folder: Path, file: str, name: str) -> Category:
    import pandas as pd

    column = pd.read_parquet(folder / f"{file}.parquet", columns=[name])[name]
    return Category([str(value) for value in column.astype("category").cat.categories])


def array_rows(path: Path) -> Callable[[], Floats]:
    """The rows of an array of counts: the numbers of their cells."""

    def load() -> Floats:
        counts = np.load(path).astype(np.int64)
        rng = np.random.default_rng(0)
        if counts.sum() > MOST_ROWS:
            shares = (counts / counts.sum()).reshape(-1)
            counts = rng.multinomial(MOST_ROWS, shares).reshape(counts.shape)
        cells = np.stack(np.indices(counts.shape), axis=-1).reshape(-1, counts.ndim)
        return np.repeat(cells, counts.reshape(-1), axis=0).astype(np.float64)

    return load


def real(folder: Path) -> list[TableRecipe]:
    return [*lines(folder), *maps(folder), *tables(folder), *arrays(folder)]


def lines(folder: Path) -> list[TableRecipe]:
    """One axis: fares, distances, delays, weights, degrees."""

    def one(name: str, half: Half, file: str, column: str, axis: Axis) -> TableRecipe:
        return TableRecipe(name, half, {column: axis}, columns_of(folder, file, [column]))

    taxi, flights, adult = "nyc_taxi_2015_50k", "nycflights13_1d", "adult"
    return [
        one("fares", "choosing", taxi, "fare_amount", Interval(0, 100)),
        one("fares, 100 bins", "choosing", taxi, "fare_amount", Regular(100, 0, 100)),
        one("trips", "confirming", taxi, "trip_distance", Interval(0, 30)),
        one("trips, 70 bins", "confirming", taxi, "trip_distance", Regular(70, 0, 30)),
        one("flights", "choosing", flights, "distance", Interval(0, 5000)),
        one("air time", "confirming", flights, "air_time", Interval(0, 700)),
        one("delays", "confirming", flights, "dep_delay", Regular(128, -60, 600)),
        one("census weights", "choosing", adult, "fnlwgt", Interval(0, 1_000_000)),
        one("gains", "confirming", adult, "capital_gain", Interval(0, 100_000)),
        one("gains, 50 bins", "choosing", adult, "capital_gain", Regular(50, 0, 100_000)),
        one("ages", "choosing", adult, "age", Integer(0, 99)),
        one("hours", "confirming", adult, "hours_per_week", Integer(0, 99)),
        one("GitHub", "choosing", "musae_github_degrees", "degree", Integer(0, 1023)),
        one("Facebook", "confirming", "musae_facebook_pages_degrees", "degree", Integer(0, 1023)),
        one("bikes", "confirming", "uci_bike_hourly_counts", "cnt", Interval(0, 1000)),
    ]


def maps(folder: Path) -> list[TableRecipe]:
    """Two continuous axes, and grids of bins."""

    def one(name: str, half: Half, file: str, ends: Sequence[Any], **axes: Any) -> TableRecipe:
        x, y = ("x", "y") if "osm" in file else ("lon", "lat")
        sides = {x: Interval(*ends[:2]), y: Interval(*ends[2:4])}
        if len(ends) > 4:
            sides = {x: Regular(ends[4], *ends[:2]), y: Regular(ends[5], *ends[2:4])}
        return TableRecipe(name, half, {**sides, **axes}, columns_of(folder, file, [x, y, *axes]))

    seattle, rome = (-600_000, 600_000, -913_000, 913_000), (-37_000, 37_000, -37_000, 37_000)
    york, houston = (-74.3, -73.6, 40.5, 41), (-95.8, -95, 29.5, 30.1)
    world, states = (-180, 180, -90, 90), (-125, -66, 24, 50)
    crime = "houston_crime_2010"
    offense = texts_of(folder, crime, "offense")
    return [
        one("Seattle", "choosing", "osm_road_nodes_seattle", seattle),
        one("Seattle, bins", "choosing", "osm_road_nodes_seattle", (*seattle, 64, 72)),
        one("Houston", "choosing", crime, houston),
        one("quakes", "choosing", "usgs_earthquakes_23k", world),
        one("Uber, bins", "choosing", "nyc_uber_pickups", (*york, 64, 72)),
        one("Houston by offense", "choosing", crime, houston, offense=offense),
        one("Rome", "confirming", "osm_road_nodes_rome", rome),
        one("Uber", "confirming", "nyc_uber_pickups", york),
        one("cities", "confirming", "geonames_cities500", world),
        one("stations", "confirming", "fcc_radio_stations", states),
        one("networks", "confirming", "geolite2_ipnet_northamerica", (-130, -60, 15, 60)),
        one("Houston, bins", "confirming", crime, (*houston, 50, 40)),
        one("Houston by hour", "confirming", crime, houston, hour=Integer(0, 23)),
        one("power plants", "confirming", "us_power_plants_48", states),
    ]


def tables(folder: Path) -> list[TableRecipe]:
    """Adult with two to four axes."""

    def one(name: str, half: Half, **axes: Any) -> TableRecipe:
        return TableRecipe(name, half, axes, columns_of(folder, "adult", list(axes)))

    age, hours, school = Integer(15, 94), Integer(0, 99), Integer(1, 16)
    sex, race, income = (texts_of(folder, "adult", name) for name in ("sex", "race", "income"))
    return [
        one("Adult 2", "choosing", age=age, hours_per_week=hours),
        one("Adult 3", "choosing", age=age, hours_per_week=hours, education_num=school),
        one("Adult 2, categories", "confirming", education_num=school, race=race),
        one("Adult 3, mixed", "confirming", age=age, education_num=school, sex=sex),
        one("Adult 4", "confirming", age=age, education_num=school, sex=sex, income=income),
    ]


CHOOSING_ARRAYS = {
    "HEPTH",
    "INCOME",
    "bids_j",
    "ADULTFRANK",
    "Stroke_2D_256_256",
    "twitter_256_256",
}


def arrays(folder: Path) -> list[TableRecipe]:
    found = []
    for path in sorted((folder / "dpbench").glob("*/*.npy")):
        name = path.name.partition(".")[0]
        shape = np.load(path, mmap_mode="r").shape
        axes: dict[str, Axis] = {f"x{n}": Integer(0, size - 1) for n, size in enumerate(shape)}
        half: Half = "choosing" if name in CHOOSING_ARRAYS else "confirming"
        found.append(TableRecipe(name, half, axes, array_rows(path)))
    return found


def all_recipes() -> list[TableRecipe]:
    """Generated tables and, where ``HUSHGRAM_DATA`` is set, real ones."""
    folder = data_folder()
    return [*generated(), *(real(folder) if folder else [])]
