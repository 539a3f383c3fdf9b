"""Draw pictures of public data sets for the guides: a city, a country, the world, earnings, a
two-way table, three axes, and means along an axis and on a plane.

    HUSHGRAM_DATA=... python tools/make_pictures.py -o docs/guides/pictures --releases /tmp/six

Releases are kept in a folder (``--releases``), so pictures can be drawn again without publishing
again, also with another version of the code. ``--plain`` draws with the defaults only.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import hushgram as hg
from hushgram.show.charts.canvas import render

DPI = 80
"""Dots per inch: pages are read on screens."""


class Shown(NamedTuple):
    """A data set, its axes, and the text of its picture."""

    table: str
    axes: Callable[[], dict[str, Any]]
    options: dict[str, Any]
    measures: tuple[hg.Sum, ...] = ()


def houston() -> dict[str, Any]:
    return {"lon": hg.Interval(-95.8, -95.0), "lat": hg.Interval(29.5, 30.15)}


def offenses() -> dict[str, Any]:
    kinds = ["theft", "auto theft", "burglary", "robbery", "aggravated assault", "rape", "murder"]
    return houston() | {"offense": hg.Category(kinds)}


def states() -> dict[str, Any]:
    return {"lon": hg.Interval(-125, -66), "lat": hg.Interval(24, 50)}


def world() -> dict[str, Any]:
    return {"lon": hg.Interval(-180, 180), "lat": hg.Interval(-60, 80)}


def fares() -> dict[str, Any]:
    return {"fare_amount": hg.Regular(160, 0, 80)}


def incomes() -> dict[str, Any]:
    kinds = ["Private", "Self-emp-not-inc", "Local-gov", "State-gov"]
    return {"workclass": hg.Category(kinds), "income": hg.Category(["<=50K", ">50K"])}


def ages() -> dict[str, Any]:
    return {"age": hg.Integer(17, 90)}


def pickups() -> dict[str, Any]:
    return {
        "pickup_x": hg.Interval(-8_242_000, -8_226_000),
        "pickup_y": hg.Interval(4_966_000, 4_986_000),
    }


ADULT = "Adult (UCI, CC BY 4.0)"
HOUSTON = "Houston Police Department, January to August 2010"

PICTURES = {
    "city": Shown("houston_crime_2010", houston, {"rows": "offences", "source": HOUSTON}),
    "country": Shown(
        "us_power_plants_48", states, {"rows": "power plants", "source": "WRI (CC BY 4.0)"}
    ),
    "world": Shown(
        "geonames_cities500", world, {"rows": "places", "source": "GeoNames (CC BY 4.0)"}
    ),
    "earnings": Shown(
        "nyc_taxi_2015_50k", fares, {"rows": "trips", "source": "NYC TLC, January 2015"}
    ),
    "table": Shown("adult", incomes, {"rows": "people", "source": ADULT}),
    "three-axes": Shown("houston_crime_2010", offenses, {"rows": "offences", "source": HOUSTON}),
    "means": Shown(
        "adult",
        ages,
        {"mean": "hours_per_week", "source": ADULT},
        (hg.Mean("hours_per_week", 0, 80),),
    ),
    "means-map": Shown(
        "nyc_taxi_2015_50k",
        pickups,
        {
            "mean": "fare_amount",
            "bins": 24,
            "source": "NYC TLC, January 2015",
            "title": "Mean fare by place of pickup",
        },
        (hg.Mean("fare_amount", 0, 60),),
    ),
}


def release_of(name: str, folder: Path) -> hg.Release:
    """Return the release of a picture, published unless the folder contains it."""
    path = folder / f"{name}.hush.parquet"
    if not path.exists():
        shown = PICTURES[name]
        table = Path(os.environ["HUSHGRAM_DATA"]) / f"{shown.table}.parquet"
        hg.publish(
            str(table), hg.Domain(shown.axes()), epsilon=1, account=name, measures=shown.measures,
            ledger=hg.Ledger.in_memory(),
        ).save(path)  # fmt: skip
    return hg.load(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path, required=True, help="The folder of pictures.")
    parser.add_argument("--releases", type=Path, required=True, help="The folder of releases.")
    parser.add_argument("--plain", action="store_true", help="Draw with the defaults only.")
    parser.add_argument("names", nargs="*", default=list(PICTURES), help="Which pictures.")
    chosen = parser.parse_args()
    for folder in (chosen.output, chosen.releases):
        folder.mkdir(parents=True, exist_ok=True)
    for name in chosen.names:
        options = {} if chosen.plain else PICTURES[name].options
        path = chosen.output / f"{name}.png"
        figure = release_of(name, chosen.releases).plot(**options)
        path.write_bytes(render(figure, ".png", dpi=DPI))
        print(f"{path}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
