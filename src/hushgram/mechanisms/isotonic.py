"""Groups of adjacent cells, in the order suggested by first counts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.declare.domain import Domain
from hushgram.geometry.partition import Grid, Ints, Merged
from hushgram.mechanisms.base import Mechanism, check_one_ordered_axis
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.inference.averaged import Averaged
from hushgram.mechanisms.inference.pooled import Pooled
from hushgram.mechanisms.noise_first import check_groups, segments_of
from hushgram.mechanisms.parameters import check_parameters, optional, positive_share, whole_number
from hushgram.queries import Measurement, PartCounts, Vault

MANY = 0.3
"""Groups per cell from which on the first counts influence the values: there they are half of the
information. With few groups, cells are separate because their first counts are too large."""


@dataclass(frozen=True, kw_only=True)
class Isotonic(Mechanism):
    """Groups neighbouring cells with similar counts, counts the groups, and restores their order by
    size.

    Use it for short axes with an order and a few steps of clearly different heights.

    One part of the budget pays for noisy counts. They determine a v-optimal grouping of adjacent
    cells and an order of the groups by height. The other part pays for the groups' sums; isotonic
    regression along that order, weighted by size, then pools groups whose sums contradict it. If
    most cells remain separate, both counts are averaged.

    If cells differ, there is nothing to group, and `identity` is better: the order alone is not
    worth its price, and two counts with half of ε each have twice the squared error of one with all
    of it. An example are millions of rows in a few categories.

    Privacy: two `PartCounts` queries; grouping and order depend only on the first answer. The paper
    groups and sorts by true counts without paying for either, which is not private. Proof:
    ``docs/proofs/isotonic.md``.

    Parameters
    ----------
    groups
        The number of groups, the paper's k: exactly those with the smallest squared error for the
        first counts. By default their number is chosen by a penalty of 2 σ² ln n per group. Up to
        20 million cells times groups are allowed, which takes about ten seconds.
    share
        The share of the budget for the first answer: half, since structure and sums are equally
        important.

    References
    ----------
    Shi & Zhou, *Difference privacy histogram release based on isotonic regression*, 2015.
    Barlow et al., *Statistical inference under order restrictions*, 1972.

    Examples
    --------
    >>> import hushgram as hg
    >>> release = hg.publish(hg.Counts([4, 3, 3, 7, 6, 5]), epsilon=1, mechanism="isotonic")
    >>> release.to_array().shape
    (6,)
    """

    name: ClassVar[str] = "isotonic"
    proof: ClassVar[str] = "isotonic"

    groups: int | None = None
    share: Fraction = Fraction(1, 2)

    def __post_init__(self) -> None:
        check_parameters(self, groups=optional(whole_number(1)), share=positive_share)

    def check(self, domain: Domain) -> None:
        check_one_ordered_axis(self.name, domain)
        check_groups(Grid.of_cells(domain).size, self.groups)

    def estimate(self, vault: Vault) -> Estimate:
        cells = Grid.of_cells(vault.domain)
        noisy = vault.ask(PartCounts(cells, self.share * vault.epsilon))
        penalty = 2 * noisy.variance * math.log(max(cells.size, 2))
        groups = Merged(cells, segments_of(noisy.values, penalty, self.groups))
        sums = vault.ask(PartCounts(groups, vault.remaining))
        blocks = pooled_blocks(sums, heights(noisy, groups), groups.sizes)
        measured = [sums, noisy]
        if groups.size >= MANY * cells.size:
            return Estimate.infer(cells, measured, Averaged.of(measured, blocks))
        return Estimate.infer(cells, measured, Pooled(groups, blocks, has_first_counts=True))


def heights(noisy: Measurement, groups: Merged) -> Floats:
    """The mean first count of each group's cells."""
    sums = np.bincount(groups.labels, noisy.values.astype(np.float64))
    return np.asarray(sums / groups.sizes, dtype=np.float64)


def pooled_blocks(sums: Measurement, expected: Floats, sizes: Ints) -> Ints:
    """The block of each group after isotonic regression along the expected order."""
    from hushgram.mechanisms.inference.isotonic import isotonic

    order = np.argsort(expected, kind="stable")
    means = (sums.values / sizes)[order]
    fitted = isotonic(means, sizes[order].astype(np.float64))
    blocks = np.empty(len(order), dtype=np.int64)
    blocks[order] = np.concatenate([[0], np.cumsum(np.diff(fitted) > 0)])
    return blocks
