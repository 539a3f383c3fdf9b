"""Groups of adjacent cells whose boundaries are chosen privately."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from hushgram.declare.domain import Domain
from hushgram.errors import DomainError
from hushgram.geometry.partition import Cuts, Grid
from hushgram.mechanisms.base import Mechanism, check_one_ordered_axis
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.parameters import check_parameters, optional, positive_share, whole_number
from hushgram.queries import Boundaries, PartCounts, Vault


@dataclass(frozen=True, kw_only=True)
class StructureFirst(Mechanism):
    """Finds runs of similar neighbouring cells first, then counts each run.

    Use it for short axes with a few clear steps. For long ranges, `p-hpartition` and `hb` are
    usually more accurate.

    The best division into k groups has the smallest squared error around the groups' means. The
    boundaries are chosen one by one, from the last to the first, by the exponential mechanism. The
    score is the error of the group that starts there plus the smallest error of all cells before it
    in the remaining groups. Every group is then counted once, and its rows are assumed to be evenly
    spread.

    Privacy: one `Boundaries` query, in which each boundary has an equal share, then one
    `PartCounts` query on the groups. One row changes a squared error by up to 2F - 1 if counts are
    at most F, so the vault chooses boundaries on counts truncated at the public ``bound`` F. Proof:
    ``docs/proofs/structure-first.md``.

    Parameters
    ----------
    groups
        The number of groups. By default a tenth of the cells, as in the paper, but at least 2 and
        no more than take about a second, for example 61 for 32,768 cells. With more groups, there
        is less budget for each boundary: small tables with a small ε need fewer.
    bound
        The largest expected count of a cell (F), from public knowledge, never from the table.
        Larger counts are treated as F when boundaries are chosen (they are still counted in full),
        and the noise of the choice grows with F. 1000 by default.
    share
        The share of the budget for the boundaries: one half.

    Notes
    -----
    The dynamic program of v-optimal histograms with functional pruning takes about O(n groups) time
    if counts fluctuate, as those of people do, up to forty times that on a long smooth curve, and
    O(n groups) memory. Up to 20 million cells times groups are allowed, which takes about ten
    seconds: 610 groups of 32,768 cells, or 20 of a million. More raises an error before anything is
    charged.

    References
    ----------
    Xu, Zhang, Xiao, Yang, Yu & Winslett, *Differentially private histogram publication*, VLDB
    Journal 2013. Rigaill, *A pruned dynamic programming algorithm to recover the best segmentations
    with 1 to K_max change-points*, Journal de la Société Française de Statistique 2015.

    Examples
    --------
    >>> import numpy as np, hushgram as hg
    >>> steps = np.repeat([0, 900, 100], 20)
    >>> release = hg.publish(hg.Counts(steps), epsilon=1, mechanism="structure-first")
    >>> release.estimate.partition.size
    6
    """

    name: ClassVar[str] = "structure-first"
    proof: ClassVar[str] = "structure-first"

    groups: int | None = None
    bound: int = 1000
    share: Fraction = Fraction(1, 2)

    def __post_init__(self) -> None:
        check_parameters(self, groups=optional(whole_number(1)), bound=whole_number(1))
        check_parameters(self, share=positive_share)

    def check(self, domain: Domain) -> None:
        from hushgram.queries.boundary_limits import LIMIT, fits_64_bits, max_groups

        check_one_ordered_axis(self.name, domain)
        cells = Grid.of_cells(domain).slices[0]
        groups = self._groups(cells)
        if groups > max_groups(cells):
            raise DomainError(
                f"Cells times groups must be at most {LIMIT:,}. Found {groups:,} groups of "
                f"{cells:,} cells. Use at most {max_groups(cells):,} groups, or coarser "
                "bins. Or choose noise-first, ahp or hb, which take seconds for a million "
                "cells."
            )
        if not fits_64_bits(cells, self.bound):
            raise DomainError(
                f"Squared errors of {cells:,} counts up to {self.bound:,} exceed 64 bits. "
                "Use a smaller bound."
            )

    def estimate(self, vault: Vault) -> Estimate:
        cells = Grid.of_cells(vault.domain)
        groups = self._groups(cells.slices[0])
        if groups == 1:
            cuts = Cuts(vault.domain, (np.array([0]),))
        else:
            cuts = vault.ask(Boundaries(cells, groups, self.bound, self.share * vault.epsilon))
        return Estimate.direct(vault.ask(PartCounts(cuts, vault.remaining)))

    def _groups(self, cells: int) -> int:
        from hushgram.queries.boundary_limits import QUICK

        tenth = min(-(-cells // 10), QUICK // cells)
        return min(max(2, tenth) if self.groups is None else self.groups, cells)
