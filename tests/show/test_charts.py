"""Pictures are drawn as they were, show what they say, and bad ones are refused."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hushgram as hg
from hushgram.answers.answer import format_rows
from hushgram.declare.axis import Axis, Window
from hushgram.declare.unit import User
from hushgram.errors import NotAnswerable, OutputError, QuestionError
from hushgram.geometry.partition import Cuts, Grid
from tests.samples import cells, release_of

pytest.importorskip("matplotlib")

from hushgram.show.charts.canvas import new_figure, render
from hushgram.show.charts.style import DARK, LIGHT, Theme
from tests.pictures import PICTURES, bare, difference, drawn, kept

TOLERANCE = 1.0
"""How much dots differ on average, of 255. Two versions of matplotlib drew the same dots."""


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_looks_as_it_did(name: str) -> None:
    """If a change is wanted: python -m tests.pictures, and look at tests/golden/pictures."""
    assert difference(drawn(name), kept(name)) < TOLERANCE


PALER = replace(LIGHT, line="#f0a0a0", fill="#f0a0a0", ramp=LIGHT.ramp[:1])

CHANGES: list[tuple[str, str, Any]] = [
    ("numbers", "hushgram.show.charts.style.LIGHT", PALER),
    (
        "numbers",
        "hushgram.show.charts.steps.half_width",
        lambda spread, _: 20 + 0 * spread.variance,
    ),
    ("values", "hushgram.show.charts.steps.half_width", lambda spread, _: 90 + 0 * spread.variance),
    ("values", "hushgram.show.charts.bars.BAR", 0.5),
    ("slices", "hushgram.show.charts.steps.counts_compare", lambda *_: True),
    ("skewed", "hushgram.show.charts.steps.SKEW", 1e9),
    ("nothing", "hushgram.show.charts.colours.CALM", 0.2),
    ("uncertain", "hushgram.show.charts.heat.hatch", lambda *_: None),
    ("world", "hushgram.show.charts.heat.draw_coastlines", lambda *_: None),
    ("world", "hushgram.show.charts.style.LIGHT", PALER),
    ("world", "hushgram.show.charts.heat.square_kilometres", lambda *corners: 1 + 0 * corners[0]),
    ("kd", "hushgram.show.charts.colours.TOP", 0.5),
    ("refined", "hushgram.show.charts.heat.average_boxes", lambda *a: np.ones(a[-1])),
    ("window", "hushgram.show.charts.style.DARK", LIGHT),
    ("two_way", "hushgram.show.charts.table.PALE", 0.2),
    ("by_sex", "hushgram.show.charts.multiples.FEW", 1),
    ("map_by_year", "hushgram.show.charts.colours.TOP", 0.5),
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
    assert figure.get_suptitle() == "A title"
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


@pytest.mark.parametrize("name", ["numbers", "window", "two_way"])
@pytest.mark.parametrize("ending", [".png", ".svg", ".pdf"])
def test_the_same_release_gives_the_same_bytes(name: str, ending: str) -> None:
    made, options = PICTURES[name]
    release = made()
    assert render(release.plot(**options), ending) == render(release.plot(**options), ending)


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
    assert texts(axes.texts)[::2] == [format_rows(value) for value in release.to_array().T.flat]


def test_uneven_slices_are_drawn_by_density() -> None:
    """Areas are counts, whatever the widths; a strip beyond the axis is what lies outside."""
    domain = hg.Domain(x=hg.Regular(10, 0, 5, outside="other"))
    release = release_of(Cuts(domain, (np.array([0, 1, 4]),)), [10, 30, 60, 7])
    axes = release.plot().axes[0]
    steps = axes.patches[0].get_data()
    assert steps.edges.tolist() == [0, 0.5, 2, 5, 5.5]
    assert (steps.values * np.diff(steps.edges) / 0.5).tolist() == pytest.approx([10, 30, 60, 7])
    assert axes.get_ylabel() == "rows per 0.5 of x"
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
    assert axes.get_ylabel().startswith("rows per 0.0025 of x")


def test_more_bins_than_dots_are_added_up() -> None:
    release = release_of(cells(x=hg.Integer(0, 4095)), np.ones(4096))
    steps = release.plot().axes[0].patches[0].get_data()
    assert len(steps.values) == 256
    assert set(steps.values.tolist()) == {16.0}


def test_categories_are_bars_from_the_top_down_and_sorted_on_request() -> None:
    release = release_of(cells(kind=hg.Category(["a", "b", "c"])), [5, 900, 70])
    axes = release.plot(rows="people").axes[0]
    assert texts(axes.get_yticklabels()) == ["a", "b", "c"]
    assert [bar.get_width() for bar in axes.patches] == [5, 900, 70]
    assert texts(axes.texts) == ["5 ± 7", "900 ± 7", "70 ± 7"]
    assert axes.yaxis_inverted()
    assert axes.get_xlabel() == "people"
    ordered = release.plot(sort=True, log=True).axes[0]
    assert texts(ordered.get_yticklabels()) == ["b", "c", "a"]
    assert [bar.get_width() for bar in ordered.patches] == [900, 70, 5]


def test_categories_that_were_counted_together_have_bars_of_their_own() -> None:
    domain = hg.Domain(kind=hg.Category(["a", "b", "c"], outside="other"))
    axes = release_of(Cuts(domain, (np.array([0, 1]),)), [10, 600, 7]).plot().axes[0]
    assert texts(axes.get_yticklabels()) == ["a", "b", "c", "other"]
    assert [bar.get_width() for bar in axes.patches] == pytest.approx([10, 300, 300, 7])


def test_of_many_categories_some_are_named() -> None:
    many = hg.Category([f"the value number {n}" for n in range(200)])
    axes = release_of(cells(kind=many)).plot().axes[0]
    assert axes.get_ylabel() == "kind (one in 3 of 200 is labelled)"
    assert len(axes.get_yticks()) == 67
    assert not axes.texts
    few = hg.Category(["x" * 100, "y"])
    assert texts(release_of(cells(kind=few)).plot().axes[0].get_yticklabels())[0] == "x" * 23 + "…"


def test_a_heap_has_its_name() -> None:
    heap = np.full(40, 20)
    heap[12] = 400
    axes = release_of(cells(hours=hg.Integer(0, 39)), heap).plot().axes[0]
    assert texts(axes.texts) == ["12"]


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
    release.plot(tmp_path / "picture.png")


@pytest.mark.parametrize("first", AXES)
def test_a_matrix_of_every_kind_of_axis(tmp_path: Path, first: str) -> None:
    domain = hg.Domain({first: AXES[first]} | AXES)
    release = release_of(Grid.of_cells(domain))
    figure = release.plot(tmp_path / "picture.png", axes=list(domain)[:3], kind="matrix")
    assert figure.axes[6].get_xlabel().startswith(first)


def test_cells_are_coloured_where_they_lie() -> None:
    """Across is the first axis, but on a map it is the longitude."""
    square = cells(x=hg.Integer(0, 29), y=hg.Integer(0, 19))
    values = np.zeros((30, 20))
    values[3, 17] = 50
    axes = release_of(square, values).plot().axes[0]
    pixels = axes.images[0].get_array().filled(0)
    row, column = np.argwhere(pixels > 40).mean(axis=0) / pixels.shape
    assert (row, column) == pytest.approx((17.5 / 20, 3.5 / 30), abs=0.01)
    assert pixels.mean() == pytest.approx(50 / 600)


def test_of_two_axes_numbers_are_written_where_they_fit() -> None:
    few = cells(x=hg.Integer(0, 1), y=hg.Integer(0, 2))
    axes = release_of(few, [1, 2, 3, 4, 5, 6000]).plot().axes[0]
    assert texts(axes.texts)[::2] == ["1", "4", "2", "5", "3", "6,000"]
    assert set(texts(axes.texts)[1::2]) == {"± 7"}
    assert texts(axes.get_xticklabels()) == ["0", "1"]
    assert release_of(few).plot(axes=["y", "x"]).axes[0].get_xlabel() == "y"
    wide = cells(x=hg.Integer(0, 29), y=hg.Integer(0, 2))
    assert not release_of(wide).plot().axes[0].texts


def test_few_categories_beside_many_values_are_small_multiples_on_one_scale() -> None:
    release = PICTURES["by_sex"][0]()
    panels = release.plot().axes
    assert [panel.get_title(loc="left") for panel in panels] == ["F", "M"]
    women = release.slice(sex="F").project("age").to_array()
    assert panels[0].patches[0].get_data().values.tolist() == women.tolist()
    assert panels[0].get_ylim() == panels[1].get_ylim()


def test_a_third_axis_is_small_multiples() -> None:
    release = PICTURES["map_by_year"][0]()
    figure = release.plot(rows="stops")
    assert [panel.get_title(loc="left") for panel in figure.axes[:3]] == ["2020", "2021", "2022"]
    assert figure.get_suptitle() == "Stops per 10,000 km², by year"
    assert len({panel.images[0].norm.vmax for panel in figure.axes[:3]}) == 1
    long = release_of(cells(day=hg.Date("2024-01-01", "2024-03-30"), sex=hg.Category(["F", "M"])))
    titles = [panel.get_title(loc="left") for panel in long.plot(by="day").axes]
    assert (len(titles), titles[0]) == (6, "2024-01-01–2024-01-16")
    three = cells(a=hg.Integer(0, 1), b=hg.Integer(0, 1), sex=hg.Category(["F"], outside="other"))
    panels = release_of(three).plot().axes
    assert [panel.get_title(loc="left") for panel in panels] == ["F", "other"]
    assert texts(panels[1].texts)[::2] == ["1", "5", "3", "7"]


def test_small_multiples_that_cannot_be_are_refused() -> None:
    many = hg.Category([str(n) for n in range(20)])
    release = release_of(cells(kind=many, x=hg.Integer(0, 3)))
    with pytest.raises(QuestionError, match="20 values, but at most 12 small pictures"):
        release.plot(by="kind")
    with pytest.raises(QuestionError, match="no axis 'y'"):
        release.plot(by="y")
    alone = release_of(cells(x=hg.Integer(0, 3)))
    with pytest.raises(QuestionError, match="Small pictures by 'x' can show one or two other axes"):
        alone.plot(by="x")


def test_a_third_axis_of_many_values_is_a_matrix() -> None:
    grid = cells(x=hg.Integer(0, 3), y=hg.Integer(0, 3), z=hg.Integer(0, 3))
    assert len(release_of(grid).plot().axes) == 9


def test_a_matrix_has_steps_and_pairs() -> None:
    release = PICTURES["table"][0]()
    panels = release.plot(kind="matrix").axes
    assert len(panels) == 9
    steps = panels[0].patches[0].get_data()
    assert steps.values.tolist() == release.project("age").to_array().tolist()
    pair = panels[6].images[0].get_array().filled(0)
    expected = release.project("age", "day").to_array().T
    assert pair[25::50, 15::30] == pytest.approx(expected)


def test_axes_are_chosen_and_the_others_added_up() -> None:
    release = PICTURES["table"][0]()
    steps = release.plot(axes="age").axes[0].patches[0].get_data()
    assert steps.values.tolist() == release.project("age").to_array().tolist()
    assert release.plot(axes=["day", "age"]).axes[0].get_xlabel() == "day"


def test_seven_axes_are_too_many() -> None:
    domain = {f"a{n}": hg.Integer(0, 1) for n in range(7)}
    release = release_of(cells(**domain))
    with pytest.raises(NotAnswerable, match=r"at most 6 axes.*plot\(axes=\['a0', 'a1', 'a2'"):
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
    with pytest.raises(NotAnswerable, match=r"'age', 'day' have one. Choose one: plot\(kind="):
        release.plot(kind="quantiles")
    assert release.plot(kind="quantiles", axes="age").axes[0].get_ylabel() == "age"
    with pytest.raises(QuestionError, match=r"single axis. Found 2"):
        release.plot(kind="quantiles", axes=["age", "day"])
    with pytest.raises(NotAnswerable, match="'state' have no order"):
        PICTURES["values"][0]().plot(kind="quantiles")
    with pytest.raises(NotAnswerable, match="too few to stand out from the noise"):
        release_of(cells(x=hg.Integer(0, 3)), [0, 0, 0, 0]).plot(kind="quantiles")


def test_text_is_no_formula_and_needs_no_font(tmp_path: Path) -> None:
    odd = "$x_{$ \\frac{ \x00 中文 <b>"
    release = release_of(cells(**{odd: hg.Category(["$a$", "two\nlines", "中"])}))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for ending in ("png", "svg", "pdf"):
            release.plot(tmp_path / f"odd.{ending}", title=odd)


def test_bad_pictures_are_refused(tmp_path: Path) -> None:
    release = PICTURES["numbers"][0]()
    with pytest.raises(OutputError, match=r"Unsupported picture format \"\.bmp\""):
        release.plot(tmp_path / "odd.bmp")
    with pytest.raises(OutputError, match="Cannot write"):
        release.plot(tmp_path / "nowhere" / "odd.png")
    with pytest.raises(QuestionError, match=r"Unknown kind of picture 'pie'\. Use counts"):
        release.plot(kind="pie")
    with pytest.raises(QuestionError, match="has no axis 'size'"):
        release.plot(axes="size")


def test_a_long_title_has_three_lines_at_the_most() -> None:
    figure = release_of(cells(age=hg.Integer(0, 9))).plot(title="many words " * 200 + "US$ and CA$")
    lines = figure.get_suptitle().splitlines()
    assert len(lines) == 3
    assert lines[-1].endswith("…")
    render(figure, ".svg")


def footer(figure: Any) -> str:
    return " ".join(figure.get_supxlabel().split())


def test_titles_and_footers_are_about_the_data() -> None:
    figure = PICTURES["numbers"][0]().plot(rows="people", source="Census", date="2020")
    assert figure.get_suptitle() == "People by age, with 95 % margins"
    assert footer(figure) == (
        "Source: Census, 2020. Noise added for privacy (ε = 0.5): seeing this changes the odds "
        "that any one row is in the data at most 1.65-fold."
    )
    replaced = release_of(cells(a=hg.Integer(0, 1)), unit=User("id", 3), neighbours="replace-one")
    assert "the odds of what any one person says" in footer(replaced.plot(uncertain=True))
    assert footer(replaced.plot(uncertain=True)).endswith(
        "may be zero (the 95 % interval includes zero)."
    )
    assert PICTURES["two_way"][0]().plot().get_suptitle().startswith("Rows by sex and state")
    assert "Quantiles of age" in PICTURES["quantiles"][0]().plot(kind="quantiles").get_suptitle()
    named = release_of(cells(fare_amount=hg.Integer(0, 9))).plot()
    assert named.axes[0].get_xlabel() == "fare amount"


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_are_drawn_on_axes_of_others(name: str) -> None:
    made, options = PICTURES[name]
    figure = new_figure(9, 4)
    left, right = figure.subplots(1, 2)
    assert made().plot(ax=right, **options) is figure
    assert right.get_title(loc="left")
    assert not figure.get_suptitle()
    assert not [*left.images, *left.patches, *left.child_axes]
    drawn_on = right.child_axes[0] if right.child_axes else right
    assert drawn_on.images or drawn_on.patches or drawn_on.lines
    render(figure, ".png", dpi=20)


def test_a_log_scale_is_chosen_or_asked_for() -> None:
    release, skewed = PICTURES["numbers"][0](), PICTURES["skewed"][0]()
    scales = [
        made.plot(log=log).axes[0].get_yscale()
        for made in (release, skewed)
        for log in (None, True, False)
    ]
    assert scales == ["linear", "asinh", "linear", "asinh", "asinh", "linear"]


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_colours_print_in_grey_from_the_paper_to_the_strongest(theme: Theme) -> None:
    ramp = theme.colours()(np.linspace(0, 1, 50))
    steps = np.diff(ramp[:, :3] @ [0.299, 0.587, 0.114])
    assert (steps < 0).all() or (steps > 0).all()
    assert abs(steps.sum()) > 0.7
