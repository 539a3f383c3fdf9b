"""Means, intervals and regret, by hand."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from hushgram.errors import BadInput, OutputError
from hushgram.lab.evaluate.plots import MARKERS, plot, styles_of
from hushgram.lab.evaluate.tables import by_measure, by_size, interval, of_regrets, regrets, summary


def rows(errors: dict[tuple[str, float, str], list[float]], size: str = "all") -> list[Any]:
    """Results from (data, ε, mechanism) → the error of each run."""
    return [
        {
            "data": data, "rows": 100, "shape": "8", "epsilon": epsilon, "workload": "ranges",
            "mechanism": mechanism, "measure": "scaled", "size": size, "run": run, "value": value,
        }
        for (data, epsilon, mechanism), values in errors.items()
        for run, value in enumerate(values)
    ]  # fmt: skip


MADE_UP = rows(
    {
        # On even runs a is best (1 < 2), on odd ones a has 3 and b has 2: the best is a, at 3.
        ("one", 1.0, "a"): [1, 3, 1, 3],
        ("one", 1.0, "b"): [2, 2, 2, 2],
        ("one", 1.0, "c"): [9, 12, 9, 12],
        # Here b is best on the even runs, with an error of 4 on the odd ones; c is not there.
        ("two", 1.0, "a"): [5, 6, 5, 6],
        ("two", 1.0, "b"): [3, 4, 3, 4],
    }
)


def test_regret_by_hand() -> None:
    found = {one.mechanism: one for one in regrets(MADE_UP)}
    assert [found[m].mean for m in "abc"] == pytest.approx([(1 + 1.5) / 2, (2 / 3 + 1) / 2, 4.0])
    assert [found[m].largest for m in "abc"] == pytest.approx([1.5, 1.0, 4.0])
    assert [found[m].settings for m in "abc"] == [2, 2, 1]
    assert found["a"].geometric == pytest.approx(math.sqrt(1.5))
    assert found["a"].where == "two, 100 rows, 8, ε = 1"
    assert list(found) == ["b", "a", "c"]


def test_regret_against_a_stated_set() -> None:
    found = {one.mechanism: one.mean for one in regrets(MADE_UP, best_of=["a"])}
    assert found == pytest.approx({"a": 1.0, "b": (2 / 3 + 4 / 6) / 2, "c": 4.0})
    only = {one.mechanism: one.settings for one in regrets(MADE_UP, best_of=["c"])}
    assert only == {"a": 1, "b": 1, "c": 1}
    with pytest.raises(BadInput, match="coverage has no regret"):
        regrets(MADE_UP, "coverage")


def test_one_run_has_no_regret_and_zero_errors_do_not_divide() -> None:
    assert regrets(rows({("one", 1.0, "a"): [1.0]})) == []
    exact = regrets(rows({("one", 1.0, "a"): [0.0, 0.0], ("one", 1.0, "b"): [1.0, 1.0]}))
    assert [one.mean for one in exact] == [1.0, math.inf]
    assert exact[1].to_json()["mean"] is None
    nan = regrets(rows({("one", 1.0, "a"): [math.nan, 1.0], ("one", 1.0, "b"): [2.0, 2.0]}))
    assert [(one.mechanism, one.mean) for one in nan] == [("a", 0.5), ("b", 1.0)]


def test_means_have_students_intervals() -> None:
    mean, low, high = interval([2.0, 4.0, 6.0, 8.0])
    half = 3.182446 * math.sqrt(20 / 3) / 2
    assert (mean, low, high) == pytest.approx((5.0, 5 - half, 5 + half), rel=1e-5)
    assert interval([3.0])[0] == 3
    assert math.isnan(interval([3.0])[1])


def test_the_table_stars_the_smallest() -> None:
    lines = summary(MADE_UP)
    assert [(line.mechanism, line.mean, line.runs) for line in lines[:2]] == [
        ("a", 2.0, 4), ("b", 2.0, 4),
    ]  # fmt: skip
    heads, texts = by_measure(lines)
    assert heads == ("data", "rows", "cells", "epsilon", "workload", "mechanism", "scaled")
    assert [text[-1].endswith("*") for text in texts] == [True, True, False, False, True]
    assert texts[1][:6] == ("one", "100", "8", "1", "ranges", "b")
    assert lines[0].to_json()["mean"] == 2.0
    assert of_regrets(regrets(MADE_UP))[1][0][:3] == ("b", "2", "0.83")


def test_sizes_are_columns() -> None:
    made = rows({("one", 1.0, "a"): [1, 1]}, "q1") + rows({("one", 1.0, "a"): [2, 2]}, "q2")
    heads, texts = by_size(summary(made), "scaled")
    assert heads[-2:] == ("q1", "q2")
    assert texts[0][-2:] == ("1 ±0% *", "2 ±0% *")


def test_the_picture_is_labelled_and_needs_no_colours(tmp_path: Path) -> None:
    made = rows(
        {(d, e, m): [k + 1, k + 2] for d in "xy" for e in (0.1, 1.0) for k, m in enumerate("abc")}
    )
    figure = plot(summary(made), tmp_path / "errors.png")
    assert (tmp_path / "errors.png").stat().st_size > 1000
    assert figure.get_suptitle().startswith("NONPRIVATE")
    assert len(figure.axes) == 2
    styles = styles_of([str(n) for n in range(4 * len(MARKERS))]).values()
    assert len({(one["marker"], one["linestyle"]) for one in styles}) == 4 * len(MARKERS)
    with pytest.raises(OutputError, match="Unsupported picture format"):
        plot(summary(made), tmp_path / "errors.txt")
    with pytest.raises(BadInput, match="contain no kl"):
        plot(summary(made), measure="kl")
