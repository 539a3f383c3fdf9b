"""The part of a weighted sum that comes from parts that it cuts.

The parts of a view are sums of the release's parts, and may have cut these. Cells that a mechanism
gave the same value are one part. So queries are mapped to the parts that were really measured
separately.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.mechanisms.estimate import Estimate

NEARLY = 1 - 1e-9
"""A part with at least this share counts as whole."""


class Cutting:
    """The parts behind an estimate's parts, and the groups of them with the same value."""

    def __init__(self, estimate: Estimate) -> None:
        self.estimate = estimate
        self.viewed = estimate.inference.viewed
        self.views = estimate.inference.view.chain if estimate.inference.view else []
        groups = self.viewed.groups()
        self.groups = groups.labels if groups else None

    @property
    def needed(self) -> bool:
        """Whether the parts behind the estimate's parts differ from these."""
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
