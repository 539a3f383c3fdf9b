"""The default: a mechanism chosen from what is public, and from a noisy number of rows."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from hushgram.domain import Domain
from hushgram.errors import BadInput
from hushgram.estimate import Estimate
from hushgram.mechanisms.ahp import AHP
from hushgram.mechanisms.base import Mechanism, Settled, positive_share
from hushgram.mechanisms.dpcube import DPCube
from hushgram.mechanisms.hb import HB
from hushgram.mechanisms.identity import Identity
from hushgram.mechanisms.noise_first import NoiseFirst
from hushgram.mechanisms.privtree import PrivTree, raster_for
from hushgram.mechanisms.privtree_hb import PrivTreeHB
from hushgram.mechanisms.uniform_grid import noise_level
from hushgram.partition import Grid
from hushgram.queries import Decomposition, Total, Vault

FEW_ON_ONE_AXIS = 32
FEW = 128
"""Cells up to which nothing is more accurate than counting each: on generated data and coarsened
arrays of DPBench, `identity` and `privtree-hb` meet at 32 cells on one axis and between 64 and 256
on two."""

DENSE = 20
"""Rows per cell, times ε, from which on a tree over all cells beats one over PrivTree's leaves."""

PROBE = 1000
"""Rows times the ε of the look for sparseness: it then has 325 leaves or more on all data that were
tried, but for those where nearly all rows lie in a handful of cells, where it has 220 at the
most."""

PROBED = 8 * PROBE
"""Rows times ε from which on that look is worth its price, an eighth of the budget or less."""

SPARSE = 260
"""Leaves of that look below which `dpcube` is run."""

LARGEST_CUBE = 1 << 22
"""Cells of a domain that `dpcube` is run on, at the most."""


@dataclass(frozen=True, kw_only=True)
class Auto(Mechanism):
    """Choose a mechanism by the shape of the domain and, where it matters, by a noisy size.

    Few cells, and combinations of categories, are counted one by one. For ranges, PrivTree finds
    where the rows are and a tree of counts is laid over its leaves; where there are many rows for
    each cell, the tree is laid over the cells. On two axes a table may be so sparse that boxes of
    equal cells are far better; a quick look with a small share of the budget tells. On three
    axes and more, PrivTree's leaves are counted as they are. For single cells, what is alike is
    averaged. A release names the mechanism that was run, not this one, and `Release.explain` says
    why it was.

    Privacy: at most one `Total` query and one `Decomposition` query, then whatever the mechanism
    asks that was chosen by their answers and by public facts.

    Parameters
    ----------
    workload
        What will be asked most: ``"ranges"`` (default), counts of ranges and boxes of any size, or
        ``"cells"``, the count of each cell by itself.
    total_share
        The share of the budget that buys the number of rows, where it matters: 1 %. It is then
        known well enough where choices change.

    References
    ----------
    Hay, Machanavajjhala, Miklau, Chen & Zhang, *Principled evaluation of differentially private
    algorithms using DPBench*, SIGMOD 2016. Zhang, Xiao & Xie, *PrivTree: a differentially private
    algorithm for hierarchical decompositions*, SIGMOD 2016.

    Examples
    --------
    >>> import numpy as np, hushgram as hg
    >>> hg.publish(hg.Counts(np.ones(10, dtype=int)), epsilon=1).mechanism
    'identity'
    >>> hg.publish(hg.Counts(np.ones(4096, dtype=int)), epsilon=1).mechanism
    'privtree-hb'
    """

    name: ClassVar[str] = "auto"
    proof: ClassVar[str] = "auto"
    intervals: ClassVar[str] = "approximate"
    because: ClassVar[str] = "That depends on the mechanism which is chosen; its releases tell."

    workload: str = "ranges"
    total_share: Fraction = Fraction(1, 100)

    def __post_init__(self) -> None:
        if self.workload not in WORKLOADS:
            raise BadInput(
                f'workload={self.workload!r} is not known. Use "ranges", "cells" or None.'
            )
        object.__setattr__(self, "total_share", positive_share(self.total_share, "total_share"))

    def check(self, domain: Domain) -> None:
        """Declared cells must be few enough to be published, so that all mechanisms may be
        chosen."""
        PrivTree().check(domain)
        if not domain.continuous:
            Grid.of_cells(domain)

    def estimate(self, vault: Vault) -> Estimate:
        return self.settle(vault).mechanism.estimate(vault)

    def settle(self, vault: Vault) -> Settled:
        domain = vault.domain
        if domain.cells <= (FEW_ON_ONE_AXIS if len(domain) == 1 else FEW):
            return Settled(
                Identity(), f"There are {cells(domain)}: nothing beats counting so few one by one."
            )
        if domain.continuous:
            return for_space(domain)
        if self.workload == "cells":
            return for_cells(domain)
        if not any(axis.ordered for axis in domain.axes):
            return Settled(
                Identity(), "No axis has an order, so there are no ranges: all cells are counted."
            )
        return self._for_ranges(vault)

    def _for_ranges(self, vault: Vault) -> Settled:
        domain = vault.domain
        total = vault.ask(Total(self.total_share * vault.epsilon))
        size = max(total.value, 0) * noise_level(vault)
        known = (
            f"A noisy count gave about {rounded(total.value)} rows, which makes N ε = "
            f"{rounded(size)} for {cells(domain)}."
        )
        if len(domain) == 2 and size >= PROBED and domain.cells <= LARGEST_CUBE:
            found = clusters(vault, size)
            known = f"{known} A quick look found {found} clusters"
            if found < SPARSE:
                return Settled(DPCube(), f"{known}, less than {SPARSE}. {HANDFUL}")
            known += "."
        if size >= DENSE * domain.cells:
            return Settled(
                HB(), f"{known} With {DENSE} or more per cell, a tree of counts over all cells "
                "answers ranges best."
            )  # fmt: skip
        usual = for_space(domain, few=size < PROBE)
        return Settled(usual.mechanism, f"{known} {usual.why}")


WORKLOADS = ("ranges", "cells")

HANDFUL = "Nearly all rows lie in a handful of cells; boxes of equal cells describe them best."


def clusters(vault: Vault, size: float) -> int:
    """The leaves of a small PrivTree, where ``size`` is N ε: it costs a share of 1000 / (N ε)."""
    price = Fraction(PROBE, int(size)) * vault.epsilon
    return vault.ask(Decomposition(raster_for(vault.domain), 1, 0, price)).size


def for_space(domain: Domain, *, few: bool = False) -> Settled:
    """Where there is more space than rows."""
    if len(domain) == 1:
        return Settled(PrivTreeHB(), f"There is more space than rows. {TREE} {LEAVES}")
    if len(domain) == 2:
        share = Fraction(1, 4 if few else 3)
        return Settled(PrivTreeHB(share=share), f"There is more space than rows. {TREE} {LEAVES}")
    return Settled(
        PrivTree(), f"On {len(domain)} axes there is more space than rows. {TREE} The leaves of "
        "that tree are counted."
    )  # fmt: skip


TREE = "A tree that grows where the rows are spends nothing on empty space."
LEAVES = "Counts above its leaves make large ranges accurate."


def for_cells(domain: Domain) -> Settled:
    """Where cells are asked for one by one."""
    asked = "Single cells are asked for."
    if len(domain) == 1 and domain.axes[0].ordered:
        return Settled(NoiseFirst(), f"{asked} Along one axis, runs of like cells are averaged.")
    if not any(axis.ordered for axis in domain.axes):
        return Settled(
            AHP(), f"{asked} No axis has an order, so cells of like counts are averaged."
        )
    if domain.cells > LARGEST_CUBE:
        return Settled(
            PrivTree(), f"{asked} Of {cells(domain)} most are empty, and are not counted."
        )
    return Settled(DPCube(), f"{asked} Boxes of like cells are averaged.")


def cells(domain: Domain) -> str:
    """How many there are, in words."""
    return f"{domain.cells:,} cell{'s' * (domain.cells != 1)}"


def rounded(value: float) -> str:
    """Two digits are enough for a noisy number.

    >>> rounded(69472), rounded(-3.2)
    ('69,000', '-3.2')
    """
    short = float(f"{value:.2g}")
    return f"{short:,.0f}" if abs(short) >= 10 else f"{short:g}"
