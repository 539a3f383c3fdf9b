"""What was measured, what was inferred from it, and what a question gets.

An `Estimate` keeps the measurements and names the inference that turned them into values, so
the variance of any weighted sum of parts follows from the right covariances: the estimate is
linear in the measurements, and `Inference.pull` carries weights on the parts back to weights on
the (independent) measurements.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.errors import BadInput
from hushgram.geometry.partition import Ints, Partition
from hushgram.mechanisms.inference.base import Inference
from hushgram.mechanisms.inference.direct import Direct
from hushgram.queries import Measurement

LARGEST = 1e30
"""What a count can come to, and more: 64 bits, added up over as many parts as there can be."""


@dataclass(frozen=True, eq=False)
class Estimate:
    """Values for the parts of a partition, and where they come from.

    ``values`` are unbiased and not clipped: negative counts are noise, and they cancel in sums.
    """

    partition: Partition
    values: Floats | Ints
    measurements: tuple[Measurement, ...]
    inference: Inference
    approximate: str = ""
    """Why intervals hold about as often as they say, and not exactly; empty if they do."""

    @classmethod
    def infer(
        cls, partition: Partition, measurements: Sequence[Measurement], inference: Inference
    ) -> Estimate:
        values = inference.push(measurements)
        return cls(partition, values, tuple(measurements), inference)

    def check(self) -> Estimate:
        """The same, if its pieces fit together: one finite count for each part, and measurements
        and an inference that they can come from. O(n log n)"""
        if self.values.shape != (self.partition.size,) or self.values.dtype.kind not in "if":
            raise BadInput(f"{self.partition.size} parts need as many counts.")
        if not (np.abs(self.values) <= LARGEST).all():  # NaN fails, too
            raise BadInput(f"counts are numbers of up to {LARGEST:g}.")
        for measurement in self.measurements:
            measurement.check()
        self.inference.check(self.partition, self.measurements)
        return self

    @classmethod
    def direct(cls, measurement: Measurement) -> Estimate:
        """The measurement as it is."""
        assert isinstance(measurement.partition, Partition)
        return cls.infer(measurement.partition, [measurement], Direct())

    def moments(self, weights: Floats) -> tuple[float, float]:
        """The variance, and the excess kurtosis, of a weighted sum of the values.

        The noise is a sum of independent Laplace variables; a Laplace variable has excess
        kurtosis 3, so the sum's is ``3 * sum(v**2) / sum(v)**2`` for the terms' variances v.
        """
        pulled = zip(self.inference.pull(weights), self.measurements, strict=True)
        terms = np.concatenate([(weight**2 * m.variance).ravel() for weight, m in pulled])
        variance = float(terms.sum())
        return variance, 3 * float(((terms / variance) ** 2).sum()) if variance else 0.0

    def variances(self) -> Floats:
        """The variance of each part's value."""
        return self.inference.variances(self.measurements)


@dataclass(frozen=True)
class Answer:
    """A number with an error bar.

    The interval holds the true count with the stated confidence as far as the added noise goes;
    ``partial`` is the part of the value that comes from parts which the question cuts through,
    where rows are taken to lie evenly, or from groups of cells that share one value. Where the
    interval is ``approximate``, `Estimate.approximate` says why.
    """

    value: float
    interval: tuple[float, float]
    confidence: float = 0.95
    partial: float = 0.0
    approximate: bool = field(default=False, kw_only=True)

    def __str__(self) -> str:
        value, low, high, partial = map(format_rows, (self.value, *self.interval, self.partial))
        of_it = " of it" if self.partial <= self.value else ""
        cut = "" if partial == "0" else f"; {partial}{of_it} in parts that are cut"
        sure = format_confidence(self.confidence, self.approximate)
        return f"{value}  ({low} to {high} {sure}{cut})"


def format_rows(number: float) -> str:
    """A number of rows for people. Noise has no bounds, nor has its size.

    >>> format_rows(1234.5), format_rows(-0.2), format_rows(1e300), format_rows(float("inf"))
    ('1,234', '0', '1e+300', 'inf')
    """
    return f"{round(number):,}" if abs(number) < 1e18 else f"{number:.6g}"


def format_confidence(confidence: float, approximate: bool) -> str:
    """How sure an interval is.

    >>> format_confidence(0.95, False), format_confidence(0.995, True)
    ('with 95%', 'with about 99.5%')
    """
    return f"with {'about ' if approximate else ''}{100 * confidence:.10g}%"


@dataclass(frozen=True, eq=False)
class Answers:
    """Many answers at once, as arrays; see `Answer`."""

    values: Floats
    lower: Floats
    upper: Floats
    confidence: float
    partial: Floats
    approximate: bool = False

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, place: int) -> Answer:
        interval = (float(self.lower[place]), float(self.upper[place]))
        return Answer(
            float(self.values[place]),
            interval,
            self.confidence,
            float(self.partial[place]),
            approximate=self.approximate,
        )

    def to_pandas(self) -> Any:
        import pandas as pd

        return pd.DataFrame(
            {
                "value": self.values,
                "lower": self.lower,
                "upper": self.upper,
                "partial": self.partial,
            }
        )
