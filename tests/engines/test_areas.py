"""Areas on every engine: the same integers, those of first principles."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import hushgram as hg
from hushgram.declare.axis import Axis, Window, axis_from_json
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows, User
from hushgram.geometry.partition import Grid, Raster, Refined
from hushgram.trusted.engine.sources.source import open_table
from hushgram.trusted.engine.table import Table
from tests import reference
from tests.engines.stores import Store

ROWS = 3000
ODD = [None, math.nan, math.inf, -math.inf, -0.0, 5e-324, 1e308, -1e308]


def star(rng: np.random.Generator, x: float, y: float) -> list[list[float]]:
    turn = np.sort(rng.random(9)) * 2 * math.pi
    out = rng.uniform(0.3, 1.2, 9)
    corners = np.stack([x + out * np.cos(turn), y + out * np.sin(turn)], axis=1)
    return [list(map(float, corner)) for corner in corners]


def stars(outside: Any) -> hg.Areas:
    """Sixty areas that overlap and leave gaps."""
    rng = np.random.default_rng(5)
    drawn = {f"s{n}": star(rng, *rng.uniform(0, 9, 2)) for n in range(60)}
    return hg.Areas(drawn, ("lon °", "select"), resolution=97, outside=outside)


def columns() -> tuple[list[Any], list[Any]]:
    """Points all over the areas and beyond them: on edges of cells, next to them, and no points."""
    rng = np.random.default_rng(6)
    found = []
    for side in (stars("drop").raster.x, stars("drop").raster.y):
        edges = [side.edge(index) for index in range(side.bins + 1)]
        near = [math.nextafter(e, way) for e in edges for way in (-math.inf, math.inf)]
        pool = np.array([*edges, *near, *rng.uniform(side.lo - 1, side.hi + 1, 600)])
        values: list[Any] = rng.choice(pool, ROWS).tolist()
        for place in rng.integers(0, ROWS, 80).tolist():
            values[place] = ODD[place % len(ODD)]
        found.append(values)
    return found[0], found[1]


XS, YS = columns()
SEX = ["F" if place % 3 else "M" for place in range(ROWS)]
TABLE = pa.table({
    "sex": SEX,
    "lon °": pa.array(XS, pa.float64()),
    "select": pa.array(YS, pa.float64()),
    "text": pa.array([None if y is None else repr(y) for y in YS], pa.string()),
    "who": pa.array([place % 700 for place in range(ROWS)], pa.int64()),
})  # fmt: skip


@pytest.fixture(scope="module")
def source(store: Store) -> Any:
    return store.load(TABLE)


def expected(axis: hg.Areas) -> list[int | None]:
    known: dict[Any, int | None] = {}
    for point in zip(XS, YS, strict=True):
        known.setdefault(repr(point), reference.area_place(axis, *point))
    return [known[repr(point)] for point in zip(XS, YS, strict=True)]


def opened(source: Any, domain: Domain, unit: Any = None) -> Table:
    return open_table(source).bound_to(domain, unit or Rows())


@pytest.mark.parametrize("outside", ["drop", "other"])
def test_the_same_integers(source: Any, outside: Any) -> None:
    axis = stars(outside)
    domain = Domain(sex=hg.Category(["F", "M"]), area=axis)
    places = expected(axis)
    counts = np.zeros((2, axis.size), dtype=int)
    for sex, place in zip(SEX, places, strict=True):
        if place is not None:
            counts["FM".index(sex), place] += 1
    table = opened(source, domain)
    found = table.count(Grid.of_cells(domain))
    assert found.tolist() == counts.reshape(-1).tolist()
    assert counts[:, :60].sum() > 500
    occupied = table.occupied_cells(Raster.of_cells(domain))
    assert dict(zip(occupied.cells.tolist(), occupied.rows.tolist(), strict=True)) == {
        cell: rows for cell, rows in enumerate(counts.reshape(-1).tolist()) if rows
    }


def window(axis: Axis) -> Axis:
    return Window(axis, 7, axis.size)


@pytest.mark.parametrize("outside", ["drop", "other"])
def test_some_of_the_areas_and_finer_parts(source: Any, outside: Any) -> None:
    axis = stars(outside)
    counts = np.bincount([p for p in expected(axis) if p is not None], minlength=axis.size)
    some = Domain(area=window(axis))
    assert opened(source, some).count(Grid.of_cells(some)).tolist() == counts[7:].tolist()
    whole = Domain(area=axis)
    halves = Grid(whole, (2,))
    lower, upper = halves.boxes()
    parts = Refined(halves, np.minimum(upper - lower, 5))
    places = [p for p in expected(axis) if p is not None]
    wanted = np.bincount(parts.parts([np.array(places)]), minlength=parts.size)
    assert opened(source, whole).count(parts).tolist() == wanted.tolist()


def test_points_in_texts_and_columns_that_are_read_twice(source: Any) -> None:
    drawn = stars("drop")
    axis = axis_from_json({**drawn.to_json(), "columns": ["lon °", "text"]})
    places = expected(drawn)
    sides = Domain({"area": axis, "text": hg.Regular(3, 0, 9)})
    wanted = np.zeros((axis.size, 3), dtype=int)
    for place, y in zip(places, YS, strict=True):
        third = reference.place(hg.Regular(3, 0, 9), y)
        if place is not None and third is not None:
            wanted[place, third] += 1
    found = opened(source, sides).count(Grid.of_cells(sides))
    assert found.tolist() == wanted.reshape(-1).tolist()


def test_people_have_few_rows_of_those_in_areas(source: Any) -> None:
    """Rows in no area are not chosen: who has one in an area keeps it."""
    axis = stars("drop")
    domain = Domain(area=axis)
    found = opened(source, domain, User("who", 1)).count(Grid.of_cells(domain))
    inside = {place % 700 for place, area in enumerate(expected(axis)) if area is not None}
    assert int(found.sum()) == len(inside)
    owners = open_table(source).owners("who", domain)
    rows = Domain({"rows of who": hg.Integer(0, 9)})
    assert int(owners.bound_to(rows, Rows()).count(Grid.of_cells(rows)).sum()) == len(inside)


def test_a_missing_column_is_named(source: Any) -> None:
    axis = axis_from_json({**stars("drop").to_json(), "columns": ["lon °", "late"]})
    with pytest.raises(hg.SourceError, match="no column 'late'"):
        open_table(source).check(Domain(area=axis), Rows())
