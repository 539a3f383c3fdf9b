"""Noisy numbers: a vault's answer to a query."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from hushgram.errors import BadInput
from hushgram.geometry.partition import Ints, Measurable

MAX_VARIANCE = 1e150
"""The largest variance of noise, that of an epsilon of 1e-75. Its square still fits in a double."""


@dataclass(frozen=True)
class NoisyTotal:
    """A noisy number of rows."""

    value: int
    variance: float
    scale: Fraction


@dataclass(frozen=True, eq=False)
class Measurement:
    """Noisy numbers, such as the counts of a partition's parts, with independent noise of the same
    known variance."""

    partition: Measurable
    values: Ints
    variance: float
    scale: Fraction

    def __post_init__(self) -> None:
        if self.values.shape != (self.partition.size,):
            raise BadInput(
                f"{self.partition.size} parts need {self.partition.size} values. Found an array of "
                f"shape {self.values.shape}."
            )
        self.values.flags.writeable = False

    def check(self) -> None:
        """Raise unless the values are integers and the variance is small enough to calculate
        with."""
        if self.values.dtype != np.int64:
            raise BadInput(f"Noisy numbers must be integers. Found {self.values.dtype}.")
        if not 0 <= self.variance <= MAX_VARIANCE:
            raise BadInput(
                f"The variance of noise must be from 0 to {MAX_VARIANCE:g}. Found {self.variance}."
            )
