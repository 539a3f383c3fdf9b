"""Noise drawn in advance is handed out once, and is the product's."""

from __future__ import annotations

from fractions import Fraction
from itertools import count

import numpy as np
import pytest

from hushgram.geometry.partition import Ints
from hushgram.lab import stock
from hushgram.lab.stock import Stocked
from hushgram.trusted.noise import Native


def test_no_draw_is_handed_out_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = count()

    def numbered(self: Native, values: Ints, scale: Fraction) -> Ints:
        return np.array([next(numbers) for _ in values], dtype=np.int64)

    monkeypatch.setattr(stock, "Native", type("Numbered", (), {"add_discrete_laplace": numbered}))
    noise, found = Stocked(), []
    for size in (3, 1, 8, 0, 40, 2, 5):
        for scale in (Fraction(1), Fraction(2)):
            values = np.full(size, 10**9)
            found += (noise.add_discrete_laplace(values, scale) - values).tolist()
    assert len(found) == len(set(found)) == 2 * 59


def test_values_stay_as_they_are_where_noise_is_nothing() -> None:
    values = np.array([5, 0, -2])
    assert Stocked().add_discrete_laplace(values, Fraction(1, 1000)).tolist() == [5, 0, -2]


def test_scales_are_forgotten_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stock, "SCALES", 2)
    noise = Stocked()
    for scale in (1, 2, 3):
        noise.add_discrete_laplace(np.zeros(1, dtype=np.int64), Fraction(scale))
    assert list(noise._stocks) == [2, 3]
