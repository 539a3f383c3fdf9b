"""The interface of inferences: how measurements become values, and the noise of these values.

::

    measurements                 --- push --->   values of the parts
    weights on the measurements  <-- pull ----   weights on the parts

Measurements are independent, so the variance of a weighted sum of parts follows from the weights on
the measurements that `Inference.pull` returns, without computing covariances of parts. Inferences
without such weights override `Inference.terms`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.errors import NotAnswerable
from hushgram.geometry.partition import Ints, Partition
from hushgram.mechanisms.inference.groups import Groups
from hushgram.mechanisms.inference.levels import NestedLevels
from hushgram.mechanisms.inference.ranks import Reconstruction, SortedParts, SortedPoints
from hushgram.mechanisms.inference.view import View
from hushgram.mechanisms.inference.weights import Matrix
from hushgram.queries import Measurement

MAX_ROWS = 4096
"""The most variances that are computed one by one: each takes O(parts)."""


class Inference(ABC):
    """A map from measurements to the values of an estimate's parts.

    A new inference implements the abstract methods and is added to `kinds.INFERENCES`. The other
    methods describe structure that makes answers faster or more detailed; their defaults are always
    correct.
    """

    kind: ClassVar[str]
    """The name in release files."""

    is_direct: ClassVar[bool] = False
    """Whether the values are those of a single measurement: independent, with identical noise."""

    has_moments_only: ClassVar[bool] = False
    """Whether only the moments of a sum's noise are used, even if all of it comes from a single
    measurement and its distribution is known."""

    # From measurements to values

    @abstractmethod
    def push(self, measurements: Sequence[Measurement]) -> Floats | Ints:
        """The values of the parts."""

    @property
    def is_linear(self) -> bool:
        """Whether `push` is linear, so that it accepts any numbers and `pull` is exact. If not,
        `pull` and the variances are those of a linearisation."""
        return True

    # Noise

    @property
    def noise_margin(self) -> float:
        """The factor by which intervals must be wider than the variances imply: more than 1 if
        `push` is not linear, and the variances are those of a linearisation."""
        return 1.0

    def pull(self, weights: Floats) -> Sequence[Floats]:
        """The weights on the values of each measurement, from weights on the parts. An inference
        without such weights overrides `terms`."""
        raise NotImplementedError

    def terms(self, weights: Floats, measurements: Sequence[Measurement]) -> Floats:
        """The variances of the independent errors that add up to the error of a weighted sum of
        parts."""
        pulled = zip(self.pull(weights), measurements, strict=True)
        return np.concatenate([(weight**2 * m.variance).ravel() for weight, m in pulled])

    @abstractmethod
    def variances(self, measurements: Sequence[Measurement]) -> Floats:
        """The variance of each part's value."""

    def row_variances(self, rows: Matrix, measurements: Sequence[Measurement]) -> Floats:
        """The variance of each of many weighted sums of parts, the rows of a matrix. By default one
        by one: O(rows x parts)."""
        if rows.shape[0] > MAX_ROWS:
            raise NotAnswerable(
                f"The errors of {rows.shape[0]:,} sums take too long to compute for an "
                f"estimate of kind {self.kind!r}. Ask for at most {MAX_ROWS:,}: use "
                "fewer bins, or count()."
            )
        found = np.empty(rows.shape[0])
        for row in range(len(found)):
            found[row] = self.terms(rows[[row]].toarray().reshape(-1), measurements).sum()
        return found

    def slice_norms(self, along: Sequence[Matrix]) -> list[Floats] | None:
        """The factor of each slice of each axis, if the variance of a sum over a product of slices
        is the product of such factors and the single measurement's variance; else None. For each
        axis, ``along`` holds the shares of the parts' own slices in each slice.
        """
        return None

    # What the parts are

    def groups(self) -> Groups | None:
        """The groups of parts with the same value by construction; None if each part has its own. A
        view has no groups: see those of the `viewed` inference."""
        return None

    def first_counts(self, measurements: Sequence[Measurement]) -> Measurement | None:
        """The counts of all single parts from before they were grouped; None if they were not
        counted, or not kept."""
        return None

    def unbiased_values(self) -> tuple[Floats, Floats] | None:
        """Unbiased values of the parts from the same measurements, and their variances; None if the
        values are unbiased already, or there are none."""
        return None

    def nested_levels(self, measurements: Sequence[Measurement]) -> NestedLevels | None:
        """The levels of counts, if the values are their least squares estimate."""
        return None

    def sorted_parts(self) -> SortedParts | None:
        """The order of the parts in a sorted list, if they come from one."""
        return None

    def reconstruction(self) -> Reconstruction | None:
        """The rows along a single axis, if they were reconstructed."""
        return None

    def sorted_points(self) -> SortedPoints | None:
        """The rows as points, if they were reconstructed one group at a time."""
        return None

    @property
    def view(self) -> View | None:
        """The view, if the values are sums of another estimate's."""
        return None

    @property
    def viewed(self) -> Inference:
        """The inference below all views; itself if it is not a view."""
        return self

    # Release files

    @abstractmethod
    def check(self, partition: Partition, measurements: Sequence[Measurement]) -> None:
        """Raise unless these measurements can determine the values of these parts: a release file
        may contain anything."""

    def to_json(self) -> dict[str, Any]:
        """The kind, and everything that the measurements do not determine."""
        return {"kind": self.kind}

    @classmethod
    @abstractmethod
    def from_json(cls, data: Mapping[str, Any], measurements: Sequence[Measurement]) -> Self:
        """The inference that `to_json` described, checked because it comes from a file."""
