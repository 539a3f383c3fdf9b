"""Densities: boxes with volumes, points in them, and Voronoi cells of sorted rows."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pytest

import hushgram as hg
from hushgram.answers.learning.density import BoxDensity
from hushgram.errors import NotAnswerable, QuestionError
from hushgram.geometry.partition import Cuts
from tests.answers.counting.test_quantiles import exact
from tests.samples import cells, release_of


def test_a_density_is_rows_per_unit() -> None:
    months = hg.Date("2024-01-01", "2024-02-29", "1mo")
    grid = cells(x=hg.Variable([0, 1, 3, 10]), d=months)
    release = exact(grid, [[31, 29], [62, 0], [0, 7 * 29]])
    found = release.density()
    assert found.volumes.tolist() == [31, 29, 62, 58, 217, 203]
    assert found.values.tolist() == pytest.approx([1, 1, 1, 0, 0, 1])
    frame = found.to_pandas()
    assert list(frame) == [
        "x_lo",
        "x_hi",
        "d_lo",
        "d_hi",
        "count",
        "volume",
        "density",
        "lower",
        "upper",
    ]
    assert frame["d_hi"][0] == dt.datetime(2024, 2, 1)
    assert (frame["count"] / frame["volume"]).tolist() == pytest.approx(frame["density"].tolist())


def test_whole_numbers_and_categories_take_one() -> None:
    grid = cells(n=hg.Integer(5, 6, outside="other"), c=hg.Category(["a", "b"], outside="other"))
    release = exact(grid, np.arange(9))
    found = release.density()
    assert len(found) == 6
    assert found.values.tolist() == [0, 1, 2, 3, 4, 5]
    assert found.to_pandas()["c"].tolist() == ["a", "b", "other"] * 2
    assert found.at({"n": [6, 5], "c": ["b", "other"]}).tolist() == [4, 2]
    with pytest.raises(QuestionError, match="has no"):
        found.at({"n": ["other"], "c": ["a"]})


def test_points_lie_in_their_box() -> None:
    release = exact(cells(x=hg.Regular(4, 0, 2)), [1, 2, 3, 4])
    assert release.density(at=[0, 0.5, 1.9, 2]).tolist() == [2, 4, 8, 8]
    assert release.density(at={"x": [0.1]}).tolist() == [2]
    for points, reason in (
        ([2.1], "is not on the axis"), ({"y": [1]}, "a column for each axis: 'x'"),
    ):  # fmt: skip
        with pytest.raises(QuestionError, match=reason):
            release.density(at=points)
    two = exact(cells(x=hg.Integer(0, 1), y=hg.Integer(0, 1)), [1, 2, 3, 4])
    with pytest.raises(QuestionError, match="the same length"):
        two.density(at={"x": [0], "y": [0, 1]})


def test_polygons_of_boxes_are_their_corners_in_order() -> None:
    grid = cells(x=hg.Variable([0, 1, 3]), y=hg.Variable([0, 2, 5]))
    first, second, *_ = exact(grid, [[1, 2], [3, 4]]).density().polygons()
    assert first.tolist() == [[0, 0], [1, 0], [1, 2], [0, 2]]
    assert second.tolist() == [[0, 2], [1, 2], [1, 5], [0, 5]]
    with pytest.raises(NotAnswerable, match="two axes, but this has 1"):
        exact(cells(x=hg.Regular(4, 0, 2)), [1, 2, 3, 4]).density().polygons()


@pytest.mark.parametrize(
    "name", ["adaptive-grid", "privtree", "quadtree", "uniform-grid", "sorted"]
)
def test_densities_integrate_to_the_rows(name: str) -> None:
    counts = np.zeros((32, 32), dtype=int)
    counts[3:9, 20:30] = 40
    release = hg.publish(hg.Counts(counts), epsilon=1, mechanism=name)
    found = release.density()
    assert (found.values * found.volumes).sum() == pytest.approx(release.count().value)
    x, y = np.meshgrid(np.arange(32), np.arange(32), indexing="ij")
    cell_by_cell = release.density(at={"x0": x.ravel(), "x1": y.ravel()})
    np.testing.assert_allclose(cell_by_cell, release.to_array().ravel(), atol=1e-9)


def test_voronoi_cells_meet_in_the_middle() -> None:
    counts = np.zeros(1000, dtype=int)
    counts[[100, 101, 700]] = [4000, 4000, 8000]
    release = hg.publish(hg.Counts(counts), epsilon=8, mechanism="sorted")
    found = release.density(cells="voronoi")
    assert isinstance(found, BoxDensity)
    rows = release.estimate.inference.reconstruction()
    assert rows is not None
    points = np.unique(rows.positions) + 0.5
    np.testing.assert_allclose(found.upper[:-1, 0], (points[1:] + points[:-1]) / 2)
    assert (found.lower[0, 0], found.upper[-1, 0]) == (0, 1000)
    assert found.counts.sum() == rows.rows
    assert (found.volumes > 0).all()
    at = release.density(at=[100, 400, 700], cells="voronoi")
    assert at[0] > at[1]
    assert at[2] > at[1]


def test_what_has_no_voronoi_cells_says_so() -> None:
    release = release_of(cells(x=hg.Integer(0, 3)))
    with pytest.raises(NotAnswerable, match="no reconstructed points"):
        release.density(cells="voronoi")
    with pytest.raises(QuestionError, match="Use parts or voronoi"):
        release.density(cells="round")


def test_wide_slices_have_their_volume() -> None:
    domain = hg.Domain(x=hg.Interval(0, 1, 8))
    release = exact(Cuts(domain, (np.array([0, 2]),)), [1, 3])  # type: ignore[arg-type]
    assert release.density().volumes.tolist() == [0.25, 0.75]
    assert release.density(at=[0.2, 0.3]).tolist() == [4, 4]


def test_intervals_of_densities_are_those_of_counts() -> None:
    release = release_of(cells(x=hg.Regular(4, 0, 2), d=hg.Integer(0, 2, outside="other")))
    frame = release.density().to_pandas()
    for row in frame.itertuples():
        answer = release.count(x=(row.x_lo, row.x_hi), d=int(row.d_lo))
        assert (row.lower / 2, row.upper / 2) == pytest.approx(answer.interval)


def test_voronoi_cells_have_no_intervals() -> None:
    release = hg.publish(hg.Counts([0, 5, 9, 500, 700, 30]), epsilon=1, mechanism="sorted")
    assert release.density(cells="voronoi").half_widths is None
    assert "upper" not in release.density(cells="voronoi").to_pandas()
