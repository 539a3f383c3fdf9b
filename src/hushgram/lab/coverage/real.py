"""Real tables on which intervals are judged, from the folder ``HUSHGRAM_DATA``. NONPRIVATE."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hushgram.declare.axis import Axis, Category, Date, Floats, Integer, Interval, Regular, Variable
from hushgram.lab.coverage.numbers import to_number
from hushgram.lab.coverage.tables import MOST_ROWS, Half, TableRecipe


def real_recipes(folder: Path) -> list[TableRecipe]:
    return [
        *line_recipes(folder),
        *date_recipes(folder),
        *map_recipes(folder),
        *space_recipes(folder),
        *adult_recipes(folder),
        *array_recipes(folder),
    ]


# Reading -----------------------------------------------------------------------------------


def columns_of(folder: Path, file: str, axes: Mapping[str, Axis]) -> Callable[[], Floats]:
    """Return a function that loads columns of a Parquet file. Text becomes the index of its
    category, or -1."""

    def load() -> Floats:
        import pandas as pd

        frame = pd.read_parquet(folder / f"{file}.parquet", columns=list(axes))
        return np.stack([numbers_of(axis, frame[name]) for name, axis in axes.items()], axis=1)

    return load


def numbers_of(axis: Axis, column: Any) -> Floats:
    if isinstance(axis, Category):
        return np.asarray(column.astype(str).map(axis.spellings).fillna(-1), dtype=np.float64)
    return np.asarray(column.astype("float64"), dtype=np.float64)


def all_texts(folder: Path, file: str, name: str) -> Category:
    """Return a category axis with all values of a text column."""
    import pandas as pd

    column = pd.read_parquet(folder / f"{file}.parquet", columns=[name])[name]
    return Category(sorted({str(value) for value in column}))


def array_rows(path: Path) -> Callable[[], Floats]:
    """Return a function that loads the rows of an array of counts, as the indices of their
    cells."""

    def load() -> Floats:
        counts = draw_rows(np.load(path, allow_pickle=False).astype(np.int64))
        cells = np.indices(counts.shape).reshape(counts.ndim, -1).T
        return np.repeat(cells, counts.reshape(-1), axis=0).astype(np.float64)

    return load


def draw_rows(counts: Any) -> Any:
    """Return the counts, scaled down if there are too many rows."""
    if counts.sum() <= MOST_ROWS:
        return counts
    shares = (counts / counts.sum()).reshape(-1)
    return np.random.default_rng(0).multinomial(MOST_ROWS, shares).reshape(counts.shape)


# One axis ----------------------------------------------------------------------------------


def line_recipes(folder: Path) -> list[TableRecipe]:
    """Fares, distances, delays, weights, degrees, populations, magnitudes."""

    def one(name: str, half: Half, file: str, column: str, axis: Axis) -> TableRecipe:
        axes = {column: axis}
        return TableRecipe(name, half, axes, columns_of(folder, file, axes))

    taxi, flights, adult = "nyc_taxi_2015_50k", "nycflights13_1d", "adult"
    cities, quakes = "geonames_cities500", "usgs_earthquakes_23k"
    steps = Variable([0, 3, 5, 7, 10, 15, 20, 30, 50, 100])
    sizes = Variable([0, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 1_000_000])
    return [
        one("fares", "choosing", taxi, "fare_amount", Interval(0, 100)),
        one("fares, 100 bins", "choosing", taxi, "fare_amount", Regular(100, 0, 100)),
        one("fares, unequal bins", "choosing", taxi, "fare_amount", steps),
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
        one("GitHub, other", "choosing", "musae_github_degrees", "degree",
            Integer(0, 31, outside="other")),
        one("Facebook", "confirming", "musae_facebook_pages_degrees", "degree", Integer(0, 1023)),
        one("bikes", "confirming", "uci_bike_hourly_counts", "cnt", Interval(0, 1000)),
        one("populations, unequal bins", "confirming", cities, "population", sizes),
        one("magnitudes, 40 bins", "choosing", quakes, "magnitude", Regular(40, 5, 10)),
    ]  # fmt: skip


def date_recipes(folder: Path) -> list[TableRecipe]:
    """Days, in steps of a week and of a day."""
    weeks, days = Date("2011-01-01", "2012-12-31", "1w"), Date("2013-01-01", "2013-12-31")

    def rides() -> Floats:
        import pandas as pd

        frame = pd.read_parquet(folder / "uci_bike_hourly_counts.parquet")
        moments = pd.to_datetime(frame["dteday"], format="%m/%d/%y")
        return np.repeat(to_seconds(weeks, moments), draw_rows(frame["cnt"].to_numpy()))[:, None]

    def departures() -> Floats:
        import pandas as pd

        frame = pd.read_parquet(folder / "nycflights13_1d.parquet", columns=["month", "day"])
        return to_seconds(days, pd.to_datetime(frame.assign(year=2013)))[:, None]

    return [
        TableRecipe("rides by week", "choosing", {"week": weeks}, rides),
        TableRecipe("flights by day", "confirming", {"day": days}, departures),
    ]


def to_seconds(axis: Axis, moments: Any) -> Floats:
    return np.array([to_number(axis, moment) for moment in moments.dt.to_pydatetime()])


# Maps and spaces ---------------------------------------------------------------------------


def map_recipes(folder: Path) -> list[TableRecipe]:
    """Two continuous axes, and grids of bins; also with a third axis."""

    def one(name: str, half: Half, file: str, ends: Sequence[Any], **more: Axis) -> TableRecipe:
        x, y = ("x", "y") if "osm" in file else ("lon", "lat")
        sides: dict[str, Axis] = {x: Interval(*ends[:2]), y: Interval(*ends[2:4])}
        if len(ends) > 4:
            sides = {x: Regular(ends[4], *ends[:2]), y: Regular(ends[5], *ends[2:4])}
        axes = {**sides, **more}
        return TableRecipe(name, half, axes, columns_of(folder, file, axes))

    seattle, rome = (-600_000, 600_000, -913_000, 913_000), (-37_000, 37_000, -37_000, 37_000)
    york, houston = (-74.3, -73.6, 40.5, 41), (-95.8, -95, 29.5, 30.1)
    world, states = (-180, 180, -90, 90), (-125, -66, 24, 50)
    america = (-130, -60, 15, 60)
    crime, networks = "houston_crime_2010", "geolite2_ipnet_northamerica"
    offense = all_texts(folder, crime, "offense")
    country = Category(["US", "CA", "MX"], outside="other")
    return [
        one("Seattle", "choosing", "osm_road_nodes_seattle", seattle),
        one("Seattle, bins", "choosing", "osm_road_nodes_seattle", (*seattle, 64, 72)),
        one("Houston", "choosing", crime, houston),
        one("quakes", "choosing", "usgs_earthquakes_23k", world),
        one("Uber, bins", "choosing", "nyc_uber_pickups", (*york, 64, 72)),
        one("Houston by offense", "choosing", crime, houston, offense=offense),
        one("Houston by hour", "choosing", crime, houston, hour=Integer(0, 23)),
        one("Rome", "confirming", "osm_road_nodes_rome", rome),
        one("Uber", "confirming", "nyc_uber_pickups", york),
        one("cities", "confirming", "geonames_cities500", world),
        one("stations", "confirming", "fcc_radio_stations", states),
        one("networks", "confirming", networks, america),
        one("networks by country", "confirming", networks, america, country=country),
        one("networks by country, bins", "confirming", networks, (*america, 40, 30),
            country=country),
        one("Houston, bins", "confirming", crime, (*houston, 50, 40)),
        one("power plants", "confirming", "us_power_plants_48", states),
    ]  # fmt: skip


def space_recipes(folder: Path) -> list[TableRecipe]:
    """Three and four continuous axes: a sensor, and taxi rides with start and destination."""
    space = {"x": Interval(-1, 6), "y": Interval(-1, 4), "z": Interval(-2, 3)}
    x = Interval(-8_239_500, -8_231_000, outside="clamp")
    y = Interval(4_969_000, 4_982_500, outside="clamp")
    rides = {"pickup_x": x, "pickup_y": y, "dropoff_x": x, "dropoff_y": y}
    taxi = columns_of(folder, "nyc_taxi_2015_50k", rides)
    return [
        TableRecipe("sensor 3", "confirming", space, columns_of(folder, "kaluza_A01_A03", space)),
        TableRecipe("taxi 4", "choosing", rides, taxi),
    ]


# Adult, and arrays -------------------------------------------------------------------------


def adult_recipes(folder: Path) -> list[TableRecipe]:
    """Two to four axes."""

    def one(name: str, half: Half, **axes: Axis) -> TableRecipe:
        return TableRecipe(name, half, axes, columns_of(folder, "adult", axes))

    age, hours, school = Integer(15, 94), Integer(1, 100), Integer(1, 16)
    relation, sex, race, income = (
        all_texts(folder, "adult", name) for name in ("relationship", "sex", "race", "income")
    )
    work = Category(["Sales", "Craft-repair", "Adm-clerical", "Tech-support"], outside="other")
    other_age = Integer(17, 90)
    return [
        one("Adult 2", "choosing", age=age, hours_per_week=hours),
        one("Adult 3", "choosing", age=age, hours_per_week=hours, relationship=relation),
        one("Adult 2, bins", "confirming", age=Regular(20, 0, 100),
            hours_per_week=Regular(25, 0, 100)),
        one("Adult 2, categories", "confirming", education_num=school, race=race),
        one("Adult 2, other", "confirming", occupation=work, education_num=school),
        one("gains by sex", "confirming", capital_gain=Interval(0, 100_000), sex=sex),
        one("Adult 3, mixed", "confirming", age=other_age, education_num=school, sex=sex),
        one("Adult 4", "confirming", age=other_age, education_num=school, sex=sex, income=income),
    ]  # fmt: skip


CHOOSING_ARRAYS = {
    "HEPTH",
    "INCOME",
    "bids_j",
    "ADULTFRANK",
    "Stroke_2D_256_256",
    "twitter_256_256",
}


def array_recipes(folder: Path) -> list[TableRecipe]:
    found = []
    for path in sorted((folder / "dpbench").glob("*/*.npy")):
        name = path.name.partition(".")[0]
        shape = np.load(path, mmap_mode="r", allow_pickle=False).shape
        axes: dict[str, Axis] = {f"x{n}": Integer(0, size - 1) for n, size in enumerate(shape)}
        half: Half = "choosing" if name in CHOOSING_ARRAYS else "confirming"
        found.append(TableRecipe(name, half, axes, array_rows(path)))
    return found
