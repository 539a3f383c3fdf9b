"""How much of a weighted sum comes from parts that it cuts through.

What a view shows are sums of the release's parts, and it may have cut these; and cells to which a
mechanism gave one value together are one part. So the question is followed back to the parts that
were really distinguished.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.mechanisms.estimate import Estimate

NEARLY = 1 - 1e-9
"""The share of a part from which on it counts as whole."""


class Cutting:
    """The parts behind an estimate's, and which of them share one value."""

    def __init__(self, estimate: Estimate) -> None:
        self.estimate = estimate
        self.viewed = estimate.inference.viewed
        self.views = estimate.inference.view.chain if estimate.inference.view else []
        groups = self.viewed.groups()
        self.groups = groups.labels if groups else None

    @property
    def needed(self) -> bool:
        """Whether there is more behind the estimate's parts than they show."""
        return bool(self.views) or self.groups is not None

    @cached_property
    def values(self) -> Floats:
        found = self.viewed.push(self.estimate.measurements) if self.views else self.estimate.values
        return np.asarray(found, dtype=np.float64)

    def partial(self, weights: Floats) -> float:
        """The part of a weighted sum that comes from cut parts: O(parts)."""
        for view in self.views:
            weights = view.spread_out(weights)
        cut = weights < NEARLY
        if self.groups is not None:
            cut = (np.bincount(self.groups, cut) > 0)[self.groups]
        return float(weights[cut] @ self.values[cut])
