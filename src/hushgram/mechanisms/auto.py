"""The default: a mechanism chosen by the declared axes and a noisy number of rows."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from hushgram.declare.domain import Domain
from hushgram.geometry.partition import Grid, Raster
from hushgram.mechanisms.ahp import AHP
from hushgram.mechanisms.area_levels import area_levels
from hushgram.mechanisms.base import Mechanism, Settled
from hushgram.mechanisms.bayes_tree import MOST_TREES, BayesTree, combinations, has_few_cells
from hushgram.mechanisms.dpcube import DPCube
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.grid_sizing import noisy_rows
from hushgram.mechanisms.hb import HB
from hushgram.mechanisms.hierarchical import Hierarchical
from hushgram.mechanisms.identity import Identity
from hushgram.mechanisms.inference.split_kinds import halved_axes
from hushgram.mechanisms.noise_first import NoiseFirst
from hushgram.mechanisms.parameters import check_parameters, one_of, positive_share
from hushgram.mechanisms.privtree import PrivTree
from hushgram.mechanisms.privtree_hb import PrivTreeHB
from hushgram.queries import Vault

FEW = 8
"""For ranges on one ordered axis, up to this many cells are best counted one by one.
``docs/mechanisms/tuning.md`` says how this number and those below were found."""

FEW_ON_ONE_AXIS = 32
FEW_ON_MORE = 128
"""The same for other domains, and for single cells on any domain."""

DENSE = 0.25
"""With at least this many rows per cell, times ε, a tree over all cells of three or more axes is
better than one over PrivTree's leaves."""

FEW_ROWS = 1000
"""With fewer rows, times ε, PrivTree's leaves on three or more axes are counted without a tree."""

LARGEST_CUBE = 1 << 22
"""The most cells for which `dpcube` is chosen."""


@dataclass(frozen=True, kw_only=True)
class Auto(Mechanism):
    """Chooses a mechanism by the shape of the domain and, if it matters, by a noisy number of rows.

    Use it for anything, unless you know better: it is the default.

    Very few cells, or combinations of categories, are counted one by one. For ranges along one axis
    and for maps, with or without categories, a coarse first count determines where to count more
    finely (`bayes-tree`). On three or more axes, a tree is built over all cells if there are many
    rows, and otherwise over the leaves that PrivTree finds. For single cells, similar cells are
    averaged. A release names the mechanism that was chosen, not this one, and `Release.explain`
    gives the reason.

    Privacy: at most one `Total` query, then the queries of the mechanism, which is chosen by its
    answer and by public facts. Proof: ``docs/proofs/auto.md``.

    Parameters
    ----------
    workload
        The most frequent queries: ``"ranges"`` (default), counts of ranges and boxes of any size,
        or ``"cells"``, counts of single cells.
    total_share
        The share of the budget for the number of rows, if it matters: 1 %. That is accurate enough
        near the numbers at which the choice changes.

    References
    ----------
    Hay, Machanavajjhala, Miklau, Chen & Zhang, *Principled evaluation of differentially private
    algorithms using DPBench*, SIGMOD 2016. Zhang, Xiao & Xie, *PrivTree: a differentially private
    algorithm for hierarchical decompositions*, SIGMOD 2016.

    Examples
    --------
    >>> import numpy as np, hushgram as hg
    >>> hg.publish(hg.Counts(np.ones(8, dtype=int)), epsilon=1).mechanism
    'identity'
    >>> hg.publish(hg.Counts(np.ones(4096, dtype=int)), epsilon=1).mechanism
    'bayes-tree'
    """

    name: ClassVar[str] = "auto"
    proof: ClassVar[str] = "auto"

    workload: str = "ranges"
    total_share: Fraction = Fraction(1, 100)

    def __post_init__(self) -> None:
        check_parameters(self, workload=one_of("ranges", "cells"), total_share=positive_share)

    def check(self, domain: Domain) -> None:
        """Raise if there are too many declared cells to publish, as some mechanisms need them."""
        PrivTree().check(domain)
        if not domain.continuous:
            Grid.of_cells(domain)

    def estimate(self, vault: Vault) -> Estimate:
        return self.settle(vault).mechanism.estimate(vault)

    def settle(self, vault: Vault) -> Settled:
        return self._from_public_facts(vault.domain) or self._for_ranges(vault)

    def candidates(self, domain: Domain) -> tuple[Mechanism, ...]:
        known = self._from_public_facts(domain)
        if known is not None:
            return (known.mechanism,)
        return HB(), PrivTree(), PrivTreeHB()

    def raster_of(self, domain: Domain) -> Raster | None:
        known = self._from_public_facts(domain)
        return None if known is None else known.mechanism.raster_of(domain)

    def _from_public_facts(self, domain: Domain) -> Settled | None:
        """The choice by the declared axes only; None if the number of rows matters, too."""
        if not domain.continuous and area_levels(domain):
            return Settled(Hierarchical(), LEVELS)
        if domain.cells <= self._few_cells(domain):
            return Settled(
                Identity(),
                f"With only {cells_text(domain)}, counting each one is most accurate.",
            )
        if self.workload == "cells" and not domain.continuous:
            return for_cells(domain)
        if not any(axis.ordered for axis in domain.axes):
            return Settled(
                Identity(), "No axis has an order, so there are no ranges: all cells are counted."
            )
        if is_flat(domain):
            return Settled(BayesTree(), COUNTED_ONCE if has_few_cells(domain) else PLANNED)
        if domain.continuous:
            return for_space(domain)
        return None

    def _few_cells(self, domain: Domain) -> int:
        if len(domain) > 1:
            return FEW_ON_MORE
        return FEW if self.workload == "ranges" and domain.axes[0].ordered else FEW_ON_ONE_AXIS

    def _for_ranges(self, vault: Vault) -> Settled:
        domain = vault.domain
        rows = noisy_rows(vault, self.total_share)
        size = max(rows.signal_to_noise, 0.0)
        known = (
            f"A noisy count gave about {format_rounded(rows.number)} rows, "
            f"{format_rounded(size)} times the scale of the noise, for {cells_text(domain)}."
        )
        if size >= DENSE * domain.cells:
            return Settled(HB(), f"{known} {CELLS}")
        if size >= FEW_ROWS:
            return Settled(PrivTreeHB(), f"{known} {TREE} {LEAVES}")
        return Settled(PrivTree(), f"{known} {TREE} Its leaves are counted.")


COUNTED_ONCE = (
    "A tree of counts over all cells answers ranges accurately, and expected counts leave out most "
    "of the noise of empty and of evenly filled parts."
)
PLANNED = (
    "A coarse first count shows where the rows are and how evenly they are spread. It determines "
    "the tree on which most of the budget is spent."
)
LEVELS = "The areas are within larger areas: all levels are counted and made consistent."
CELLS = (
    "With so many rows per cell, a tree of counts over all cells answers ranges most accurately."
)


def is_flat(domain: Domain) -> bool:
    """Whether the domain consists of lines or maps: one or two ordered axes, and few enough
    categories for a separate tree per combination."""
    return halved_axes(domain) in (1, 2) and combinations(domain) <= MOST_TREES


def for_space(domain: Domain) -> Settled:
    """The choice for continuous axes of three or more dimensions, where most of the space is
    empty."""
    return Settled(
        PrivTree(), f"With {len(domain)} axes, rows are sparse. {TREE} The leaves of that tree are "
            "counted."
    )  # fmt: skip


TREE = "A tree that grows where the rows are spends nothing on empty space."
LEAVES = "Counts above its leaves make large ranges accurate."


def for_cells(domain: Domain) -> Settled:
    """The choice for a workload of single cells."""
    why = "The workload is single cells."
    if len(domain) == 1 and domain.axes[0].ordered:
        return Settled(NoiseFirst(), f"{why} Along one axis, runs of similar cells are averaged.")
    if not any(axis.ordered for axis in domain.axes):
        return Settled(
            AHP(), f"{why} No axis has an order, so cells with similar counts are averaged."
        )
    if domain.cells > LARGEST_CUBE:
        return Settled(
            PrivTree(), f"{why} Of {cells_text(domain)}, most are empty and are not counted."
        )
    return Settled(DPCube(), f"{why} Boxes of similar cells are averaged.")


def cells_text(domain: Domain) -> str:
    """The number of cells, as text."""
    return f"{domain.cells:,} cell{'s' * (domain.cells != 1)}"


def format_rounded(value: float) -> str:
    """A noisy number, rounded to two digits.

    >>> format_rounded(69472), format_rounded(-3.2)
    ('69,000', '-3.2')
    """
    short = float(f"{value:.2g}")
    return f"{short:,.0f}" if abs(short) >= 10 else f"{short:g}"
