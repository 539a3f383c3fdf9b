"""Slices of an axis that are repeatedly cut in two where it helps most."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from hushgram.declare.domain import Domain
from hushgram.geometry.partition import Cuts, Grid, Lattice
from hushgram.mechanisms.base import Mechanism, check_one_ordered_axis
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.grid_sizing import noisy_rows
from hushgram.mechanisms.parameters import (
    check_parameters,
    one_of,
    optional,
    positive_share,
    whole_number,
)
from hushgram.queries import Bisections, PartCounts, Vault


@dataclass(frozen=True, kw_only=True)
class PHPartition(Mechanism):
    """Cuts an axis in two where it helps most, then each half, and so on; counts the slices.

    Use it for ranges along one axis whose counts change at few places.

    In every round, each slice of two or more cells is cut at a place chosen by the exponential
    mechanism. After some rounds the slices are counted, and rows are assumed to be evenly spread in
    each. Few slices hide where the rows are, many have much noise: as for a uniform grid, a table
    of N rows gets about (N ε / c)^(2/3) slices, and each round doubles their number. If that is at
    least the number of cells, the cells are counted.

    Beyond the paper: the paper uses log₂(n)/2 rounds for any table, and scores a cut by the sum of
    |count - mean| on its two sides, which one row changes by up to 2. The default score is the
    present error of ranges that end at the place if rows were evenly spread; one row changes it by
    less than 1.

    Privacy: a `Total` query, unless ``rounds`` is given; one `Bisections` query per round, with
    equal shares; then one `PartCounts` query with the rest of the budget. Proof:
    ``docs/proofs/p-hpartition.md``.

    Parameters
    ----------
    rounds
        The number of rounds. By default chosen by the noisy number of rows, with c = 2 and at most
        12: 4,095 choices, each of which takes some tenths of a millisecond.
    score
        The score of a place: ``"interpolation"`` (default), or the paper's ``"deviation"``.
    share
        The share of the budget for the cuts: one quarter.
    total_share
        The share of the budget for the number of rows: 2 %, as in `uniform-grid`.

    References
    ----------
    Acs, Castelluccia & Chen, *Differentially private histogram publishing through lossy
    compression*, ICDM 2012. Hay, Machanavajjhala, Miklau, Chen & Zhang, *Principled evaluation of
    differentially private algorithms using DPBench*, SIGMOD 2016.

    Examples
    --------
    >>> import numpy as np, hushgram as hg
    >>> steps = np.repeat([0, 5, 1], 2000)
    >>> release = hg.publish(hg.Counts(steps), epsilon=1, mechanism="p-hpartition")
    >>> 9 < release.estimate.partition.size <= 256      # 12,000 rows get eight rounds
    True
    """

    name: ClassVar[str] = "p-hpartition"
    proof: ClassVar[str] = "p-hpartition"

    rounds: int | None = None
    score: str = "interpolation"
    share: Fraction = Fraction(1, 4)
    total_share: Fraction = Fraction(1, 50)

    def __post_init__(self) -> None:
        check_parameters(
            self, rounds=optional(whole_number(0)), score=one_of("interpolation", "deviation")
        )
        check_parameters(self, share=positive_share, total_share=positive_share)

    def check(self, domain: Domain) -> None:
        check_one_ordered_axis(self.name, domain)
        Grid.of_cells(domain)

    def estimate(self, vault: Vault) -> Estimate:
        parts = self._cut(vault, self._rounds(vault))
        return Estimate.direct(vault.ask(PartCounts(parts, vault.remaining)))

    def _rounds(self, vault: Vault) -> int:
        """The number of rounds, by default chosen by a noisy number of rows."""
        if self.rounds is not None:
            return self.rounds
        return rounds_for(noisy_rows(vault, self.total_share).signal_to_noise)

    def _cut(self, vault: Vault, rounds: int) -> Lattice:
        if rounds >= (vault.domain.axes[0].bins - 1).bit_length():
            return Grid.of_cells(vault.domain)
        cuts = Cuts(vault.domain, (np.array([0]),))
        price = self.share * vault.remaining / max(rounds, 1)
        for _ in range(rounds):
            cuts = vault.ask(Bisections(cuts, self.score, price))
        return cuts


def rounds_for(rows: float) -> int:
    """The number of rounds for a number of rows in units of the noise: half of these to the power
    of 2/3 is the number of slices, rounded down to a power of two.

    >>> [rounds_for(rows) for rows in (-5, 0, 2, 20, 100, 1000, 10**6, 10**12)]
    [0, 0, 0, 2, 3, 5, 12, 12]
    """
    return min(12, int(2 / 3 * math.log2(max(rows / 2, 1))))
