"""The Hilbert curve in any dimension: exact conversion between cells and positions on a line.

Neighbours on the line are neighbours in the cube, so points that are close along the curve are
close in space, and mechanisms for one ordered axis work for several. A position on the curve
through a cube of ``2**bits`` cells per side has ``axes * bits`` bits, at most 62. All arithmetic is
in integers.

Skilling, *Programming the Hilbert curve*, AIP Conference Proceedings 707, 2004.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hushgram.base.compiled import compiled
from hushgram.errors import BadInput
from hushgram.geometry.partition import Ints

MAX_BITS = 62
"""Bits of a position on the curve, so that it fits into a positive 64-bit integer."""

BLOCK = 512
"""Cells that are converted together."""


def places(cells: Ints, bits: int) -> Ints:
    """The position on the curve of each cell, given as a row of coordinates: O(axes x bits) each.

    >>> places(np.array([[0, 0], [0, 1], [1, 1], [1, 0]]), bits=1).tolist()
    [0, 1, 2, 3]
    """
    found = np.empty(len(cells), dtype=np.int64)
    _places(check_cells(cells, bits), bits, found)
    return found


def cells(places: Ints, axes: int, bits: int) -> Ints:
    """The cell at each position on the curve: the inverse of `places`.

    >>> cells(np.arange(4), axes=2, bits=1).tolist()
    [[0, 0], [0, 1], [1, 1], [1, 0]]
    """
    places = np.ascontiguousarray(places, dtype=np.int64)
    check_bits(axes, bits)
    if len(places) and (places.min() < 0 or int(places.max()) >> (axes * bits)):
        raise BadInput(f"Positions on this curve must be from 0 to 2^{axes * bits}.")
    found = np.empty((len(places), axes), dtype=np.int64)
    _cells(places, bits, found)
    return found


def bits_for(shape: tuple[int, ...]) -> int:
    """The bits per axis of the smallest curve that passes through all cells of a shape.

    >>> bits_for((5, 2)), bits_for((1,))
    (3, 1)
    """
    return max(1, (max(shape) - 1).bit_length())


def check_cells(cells: Ints, bits: int) -> Ints:
    cells = np.ascontiguousarray(cells, dtype=np.int64)
    if cells.ndim != 2:
        raise BadInput(f"Cells must be rows of coordinates. Found an array of shape {cells.shape}.")
    check_bits(cells.shape[1], bits)
    if cells.size and (cells.min() < 0 or int(cells.max()) >> bits):
        raise BadInput(f"Coordinates of {bits} bits must be from 0 to {2**bits - 1}.")
    return cells


def check_bits(axes: int, bits: int) -> None:
    if not 1 <= axes * bits <= MAX_BITS or bits < 1:
        raise BadInput(
            f"A curve has 1 to {MAX_BITS} bits in total. Found {axes} axes of {bits} bits."
        )


@compiled(nogil=True)
def _places(cells: Any, bits: int, found: Any) -> None:
    """Fill in the positions, one block of cells at a time. Every step runs over a whole block, so
    that the compiler can use vector instructions."""
    axes = cells.shape[1]
    x = np.empty((axes, BLOCK), np.int64)
    flips = np.empty(BLOCK, np.int64)
    for start in range(0, len(found), BLOCK):
        size = min(BLOCK, len(found) - start)
        for axis in range(axes):
            x[axis, :size] = cells[start : start + size, axis]
        for bit in range(bits - 1, 0, -1):
            for axis in range(axes):
                swap_or_flip(x[0], x[axis], bit, axis == 0)
        for axis in range(1, axes):
            x[axis] ^= x[axis - 1]
        flips[:] = 0
        for bit in range(bits - 1, 0, -1):
            flips ^= ((1 << bit) - 1) & -((x[axes - 1] >> bit) & 1)
        place = found[start : start + size]
        place[:] = 0
        for bit in range(bits - 1, -1, -1):
            for axis in range(axes):
                append(place, x[axis], flips, bit)


@compiled(nogil=True)
def _cells(places: Any, bits: int, found: Any) -> None:
    axes = found.shape[1]
    x = np.empty((axes, BLOCK), np.int64)
    last = np.empty(BLOCK, np.int64)
    for start in range(0, len(places), BLOCK):
        place = places[start : start + BLOCK]
        size, left = len(place), axes * bits
        x[:] = 0
        for bit in range(bits - 1, -1, -1):
            for axis in range(axes):
                left -= 1
                x[axis, :size] |= ((place >> left) & 1) << bit
        last[:] = x[axes - 1] >> 1
        for axis in range(axes - 1, 0, -1):
            x[axis] ^= x[axis - 1]
        x[0] ^= last
        for bit in range(1, bits):
            for axis in range(axes - 1, -1, -1):
                swap_or_flip(x[0], x[axis], bit, axis == 0)
        for axis in range(axes):
            found[start : start + size, axis] = x[axis, :size]


@compiled(nogil=True)
def swap_or_flip(first: Any, other: Any, bit: int, same: bool) -> None:
    """Rotate the sub-cubes below a bit, so that the curve leaves one where it enters the next:
    where ``other`` has the bit, flip the low bits of the first axis, else swap them with those of
    ``other``."""
    low = (1 << bit) - 1
    if same:
        for row in range(BLOCK):
            first[row] ^= low & -((first[row] >> bit) & 1)
        return
    for row in range(BLOCK):
        flip = -((other[row] >> bit) & 1)
        swap = (first[row] ^ other[row]) & low & ~flip
        first[row] ^= swap ^ (low & flip)
        other[row] ^= swap


@compiled(nogil=True)
def append(place: Any, x: Any, flips: Any, bit: int) -> None:
    for row in range(len(place)):
        place[row] = (place[row] << 1) | (((x[row] ^ flips[row]) >> bit) & 1)
