"""Public tables in the folder ``HUSHGRAM_DATA``, and stand-ins for them."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.lab.evaluate.patterns import GENERATORS, normal
from hushgram.lab.evaluate.sources import as_numbers, read_columns

FINE = 512
"""Cells per side of generated maps."""


def folder() -> Path | None:
    where = os.environ.get("HUSHGRAM_DATA")
    return Path(where) if where else None


def origin() -> str:
    """Describe the data of a page."""
    if folder():
        return "the public tables of the folder `HUSHGRAM_DATA`"
    return "bundled and generated data (`HUSHGRAM_DATA` is not set)"


def table_file(name: str) -> Path | None:
    """Return the path of a table in that folder, if it exists."""
    where = folder()
    path = where / f"{name}.parquet" if where else None
    return path if path and path.is_file() else None


def texts(path: Path, column: str) -> Any:
    """Read a text column as an array."""
    (found,) = read_columns(path, (column,))
    return np.asarray(found.to_numpy(), dtype=str)


def numbers(path: Path, *columns: str) -> Floats:
    """Read columns as floats: rows x columns."""
    return np.stack([as_numbers(one) for one in read_columns(path, columns)], axis=1)


def places() -> Floats:
    """Return longitudes and latitudes of the available places of the world: rows x 2."""
    from hushgram.data import places as bundled

    return numbers(table_file("geonames_cities500") or bundled(), "lon", "lat")


def scatter_points(name: str, rows: int, seed: int) -> Floats:
    """Generate points in the unit square by a pattern, evenly spread within its cells."""
    rng = np.random.default_rng(seed)
    cells = rng.choice(FINE**2, rows, p=pattern(name))
    corner = np.stack(np.unravel_index(cells, (FINE, FINE)), axis=1)
    return np.asarray((corner + rng.uniform(0, 1, (rows, 2))) / FINE)


@cache
def pattern(name: str) -> Floats:
    """Return the shares of a generator's cells."""
    fixed = np.random.default_rng(list(name.encode()))
    return normal(GENERATORS[name][1]((FINE, FINE), fixed)).reshape(-1)
