"""Reconstructed points and their Voronoi cells."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pandas as pd
import pytest

import hushgram as hg
from hushgram.answers.learning.points import ReconstructedPoints
from hushgram.answers.learning.voronoi import cell_sizes, voronoi_density, with_mirrored
from hushgram.declare.domain import Domain
from hushgram.errors import NotAnswerable
from hushgram.geometry.measured.curve import Curve
from hushgram.mechanisms.sorted import Sorted


def published(counts: Any, epsilon: float = 1, **parameters: Any) -> hg.Release:
    return hg.publish(hg.Counts(counts), epsilon=epsilon, mechanism=Sorted(**parameters))


def test_points_are_the_groups_positions_with_their_rows() -> None:
    release = published(np.random.default_rng(3).poisson(30, 500))
    found, rows = release.points(), release.estimate.inference.reconstruction()
    assert rows is not None
    assert found.coordinates[:, 0].tolist() == pytest.approx(np.unique(rows.positions).tolist())
    assert (found.rows.sum(), len(found)) == (rows.rows, len(found.positions))
    again = np.repeat(found.coordinates[:, 0], found.rows)
    np.testing.assert_allclose(again, np.repeat(rows.positions, rows.lengths))


def test_much_budget_brings_the_rows_back() -> None:
    counts = np.zeros((16, 16), dtype=int)
    counts[3, 5], counts[12, 1], counts[7, 14] = 1000, 2000, 3000
    frame = published(counts, 10, group_size=50).points().to_pandas()
    assert list(frame) == ["x0", "x1", "count"]
    x, y = frame[["x0", "x1"]].to_numpy().T
    for place, rows in (((3, 5), 1000), ((12, 1), 2000), ((7, 14), 3000)):
        near = (np.abs(x - place[0]) + np.abs(y - place[1])) <= 2
        assert abs(frame["count"][near].sum() - rows) <= 150


def test_places_come_back_from_the_curve() -> None:
    domain = Domain(
        x=hg.Integer(0, 6), y=hg.Category(["a", "b", "c"]), z=hg.Interval(0, 1, resolution=2**20)
    )
    curve = Curve(domain)
    cells = np.random.default_rng(1).integers(0, curve.raster.size, 1000)
    at = np.stack(np.unravel_index(cells, curve.raster.shape), axis=1)
    back = curve.positions_at(curve.places(cells).astype(float))
    assert (np.floor(back[:, :2]) == at[:, :2]).all()
    np.testing.assert_allclose(back[:, 2], (at[:, 2] + 0.5) * (2**20 / curve.raster.shape[2]))


def test_dates_and_categories_by_name() -> None:
    days = pd.date_range("2024-01-01", periods=91).repeat(30)
    table = pd.DataFrame({"day": days, "kind": np.resize(["a", "b"], len(days))})
    domain = {"day": hg.Date("2024-01-01", "2024-03-31"), "kind": hg.Category(["a", "b"])}
    release = hg.publish(table, domain, epsilon=5, account="days", mechanism="sorted")
    frame = release.points().to_pandas()
    assert set(frame["kind"]) <= {"a", "b"}
    assert frame["day"].between(dt.datetime(2024, 1, 1), dt.datetime(2024, 4, 1)).all()


def test_an_axis_called_count_keeps_its_column() -> None:
    release = hg.publish(
        pd.DataFrame({"count": np.arange(900) % 50}), {"count": hg.Integer(0, 49)},
        epsilon=5, account="c", mechanism="sorted",
    )  # fmt: skip
    assert list(release.points().to_pandas()) == ["count_axis", "count"]


def test_other_releases_and_views_have_none() -> None:
    for release in (
        hg.publish(hg.Counts([5, 7, 9]), epsilon=1, mechanism="identity"),
        published(np.full((8, 8), 20)).project("x0"),
    ):
        with pytest.raises(NotAnswerable, match="no reconstructed points"):
            release.points()


# Voronoi cells ------------------------------------------------------------------------------------


@pytest.mark.parametrize("axes", [2, 3])
@pytest.mark.parametrize("many", [1, 2, 7, 60])
def test_cells_are_as_large_as_their_hulls(axes: int, many: int) -> None:
    """Against convex hulls of the corners, and together they fill the cube."""
    from scipy.spatial import ConvexHull, Voronoi

    points = np.random.default_rng(many).uniform(size=(many, axes))
    diagram = Voronoi(with_mirrored(points))
    found = cell_sizes(diagram, many)
    corners = [diagram.vertices[diagram.regions[diagram.point_region[n]]] for n in range(many)]
    assert found.sum() == pytest.approx(1)
    assert found.tolist() == pytest.approx([ConvexHull(one).volume for one in corners])
    assert all((one > -1e-9).all() and (one < 1 + 1e-9).all() for one in corners)


@pytest.mark.parametrize("axes", [2, 3])
def test_a_lattice_of_points_has_equal_cells(axes: int) -> None:
    from scipy.spatial import Voronoi

    points = (np.stack(np.meshgrid(*[np.arange(5)] * axes), -1).reshape(-1, axes) + 0.5) / 5
    found = cell_sizes(Voronoi(with_mirrored(points)), len(points))
    assert found.tolist() == pytest.approx([5.0**-axes] * len(points))


def test_density_by_counting_the_nearest_point() -> None:
    """Brute force: every place of a fine grid belongs to its nearest point, axes being alike."""
    domain = Domain(x=hg.Interval(0, 2, 200), y=hg.Interval(-5, 5, 200))
    positions = np.random.default_rng(5).uniform(0, 200, (12, 2))
    found = voronoi_density(ReconstructedPoints(domain, positions, np.arange(1, 13)))
    fine = np.stack(np.meshgrid(*[np.arange(200) + 0.5] * 2, indexing="ij"), -1).reshape(-1, 2)
    nearest = np.argmin(((fine[:, None] - positions) ** 2).sum(axis=2), axis=1)
    assert found.cell_of(fine).tolist() == nearest.tolist()
    shares = np.bincount(nearest, minlength=12) / len(fine)
    np.testing.assert_allclose(found.volumes / 20, shares, atol=0.003)
    assert found.volumes.sum() == pytest.approx(20)
    assert (found.values * found.volumes).tolist() == pytest.approx(list(range(1, 13)))
    x, y = found.points.coordinates.T
    assert found.at({"x": x, "y": y}).tolist() == pytest.approx(found.values.tolist())
    assert list(found.to_pandas()) == ["x", "y", "count", "volume", "density"]


def test_polygons_go_around_their_cells() -> None:
    found = published(np.random.default_rng(0).poisson(20, (32, 32))).density(cells="voronoi")
    for corners, volume in zip(found.polygons(), found.volumes, strict=True):
        (x, y), (u, v) = corners.T, np.roll(corners, -1, axis=0).T
        assert ((x * v - u * y).sum() / 2) == pytest.approx(volume)
        assert (corners >= -1e-9).all()
        assert (corners <= 32 + 1e-9).all()
    assert found.half_widths is None
    assert len(found) == len(found.points)


def test_three_axes_have_cells_and_four_have_not() -> None:
    space = published(np.random.default_rng(0).poisson(3, (8, 8, 8))).density(cells="voronoi")
    assert space.volumes.sum() == pytest.approx(512)
    with pytest.raises(NotAnswerable, match="two axes, but this has 3"):
        space.polygons()
    with pytest.raises(NotAnswerable, match="up to 3 axes"):
        published(np.full((4, 4, 4, 4), 5)).density(cells="voronoi")
