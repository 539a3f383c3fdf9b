"""Random boxes of cells, and their sums."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.random import Generator

from hushgram.answers.counting.summed import box_sums, cumulative_sums
from hushgram.declare.axis import Floats
from hushgram.geometry.partition import Ints
from hushgram.lab.evaluate.patterns import Shape

EACH = 200
"""The number of boxes of each size."""


def random_boxes(
    shape: Shape, rng: Generator, sides: Mapping[str, Any]
) -> tuple[Ints, Ints, list[str]]:
    """Draw boxes with the given sides in cells, limited to the shape: starts, stops, and labels."""
    limits = np.array(shape)
    lengths = np.stack([np.clip(side, 1, limits) for side in sides.values()]).repeat(EACH, axis=0)
    starts = rng.integers(0, limits - lengths + 1)
    return starts, starts + lengths, np.repeat(list(sides), EACH).tolist()


def sums(cells: Any, starts: Ints, stops: Ints) -> Floats:
    """Return sums over boxes of cells."""
    table = cumulative_sums(np.asarray(cells, dtype=np.float64))
    return box_sums(table, starts.astype(np.float64), stops.astype(np.float64))
