"""Objects of frames as the texts that axes read like the objects themselves."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

from hushgram.trusted.engine.sources.frames import name_of, text_of


class Mute:
    def __str__(self) -> str:
        raise ValueError


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1, "1"), (np.int8(-3), "-3"), (True, "true"), (np.False_, "false"), (2.5, "2.5"),
        (np.float32(0.5), "0.5"), (float("nan"), None), (np.nan, None), (Decimal("1.50"), "1.50"),
        (Decimal("NaN"), None), (Decimal("sNaN"), None), (Fraction(1, 4), "0.25"), (None, None),
        (pd.NA, None), (pd.NaT, None), ("nan", "nan"), ("", ""), ("\ud800", None), (Mute(), None),
        (dt.datetime(2024, 1, 2, 3), "2024-01-02 03:00:00"), (dt.date(2024, 1, 2), "2024-01-02"),
        (np.datetime64("2024-01-02"), "2024-01-02 00:00:00"), (b"a", "b'a'"),
    ],
)  # fmt: skip
def test_what_objects_say(value: Any, text: str | None) -> None:
    """What is missing has no text: the word "nan" may be a category."""
    assert text_of(value) == text


BEYOND = {
    "float": float("inf"),
    "decimal": Decimal("Infinity"),
    "long": 10**400,
    "longer": 10**5000,
}


@pytest.mark.parametrize("value", BEYOND.values(), ids=BEYOND)
def test_numbers_beyond_all_doubles_are_beyond_all_axes(value: Any) -> None:
    text = text_of(value)
    assert text is not None
    assert float(text) == float("inf")
    negative = text_of(-value)
    assert negative is not None
    assert float(negative) == float("-inf")


@pytest.mark.parametrize(
    ("value", "name"),
    [("1", "1"), (1, "1"), (np.int64(1), "1"), (1.0, None), (True, None), (np.True_, None),
     (None, None), (Decimal(1), None)],
)  # fmt: skip
def test_who_is_named(value: Any, name: str | None) -> None:
    assert name_of(value) == name
