"""Sums of consecutive values without cancellation: each is an unevaluated sum of two doubles.

In plain doubles, the squared error of values far from the centre is lost: values near 1e8 have
squares near 1e16, where doubles are whole numbers. A pair of doubles, the rounded sum and the rest,
has 106 bits::

        total = high + low          |low| is at most half the last digit of high
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hushgram.base.compiled import compiled

SUM, SUM_LOW, SQUARES, SQUARES_LOW = range(4)
"""The columns of prefix sums: two pairs."""


@compiled()
def prefix_sums(values: Any) -> Any:
    """Prefix sums of the values and of their squares, around the median, with twice the digits."""
    sums = np.zeros((len(values) + 1, 4))
    centre = values[len(values) // 2]
    for place in range(len(values)):
        offset, low = _sum(values[place], -centre)
        square, square_low = _product(offset, offset)
        square_low += 2 * offset * low
        sums[place + 1, SUM], sums[place + 1, SUM_LOW] = _add(
            sums[place, SUM], sums[place, SUM_LOW], offset, low
        )
        sums[place + 1, SQUARES], sums[place + 1, SQUARES_LOW] = _add(
            sums[place, SQUARES], sums[place, SQUARES_LOW], square, square_low
        )
    return sums


@compiled()
def squared_error(sums: Any, start: int, end: int) -> Any:
    """SSE of ``values[start:end]``: Σx² - (Σx)²/L, where the large terms are subtracted exactly."""
    total, low = _between(sums, start, end, SUM)
    squares, squares_low = _between(sums, start, end, SQUARES)
    mean = total / (end - start)
    rest = _minus_product(total, low, mean, end - start)
    product, product_low = _product(mean, total)
    error = (squares - product) + (squares_low - product_low - mean * (low + rest))
    return max(error, 0.0)


@compiled()
def mean_excess(sums: Any, start: int, end: int, place: int) -> Any:
    """The mean of ``values[start:end]`` minus the value at ``place``."""
    total, low = _between(sums, start, end, SUM)
    value, value_low = _between(sums, place, place + 1, SUM)
    size = end - start
    return (_minus_product(total, low, value, size) - value_low * size) / size


@compiled()
def _between(sums: Any, start: int, end: int, column: int) -> Any:
    """The sum of consecutive values, from two prefix sums."""
    return _add(
        sums[end, column], sums[end, column + 1], -sums[start, column], -sums[start, column + 1]
    )


@compiled()
def _minus_product(total: float, low: float, factor: float, size: float) -> Any:
    """``total + low - factor * size``, rounded only at the end."""
    product, product_low = _product(factor, float(size))
    return (total - product) + (low - product_low)


@compiled()
def _add(a: float, a_low: float, b: float, b_low: float) -> tuple[float, float]:
    """The sum of two pairs of doubles, as a pair (Dekker 1971)."""
    high, low = _sum(a, b)
    low += a_low + b_low
    total = high + low
    return total, low - (total - high)


@compiled()
def _sum(a: float, b: float) -> tuple[float, float]:
    """``a + b`` and the error of its rounding (Knuth)."""
    total = a + b
    second = total - a
    return total, (a - (total - second)) + (b - second)


@compiled()
def _product(a: float, b: float) -> tuple[float, float]:
    """``a * b`` and the error of its rounding (Dekker; Veltkamp's split in halves)."""
    product = a * b
    a_high = a * 134217729.0
    a_high -= a_high - a
    b_high = b * 134217729.0
    b_high -= b_high - b
    a_low, b_low = a - a_high, b - b_high
    low = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    return product, low
