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

    The best grouping into k groups has the least squared error around the groups' means. It is
    approached from the last boundary to the first: each is drawn by the exponential mechanism,
    scored by the error of the group that it begins plus the least error of all cells before it in
    the groups that are left. Every group is then counted once, and its rows are taken to lie
    evenly.

    Privacy: one `Boundaries` query, in which each boundary has an equal share, then one
    `PartCounts` query about the groups. One row changes a squared error by up to 2F - 1 where
    counts are at most F; so boundaries are chosen on counts cut at the public ``bound`` F, inside
    the vault. Proof: ``docs/proofs/structure-first.md``.

    Parameters
    ----------
    groups
        How many groups there are. By default a tenth of the cells, as in the paper: at least 2, and
        no more than can be computed. More of them leave less budget for each boundary: small tables
        with a small ε are better served by fewer.
    bound
        The largest count to expect in a cell (F), from public knowledge, never from the table.
        Cells above it look alike when boundaries are chosen (they are still counted in full), and
        the noise of the choice grows with it. 1000 by default.
    share
        The share of the budget for the boundaries: one half.

    Notes
    -----
    O(n² groups), the dynamic programme of v-optimal histograms. What would take longer than some
    ten seconds is refused.

    References
    ----------
    Xu, Zhang, Xiao, Yang, Yu & Winslett, *Differentially private histogram publication*, VLDB
    Journal 2013.

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
        from hushgram.queries.boundary_limits import LIMIT, count_additions, fits_64_bits

        check_one_ordered_axis(self.name, domain)
        cells = Grid.of_cells(domain).slices[0]
        groups = self._groups(cells)
        steps = count_additions(cells, groups)
        if steps > LIMIT:
            raise DomainError(
                f"{groups} groups of {cells:,} cells take {steps:.1e} steps, and "
                f"{LIMIT:.0e} are allowed. Ask for fewer groups or coarser bins, or choose "
                "noise-first, ahp or hb, which do a million cells in seconds."
            )
        if not fits_64_bits(cells, self.bound):
            raise DomainError(
                f"squared errors of {cells:,} counts up to {self.bound:,} exceed 64 bits. "
                "Give a smaller bound."
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
        from hushgram.queries.boundary_limits import max_groups

        tenth = min(-(-cells // 10), max_groups(cells))
        return min(max(2, tenth) if self.groups is None else self.groups, cells)
