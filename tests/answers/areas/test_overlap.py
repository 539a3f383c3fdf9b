"""The share of each part that polygons cover, beside shapely's own intersections."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hushgram.answers.areas.overlap import BoxTree
from hushgram.answers.areas.placing import Plane, place
from hushgram.answers.areas.shapes import read_shapes
from hushgram.declare.axis import Axis, Interval, Regular, Variable
from hushgram.declare.domain import Domain
from hushgram.errors import NotAnswerable
from hushgram.geometry.partition import Boxed, Cuts, Grid, Refined

shapely = pytest.importorskip("shapely")

EVEN = Domain(x=Interval(-3, 7), y=Interval(0, 5))
UNEVEN = Domain(x=Variable([-3, -1, 0, 0.25, 2, 7]), y=Variable([0, 1, 4, 5]))


def layouts() -> dict[str, Boxed]:
    fine = Grid(EVEN, (5, 4))
    sizes = np.stack([np.arange(20) % 3 + 1, np.arange(20) % 4 + 1], axis=1)
    cuts = np.array([0, 1, 5000, 400_000]), np.array([0, 99_999])
    return {
        "grid": Grid(EVEN, (37, 23)),
        "one part": Grid(EVEN, (1, 1)),
        "bins": Grid.of_cells(Domain(x=Regular(12, -3, 7), y=Regular(9, 0, 5))),
        "refined": Refined(fine, sizes),
        "cuts": Cuts(EVEN, cuts),
    }


def blob(rng: np.random.Generator, corners: int) -> Any:
    """A star with many corners, around anywhere, that may reach beyond the axes."""
    angles = np.sort(rng.random(corners)) * 2 * np.pi
    radius = rng.uniform(0.2, 4) * rng.uniform(0.4, 1, corners)
    points = np.stack([np.cos(angles), np.sin(angles)], axis=1) * radius[:, None]
    return shapely.Polygon(points + rng.uniform((-3, 0), (7, 5)))


def polygons() -> list[Any]:
    rng = np.random.default_rng(4)
    ring, hole = shapely.box(-2, 0.5, 6, 4.5), shapely.box(0, 1, 3, 3)
    return [
        *(blob(rng, corners) for corners in (3, 4, 5, 8, 20, 60)),
        shapely.difference(ring, hole),
        shapely.MultiPolygon([shapely.box(-3, 0, -2, 1), shapely.box(1, 1, 1.5, 4.9)]),
        shapely.box(0.1, 0.1, 0.1 + 1e-7, 4.9),  # a sliver
        shapely.box(-10, -10, 10, 10),
        shapely.box(20, 20, 21, 21),
        shapely.box(-1, 1.25, 2, 2.5),  # on edges of cells
    ]


def weights(layout: Boxed, areas: list[Any]) -> Any:
    shapes = read_shapes(areas)
    placed = place(shapes, Plane.of(layout.domain), layout.domain)
    return BoxTree.of(*layout.boxes()).cover(placed.rings, len(shapes))


def value_boxes(layout: Boxed) -> Any:
    lower, upper = layout.boxes()
    sides = [
        np.asarray(axis.edges_at(side[:, n]), dtype=np.float64)
        for side in (lower, upper)
        for n, axis in enumerate(layout.domain.axes)
    ]
    return shapely.box(*sides)


def shares(boxes: Any, areas: list[Any]) -> Any:
    inside = [shapely.area(shapely.intersection(boxes, area)) for area in areas]
    return np.array(inside) / shapely.area(boxes)


@pytest.mark.parametrize("kind", layouts())
def test_shares_are_those_of_intersections(kind: str) -> None:
    layout, areas = layouts()[kind], polygons()
    found = weights(layout, areas).toarray()
    assert np.abs(found - shares(value_boxes(layout), areas)).max() < 1e-9
    assert ((found >= 0) & (found <= 1)).all()
    assert (found[9] == 1).all()
    assert (found[10] == 0).all()


def test_what_is_whole_is_exactly_so() -> None:
    grid = Grid.of_cells(Domain(x=Regular(10, -3, 7), y=Regular(4, 0, 5)))
    found = weights(grid, [shapely.box(-1, 1.25, 2, 2.5)])
    assert found.nnz == 3
    assert set(found.data) == {1.0}


def test_bins_of_different_widths_bend_straight_lines() -> None:
    """In units of indices a bin counts by itself: a part has the mean of its bins' shares."""
    cells, coarse = Grid.of_cells(UNEVEN), Cuts(UNEVEN, (np.array([0, 2]), np.array([0, 1])))
    areas = polygons()
    each = shares(value_boxes(cells), areas).reshape(len(areas), 5, 3)
    assert np.abs(weights(cells, areas).toarray().reshape(each.shape) - each).max() < 1e-9
    columns = np.split(each, [2], axis=1)
    blocks = [block for column in columns for block in np.split(column, [1], axis=2)]
    expected = np.stack([block.mean(axis=(1, 2)) for block in blocks], axis=1)
    assert np.abs(weights(coarse, areas).toarray() - expected).max() < 1e-9


def test_districts_divide_every_part() -> None:
    rng = np.random.default_rng(8)
    seeds = shapely.multipoints(rng.uniform((-3, 0), (7, 5), (60, 2)))
    cells = shapely.get_parts(shapely.voronoi_polygons(seeds, extend_to=shapely.box(-3, 0, 7, 5)))
    found = weights(layouts()["refined"], list(cells))
    assert np.abs(np.asarray(found.sum(axis=0)).reshape(-1) - 1).max() < 1e-12


def test_too_many_parts_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from hushgram.answers.areas import overlap

    monkeypatch.setattr(overlap, "MAX_PIECES", 100)
    with pytest.raises(NotAnswerable, match="fewer areas at once"):
        weights(layouts()["grid"], polygons())


@pytest.mark.parametrize("axis", [Regular(4, 0, 1), Interval(0, 1)])
def test_axes_may_come_in_any_order(axis: Axis) -> None:
    domain = Domain(y=axis, x=Regular(2, 0, 2))
    plane = Plane.of(domain)
    assert (plane.across, plane.up, plane.degrees) == ("x", "y", False)
