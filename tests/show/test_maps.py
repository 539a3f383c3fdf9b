"""Maps: what each pixel shows, coastlines, degrees, kilometres and windows."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hushgram as hg
from hushgram.errors import NotAnswerable, QuestionError
from hushgram.geometry.partition import Boxes, Cuts, Raster
from hushgram.release import Release
from tests.samples import cells, release_of

pytest.importorskip("matplotlib")

from hushgram.show.charts.coastlines import lines
from hushgram.show.charts.colours import scale_of
from hushgram.show.charts.maps import square_kilometres
from hushgram.show.charts.raster import average_boxes, average_lattice
from tests.pictures import PICTURES


def pixels_of(release: Release, **options: Any) -> Any:
    return release.plot(**options).axes[0].images[0].get_array().filled(0)


def by_sampling(boxes: Any, amounts: Any, shape: tuple[int, int]) -> Any:
    """The average of each pixel, from many points in it."""
    many = 40
    y, x = ((np.arange(n * many) + 0.5) / many for n in shape)
    found = np.zeros((len(y), len(x)))
    for (left, bottom, right, top), amount in zip(boxes, amounts, strict=True):
        inside = np.outer((y >= bottom) & (y < top), (x >= left) & (x < right))
        found += amount * inside
    return found.reshape(shape[0], many, shape[1], many).mean(axis=(1, 3))


places = st.integers(0, 200).map(lambda n: n / 40)
spans = st.tuples(places, places).map(sorted)


@given(st.lists(st.tuples(spans, spans, st.integers(-9, 9)), min_size=1, max_size=5))
def test_a_pixel_is_the_average_of_what_it_covers(drawn: Any) -> None:
    boxes = np.array([(x[0], y[0], x[1], y[1]) for x, y, _ in drawn])
    amounts = np.array([amount for *_, amount in drawn], dtype=float)
    found = average_boxes(*boxes.T, amounts, (4, 3))
    assert found == pytest.approx(by_sampling(boxes, amounts, (4, 3)), abs=1e-9)


def test_rectangles_smaller_than_pixels_keep_their_rows() -> None:
    left, bottom = np.array([0.3, 1.999999, 2.5]), np.array([0.1, 0.5, 1.9])
    size = 1e-6
    found = average_boxes(left, bottom, left + size, bottom + size, np.full(3, 7 / size**2), (2, 3))
    assert found.sum() == pytest.approx(21)
    assert (found > 0.01).sum() == 3


def test_a_lattice_is_drawn_like_its_boxes() -> None:
    x, y = np.array([-1.0, 0.5, 0.7, 3.0]), np.array([0.0, 1.3, 5.0])
    amounts = np.arange(6.0).reshape(2, 3)
    boxes = [(a, b, c, d) for b, d in pairwise(y) for a, c in pairwise(x)]
    expected = average_boxes(*np.array(boxes).T, amounts.ravel(), (4, 3))
    assert average_lattice(amounts, x, y, (4, 3)) == pytest.approx(expected)


def test_the_smallest_part_does_not_set_the_scale() -> None:
    """A part that is a thousandth of a pixel wide is as dense as its pixel."""
    domain = hg.Domain(x=hg.Interval(0, 1), y=hg.Interval(0, 1))
    starts = np.array([0, 1, 2**19])
    image = release_of(Cuts(domain, (starts, starts)), [9000, *[500] * 8]).plot().axes[0].images[0]
    rows, columns = image.get_array().shape
    assert image.get_array().max() < 2 * 9000 * rows * columns < 9000 * 2**40
    assert image.norm.vmax < 10 * 500 * 4


def test_the_top_is_a_quantile_and_zero_the_background() -> None:
    amounts = np.append(np.linspace(1, 2, 999), 1e6)
    scale = scale_of([amounts], 0.0, None)
    assert (scale.norm.vmin, scale.over) == (0, True)
    assert scale.norm.vmax < 2.1
    empty = scale_of([np.zeros(4)], 3.0, None)
    assert (empty.norm.vmax, empty.over) == (6, False)
    pixels = release_of(cells(x=hg.Integer(0, 29), y=hg.Integer(0, 29)), -np.ones(900)).plot()
    assert pixels.axes[0].images[0].get_array().mask.all()


def test_rows_are_counted_by_square_kilometres() -> None:
    """The same rows lie closer together in the north."""
    grid = cells(lon=hg.Regular(1, 0, 10), lat=hg.Regular(2, 0, 80))
    pixels = pixels_of(release_of(grid, [10**8, 10**8]))
    south, north = pixels[10, 10], pixels[-10, 10]
    assert south == pytest.approx(10**8 / float(square_kilometres(0, 0, 10, 40)))  # type: ignore[arg-type]
    assert north / south == pytest.approx(np.sin(np.radians(40)) / (
        np.sin(np.radians(80)) - np.sin(np.radians(40))))  # fmt: skip


def test_sparse_maps_count_by_larger_areas() -> None:
    few = release_of(cells(lon=hg.Regular(9, 0, 90), lat=hg.Regular(4, 0, 40)), np.full(36, 5000))
    assert few.plot(rows="plants").get_suptitle() == "Plants per 10,000 km²"
    assert few.plot().axes[1].get_ylabel() == "rows per 10,000 km²"


def test_rectangles_of_a_tree_lie_where_they_are() -> None:
    domain = hg.Domain(lon=hg.Interval(0, 8), lat=hg.Interval(0, 4))
    layout = Boxes(Raster(domain, (8, 4)), np.array([0, -1, 1, -1, -1]), np.array([2, 0, 1, 0, 0]))
    pixels = pixels_of(release_of(layout, [80, 120, -50]))
    high, wide = pixels.shape
    assert (pixels[high // 4 + 4 :, wide // 4 + 4 :] == 0).all()
    assert pixels[10, -10] > pixels[10, 10] > 0


def test_degrees_and_a_scale_bar_are_written() -> None:
    grid = cells(lat=hg.Regular(6, 29, 31), lon=hg.Regular(8, -96, -93))
    axes = release_of(grid).plot().axes[0]
    named = [label.get_text() for label in axes.get_xticklabels()]
    assert named[0] == "96°W"
    assert "30°N" in [label.get_text() for label in axes.get_yticklabels()]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("", "")
    assert [text.get_text() for text in axes.texts] == ["50 km"]
    assert not PICTURES["world"][0]().plot().axes[0].texts
    assert axes.get_aspect() == pytest.approx(1 / np.cos(np.radians(30)))


def outlines_of(release: Release, **options: Any) -> int:
    return len(release.plot(**options).axes[0].collections)


def test_coastlines_and_borders_are_drawn_on_maps() -> None:
    world = PICTURES["world"][0]()
    assert (outlines_of(world), outlines_of(world, coastlines=False)) == (2, 0)
    city = release_of(cells(lon=hg.Regular(4, 0, 0.5), lat=hg.Regular(4, 50, 50.4)))
    assert (outlines_of(city), outlines_of(city, coastlines=True)) == (0, 2)
    with pytest.raises(NotAnswerable, match=r"two axes named lon and lat .* has 'x', 'y'"):
        PICTURES["nothing"][0]().plot(coastlines=True)
    with pytest.raises(NotAnswerable, match="named lon and lat"):
        world.plot(coastlines=True, kind="quantiles", axes="lat")
    with pytest.raises(NotAnswerable, match="named lon and lat"):
        world.plot(coastlines=True, axes="lat")
    named = release_of(cells(lon=hg.Category(["a"]), lat=hg.Category(["b"])))
    with pytest.raises(NotAnswerable, match="with degrees"):
        named.plot(coastlines=True)


def test_a_matrix_with_a_map_has_coastlines_and_north_above() -> None:
    grid = cells(
        lat=hg.Regular(3, -60, 75), sex=hg.Category(["F", "M"]), lon=hg.Regular(4, 0, 360)
    )  # fmt: skip
    panels = release_of(grid).plot(coastlines=True, kind="matrix").axes
    assert [panels[n].get_xlabel() for n in (7, 8)] == ["sex", "lat"]
    assert len(panels[6].collections) == 2


@pytest.mark.parametrize(("scale", "points"), [("110m", 5000), ("50m", 60_000), ("10m", 400_000)])
def test_the_coastlines_are_those_of_this_world(scale: str, points: int) -> None:
    coast = np.concatenate(lines("coast", scale))
    assert len(coast) > points
    assert (np.abs(coast) <= [180, 90]).all()
    assert np.hypot(*(coast - [18.4, -34.1]).T).min() < 0.5  # the Cape of Good Hope
    assert max(np.abs(np.diff(line[:, 0])).max() for line in lines("coast", scale)) < 30
    border = np.concatenate(lines("border", scale))
    assert np.hypot(*(border - [-100, 49]).T).min() < 25  # Canada and the United States
    assert abs(border[np.hypot(*(border - [-110, 49]).T).argmin(), 1] - 49) < 0.1


def test_a_window_is_drawn_and_scaled_by_itself() -> None:
    grid = cells(lon=hg.Regular(36, -180, 180), lat=hg.Regular(12, -60, 60))
    values = np.ones((36, 12))
    values[30, 9] = 10**6
    release = release_of(grid, values)
    axes = release.plot(bbox=(-20, -10, 40, 30)).axes[0]
    assert (axes.get_xlim(), axes.get_ylim()) == ((-20, 40), (-10, 30))
    assert axes.images[0].norm.vmax < release.plot().axes[0].images[0].norm.vmax
    assert release.plot(bbox=(-999, -99, 999, 0)).axes[0].get_xlim() == (-180, 180)
    for window in ((1, 2, 3), (5, 0, 5, 9), (9, 0, 5, 9)):
        with pytest.raises(QuestionError, match="bbox must be west, south, east, north"):
            release.plot(bbox=window)
    with pytest.raises(QuestionError, match="outside the published area"):
        release.plot(bbox=(0, 70, 9, 80))
    with pytest.raises(QuestionError, match="only applies to maps"):
        PICTURES["numbers"][0]().plot(bbox=(0, 0, 1, 1))


def test_what_may_be_zero_is_hatched() -> None:
    grid = cells(x=hg.Integer(0, 29), y=hg.Integer(0, 29))
    half = release_of(grid, np.repeat([1, 500], 450))
    assert half.plot(uncertain=True).axes[0].collections[0].hatches == ["////"]
    sure = release_of(grid, np.full(900, 500))
    assert not sure.plot(uncertain=True).axes[0].collections


def test_rows_outside_of_a_map_have_no_place_on_it() -> None:
    lat = hg.Regular(4, -90, 90, outside="other")
    release = release_of(cells(lon=hg.Regular(4, -180, 180), lat=lat), np.full(20, 9))
    axes = release.plot().axes[0]
    assert axes.get_ylim() == (-90, 90)
    assert np.isfinite(axes.images[0].get_array().filled(0)).all()
