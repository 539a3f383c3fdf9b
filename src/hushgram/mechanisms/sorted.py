"""Noisy sums of groups of sorted rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from hushgram.base.exact import short_repr
from hushgram.declare.domain import Domain
from hushgram.errors import BadInput
from hushgram.geometry.measured.curve import Curve
from hushgram.geometry.measured.sorted_groups import LARGEST, MAX_PROFILE, SortedGroups
from hushgram.geometry.partition import MAX_PARTS, Grid
from hushgram.mechanisms.base import Mechanism
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.inference.sorted_model import paper_group
from hushgram.mechanisms.inference.sorted_sequence import REGRESSIONS, SortedSequence
from hushgram.mechanisms.parameters import (
    check_parameters,
    one_of,
    optional,
    parse_value,
    positive_share,
    whole_number,
)
from hushgram.queries import Measurement, SortedSums, Total, Vault

PUBLIC = Fraction(1, 10**6)
"""The share for the number of rows if it is public; every query must have a price."""

MAX_GROUPS = 2**20
"""The largest number of groups, reached with four trillion rows at ε = 1."""

MAX_RATIO = 1000
"""The largest ratio between the sizes of two groups."""


@dataclass(frozen=True, kw_only=True)
class Sorted(Mechanism):
    """Sorts the rows and publishes the noisy mean position of each group of neighbours.

    Use it for order statistics (medians, quantiles) of an axis with very many cells and few rows.

    Sorting keeps the sensitivity low: adding, removing or changing a row moves the sorted list by
    at most the length of the axis in total, however many rows there are. A group's mean shows where
    its rows are. Groups are narrow where rows are dense, so the result is an adaptive histogram,
    which also answers all order statistics. Its error does not depend on the number of cells, but
    decreases only with the square root of the number of rows.

    Several axes are sorted along a Hilbert curve, as in the paper, and the groups become boxes. The
    sorted list then shows well where rows are, but a large range cuts the curve into many pieces,
    and `privtree-hb` is far more accurate for it.

    Privacy: a small share of the budget pays for a noisy number of rows m; the sorted list is cut
    or padded to m, and the rest of the budget pays for the sums of its groups. The paper uses the
    number of rows for free, which is private only if neighbours replace a row and no row can be
    dropped. Proof: ``docs/proofs/sorted.md``.

    Parameters
    ----------
    group_size
        The number of rows per group. ``"measured"`` (default) is k = 2 √(m / ε), where ε is that of
        the noise on the sums. ``"paper"`` uses the error model behind the paper's Table 1, which is
        for groups without interpolation and gives about a quarter of that k. A number is used as
        given, or the nearest that can be published.
    profile
        Relative sizes of groups along the sorted list, such as ``"4:1:4"`` or ``[4, 1, 4]``: in the
        first and the last third of the list, groups have four times as many rows as in the middle
        third. By default all groups are equal. Unequal groups cost no more (the paper's
        Corollary 1): use small ones for the quantiles that matter. Intervals of counts allow for
        the largest group.
    regression
        How the order of the noisy means is restored: isotonic regression by least ``"squares"``
        (default) or by least ``"absolute"`` deviations.
    total_share
        The share of the budget for the number of rows: 5 %.

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
    profile: str | Sequence[int] | None = None
    regression: str = "squares"
    total_share: Fraction = Fraction(1, 20)

    def __post_init__(self) -> None:
        rule = one_of("measured", "paper") if isinstance(self.group_size, str) else whole_number(1)
        check_parameters(
            self,
            group_size=rule,
            profile=optional(as_profile),
            regression=one_of(*REGRESSIONS),
            total_share=positive_share,
        )

    def check(self, domain: Domain) -> None:
        Curve(domain)

    def estimate(self, vault: Vault) -> Estimate:
        if vault.domain.cells == 1:
            return Estimate.direct(total_of(vault, vault.remaining))
        total = total_of(vault, self._share(vault) * vault.epsilon)
        rows = max(int(total.values[0]), 1)
        profile = tuple(map(int, str(self.profile or 1).split(":")))
        groups = SortedGroups(vault.domain, rows, self._group(rows, vault, max(profile)), profile)
        sums = vault.ask(SortedSums(groups, vault.remaining))
        sequence = SortedSequence.of([total, sums], self.regression)
        return Estimate.infer(sequence.layout, sequence.measurements, sequence)

    def _share(self, vault: Vault) -> Fraction:
        """The share for the number of rows."""
        public = vault.variance(Total(vault.epsilon)) == 0
        return PUBLIC if public else self.total_share

    def _group(self, rows: int, vault: Vault, times: int) -> int:
        """The number of rows per group, or of the smallest groups of a profile. The largest groups
        have ``times`` as many rows."""
        if isinstance(self.group_size, int):
            fitting = max(self.group_size, -(-rows // (MAX_PARTS - MAX_PROFILE)))
        else:
            rule = paper_group if self.group_size == "paper" else measured_group
            fitting = max(rule(rows, noise_level(vault)), -(-rows // MAX_GROUPS))
        return min(fitting, LARGEST // times // Curve(vault.domain).span)


def as_profile(value: Any, name: str) -> str:
    """Relative sizes of groups, as text.

    >>> as_profile("4:1:4", "profile"), as_profile([2, 1], "profile")
    ('4:1:4', '2:1')
    """
    entries = value.split(":") if isinstance(value, str) else value
    entries = entries if isinstance(entries, Sequence) else []
    if not 1 <= len(entries) <= MAX_PROFILE:
        raise BadInput(
            f"{name} must be 1 to {MAX_PROFILE:,} whole numbers such as 4:1:4. Found "
            f"{short_repr(value)}."
        )
    rule = whole_number(1, MAX_RATIO)
    numbers = [parse_value(one) if isinstance(one, str) else one for one in entries]
    return ":".join(str(rule(one, f"each entry of {name}")) for one in numbers)


def total_of(vault: Vault, epsilon: Fraction) -> Measurement:
    """The noisy number of rows, as the count of one part."""
    total = vault.ask(Total(epsilon))
    whole = Grid(vault.domain, (1,) * len(vault.domain))
    return Measurement(whole, np.array([total.value]), total.variance, total.scale)


def noise_level(vault: Vault) -> float:
    """The ε of Laplace noise, on an axis of length 1, with the variance of later sums."""
    any_groups = SortedGroups(vault.domain, 1, 1)
    variance = vault.variance(SortedSums(any_groups, vault.remaining))
    return any_groups.span * math.sqrt(2 / max(variance, 1e-300))


def measured_group(rows: int, epsilon: float) -> int:
    """The group size recommended by simulations, see `Sorted`.

    >>> measured_group(10_000, 1.0)
    200
    """
    return max(1, round(2 * math.sqrt(rows / epsilon)))
