"""Parts at screen resolution: each pixel is the average over its area.

The smallest part of a release may be a thousand times smaller than a pixel, and a thousand times
denser than anything visible. Averages over pixels show what exact rectangles would look like.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from hushgram.declare.axis import Floats

NARROW = 1 / 64
"""The smallest width and height of a rectangle in pixels; narrower ones are widened."""

TINY = 1e-9
"""Averages below this share of the largest one are rounding errors."""


def average_boxes(
    left: Floats,
    bottom: Floats,
    right: Floats,
    top: Floats,
    amounts: Floats,
    shape: tuple[int, int],
) -> Floats:
    """The average amount in each pixel, from disjoint rectangles in units of pixels.

    O(rectangles + pixels): the integral of a rectangle up to x, y is a product of ramps that start
    at its corners. Ramps sampled at the edges of pixels are double cumulative sums of two numbers
    each, so it is enough to record the corners and to accumulate everything once.

    >>> average_boxes(*np.array([[0.0], [0.0], [1.5], [1.0], [8.0]]), shape=(1, 2))
    array([[8., 4.]])
    """
    x0, x1, thin_x = widen(left, right, shape[1])
    y0, y1, thin_y = widen(bottom, top, shape[0])
    density = amounts * thin_x * thin_y
    rows, columns = shape[0] + 2, shape[1] + 2
    found = np.zeros(rows * columns)
    for (x, sign_x), (y, sign_y) in product(((x0, 1), (x1, -1)), ((y0, 1), (y1, -1))):
        column, across = split(x)
        row, up = split(y)
        for (a, wx), (b, wy) in product(((0, 1 - across), (1, across)), ((0, 1 - up), (1, up))):
            places = (row + b) * columns + column + a
            weights = sign_x * sign_y * density * wx * wy
            found += np.bincount(places, weights, minlength=rows * columns)
    whole = found.reshape(rows, columns).cumsum(axis=0).cumsum(axis=1)[: shape[0], : shape[1]]
    return np.where(np.abs(whole) < TINY * np.abs(whole).max(initial=0), 0, whole)


def widen(low: Floats, high: Floats, pixels: int) -> tuple[Floats, Floats, Floats]:
    """The ends, moved into the picture and at least `NARROW` apart, and the factor by which the
    density between them decreases."""
    inside = np.clip(low, 0, pixels), np.clip(high, 0, pixels)
    width = inside[1] - inside[0]
    wide = np.where(width > 0, np.maximum(width, NARROW), 0)
    start = np.minimum(inside[0], pixels - wide)
    return start, start + wide, np.divide(width, wide, out=np.zeros_like(wide), where=wide > 0)


def split(places: Floats) -> tuple[np.ndarray, Floats]:
    """The whole pixels and the fractions of positions."""
    whole = np.floor(places).astype(np.int64)
    return whole, places - whole


def average_slices(amounts: Floats, cuts: Floats, pixels: int) -> Floats:
    """The average in each pixel along the last axis, from slices between cuts in units of pixels.

    >>> average_slices(np.array([8.0, 4.0]), np.array([0.0, 1.5, 2.0]), 2)
    array([8., 6.])
    """
    total = np.cumsum(amounts * np.diff(cuts), axis=-1)
    total = np.concatenate([np.zeros_like(total[..., :1]), total], axis=-1)
    edges = np.clip(np.arange(pixels + 1), cuts[0], cuts[-1])
    above = np.clip(np.searchsorted(cuts, edges, side="right"), 1, len(cuts) - 1)
    width = cuts[above] - cuts[above - 1]
    part = (edges - cuts[above - 1]) / width
    at = total[..., above - 1] * (1 - part) + total[..., above] * part
    return np.diff(at, axis=-1)


def average_lattice(amounts: Floats, x: Floats, y: Floats, shape: tuple[int, int]) -> Floats:
    """The average amount in each pixel, from cells between cuts in units of pixels, with rows from
    the bottom."""
    across = average_slices(amounts, x, shape[1])
    return average_slices(across.T, y, shape[0]).T
