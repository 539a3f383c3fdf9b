"""Clusters of similar counts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.declare.domain import Domain
from hushgram.geometry.partition import Grid, Ints, Merged
from hushgram.mechanisms.base import Mechanism
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.inference.pooled import Pooled
from hushgram.mechanisms.parameters import (
    check_parameters,
    number_from_zero,
    one_of,
    positive_share,
)
from hushgram.queries import Measurement, PartCounts, Vault


@dataclass(frozen=True, kw_only=True)
class AHP(Mechanism):
    """Averages cells with similar counts, wherever they are (accurate histogram publication).

    Use it for single cells of sparse tables, and for categories, which have no neighbours.

    One part of the budget pays for noisy counts of all cells. Counts below a threshold become zero.
    The counts are sorted and cut into clusters that balance the error of giving all cells of a
    cluster the same value against the noise of its sum. The other part of the budget pays for the
    sum of each cluster. Cells of a cluster need not be neighbours.

    Privacy: two `PartCounts` queries; the clusters depend only on the first answer. Proof:
    ``docs/proofs/ahp.md``.

    Parameters
    ----------
    clustering
        How cells are clustered. ``"optimal"`` (default) minimises the estimated error over all
        clusterings, in O(n log n); ``"greedy"`` is the paper's heuristic; ``"empirical"`` limits
        the number of clusters by rules of thumb for histograms.
    share
        The share of the budget for the first answer: 0.85, as tuned in DPBench.
    eta
        Counts below ``eta * ln(n) / ε₁`` become zero: 0.35, as tuned in DPBench. With Laplace noise
        for ε₁, hardly any empty cell exceeds ``ln(n) / ε₁``.

    References
    ----------
    Zhang, Chen, Xu, Meng & Xie, *Towards accurate histogram publication under differential
    privacy*, SDM 2014.

    Examples
    --------
    >>> import hushgram as hg
    >>> release = hg.publish(hg.Counts([90, 2, 91, 1, 3, 89]), epsilon=1, mechanism="ahp")
    >>> release.to_array().shape
    (6,)
    """

    name: ClassVar[str] = "ahp"
    proof: ClassVar[str] = "ahp"

    clustering: str = "optimal"
    share: Fraction = Fraction(17, 20)
    eta: float = 0.35

    def __post_init__(self) -> None:
        check_parameters(self, clustering=one_of("optimal", "greedy", "empirical"))
        check_parameters(self, share=positive_share, eta=number_from_zero)

    def check(self, domain: Domain) -> None:
        Grid.of_cells(domain)

    def estimate(self, vault: Vault) -> Estimate:
        cells = Grid.of_cells(vault.domain)
        noisy = vault.ask(PartCounts(cells, self.share * vault.epsilon))
        counts = drop_small_counts(noisy, self.eta)
        order = np.argsort(counts, kind="stable")
        starts = self._clusters(counts[order], vault.variance(PartCounts(cells, vault.remaining)))
        clusters = Merged(cells, cluster_labels(order, starts))
        sums = vault.ask(PartCounts(clusters, vault.remaining))
        return Estimate.infer(
            cells, [sums, noisy], Pooled(clusters, np.arange(clusters.size), has_first_counts=True)
        )

    def _clusters(self, ascending: Floats, noise: float) -> Ints:
        """Where clusters start in the sorted counts."""
        from hushgram.mechanisms.inference.clustering import (
            empirical_clusters,
            greedy_clusters,
            optimal_clusters,
        )

        if self.clustering == "optimal":
            return optimal_clusters(ascending, noise)
        if self.clustering == "greedy":
            return greedy_clusters(ascending, noise)
        return empirical_clusters(ascending, noise)


def drop_small_counts(noisy: Measurement, eta: float) -> Floats:
    """The counts, with zero instead of those that are probably noise."""
    level = math.sqrt(noisy.variance / 2)  # 1 / ε₁ for Laplace noise
    limit = eta * math.log(max(len(noisy.values), 2)) * level
    return np.where(noisy.values > limit, noisy.values, 0).astype(np.float64)


def cluster_labels(order: Ints, starts: Ints) -> Ints:
    """The cluster of each cell, for clusters that start at these positions of the order.

    >>> cluster_labels(np.array([2, 0, 1]), np.array([0, 2])).tolist()
    [0, 1, 0]
    """
    labels = np.empty(len(order), dtype=np.int64)
    labels[order] = np.repeat(np.arange(len(starts)), np.diff([*starts, len(order)]))
    return labels
