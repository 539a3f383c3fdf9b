"""The distance of a release from the true counts. NONPRIVATE: it sees them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from hushgram.answers.learning.distances import distance
from hushgram.geometry.partition import Grid
from hushgram.mechanisms.estimate import Estimate
from hushgram.queries import Measurement
from hushgram.release import Release


def distance_from_truth(
    release: Release, counts: Any, kind: str = "emd", *, slices: int | None = None
) -> float:
    """Return the distance of a release from the true counts of its domain's cells; see `distance`.

    >>> import hushgram as hg
    >>> counts = [5, 0, 7]
    >>> release = hg.publish(hg.Counts(counts), epsilon=50, allow_large=True)
    >>> distance_from_truth(release, counts, "l1")
    0.0
    """
    cells = Grid.of_cells(release.domain)
    values = np.array(counts, dtype=np.int64).reshape(-1)
    truth = Estimate.direct(Measurement(cells, values, 0.0, Fraction(0)))
    return distance(release, truth, kind, slices=slices)
