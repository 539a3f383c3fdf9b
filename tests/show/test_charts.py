"""Pictures are drawn as they were, show what they say, and bad ones are refused."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hushgram as hg
from hushgram.declare.axis import Axis, Window
from hushgram.errors import NotAnswerable, OutputError, QuestionError
from hushgram.geometry.partition import Boxes, Cuts, Grid, Raster, Refined
from tests.samples import cells, release_of

pytest.importorskip("matplotlib")

from hushgram.show.charts.canvas import new_figure, render
from hushgram.show.charts.coastlines import lines
from hushgram.show.charts.heat import draw_heat, levels
from tests.pictures import PICTURES, bare, difference, drawn, kept

TOLERANCE = 1.0
"""How much dots differ on average, of 255. Two versions of matplotlib drew the same dots."""


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_looks_as_it_did(name: str) -> None:
    """If a change is wanted: python -m tests.pictures, and look at tests/golden/pictures."""
    assert difference(drawn(name), kept(name)) < TOLERANCE


CHANGES: list[tuple[str, str, Any]] = [
    ("numbers", "hushgram.show.charts.steps.DARK", "#f0a0a0"),
    (
        "numbers",
        "hushgram.show.charts.steps.half_width",
        lambda spread, _: 20 + 0 * spread.variance,
    ),
    ("values", "hushgram.show.charts.steps.half_width", lambda spread, _: 40 + 0 * spread.variance),
    ("slices", "hushgram.show.charts.steps.counts_compare", lambda *_: True),
    ("skewed", "hushgram.show.charts.steps.SKEW", 1e9),
    ("nothing", "hushgram.show.charts.heat.CALM", 0.2),
    ("world", "hushgram.show.charts.heat.draw_coastlines", lambda _: None),
    ("world", "hushgram.show.charts.heat.COLOURS", "viridis"),
    ("nothing", "hushgram.show.charts.heat.OUTLINED", 0),
    ("kd", "hushgram.show.charts.heat.weighted_quantile", lambda *_: 1e3),
    ("refined", "hushgram.show.charts.heat.levels", lambda amounts, _: (0, amounts.max() / 10)),
    ("table", "hushgram.show.charts.heat.WIDE", 1e9),
    ("table", "hushgram.show.charts.matrix.draw_pair", lambda *_, **__: None),
    ("quantiles", "hushgram.show.charts.quantiles.SHARES", (0.25, 0.5, 0.75)),
]


@pytest.mark.parametrize(("name", "what", "planted"), CHANGES)
def test_a_planted_change_is_seen(
    name: str, what: str, planted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(what, planted)
    assert difference(drawn(name), kept(name)) > TOLERANCE


@pytest.mark.parametrize("name", ["numbers", "world"])
def test_counts_that_lie_elsewhere_are_seen(name: str) -> None:
    made, options = PICTURES[name]
    release = made()
    moved = release_of(release.grid, np.roll(release.estimate.values, 2))
    assert difference(bare(moved.plot(**options)), kept(name)) > TOLERANCE


@pytest.mark.parametrize("shape", [(40,), (5,), (1,), (20, 30), (3, 4), (2, 3, 4)])
@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_any_number_of_axes_in_any_format(
    tmp_path: Path, shape: tuple[int, ...], ending: str
) -> None:
    release = hg.publish(hg.Counts(np.full(shape, 9)), epsilon=1)
    figure = release.plot(tmp_path / f"picture.{ending}", title="A title")
    assert (tmp_path / f"picture.{ending}").stat().st_size > 1000
    axes = figure.axes[0]
    title = figure.get_suptitle() if len(shape) > 2 else axes.get_title(loc="left")
    assert title == "A title"
    assert figure.axes[0 if len(shape) < 3 else 6].get_xlabel() == "x0"


def test_no_picture_is_overwritten(tmp_path: Path) -> None:
    release, path = release_of(cells(age=hg.Integer(0, 9))), tmp_path / "picture.svg"
    path.write_text("mine")
    for kind in ("counts", "quantiles"):
        with pytest.raises(OutputError, match=r"exists\. Choose another name"):
            release.plot(path, kind=kind)
    assert path.read_text() == "mine"
    release.plot(path, overwrite=True)
    assert path.stat().st_size > 1000


@pytest.mark.parametrize("ending", [".png", ".svg", ".pdf"])
def test_the_same_release_gives_the_same_bytes(ending: str) -> None:
    release = PICTURES["numbers"][0]()
    assert render(release.plot(), ending) == render(release.plot(), ending)


def test_the_steps_are_the_counts_and_the_band_holds_the_noise() -> None:
    release = hg.publish(hg.Counts([50, 60, 70]), epsilon=1)
    axes = release.plot().axes[0]
    steps = axes.patches[0].get_data()
    assert steps.values.tolist() == release.to_array().tolist()
    band = axes.collections[0].get_paths()[0].vertices[:, 1]
    assert (band.min(), band.max()) == pytest.approx(
        (steps.values.min() - 3.3, steps.values.max() + 3.3)
    )


def texts(labels: Any) -> list[str]:
    return [label.get_text() for label in labels]


def test_uneven_and_named_bins(tmp_path: Path) -> None:
    import pandas as pd

    frame = pd.DataFrame({"size": [5.0, 50.0, 5e6], "land": ["FR", "DE", "??"]})
    domain = hg.Domain(
        land=hg.Category(("FR", "DE"), outside="other"), size=hg.Variable((0, 10, 100, 1e7))
    )
    release = hg.publish(frame, domain, epsilon=1, account="a", ledger=hg.Ledger.in_memory())
    axes = release.plot(tmp_path / "p.png").axes[0]
    assert texts(axes.get_xticklabels()) == ["FR", "DE", "other"]
    assert axes.get_yticklabels()[1].get_text() == "10–100"


def test_uneven_slices_are_drawn_by_density() -> None:
    """Areas are counts, whatever the widths; a strip beyond the axis is what lies outside."""
    domain = hg.Domain(x=hg.Regular(10, 0, 5, outside="other"))
    release = release_of(Cuts(domain, (np.array([0, 1, 4]),)), [10, 30, 60, 7])
    axes = release.plot().axes[0]
    steps = axes.patches[0].get_data()
    assert steps.edges.tolist() == [0, 0.5, 2, 5, 5.5]
    assert (steps.values * np.diff(steps.edges)).tolist() == pytest.approx([10, 30, 60, 7])
    assert axes.get_ylabel() == "rows per unit of x"
    assert axes.get_xlabel() == "x"
    assert axes.get_xticks()[-1] == 5.25
    assert texts(axes.get_xticklabels())[-1] == "other"


def test_declared_months_are_counted_though_they_differ_in_length() -> None:
    release = PICTURES["months"][0]()
    axes = release.plot().axes[0]
    assert axes.patches[0].get_data().values.tolist() == release.to_array().tolist()
    assert axes.get_ylabel() == "rows"
    assert texts(axes.get_xticklabels())[:2] == ["2024", "Mar"]


def test_days_of_one_month_say_which_month() -> None:
    release = release_of(cells(day=hg.Date("2024-05-02", "2024-05-20")))
    assert "2024-May" in release.plot().axes[0].get_xlabel()


def test_parts_that_are_too_narrow_to_see_are_drawn_in_even_slices() -> None:
    domain = hg.Domain(x=hg.Interval(0, 1))
    release = release_of(Cuts(domain, (np.array([0, 1, 2, 2**19]),)), [100, 100, 1, 400])
    axes = release.plot().axes[0]
    steps = axes.patches[0].get_data()
    assert len(steps.values) == 400
    assert steps.values.sum() == pytest.approx(601)
    assert axes.get_ylabel().startswith("rows per slice (400 in all)")


def test_more_bins_than_dots_are_added_up() -> None:
    release = release_of(cells(x=hg.Integer(0, 4095)), np.ones(4096))
    steps = release.plot().axes[0].patches[0].get_data()
    assert len(steps.values) == 256
    assert set(steps.values.tolist()) == {16.0}
    flat = release_of(cells(x=hg.Integer(0, 599), y=hg.Integer(0, 599)))
    assert flat.plot().axes[0].collections[0].get_array().size == 500**2


def test_of_many_categories_some_are_named() -> None:
    many = hg.Category([f"the value number {n}" for n in range(200)])
    axes = release_of(cells(kind=many)).plot().axes[0]
    assert axes.get_xlabel() == "kind (one in 5 of 200 is named)"
    assert len(axes.get_xticks()) == 40
    few = hg.Category(["x" * 100, "y"])
    assert texts(release_of(cells(kind=few)).plot().axes[0].get_xticklabels())[0] == "x" * 23 + "…"


AXES: dict[str, Axis] = {
    "number": hg.Integer(0, 5, outside="other"),
    "name": hg.Category(["a", "b", "c"], outside="other"),
    "day": hg.Date("2024-01-01", "2024-01-10"),
    "edge": hg.Variable([0, 1, 10, 100], outside="other"),
    "window": Window(hg.Regular(12, 0, 3), 2, 9),
    "outer": Window(hg.Date("2024-01-01", "2024-01-10", outside="other"), 5, 11),
}


@pytest.mark.slow
@pytest.mark.parametrize("first", AXES)
@pytest.mark.parametrize("second", [None, *AXES])
def test_slices_of_every_kind_of_axis(tmp_path: Path, first: str, second: str | None) -> None:
    names = dict.fromkeys([first, second or first])
    domain = hg.Domain({name: AXES[name] for name in names})
    release = release_of(Cuts(domain, tuple(np.array([0, 1]) for _ in names)))
    figure = release.plot(tmp_path / "picture.png")
    assert figure.axes[0].get_xlabel().startswith(first)


@pytest.mark.parametrize("first", AXES)
def test_a_matrix_of_every_kind_of_axis(tmp_path: Path, first: str) -> None:
    domain = hg.Domain({first: AXES[first]} | AXES)
    release = release_of(Grid.of_cells(domain))
    figure = release.plot(tmp_path / "picture.png", axes=list(domain)[:3])
    assert figure.axes[6].get_xlabel().startswith(first)


def test_rectangles_are_the_boxes_coloured_by_density() -> None:
    domain = hg.Domain(lon=hg.Interval(0, 8), lat=hg.Interval(0, 4))
    layout = Boxes(Raster(domain, (8, 4)), np.array([0, -1, 1, -1, -1]), np.array([2, 0, 1, 0, 0]))
    figure = release_of(layout, [80, 120, -50]).plot()
    heat = figure.axes[0].collections[0]
    corners = [path.get_extents().extents.tolist() for path in heat.get_paths()]
    assert corners == [[0, 0, 2, 4], [2, 0, 8, 1], [2, 1, 8, 4]]
    assert heat.get_array().tolist() == [10, 20, 0]
    assert figure.axes[1].get_ylabel() == "rows per square degree"


def test_cells_are_coloured_where_they_lie() -> None:
    """Across is the first axis, but on a map it is the longitude."""
    release = release_of(cells(x=hg.Integer(0, 1), y=hg.Integer(0, 2)), [1, 2, 3, 4, 5, 6])
    assert release.plot().axes[0].collections[0].get_array().tolist() == [[1, 4], [2, 5], [3, 6]]
    grid = cells(lat=hg.Regular(2, 0, 20), lon=hg.Regular(3, 0, 30))
    axes = release_of(grid, [1, 2, 3, 4, 5, 6]).plot().axes[0]
    assert axes.collections[0].get_array().tolist() == [[1, 2, 3], [4, 5, 6]]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("lon", "lat")


def test_many_boxes_have_no_outlines(tmp_path: Path) -> None:
    domain = hg.Domain(x=hg.Interval(0, 1), y=hg.Interval(0, 1))
    for side, width in ((3, 0.5), (30, 0)):
        layout = Refined(Grid(domain, (2, 2)), np.full((4, 2), side))
        figure = release_of(layout, np.arange(layout.size)).plot(tmp_path / f"{side}.svg")
        assert figure.axes[0].collections[0].get_linewidths() == [width]
    assert (tmp_path / "30.svg").stat().st_size < 300_000


def test_a_matrix_has_steps_and_pairs() -> None:
    release = PICTURES["table"][0]()
    panels = release.plot().axes
    assert len(panels) == 9
    steps = panels[0].patches[0].get_data()
    assert steps.values.tolist() == release.project("age").to_array().tolist()
    pair = panels[6].collections[0].get_array()
    assert pair.tolist() == release.project("age", "day").to_array().T.tolist()


def test_axes_are_chosen_and_the_others_added_up() -> None:
    release = PICTURES["table"][0]()
    steps = release.plot(axes="age").axes[0].patches[0].get_data()
    assert steps.values.tolist() == release.project("age").to_array().tolist()
    assert release.plot(axes=["day", "age"]).axes[0].get_xlabel() == "day"


def test_seven_axes_are_too_many() -> None:
    domain = {f"a{n}": hg.Integer(0, 1) for n in range(7)}
    release = release_of(cells(**domain))
    with pytest.raises(NotAnswerable, match=r"6 axes at the most.*plot\(axes=\['a0', 'a1', 'a2'"):
        release.plot()
    assert len(release.plot(axes=list(domain)[:6]).axes) == 36


def test_quantiles_are_those_of_the_release() -> None:
    release = PICTURES["numbers"][0]()
    axes = release.plot(kind="quantiles").axes[0]
    x, y = axes.lines[0].get_data()
    answers = release.quantile("age", (x / 100).tolist())
    assert y.tolist() == [answer.value for answer in answers]
    band = axes.collections[0].get_paths()[0].vertices[:, 1]
    assert band.max() == max(answer.interval[1] for answer in answers)
    assert f"half: {release.median('age').value}" in texts(axes.texts)


@pytest.mark.parametrize("mechanism", ["sorted", "hb", "privtree", "ahp", "isotonic"])
def test_mechanisms_of_one_axis_are_drawn(tmp_path: Path, mechanism: str) -> None:
    release = hg.publish(hg.Counts(np.arange(64)), epsilon=1, mechanism=mechanism)
    release.plot(tmp_path / "counts.png")
    release.plot(tmp_path / "quantiles.png", kind="quantiles")


def test_quantiles_need_one_axis_with_an_order() -> None:
    release = PICTURES["table"][0]()
    with pytest.raises(NotAnswerable, match=r"'age', 'day' have an order: name one, plot\(kind="):
        release.plot(kind="quantiles")
    assert release.plot(kind="quantiles", axes="age").axes[0].get_ylabel() == "age"
    with pytest.raises(QuestionError, match="along one axis, not along 2"):
        release.plot(kind="quantiles", axes=["age", "day"])
    with pytest.raises(NotAnswerable, match="'state' have no order"):
        PICTURES["values"][0]().plot(kind="quantiles")
    with pytest.raises(NotAnswerable, match="which is noise"):
        release_of(cells(x=hg.Integer(0, 3)), [0, 0, 0, 0]).plot(kind="quantiles")


def test_coastlines_are_drawn_on_maps_only() -> None:
    world = PICTURES["world"][0]()
    assert len(world.plot(coastlines=True).axes[0].collections) == 3
    assert len(world.plot().axes[0].collections) == 1
    with pytest.raises(NotAnswerable, match=r"called lon and lat .* this picture has 'x', 'y'"):
        PICTURES["nothing"][0]().plot(coastlines=True)
    with pytest.raises(NotAnswerable, match="called lon and lat"):
        world.plot(coastlines=True, kind="quantiles", axes="lat")
    with pytest.raises(NotAnswerable, match="called lon and lat"):
        world.plot(coastlines=True, axes="lat")
    with pytest.raises(NotAnswerable, match="less than 10 degrees"):
        PICTURES["kd"][0]().plot(coastlines=True)
    named = release_of(cells(lon=hg.Category(["a"]), lat=hg.Category(["b"])))
    with pytest.raises(NotAnswerable, match="hold degrees"):
        named.plot(coastlines=True)


def test_a_matrix_with_a_map_has_coastlines_and_north_above() -> None:
    grid = cells(
        lat=hg.Regular(3, -60, 75), sex=hg.Category(["F", "M"]), lon=hg.Regular(4, 0, 360)
    )  # fmt: skip
    panels = release_of(grid).plot(coastlines=True).axes
    assert [panels[n].get_xlabel() for n in (6, 7, 8)] == ["lon", "sex", "lat"]
    assert len(panels[6].collections) == 3


def test_the_coastlines_are_those_of_this_world() -> None:
    points = np.concatenate(lines())
    assert len(points) > 4000
    assert (np.abs(points) <= [180, 90]).all()
    cape = np.hypot(*(points - [18.4, -34.1]).T)
    assert cape.min() < 0.5
    assert max(np.abs(np.diff(line[:, 0])).max() for line in lines()) < 30


def test_text_is_no_formula_and_needs_no_font(tmp_path: Path) -> None:
    odd = "$x_{$ \\frac{ \x00 中文 <b>"
    release = release_of(cells(**{odd: hg.Category(["$a$", "two\nlines", "中"])}))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for ending in ("png", "svg", "pdf"):
            release.plot(tmp_path / f"odd.{ending}", title=odd)


def test_bad_pictures_are_refused(tmp_path: Path) -> None:
    release = PICTURES["numbers"][0]()
    with pytest.raises(OutputError, match=r"odd\.bmp is no picture's name"):
        release.plot(tmp_path / "odd.bmp")
    with pytest.raises(OutputError, match="cannot be written"):
        release.plot(tmp_path / "nowhere" / "odd.png")
    with pytest.raises(QuestionError, match=r"no picture is of kind 'pie'\. Known: counts"):
        release.plot(kind="pie")
    with pytest.raises(QuestionError, match="has no axis 'size'"):
        release.plot(axes="size")


def test_a_city_in_a_world_is_not_above_the_scale() -> None:
    """A thousandth of the picture may be cut off, but not most of the rows."""
    amounts, area = np.zeros(10_000), np.ones(10_000)
    amounts[0], amounts[1] = 20_000, 50
    assert levels(amounts, area) == (0, 20_000)
    assert levels(np.zeros(4), np.ones(4)) == (0, 0)


def test_thin_cells_have_no_outlines() -> None:
    figure = new_figure(3, 3)
    sex = hg.Category(("F", "M"))
    ages, few = cells(age=hg.Integer(0, 120), sex=sex), cells(sex=sex, y=hg.Integer(0, 3))
    for grid, widths in ((ages, [0]), (few, [0.5])):
        axes = figure.add_subplot()
        draw_heat(axes, release_of(grid), bar=False, room=(2, 2))
        assert axes.collections[0].get_linewidth().tolist() == widths


def test_a_long_title_has_three_lines_at_the_most() -> None:
    figure = release_of(cells(age=hg.Integer(0, 9))).plot(title="many words " * 200 + "US$ and CA$")
    lines = figure.axes[0].get_title(loc="left").splitlines()
    assert len(lines) == 3
    assert lines[-1].endswith("…")
    render(figure, ".svg")
