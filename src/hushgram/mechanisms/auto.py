"""The default: a mechanism chosen from what is public, and from a noisy number of rows."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from hushgram.declare.domain import Domain
from hushgram.geometry.partition import Cuts, Grid
from hushgram.mechanisms.ahp import AHP
from hushgram.mechanisms.base import Mechanism, Settled
from hushgram.mechanisms.bayes_tree import MOST_TREES, BayesTree, combinations
from hushgram.mechanisms.dpcube import DPCube
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.grid_sizing import noisy_rows
from hushgram.mechanisms.hb import HB
from hushgram.mechanisms.identity import Identity
from hushgram.mechanisms.inference.split_kinds import halved_axes
from hushgram.mechanisms.noise_first import NoiseFirst
from hushgram.mechanisms.parameters import check_parameters, one_of, positive_share
from hushgram.mechanisms.privtree import PrivTree
from hushgram.mechanisms.privtree_hb import PrivTreeHB
from hushgram.queries import PartCounts, Vault

FEW_ON_ONE_AXIS = 32
FEW = 128
"""Cells up to which nothing is more accurate than counting each. How this number and those below
were found: ``docs/mechanisms/tuning.md``."""

CROSS = 300
"""Rows times the ε of the look for lines: 50 for the slices of each axis, 200 for what lies on the
fullest two."""

CROSSED = 10 * CROSS
"""Rows times ε from which on that look is worth its price, a tenth of the budget or less."""

DENSE = 0.25
"""Rows per cell, times ε, from which on a tree over all cells of three or more axes is better than
one over PrivTree's leaves."""

FEW_ROWS = 1000
"""Rows times ε below which PrivTree's leaves on three axes and more are counted as they are."""

LARGEST_CUBE = 1 << 22
"""Cells of a domain that `dpcube` is run on, at the most."""


@dataclass(frozen=True, kw_only=True)
class Auto(Mechanism):
    """Chooses a mechanism by the shape of the domain and, where it matters, by a noisy number of
    rows.

    Use it for anything, unless you know better: it is the default.

    Few cells, and combinations of categories, are counted one by one. For ranges along one axis
    and for maps, with categories or without, a coarse look plans a better one (`bayes-tree`). On
    two axes nearly all rows may lie on two lines, having the same value of one axis or the other,
    as zeros are common; boxes of equal cells follow lines, squares do not, and a quick look
    decides. On three axes and more a tree is laid over all cells, if rows are many, and else over
    the leaves that PrivTree finds. For single cells, what is alike is averaged. A release names the
    mechanism that was run, not this one, and `Release.explain` says why it was.

    Privacy: at most one `Total` query and three `PartCounts` queries, then whatever the mechanism
    asks that was chosen by their answers and by public facts. Proof: ``docs/proofs/auto.md``.

    Parameters
    ----------
    workload
        What will be asked most: ``"ranges"`` (default), counts of ranges and boxes of any size, or
        ``"cells"``, the count of each cell by itself.
    total_share
        The share of the budget that pays for the number of rows, where it matters: 1 %. It is then
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
    'bayes-tree'
    """

    name: ClassVar[str] = "auto"
    proof: ClassVar[str] = "auto"

    workload: str = "ranges"
    total_share: Fraction = Fraction(1, 100)

    def __post_init__(self) -> None:
        check_parameters(self, workload=one_of("ranges", "cells"), total_share=positive_share)

    def check(self, domain: Domain) -> None:
        """Declared cells must be few enough to be published, so that all mechanisms may be
        chosen."""
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
        if is_flat(domain):
            return BayesTree(), DPCube()
        return HB(), PrivTree(), PrivTreeHB()

    def _from_public_facts(self, domain: Domain) -> Settled | None:
        """What the declared axes decide alone; None if the number of rows matters too."""
        if domain.cells <= (FEW_ON_ONE_AXIS if len(domain) == 1 else FEW):
            return Settled(
                Identity(),
                f"There are {cells_text(domain)}: nothing beats counting so few one by one.",
            )
        if self.workload == "cells" and not domain.continuous:
            return for_cells(domain)
        if not any(axis.ordered for axis in domain.axes):
            return Settled(
                Identity(), "No axis has an order, so there are no ranges: all cells are counted."
            )
        if is_flat(domain) and not may_be_crossed(domain):
            return Settled(BayesTree(), PLANNED)
        if domain.continuous and not is_flat(domain):
            return for_space(domain)
        return None

    def _for_ranges(self, vault: Vault) -> Settled:
        domain = vault.domain
        rows = noisy_rows(vault, self.total_share)
        size = max(rows.signal_to_noise, 0.0)
        known = (
            f"A noisy count gave about {format_rounded(rows.number)} rows, "
            f"{format_rounded(size)} times the scale of the noise, for {cells_text(domain)}."
        )
        if is_flat(domain):
            if size >= CROSSED and is_on_two_lines(vault, size):
                return Settled(DPCube(), f"{known} {CROSSING}")
            return Settled(BayesTree(), f"{known} {PLANNED}")
        if size >= DENSE * domain.cells:
            return Settled(HB(), f"{known} {CELLS}")
        if size >= FEW_ROWS:
            return Settled(PrivTreeHB(), f"{known} {TREE} {LEAVES}")
        return Settled(PrivTree(), f"{known} {TREE} Its leaves are counted.")


PLANNED = (
    "A coarse look shows where rows are and how evenly they lie. By that the tree is planned "
    "that most of the budget is spent on."
)
CELLS = "With so many rows per cell, a tree of counts over all cells answers ranges best."
CROSSING = (
    "Most rows have one value of one axis or of the other: boxes of equal cells follow such lines."
)


def is_flat(domain: Domain) -> bool:
    """Whether there are lines or maps to publish: one or two axes with an order, and so few
    categories that each combination can have a tree of its own."""
    return halved_axes(domain) in (1, 2) and combinations(domain) <= MOST_TREES


def may_be_crossed(domain: Domain) -> bool:
    """Whether lines are thin: two ordered axes, each of many cells, but not too many for boxes."""
    return (
        len(domain) == 2
        and all(axis.ordered and axis.bins > FEW_ON_ONE_AXIS for axis in domain.axes)
        and domain.cells <= LARGEST_CUBE
    )


def is_on_two_lines(vault: Vault, size: float) -> bool:
    """Whether the fullest slices of both axes have, off their crossing, three times as many rows
    as there are elsewhere. ``size`` is N ε: the look costs a share of 300 / (N ε)."""
    domain, price = vault.domain, CROSS * vault.epsilon / int(size)
    lines = [fullest_index(vault, axis, price / 6) for axis in (0, 1)]
    starts = [
        [start for start in sorted({0, line, line + 1}) if start < axis.bins]
        for line, axis in zip(lines, domain.axes, strict=True)
    ]
    around = Cuts(domain, tuple(map(np.array, starts)))
    counts = vault.ask(PartCounts(around, price * 2 / 3)).values.astype(np.float64)
    counts = counts.reshape(around.shape)
    row, column = (one.index(line) for one, line in zip(starts, lines, strict=True))
    arms = counts[row].sum() + counts[:, column].sum() - 2 * counts[row, column]
    elsewhere = counts.sum() - arms - counts[row, column]
    return bool(arms > 3 * elsewhere)


def fullest_index(vault: Vault, axis: int, price: Fraction) -> int:
    """The index on an axis that most rows have, "other" not asked for."""
    axes = vault.domain.axes
    slices = Grid(vault.domain, tuple(one.bins if k == axis else 1 for k, one in enumerate(axes)))
    counts = vault.ask(PartCounts(slices, price)).values.astype(np.float64)
    along = counts.reshape(slices.shape).sum(axis=1 - axis)
    return int(along[: axes[axis].bins].argmax())


def for_space(domain: Domain) -> Settled:
    """Where there is more space than rows."""
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
            PrivTree(), f"{asked} Of {cells_text(domain)} most are empty, and are not counted."
        )
    return Settled(DPCube(), f"{asked} Boxes of like cells are averaged.")


def cells_text(domain: Domain) -> str:
    """How many there are, in words."""
    return f"{domain.cells:,} cell{'s' * (domain.cells != 1)}"


def format_rounded(value: float) -> str:
    """Two digits are enough for a noisy number.

    >>> format_rounded(69472), format_rounded(-3.2)
    ('69,000', '-3.2')
    """
    short = float(f"{value:.2g}")
    return f"{short:,.0f}" if abs(short) >= 10 else f"{short:g}"
