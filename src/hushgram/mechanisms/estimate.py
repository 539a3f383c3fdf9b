"""Estimated counts, with the measurements from which they were inferred.

An `Estimate` keeps the measurements and the inference that turned them into values, so that the
variance of any weighted sum of parts is computed with the right covariances: most estimates are
linear in the measurements, and `Inference.pull` maps weights on the parts to weights on the
(independent) measurements.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.errors import BadInput
from hushgram.geometry.partition import Ints, Partition
from hushgram.mechanisms.inference.base import Inference
from hushgram.mechanisms.inference.direct import Direct
from hushgram.queries import Measurement

LARGEST = 1e30
"""More than any count can be: the sum of 64-bit integers over the largest number of parts."""


@dataclass(frozen=True, eq=False)
class Estimate:
    """Estimated counts for the parts of a partition, with the measurements behind them.

    ``values`` are not clipped: negative counts come from noise and cancel out in sums.
    """

    partition: Partition
    values: Floats | Ints
    measurements: tuple[Measurement, ...]
    inference: Inference

    @classmethod
    def infer(
        cls, partition: Partition, measurements: Sequence[Measurement], inference: Inference
    ) -> Estimate:
        values = inference.push(measurements)
        return cls(partition, values, tuple(measurements), inference)

    def check(self) -> Estimate:
        """Return itself after checking that it is consistent: one finite count for each part, and
        measurements and an inference that can produce them. O(n log n)"""
        if self.values.shape != (self.partition.size,) or self.values.dtype.kind not in "if":
            raise BadInput(
                f"{self.partition.size} parts need {self.partition.size} numbers as counts. Found "
                f"an array of shape {self.values.shape} and type {self.values.dtype}."
            )
        if not (np.abs(self.values) <= LARGEST).all():  # NaN fails, too
            raise BadInput(f"Counts must be numbers up to {LARGEST:g}.")
        for measurement in self.measurements:
            measurement.check()
        self.inference.check(self.partition, self.measurements)
        return self

    @classmethod
    def direct(cls, measurement: Measurement) -> Estimate:
        """An estimate whose values are those of a measurement."""
        assert isinstance(measurement.partition, Partition)
        return cls.infer(measurement.partition, [measurement], Direct())

    def moments(self, weights: Floats) -> tuple[float, float]:
        """The variance and the excess kurtosis of a weighted sum of the values.

        The noise is a sum of independent Laplace variables; a Laplace variable has excess
        kurtosis 3, so the sum's is ``3 * sum(v**2) / sum(v)**2`` for the terms' variances v.
        """
        terms = self.inference.terms(weights, self.measurements)
        variance = float(terms.sum())
        return variance, 3 * float(((terms / variance) ** 2).sum()) if variance else 0.0

    def variances(self) -> Floats:
        """The variance of the value of each part."""
        return self.inference.variances(self.measurements)
