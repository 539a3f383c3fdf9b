"""An even grid, as fine as the number of rows deserves."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from hushgram.declare.domain import Domain
from hushgram.geometry.partition import Grid
from hushgram.mechanisms.base import Mechanism
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.grid_sizing import noisy_rows, slices_per_axis
from hushgram.mechanisms.parameters import check_parameters, positive_number, positive_share
from hushgram.queries import PartCounts, Vault


@dataclass(frozen=True, kw_only=True)
class UniformGrid(Mechanism):
    """Cuts every axis into equal slices, more of them for more rows and more budget (UG).

    Use it for maps and continuous axes when cells of one size are wanted and rows are spread fairly
    evenly; where they are not, `adaptive-grid` is more accurate.

    Fine cells carry much noise, coarse ones blur where rows lie. With m slices on each of d axes, a
    range that covers a fixed part of the domain sums noise over some m^d cells, and errs by the
    rows in border cells, about 1/m of them. Balancing the two gives m = (N ε / c)^(2 / (d + 2)),
    the paper's √(N ε / c) for d = 2. Categories keep their cells, and each of their combinations is
    taken to hold an equal share of the rows.

    Privacy: a small share of the budget pays for a noisy N, which alone decides the grid; the rest
    pays for the counts. The paper takes the true N for free, which is not private. Proof:
    ``docs/proofs/uniform-grid.md``.

    Parameters
    ----------
    total_share
        The share of the budget that pays for the number of rows N. With the default of 2 % its
        noise moves m by less than one for all but tiny tables.
    constant
        How many rows, in units of the noise, a cell should hold: the paper's c = 10. A smaller
        number makes finer cells.

    References
    ----------
    Qardaji, Yang & Li, *Differentially private grids for geospatial data*, ICDE 2013.

    Examples
    --------
    >>> import numpy as np, hushgram as hg
    >>> points = np.ones((64, 64), dtype=int)
    >>> release = hg.publish(hg.Counts(points), epsilon=1, mechanism="uniform-grid")
    >>> release.estimate.partition.shape[0] < 64
    True
    """

    name: ClassVar[str] = "uniform-grid"
    proof: ClassVar[str] = "uniform-grid"

    total_share: Fraction = Fraction(1, 50)
    constant: float = 10.0

    def __post_init__(self) -> None:
        check_parameters(self, total_share=positive_share, constant=positive_number)

    def check(self, domain: Domain) -> None:
        Grid(domain, slices_per_axis(domain, 0.0))

    def estimate(self, vault: Vault) -> Estimate:
        rows = noisy_rows(vault, self.total_share)
        grid = Grid(
            vault.domain, slices_per_axis(vault.domain, rows.signal_to_noise / self.constant)
        )
        return Estimate.direct(vault.ask(PartCounts(grid, vault.remaining)))
