"""The sorted rows themselves, in groups."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from hushgram.declare.domain import Domain
from hushgram.geometry.measured.curve import Curve
from hushgram.geometry.measured.sorted_groups import LARGEST, SortedGroups
from hushgram.geometry.partition import MAX_PARTS, Grid
from hushgram.mechanisms.base import Mechanism
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.inference.sorted_model import paper_group
from hushgram.mechanisms.inference.sorted_sequence import SortedSequence
from hushgram.mechanisms.parameters import check_parameters, one_of, positive_share, whole_number
from hushgram.queries import Measurement, SortedSums, Total, Vault

PUBLIC = Fraction(1, 10**6)
"""The share that pays for a number of rows which everybody knows; every question has a price."""

MOST = 2**20
"""The largest number of groups, reached with four million million rows at ε = 1."""


@dataclass(frozen=True, kw_only=True)
class Sorted(Mechanism):
    """Sorts the rows and publishes the noisy mean place of each group of neighbours.

    Use it for order statistics (medians, quantiles) of an axis with very many cells and few rows.

    Sorting tames the noise: a row that comes, goes or changes moves the sorted list by no more than
    the length of the axis in all, however many rows there are. A group's mean says where its rows
    lie; the groups are narrow where rows are dense, so the result is an adaptive histogram, and
    every order statistic comes with it. Its error does not depend on the number of cells, but falls
    only with the root of the number of rows.

    Several axes are sorted along a Hilbert curve, as in the paper, and the groups become boxes. The
    sorted list then resolves places, but a large range cuts the curve in many pieces: there
    `privtree-hb` is far more accurate.

    Privacy: a small share of the budget pays for a noisy number of rows m; the sorted list is cut
    or padded to m, and the rest of the budget pays for the sums of its groups. The paper takes the
    number of rows for free, which is private only if neighbours replace a row and no row can drop
    out. Proof: ``docs/proofs/sorted.md``.

    Parameters
    ----------
    group_size
        How many rows make a group. ``"measured"`` (default) is k = 2 √(m / ε), ε being that of the
        noise on the sums. ``"paper"`` is the error model behind the paper's Table 1, which was made
        for groups that are not interpolated, and takes about a quarter of that k. A number is taken
        as it is, or as near to it as can be published.
    total_share
        The share of the budget that pays for the number of rows: 5 %.

    References
    ----------
    Fang & Chang, *Adaptive differentially private histogram of low-dimensional data*, PETS 2012.

    Examples
    --------
    >>> import hushgram as hg
    >>> release = hg.publish(hg.Counts([0, 0, 900, 0, 0, 800]), epsilon=1, mechanism="sorted")
    >>> release.to_array().shape
    (6,)
    """

    name: ClassVar[str] = "sorted"
    proof: ClassVar[str] = "sorted"

    group_size: str | int = "measured"
    total_share: Fraction = Fraction(1, 20)

    def __post_init__(self) -> None:
        rule = one_of("measured", "paper") if isinstance(self.group_size, str) else whole_number(1)
        check_parameters(self, group_size=rule, total_share=positive_share)

    def check(self, domain: Domain) -> None:
        Curve(domain)

    def estimate(self, vault: Vault) -> Estimate:
        if vault.domain.cells == 1:
            return Estimate.direct(total_of(vault, vault.remaining))
        total = total_of(vault, self._share(vault) * vault.epsilon)
        rows = max(int(total.values[0]), 1)
        groups = SortedGroups(vault.domain, rows, self._group(rows, vault))
        sums = vault.ask(SortedSums(groups, vault.remaining))
        sequence = SortedSequence.of([total, sums])
        return Estimate.infer(sequence.layout, sequence.measurements, sequence)

    def _share(self, vault: Vault) -> Fraction:
        """The share for the number of rows."""
        public = vault.variance(Total(vault.epsilon)) == 0
        return PUBLIC if public else self.total_share

    def _group(self, rows: int, vault: Vault) -> int:
        """How many rows a group has."""
        if isinstance(self.group_size, int):
            fitting = max(self.group_size, -(-rows // MAX_PARTS))
        else:
            rule = paper_group if self.group_size == "paper" else measured_group
            fitting = max(rule(rows, noise_level(vault)), -(-rows // MOST))
        return min(fitting, LARGEST // Curve(vault.domain).span)


def total_of(vault: Vault, epsilon: Fraction) -> Measurement:
    """The noisy number of rows, as the count of one part."""
    total = vault.ask(Total(epsilon))
    whole = Grid(vault.domain, (1,) * len(vault.domain))
    return Measurement(whole, np.array([total.value]), total.variance, total.scale)


def noise_level(vault: Vault) -> float:
    """The ε of Laplace noise, on an axis of length 1, with the variance that sums will have."""
    any_groups = SortedGroups(vault.domain, 1, 1)
    variance = vault.variance(SortedSums(any_groups, vault.remaining))
    return any_groups.span * math.sqrt(2 / max(variance, 1e-300))


def measured_group(rows: int, epsilon: float) -> int:
    """The group size that simulations recommend, see `Sorted`.

    >>> measured_group(10_000, 1.0)
    200
    """
    return max(1, round(2 * math.sqrt(rows / epsilon)))
