"""Axes in words, windows of them included."""

from __future__ import annotations

import pytest

import hushgram as hg
from hushgram.declare.axis import Axis, Window
from hushgram.declare.axis.text import axis_text, ends_of

CITIES = hg.Category([f"c{number}" for number in range(12)], outside="other")
AGES = hg.Variable([0, 18, 65, 120], outside="other")
WORDS: list[tuple[Axis, str]] = [
    (hg.Interval(0, 1), "0.0 to 1.0, continuous"),
    (hg.Regular(4, 0, 1, outside="clamp"), "0.0 to 1.0, 4 bins, outside: clamp"),
    (hg.Integer(3, 9), "3 to 9, 7 bins"),
    (AGES, "0.0 to 120.0, 3 bins, outside: other"),
    (CITIES, "c0, c1, c2, c3, c4, c5, c6, c7, … (12 in all), outside: other"),
    (Window(CITIES, 10, 13), "c10, c11, other"),
    (Window(CITIES, 1, 11), "c1, c2, c3, c4, c5, c6, c7, c8, … (10 in all)"),
    (Window(CITIES, 12, 13), "other"),
    (Window(AGES, 1, 4), "18.0 to 120.0, 2 bins, other"),
    (Window(AGES, 3, 4), "other"),
    (Window(hg.Integer(0, 99), 10, 20), "10 to 19, 10 bins"),
    (hg.Date("2024-01-01", "2024-01-31"), "2024-01-01 to 2024-01-31, 31 bins"),
    (Window(hg.Date("2024-01-01", "2024-12-31", "1mo"), 1, 2), "2024-02-01 to 2024-02-29, 1 bins"),
    (
        hg.Date("2024-01-01", "2024-01-01", "6h"),
        "2024-01-01 00:00:00 to 2024-01-02 00:00:00, 4 bins",
    ),
]


@pytest.mark.parametrize(("axis", "words"), WORDS, ids=[words for _, words in WORDS])
def test_what_lies_on_an_axis(axis: Axis, words: str) -> None:
    assert axis_text(axis) == words


def test_ends_leave_other_out() -> None:
    assert ends_of(Window(AGES, 1, 4)) == (18, 120)
    assert ends_of(Window(AGES, 3, 4)) == (120, 120)
    assert ends_of(hg.Integer(0, 9)) == (0, 10)
