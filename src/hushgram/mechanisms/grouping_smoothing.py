"""Groups of a fixed size over cells sorted by noisy counts."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.declare.domain import Domain
from hushgram.geometry.partition import Grid, Ints, Merged
from hushgram.mechanisms.ahp import cluster_labels
from hushgram.mechanisms.base import Mechanism
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.inference.pooled import Pooled
from hushgram.mechanisms.parameters import check_parameters, optional, positive_share, whole_number
from hushgram.queries import PartCounts, Vault

if TYPE_CHECKING:
    from hushgram.mechanisms.inference.expected_counts import ExpectedCounts


@dataclass(frozen=True, kw_only=True)
class GroupingSmoothing(Mechanism):
    """Sorts cells by noisy counts, then counts groups of cells with similar counts (GS).

    Use it for single cells of sparse tables when groups must have a fixed size; otherwise use
    `ahp`.

    Cells with similar counts are in the same group and share the noise of its sum. The original
    sorts by a sample of rows. If a row is in one cell, that is never better than using all rows, as
    the proof shows, so no sample is drawn.

    Privacy: two `PartCounts` queries; order and group size depend only on the first answer. Proof:
    ``docs/proofs/grouping-smoothing.md``.

    Parameters
    ----------
    group_size
        Cells per group. By default the power of two with the smallest expected error given the
        first counts: the squared differences of true counts within groups, by empirical Bayes, plus
        the noise of the groups' sums. ``docs/mechanisms/tuning.md`` evaluates this choice.
    share
        The share of the budget for the first counts: half.

    References
    ----------
    Kellaris & Papadopoulos, *Practical differential privacy via grouping and smoothing*, VLDB
    2013.

    Examples
    --------
    >>> import hushgram as hg
    >>> from hushgram.mechanisms.grouping_smoothing import GroupingSmoothing
    >>> pairs = GroupingSmoothing(group_size=2)
    >>> release = hg.publish(hg.Counts([9, 1, 8, 2]), epsilon=1, mechanism=pairs)
    >>> release.estimate.measurements[0].partition.size
    2
    """

    name: ClassVar[str] = "grouping-smoothing"
    proof: ClassVar[str] = "grouping-smoothing"

    group_size: int | None = None
    share: Fraction = Fraction(1, 2)

    def __post_init__(self) -> None:
        check_parameters(self, group_size=optional(whole_number(1)), share=positive_share)

    def check(self, domain: Domain) -> None:
        Grid.of_cells(domain)

    def estimate(self, vault: Vault) -> Estimate:
        cells = Grid.of_cells(vault.domain)
        noisy = vault.ask(PartCounts(cells, self.share * vault.epsilon))
        order = np.argsort(noisy.values, kind="stable")
        noise = vault.variance(PartCounts(cells, vault.remaining))
        size = self.group_size or best_size(
            noisy.values[order].astype(np.float64), noisy.variance, noise
        )
        groups = Merged(cells, cluster_labels(order, np.arange(0, cells.size, size)))
        sums = vault.ask(PartCounts(groups, vault.remaining))
        return Estimate.infer(
            cells, [sums, noisy], Pooled(groups, np.arange(groups.size), has_first_counts=True)
        )


def best_size(ascending: Floats, first_noise: float, noise: float) -> int:
    """The power of two with the smallest expected squared error, O(n log n).

    Parameters
    ----------
    ascending
        The first counts, sorted.
    first_noise, noise
        The variances of a first count and of a group's sum.
    """
    from hushgram.mechanisms.inference.expected_counts import expect_counts

    expected = expect_counts(ascending, first_noise)
    candidates = [2**power for power in range(len(ascending).bit_length())]
    return int(min(candidates, key=lambda size: grouped_error(expected, size, noise)))


def grouped_error(expected: ExpectedCounts, size: int, noise: float) -> float:
    """The expected squared error of all cells if they are counted in groups of this size."""
    means, variances = expected
    starts: Ints = np.arange(0, len(means), size)
    lengths = np.diff([*starts, len(means)])
    sums = np.add.reduceat(means, starts)
    between = float((means**2).sum() - (sums**2 / lengths).sum())
    within = float((np.add.reduceat(variances, starts) * (1 - 1 / lengths)).sum())
    return between + within + noise * float((1 / lengths).sum())
