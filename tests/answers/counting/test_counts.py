"""Range counts against plain Python: every cell, every axis, one bin at a time."""

from __future__ import annotations

import datetime as dt
import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import hushgram as hg
from hushgram.answers.counting.counts import counts_of
from hushgram.answers.counting.intervals import Spread, half_width
from hushgram.answers.unevenness.widths import MARGIN
from hushgram.declare.axis import Axis
from hushgram.errors import QuestionError
from hushgram.geometry.partition import Grid
from hushgram.mechanisms.estimate import Estimate
from tests.samples import cells, estimate_of, grids, release_of

Question = dict[str, Any]


def bin_share(axis: Axis, index: int, asked: Any) -> float:
    """How much of one bin a question covers."""
    if asked is None:
        return 1.0
    if index == axis.bins:
        return float("other" in asked) if isinstance(asked, list) else 0.0
    if isinstance(asked, list):
        return float(index in [axis.index(value) for value in asked if value != "other"])
    low, high = asked
    if isinstance(axis, hg.Integer):
        return float(
            (low is None or axis.edge(index) >= low) and (high is None or axis.edge(index) < high)
        )
    start, stop = axis.edge(index), axis.edge(index + 1)
    first = start if low is None else max(start, low)
    last = stop if high is None else min(stop, high)
    return max((last - first) / (stop - start), 0.0)


def slice_share(grid: Grid, place: int, number: int, asked: Any) -> float:
    """A slice is the mean of its bins."""
    axis, cuts = grid.domain.axes[place], grid.cuts(place).tolist()
    bins = range(cuts[number], cuts[number + 1])
    return sum(bin_share(axis, index, asked) for index in bins) / len(bins)


def brute_weights(grid: Grid, question: Question) -> np.ndarray:
    """The share of every cell."""
    sides = [
        [slice_share(grid, place, number, question.get(name)) for number in range(length)]
        for place, (name, length) in enumerate(zip(grid.domain, grid.shape, strict=True))
    ]
    return np.array([math.prod(shares) for shares in itertools.product(*sides)])


def inner(axis: Axis, at: float) -> Any:
    """A bound somewhere on or around the axis."""
    low, high = axis.edge(0), axis.edge(axis.bins)
    return low + (high - low) * at


@st.composite
def ends(draw: Any, axis: Axis) -> Any:
    """A bound on an edge, well inside a bin, or outside."""
    index, eighths = draw(st.integers(0, axis.bins - 1)), draw(st.integers(0, 8))
    low, high = axis.edge(index), axis.edge(index + 1)
    inside = {0: low, 8: high}.get(eighths, low + (high - low) * (eighths / 8))
    return draw(st.sampled_from([inside] * 8 + [inner(axis, -0.2), inner(axis, 1.2)]))


@st.composite
def ranges(draw: Any, axis: Axis) -> tuple[Any, Any]:
    """Of which some part lies inside, or which are empty."""
    low, high = sorted([draw(ends(axis)), draw(ends(axis))])
    low = draw(st.sampled_from([low, low, low, None]))
    high = draw(st.sampled_from([high, high, high, None]))
    inside = (low is None or low < axis.edge(axis.bins)) and (high is None or high > axis.edge(0))
    assume(inside or low == high)
    return low, high


@st.composite
def choices(draw: Any, axis: Axis) -> list[Any]:
    inside = [inner(axis, (k + 0.5) / axis.bins) for k in range(axis.bins)] if axis.ordered else []
    values = list(axis.values) if isinstance(axis, hg.Category) else inside
    if isinstance(axis, hg.Integer):
        values = list(range(axis.lo, axis.hi + 1))
    values += ["other"] * axis.other
    return draw(st.lists(st.sampled_from(values), max_size=4))


@st.composite
def questions(draw: Any, grid: Grid, *, only_ranges: bool = False) -> Question:
    asked: Question = {}
    for name, axis in grid.domain.items():
        if not axis.ordered:
            forms = [] if only_ranges else [choices(axis)]
        elif axis.continuous or only_ranges:
            forms = [ranges(axis)]
        else:
            forms = [ranges(axis), choices(axis)]
        if forms and draw(st.integers(0, 3)):
            asked[name] = draw(st.one_of(forms))
    return asked


def estimates(grid: Grid) -> Estimate:
    return estimate_of(grid, [(7919 * k) % 1009 - 100 for k in range(grid.size)])


@settings(max_examples=250)
@given(st.data())
def test_one_count_is_what_plain_python_counts(data: Any) -> None:
    grid = data.draw(grids())
    question = data.draw(questions(grid))
    estimate = estimates(grid)
    shares = brute_weights(grid, question)
    answer = counts_of(estimate).one(question)
    assert answer.value == pytest.approx(float(shares @ estimate.values), rel=1e-6, abs=1e-3)
    whole = estimate.values[np.isclose(shares, 1, atol=1e-9)].sum()
    assert answer.partial == pytest.approx(answer.value - whole, rel=1e-6, abs=1e-3)
    assert_interval(estimate, shares, answer)


def assert_interval(estimate: Estimate, shares: np.ndarray, answer: hg.Answer) -> None:
    """The interval for the noise follows from the variance and the kurtosis of the weighted sum.
    That for the truth is wider if cells are cut, by no more than all their rows on one side."""
    low, high = answer.noise_interval
    assert high - answer.value == pytest.approx(answer.value - low, abs=1e-6)
    whole = bool(np.isclose(shares, np.round(shares), atol=1e-9).all())
    exact = np.round(shares) if whole else shares
    spread = Spread(*estimate.moments(exact), exact.max(), whole)
    expected = float(half_width(spread, 0.95))
    assert high - answer.value == pytest.approx(expected, rel=1e-4, abs=1e-3)
    assert_uneven(answer, most_uneven(estimate, exact))


def most_uneven(estimate: Estimate, shares: Any) -> float:
    """All rows of the parts that are cut on the farther side, and twice the noise of so many."""
    cut = ~np.isclose(shares, np.round(shares), atol=1e-9)
    farther = np.maximum(shares, 1 - shares)[cut]
    rows = farther @ np.maximum(estimate.values, 0)[cut]
    return float(rows + 2 * np.sqrt(farther**2 @ estimate.variances()[cut]))


def assert_uneven(answer: hg.Answer, most: float) -> None:
    (low, high), (first, last) = answer.interval, answer.noise_interval
    assert low <= first <= last <= high
    assert high - answer.value == pytest.approx(answer.value - low, abs=1e-6)
    assert answer.half_width <= MARGIN * math.hypot((last - first) / 2, most) * (1 + 1e-9) + 1e-3


@settings(max_examples=120)
@given(st.data())
def test_many_counts_are_what_one_count_gives(data: Any) -> None:
    grid = data.draw(grids())
    some = next((n for n, axis in grid.domain.items() if axis.ordered), None)
    if some is None:
        return
    asked = data.draw(st.lists(questions(grid, only_ranges=True), min_size=1, max_size=5))
    ordered = [n for n, axis in grid.domain.items() if axis.ordered]
    # A row that leaves an axis out cannot say so but by an open range, which has no "other".
    table = {n: [question.get(n, (None, None)) for question in asked] for n in ordered}
    counts = counts_of(estimates(grid))
    found = counts.many(table)
    assert len(found) == len(asked)
    for row, answer in enumerate(found):
        one = counts.one({n: table[n][row] for n in ordered})
        assert answer.value == pytest.approx(one.value, rel=1e-9, abs=1e-6)
        assert answer.interval == pytest.approx(one.interval, rel=1e-9, abs=1e-6)
        assert answer.noise_interval == pytest.approx(one.noise_interval, rel=1e-9, abs=1e-6)
        assert answer.partial == pytest.approx(one.partial, rel=1e-9, abs=1e-6)


class Ages:
    release = release_of(cells(age=hg.Integer(0, 9), sex=hg.Category(["F", "M"], outside="other")))


def test_forms_of_a_question() -> None:
    count: Callable[..., Any] = Ages.release.count
    array = Ages.release.to_array()
    for question, expected in [
        ({}, array.sum()),
        ({"age": (2, 4)}, array[2:4].sum()),
        ({"age": (2, None)}, array[2:].sum()),
        ({"age": (None, 4)}, array[:4].sum()),
        ({"age": (None, None)}, array.sum()),
        ({"age": (-5, 100)}, array.sum()),
        ({"age": 3}, array[3].sum()),
        ({"age": [3, 5, 3]}, array[[3, 5]].sum()),
        ({"age": {3, 5}}, array[[3, 5]].sum()),
        ({"age": range(3, 6)}, array[3:6].sum()),
        ({"age": np.array([3, 5])}, array[[3, 5]].sum()),
        ({"age": np.int64(3)}, array[3].sum()),
        ({"age": []}, 0),
        ({"age": (3, 3)}, 0),
        ({"sex": "F"}, array[:, 0].sum()),
        ({"sex": ["F", "M"]}, array[:, :2].sum()),
        ({"sex": ("F", "M")}, array[:, :2].sum()),
        ({"sex": np.array(["F", "M"])}, array[:, :2].sum()),
        ({"sex": "other"}, array[:, 2].sum()),
        ({"sex": ["M", "other"], "age": (1, 2)}, array[1, 1:].sum()),
    ]:
        assert count(**question).value == expected
        assert count(question).value == expected
        assert count(question).partial == 0


def test_ranges_are_half_open_and_the_upper_bound_lies_in_the_last_bin() -> None:
    count = release_of(cells(x=hg.Regular(4, 0, 1)), [1, 10, 100, 1000]).count
    assert count(x=(0, 0.5)).value == 11
    assert count(x=(0.5, 1)).value == 1100
    assert count(x=(0.5, 7)).value == 1100
    assert count(x=1).value == 1000
    assert count(x=0.5).value == 100
    assert count(x=(1, 1)).value == 0
    with pytest.raises(QuestionError, match="not be zero"):
        count(x=(1, 5))


def test_a_cut_cell_counts_in_proportion_and_says_so() -> None:
    answer = release_of(cells(x=hg.Regular(4, 0, 1)), [1, 10, 100, 1000]).count(x=(0.25, 0.625))
    assert (answer.value, answer.partial) == (60, 50)
    low, high = answer.interval
    first, last = answer.noise_interval
    assert low < first < 60 < last < high
    assert first != round(first)
    assert low <= 10  # all 100 rows that are cut on one side, and some for their noise
    assert 110 <= high <= 125


def test_an_interval_that_a_mechanism_cut_coarsely() -> None:
    grid = Grid(hg.Domain(x=hg.Interval(0, 8, outside="other")), (4,))
    release = release_of(grid, [8, 80, 800, 8000, 3])
    assert release.to_array().shape == (5,)
    assert release.count().value == 8891
    assert release.count(x=(None, None)).value == 8888
    assert release.count(x=(2, 4)).value == 80
    assert release.count(x=(3, 5)).value == pytest.approx(440)
    assert release.count(x="other").value == 3
    assert release.count({"x_lo": [2, 3], "x_hi": [4, 5]}).values == pytest.approx([80, 440])


def test_values_of_coarse_slices_add_up_to_the_whole() -> None:
    grid = Grid(hg.Domain(n=hg.Integer(0, 97)), (2,))
    answer = release_of(grid, [49, 1]).count(n=range(49))
    assert (answer.value, answer.partial) == (49, 0)
    assert release_of(grid, [49, 1]).count(n=[0, 1]).value == pytest.approx(2)


def test_dates() -> None:
    release = release_of(
        cells(day=hg.Date("2024-02-28", "2024-03-01", outside="other")), [1, 10, 100, 5]
    )
    count = release.count
    assert count(day="2024-02-29").value == 10
    assert count(day=("2024-02-28", "2024-03-01")).value == 11
    assert count(day=(dt.date(2024, 2, 29), None)).value == 110
    assert count(day=("2024-02-28", dt.datetime(2024, 2, 29, 6))).value == 3.5
    assert count(day=[dt.date(2024, 2, 28), "other"]).value == 6
    assert count(day=np.datetime64("2024-03-01")).value == 100
    for unit in ("D", "s", "us", "ns"):
        lows = np.array(["2024-02-28", "2024-02-29"], dtype=f"datetime64[{unit}]")
        highs = np.array(["2024-03-01", "2024-03-02"], dtype=f"datetime64[{unit}]")
        assert count({"day_lo": lows, "day_hi": highs}).values.tolist() == [11, 110]


@pytest.mark.parametrize("wrong", [1000, -1, float("nan"), "much", None])
def test_what_a_table_would_clamp_is_not_what_was_asked(wrong: Any) -> None:
    release = release_of(cells(age=hg.Integer(0, 9, outside="clamp")))
    with pytest.raises(hg.HushgramError, match=r"is not on the axis 'age', which has 0"):
        release.count(age=wrong)


def test_an_axis_may_be_called_like_anything() -> None:
    one = hg.Integer(0, 1)
    odd = {"odd name": one, "table": one, "confidence": one, "self": one, "x": one, "x_lo": one}
    release = release_of(cells(**odd))
    array = release.to_array()
    assert release.count(table=0, self=1).value == array[:, 0, :, 1].sum()
    assert release.count({"odd name": 1, "confidence": 0}).value == array[1, :, 0].sum()
    pairs = {"x": [(0, 1), (1, 2)], "x_lo": [(0, 2), (1, 2)]}
    assert release.count(pairs).values.tolist() == [array[..., 0, :].sum(), array[..., 1, 1].sum()]
    # A column that bears an axis's name is that axis's, so x has an open lower end here.
    assert release.count({"x_hi": [1], "x_lo": [(1, 2)]}).values == array[..., 0, 1].sum()


def test_joined_cells_cannot_be_counted() -> None:
    from hushgram.geometry.partition import Merged

    merged = Merged(cells(x=hg.Regular(4, 0, 4)), np.array([0, 1, 1, 0]))
    with pytest.raises(hg.HushgramError, match="Counts are not supported for a merged layout"):
        counts_of(estimate_of(merged))  # type: ignore[arg-type]
