"""Pictures are drawn, and bad ones refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import hushgram as hg
from hushgram.axis import Axis, Window
from hushgram.errors import QuestionError
from hushgram.partition import Boxes, Cuts, Grid, Raster, Refined
from tests.samples import release_of

pytest.importorskip("matplotlib")


@pytest.mark.parametrize("shape", [(40,), (5,), (1,), (20, 30), (3, 4)])
@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_one_and_two_axes(tmp_path: Path, shape: tuple[int, ...], ending: str) -> None:
    release = hg.publish(hg.Counts(np.full(shape, 9)), epsilon=1)
    figure = release.plot(tmp_path / f"picture.{ending}", title="A title")
    assert (tmp_path / f"picture.{ending}").stat().st_size > 1000
    axes = figure.axes[0]
    assert axes.get_title(loc="left") == "A title"
    assert axes.get_xlabel() == "x0"


def test_the_steps_are_the_counts_and_the_band_holds_the_noise() -> None:
    release = hg.publish(hg.Counts([50, 60, 70]), epsilon=1)
    axes = release.plot().axes[0]
    steps = axes.patches[0].get_data()
    assert steps.values.tolist() == release.to_array().tolist()
    band = axes.collections[0].get_paths()[0].vertices[:, 1]
    assert (band.min(), band.max()) == (steps.values.min() - 3, steps.values.max() + 3)


def test_uneven_and_named_bins(tmp_path: Path) -> None:
    import pandas as pd

    frame = pd.DataFrame({"size": [5.0, 50.0, 5e6], "land": ["FR", "DE", "??"]})
    domain = hg.Domain(
        land=hg.Category(("FR", "DE"), outside="other"), size=hg.Variable((0, 10, 100, 1e7))
    )
    release = hg.publish(frame, domain, epsilon=1, account="a", ledger=hg.Ledger.in_memory())
    axes = release.plot(tmp_path / "p.png").axes[0]
    assert [text.get_text() for text in axes.get_xticklabels()] == ["FR", "DE", "other"]
    assert axes.get_yticklabels()[1].get_text() == "10–100"


def test_three_axes_are_too_many() -> None:
    with pytest.raises(QuestionError, match="one or two axes"):
        hg.publish(hg.Counts(np.ones((2, 2, 2), dtype=int)), epsilon=1).plot()


def test_uneven_slices_are_drawn_by_density() -> None:
    """Areas are counts, whatever the widths; a strip beyond the axis is what lies outside."""
    domain = hg.Domain(x=hg.Regular(10, 0, 5, outside="other"))
    release = release_of(Cuts(domain, (np.array([0, 1, 4]),)), [10, 30, 60, 7])
    axes = release.plot().axes[0]
    steps = axes.patches[0].get_data()
    assert steps.edges.tolist() == [0, 0.5, 2, 5, 5.5]
    assert (steps.values * np.diff(steps.edges)).tolist() == pytest.approx([10, 30, 60, 7])
    assert axes.get_ylabel() == "rows per unit of x"
    assert axes.get_xlabel() == "x (beyond: other)"


AXES: dict[str, Axis] = {
    "number": hg.Integer(0, 5, outside="other"),
    "name": hg.Category(["a", "b", "c"], outside="other"),
    "day": hg.Date("2024-01-01", "2024-01-10"),
    "edge": hg.Variable([0, 1, 10, 100], outside="other"),
    "window": Window(hg.Regular(12, 0, 3), 2, 9),
}


@pytest.mark.parametrize("first", AXES)
@pytest.mark.parametrize("second", [None, *AXES])
def test_boxes_of_every_kind_of_axis(tmp_path: Path, first: str, second: str | None) -> None:
    names = dict.fromkeys([first, second or first])
    domain = hg.Domain({name: AXES[name] for name in names})
    release = release_of(Cuts(domain, tuple(np.array([0, 1]) for _ in names)))
    figure = release.plot(tmp_path / "picture.png")
    assert figure.axes[0].get_xlabel().startswith(first)


def test_rectangles_are_the_boxes_coloured_by_density() -> None:
    domain = hg.Domain(lon=hg.Interval(0, 8), lat=hg.Interval(0, 4))
    layout = Boxes(Raster(domain, (8, 4)), np.array([0, -1, 1, -1, -1]), np.array([2, 0, 1, 0, 0]))
    figure = release_of(layout, [80, 120, -50]).plot()
    heat = figure.axes[0].collections[0]
    corners = [path.get_extents().extents.tolist() for path in heat.get_paths()]
    assert corners == [[0, 0, 2, 4], [2, 0, 8, 1], [2, 1, 8, 4]]
    assert heat.get_array().tolist() == [10, 20, 0]
    assert figure.axes[1].get_ylabel() == "rows per square degree"


def test_many_boxes_have_no_outlines(tmp_path: Path) -> None:
    domain = hg.Domain(x=hg.Interval(0, 1), y=hg.Interval(0, 1))
    for side, width in ((3, 0.3), (30, 0)):
        layout = Refined(Grid(domain, (2, 2)), np.full((4, 2), side))
        figure = release_of(layout, np.arange(layout.size)).plot(tmp_path / f"{side}.svg")
        assert figure.axes[0].collections[0].get_linewidths() == [width]
    assert (tmp_path / "30.svg").stat().st_size < 300_000
