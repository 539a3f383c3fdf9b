"""Maps of areas."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import hushgram as hg
from hushgram.errors import OutputError
from hushgram.release.areas import AreaCounts
from hushgram.show.charts.canvas import render
from tests.samples import cells, release_of

shapely = pytest.importorskip("shapely")
pytest.importorskip("matplotlib")


def areas(counts: object = None) -> AreaCounts:
    grid = cells(lon=hg.Regular(6, 0, 60), lat=hg.Regular(4, 30, 70))
    ring = shapely.box(0, 30, 30, 60).difference(shapely.box(10, 40, 20, 50))
    polygons = {
        "around": ring,
        "hole": shapely.box(10, 40, 20, 50),
        "a name that is far too long to fit": shapely.box(30, 30, 31, 60),
        "$east$": shapely.box(31, 30, 60, 60),
        "outside": shapely.box(0, 71, 20, 75),
    }
    values = np.arange(24) ** 2 if counts is None else counts
    return release_of(grid, values).areas(polygons)


def texts(figure: object) -> set[str]:
    return {text.get_text() for text in figure.axes[0].texts}  # type: ignore[attr-defined]


def test_areas_are_coloured_hatched_and_named(tmp_path: Path) -> None:
    counts = areas()
    figure = counts.plot(tmp_path / "a.svg")
    axes = figure.axes[0]
    colours, hatched = axes.collections
    assert np.ma.getmaskarray(colours.get_array()).tolist() == [False] * 4 + [True]
    assert np.allclose(colours.get_array()[:4], counts.measure("density").values[:4])
    assert hatched.get_hatch() == "/////"
    assert len(hatched.get_paths()) == 1
    assert texts(figure) == {"around", "hole", r"\$east\$", "outside"}
    assert figure.get_suptitle() == "Rows per km², by area"
    said = " ".join(figure.get_supxlabel().split())
    assert said.startswith("Noise added for privacy (ε = 0.5)")
    assert said.endswith("Hatched: may be zero (the 95 % interval includes zero). Grey: unknown.")
    assert (tmp_path / "a.svg").read_bytes() == render(counts.plot(), ".svg")
    with pytest.raises(OutputError, match="exists"):
        counts.plot(tmp_path / "a.svg")


def test_holes_are_left_open() -> None:
    path = areas().plot(of="count", title="Rows").axes[0].collections[0].get_paths()[0]
    assert path.contains_point((5, 35))
    assert (path.codes == path.MOVETO).sum() == 2
    pixels = np.asarray(draw(areas().plot(of="share")))
    assert pixels.std() > 0


def draw(figure: object) -> object:
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas = FigureCanvasAgg(figure)  # type: ignore[arg-type]
    canvas.draw()
    return canvas.buffer_rgba()


def test_wide_ranges_are_logarithmic() -> None:
    grid = cells(x=hg.Regular(20, 0, 20), y=hg.Regular(1, 0, 1))
    values = [10] * 18 + [100_000] * 2
    boxes = shapely.box(np.arange(20), 0, np.arange(1, 21), 1)
    figure = release_of(grid, values).areas(list(boxes)).plot()
    assert type(figure.axes[0].collections[0].norm).__name__ == "AsinhNorm"
    assert "1,000" in {label.get_text() for label in figure.axes[1].get_yticklabels()}


def test_changes_have_two_directions(tmp_path: Path) -> None:
    changes = areas().compare(areas(np.arange(24)[::-1] ** 2))
    figure = changes.plot(tmp_path / "c.png")
    norm = figure.axes[0].collections[0].norm
    assert norm.vmin == -norm.vmax
    assert figure.get_suptitle() == "Change in rows, by area"
    same = areas().compare(areas()).plot()
    assert same.axes[0].collections[0].norm.vmax == 1


def test_nothing_but_zeros_can_be_drawn() -> None:
    assert areas(np.zeros(24)).plot().axes[0].collections[0].norm.vmax > 0


def test_the_house_style_and_a_caller_s_axes() -> None:
    from matplotlib.figure import Figure

    counts = areas()
    figure = counts.plot(rows="stops", source="City", date="2024", dark=True)
    assert figure.get_suptitle() == "Stops per km², by area"
    assert figure.get_supxlabel().startswith("Source: City, 2024. Noise added")
    assert figure.get_facecolor()[0] < 0.2
    own = Figure()
    left, right = own.subplots(1, 2)
    assert counts.plot(of="count", ax=left, title="Left") is own
    assert left.get_title(loc="left") == "Left"
    assert len(right.collections) == 0
