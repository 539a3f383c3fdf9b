"""Noisy counts, averaged over segments of similar counts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from hushgram.declare.domain import Domain
from hushgram.errors import DomainError
from hushgram.geometry.partition import Grid, Ints
from hushgram.mechanisms.base import Mechanism, check_one_ordered_axis
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.inference.pooled import Pooled
from hushgram.mechanisms.parameters import check_parameters, one_of, optional, whole_number
from hushgram.queries import PartCounts, Vault


@dataclass(frozen=True, kw_only=True)
class NoiseFirst(Mechanism):
    """Averages neighbouring cells along an axis if they differ only by noise.

    Use it for single cells along one ordered axis.

    The cells are counted first. Then an exact algorithm finds the segments that minimise the
    squared error around their means plus a penalty per segment. Averaging uses no budget.

    Privacy: one `PartCounts` query with the whole budget; everything else is post-processing.
    Proof: ``docs/proofs/noise-first.md``.

    Parameters
    ----------
    groups
        The number of segments, as in the paper's first form: exactly those with the smallest
        squared error, without a penalty. By default a penalty determines their number. Up to 20
        million cells times groups are allowed, which takes about ten seconds.
    penalty
        The cost of a segment. ``"bic"`` (default) is 2 σ² ln n, where σ² is the variance of the
        noise; ``"paper"`` is the paper's 2 σ², which keeps many more segments.

    References
    ----------
    Xu, Zhang, Xiao, Yang, Yu & Winslett, *Differentially private histogram publication*, VLDB
    Journal 2013. Maidstone, Hocking, Rigaill & Fearnhead, *On optimal multiple changepoint
    algorithms for large data*, Statistics and Computing 2017.

    Examples
    --------
    >>> import numpy as np, hushgram as hg
    >>> flat = hg.publish(hg.Counts(np.full(100, 30)), epsilon=1, mechanism="noise-first")
    >>> len(np.unique(flat.to_array())) < 50
    True
    """

    name: ClassVar[str] = "noise-first"
    proof: ClassVar[str] = "noise-first"

    groups: int | None = None
    penalty: str = "bic"

    def __post_init__(self) -> None:
        check_parameters(self, groups=optional(whole_number(1)), penalty=one_of("bic", "paper"))

    def check(self, domain: Domain) -> None:
        check_one_ordered_axis(self.name, domain)
        check_groups(Grid.of_cells(domain).size, self.groups)

    def estimate(self, vault: Vault) -> Estimate:
        cells = Grid.of_cells(vault.domain)
        noisy = vault.ask(PartCounts(cells, vault.remaining))
        factor = math.log(max(cells.size, 2)) if self.penalty == "bic" else 1.0
        segments = segments_of(noisy.values, 2 * noisy.variance * factor, self.groups)
        return Estimate.infer(cells, [noisy], Pooled(cells, segments))


def check_groups(cells: int, groups: int | None) -> None:
    """Raise if the segments would take too long to find, before anything is charged."""
    from hushgram.mechanisms.inference.voptimal import LIMIT

    if groups is not None and cells * min(groups, cells) > LIMIT:
        raise DomainError(
            f"Cells times groups must be at most {LIMIT:,}. Found {groups:,} groups of "
            f"{cells:,} cells. Use at most {max(LIMIT // cells, 1):,} groups, or leave "
            "groups out: then a penalty determines their number."
        )


def segments_of(values: Ints, penalty: float, groups: int | None = None) -> Ints:
    """The segment of each cell in the best division of a sequence, into ``groups`` segments or by a
    penalty.

    >>> segments_of(np.array([1, 1, 9, 9, 5]), penalty=2.0).tolist()
    [0, 0, 1, 1, 2]
    >>> segments_of(np.array([1, 1, 9, 9, 5]), penalty=2.0, groups=2).tolist()
    [0, 0, 1, 1, 1]
    """
    from hushgram.mechanisms.inference.segments import best_segments
    from hushgram.mechanisms.inference.voptimal import v_optimal_groups

    row = values.astype(np.float64)
    if groups is None:
        starts = best_segments(row, penalty)
    else:
        starts = v_optimal_groups(row, min(groups, len(row)))
    return np.repeat(np.arange(len(starts)), np.diff([*starts, len(values)]))
