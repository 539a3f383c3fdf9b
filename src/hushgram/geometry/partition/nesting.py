"""Whether two partitions are equal, and whether one refines the other."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from hushgram.geometry.partition.base import Boxed, Measurable
from hushgram.geometry.partition.boxes import Boxes
from hushgram.geometry.partition.lattice import Lattice
from hushgram.geometry.partition.refined import Refined


def same_parts(one: Measurable, other: Measurable) -> bool:
    """Whether both are of the same kind with the same numbers: O(numbers).

    >>> from hushgram.declare.axis import Integer
    >>> from hushgram.declare.domain import Domain
    >>> from hushgram.geometry.partition.lattice import Grid
    >>> fives, again, halves = (Grid(Domain(x=Integer(0, 9)), (m,)) for m in (5, 5, 2))
    >>> same_parts(fives, again), same_parts(fives, halves)
    (True, False)
    """
    return one is other or (type(one) is type(other) and all(
        same(getattr(one, field.name), getattr(other, field.name)) for field in fields(one)  # type: ignore[arg-type]
    ))  # fmt: skip


def same(one: Any, other: Any) -> bool:
    if isinstance(one, Measurable):
        return same_parts(one, other)
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return np.array_equal(one, other) if isinstance(one, np.ndarray) else bool(one == other)


def is_nested(below: Boxed, above: Boxed) -> bool:
    """Whether every part of ``below`` is within one part of ``above``.

    Slices nest if every cut above is also a cut below. A box is within another if its first and its
    last cell are: O(parts), or O(parts x depth) if ``above`` is a tree.
    """
    if below is above or below.domain != above.domain:
        return below is above
    if isinstance(below, Lattice) and isinstance(above, Lattice):
        axes = range(len(below.domain))
        return all(np.isin(above.cuts(axis), below.cuts(axis)).all() for axis in axes)
    if isinstance(below, Refined) and same_parts(below.grid, above):
        return True
    if isinstance(below, Boxes) and isinstance(above, Boxes) and same_slices(below, above):
        first, end = below.corners
        return np.array_equal(above.parts_of_slices(first), above.parts_of_slices(end - 1))
    lower, upper = below.boxes()
    return np.array_equal(above.parts(list(lower.T)), above.parts(list(upper.T - 1)))


def same_slices(one: Boxes, other: Boxes) -> bool:
    """Whether two trees cut the same raster."""
    return one.raster.slices == other.raster.slices
