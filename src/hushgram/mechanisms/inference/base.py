"""What an inference is: how measurements become values, and what is known of the noise in them.

::

    measurements                 --- push --->   values of the parts
    weights on the measurements  <-- pull ----   weights on the parts

Measurements are independent, so the variance of a weighted sum of parts follows from the weights
that `Inference.pull` finds for it: no covariance of parts is ever written down. Where values follow
from measurements in another way, `Inference.terms` tells the variance.
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

MOST_PULLED = 4096
"""The maximum number of variances that are found one at a time: each takes as long as all parts
do."""


class Inference(ABC):
    """A map from measurements to the values of an estimate's parts.

    A new inference implements the abstract methods, and is entered in `kinds.INFERENCES`. The
    other methods tell what may be made use of to answer faster, or to say more. Where nothing is
    known, the defaults are right.
    """

    kind: ClassVar[str]
    """Its name in release files."""

    is_direct: ClassVar[bool] = False
    """Whether the values are those of a single measurement: independent, with noise all alike."""

    has_moments_only: ClassVar[bool] = False
    """Whether the noise of a sum is described by its moments, even if all of it comes from one
    measurement and more could be said."""

    # From measurements to values

    @abstractmethod
    def push(self, measurements: Sequence[Measurement]) -> Floats | Ints:
        """The values of the parts."""

    @property
    def is_linear(self) -> bool:
        """Whether `push` is linear, so that it can be handed any numbers and `pull` is exact; if
        not, `pull` and variances are those of a linearisation."""
        return True

    # Noise

    @property
    def noise_margin(self) -> float:
        """How many times as wide as its variances say an interval has to be: more than 1 where
        `push` is not linear, and variances are those of a linearisation."""
        return 1.0

    def pull(self, weights: Floats) -> Sequence[Floats]:
        """For weights on the parts, the weights on each measurement's values. An inference that has
        none says what its errors are made of by `terms`."""
        raise NotImplementedError

    def terms(self, weights: Floats, measurements: Sequence[Measurement]) -> Floats:
        """The variances of independent errors that add up to the error of a weighted sum of
        parts."""
        pulled = zip(self.pull(weights), measurements, strict=True)
        return np.concatenate([(weight**2 * m.variance).ravel() for weight, m in pulled])

    @abstractmethod
    def variances(self, measurements: Sequence[Measurement]) -> Floats:
        """The variance of each part's value."""

    def row_variances(self, rows: Matrix, measurements: Sequence[Measurement]) -> Floats:
        """The variance of each of many weighted sums of parts, the rows of a matrix: one after the
        other, O(rows x parts)."""
        if rows.shape[0] > MOST_PULLED:
            raise NotAnswerable(
                f"The errors of {rows.shape[0]:,} sums take too long to compute for an "
                f"estimate of kind {self.kind!r}. Ask for at most {MOST_PULLED:,}: use "
                "fewer bins, or count()."
            )
        found = np.empty(rows.shape[0])
        for row in range(len(found)):
            found[row] = self.terms(rows[[row]].toarray().reshape(-1), measurements).sum()
        return found

    def slice_norms(self, along: Sequence[Matrix]) -> list[Floats] | None:
        """Where the variance of a sum over a product of slices is a product, too: the factor of
        each slice of each axis, as a multiple of the only measurement's variance. Else None.

        ``along`` holds for each axis the shares of the parts' own slices that each slice takes.
        """
        return None

    # What the parts are

    def groups(self) -> Groups | None:
        """The parts that share one value by construction; None if each has its own. A view has no
        groups: those of what is `viewed` tell what was not distinguished."""
        return None

    def first_look(self, measurements: Sequence[Measurement]) -> Measurement | None:
        """The counts of all parts one by one, from before they were put into groups; None if they
        were not counted, or not kept."""
        return None

    def unbiased_values(self) -> tuple[Floats, Floats] | None:
        """Unbiased values of the parts and their variances, from the same measurements; None if the
        values are unbiased themselves, or there are none."""
        return None

    def nested_levels(self, measurements: Sequence[Measurement]) -> NestedLevels | None:
        """The levels of counts that least squares reconciled, if that is what the values are."""
        return None

    def sorted_parts(self) -> SortedParts | None:
        """How the parts follow each other in a sorted list, if they are made of one."""
        return None

    def reconstruction(self) -> Reconstruction | None:
        """The rows along a single axis, if they were reconstructed."""
        return None

    def sorted_points(self) -> SortedPoints | None:
        """The rows as points, if they were reconstructed one group at a time."""
        return None

    @property
    def view(self) -> View | None:
        """The sums that the values are, where they are a view of another estimate."""
        return None

    @property
    def viewed(self) -> Inference:
        """The inference below all views; itself, where there are none."""
        return self

    # Release files

    @abstractmethod
    def check(self, partition: Partition, measurements: Sequence[Measurement]) -> None:
        """Raise unless the values of these parts can follow from these measurements: whoever wrote
        a release may have written anything."""

    def to_json(self) -> dict[str, Any]:
        """The kind, and what does not follow from the measurements."""
        return {"kind": self.kind}

    @classmethod
    @abstractmethod
    def from_json(cls, data: Mapping[str, Any], measurements: Sequence[Measurement]) -> Self:
        """What `to_json` described, over these measurements; checked, since it comes from a
        file."""
