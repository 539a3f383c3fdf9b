"""The leaves of a tree that grows where the rows are."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from hushgram.declare.domain import Domain
from hushgram.errors import DomainError
from hushgram.geometry.partition import MAX_PARTS, Boxes, Cuts, Grid, Halving, Raster
from hushgram.mechanisms.base import Mechanism
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.parameters import check_parameters, optional, positive_share, whole_number
from hushgram.queries import Decomposition, PartCounts, Vault

MAX_HALVINGS = 16
"""The most times that an axis is halved if there are several."""


@dataclass(frozen=True, kw_only=True)
class PrivTree(Mechanism):
    """Halves the domain where there are many rows, and counts the resulting boxes (PrivTree).

    Use it for sparse tables with three or more axes, and for continuous axes.

    One part of the budget pays for a tree of halves: an interval has two, a square four, a cube
    eight. A node is split if its noisy count, reduced by a bias for its depth, exceeds a threshold;
    the scale of the noise is the same at all depths. Neither the number of rows nor the height need
    to be known. The other part pays for the counts of the leaves; rows are assumed to be evenly
    spread within a leaf.

    All kinds of axes are possible: categories are halved in the order of their declaration, so rare
    ones next to each other may share a leaf. "Other" values have separate leaves.

    Privacy: a `Decomposition` query, then a `PartCounts` query on its leaves. Proof:
    ``docs/proofs/privtree.md``.

    Parameters
    ----------
    share
        The share of the budget for the decomposition. By default, a quarter on one axis and a third
        on more.
    threshold
        The number of rows that a node needs to be split, a whole number. 0, as in the paper: the
        bias for depth and the floor keep trees small enough.
    start
        Nodes above this depth are always split and do not count towards the depth. 1; the paper's
        is 0.

    References
    ----------
    Zhang, Xiao & Xie, *PrivTree: a differentially private algorithm for hierarchical
    decompositions*, SIGMOD 2016. The noise here is about half as wide, due to a tighter proof.

    Examples
    --------
    >>> import numpy as np, hushgram as hg
    >>> counts = np.zeros(1024, dtype=int)
    >>> counts[700] = 10_000
    >>> release = hg.publish(hg.Counts(counts), epsilon=1, mechanism="privtree")
    >>> len(release.estimate.values) < 100, int(np.argmax(release.to_array()))
    (True, 700)
    """

    name: ClassVar[str] = "privtree"
    proof: ClassVar[str] = "privtree"
    shares: ClassVar[tuple[Fraction, Fraction]] = Fraction(1, 4), Fraction(1, 3)
    """The usual shares for the decomposition, on one axis and on more."""

    share: Fraction | None = None
    threshold: int = 0
    start: int = 1

    def __post_init__(self) -> None:
        check_parameters(self, share=optional(positive_share))
        check_parameters(self, threshold=whole_number(0), start=whole_number(0))

    def check(self, domain: Domain) -> None:
        nodes = Halving.of(raster_for(domain)).max_nodes(self.start)
        if nodes > MAX_PARTS:
            raise DomainError(f"start={self.start} is too deep: it gives {nodes:,} nodes.")

    def estimate(self, vault: Vault) -> Estimate:
        return Estimate.direct(vault.ask(PartCounts(self.leaves(vault), vault.remaining)))

    def leaves(self, vault: Vault) -> Cuts | Boxes:
        """The leaves of the decomposition, paid with its share of the budget."""
        share = self.share or self.shares[len(vault.domain) > 1]
        price, raster = share * vault.epsilon, raster_for(vault.domain)
        return vault.ask(Decomposition(raster, self.start, self.threshold, price))


def raster_for(domain: Domain) -> Raster:
    """The raster to halve: the cells, but at most 65,536 slices per axis, and fewer if there would
    be too many in total. A single axis keeps its cells.

    >>> from hushgram.declare.axis import Interval, Integer
    >>> raster_for(Domain(x=Interval(0, 1), y=Integer(0, 99))).slices
    (65536, 100)
    """
    if len(domain) == 1:
        return Grid.of_cells(domain)
    for bits in range(MAX_HALVINGS, 0, -1):
        slices = tuple(min(axis.bins, 1 << bits) for axis in domain.axes)
        shape = (m + axis.other for m, axis in zip(slices, domain.axes, strict=True))
        if math.prod(shape) <= Raster.max_cells:
            break
    return Raster(domain, slices)
