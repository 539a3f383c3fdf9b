"""Noisy numbers: a vault's answer to a query."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from hushgram.errors import BadInput
from hushgram.geometry.partition import Ints, Measurable

LOUDEST = 1e150
"""A variance of noise, at the most: that of an epsilon of 1e-75. Its square is a double, too."""


@dataclass(frozen=True)
class NoisyTotal:
    """A noisy number of rows."""

    value: int
    variance: float
    scale: Fraction


@dataclass(frozen=True, eq=False)
class Measurement:
    """Noisy numbers, such as the counts of a partition's parts: one for each of what was asked,
    with independent noise of one known variance."""

    partition: Measurable
    values: Ints
    variance: float
    scale: Fraction

    def __post_init__(self) -> None:
        if self.values.shape != (self.partition.size,):
            raise BadInput(
                f"{self.partition.size} parts need as many values. Found {self.values.shape}."
            )
        self.values.flags.writeable = False

    def check(self) -> None:
        """Raise unless these are whole numbers, with noise that a reader can calculate with."""
        if self.values.dtype != np.int64:
            raise BadInput(f"Noisy numbers must be integers. Found {self.values.dtype}.")
        if not 0 <= self.variance <= LOUDEST:
            raise BadInput(
                f"The variance of noise must be from 0 to {LOUDEST:g}. Found {self.variance}."
            )
