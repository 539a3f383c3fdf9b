"""A uniform grid whose size depends on the number of rows."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from hushgram.declare.domain import Domain
from hushgram.geometry.partition import Grid
from hushgram.mechanisms.base import Mechanism
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.grid_sizing import even_slices, noisy_rows, slices_per_axis
from hushgram.mechanisms.parameters import (
    check_parameters,
    optional,
    positive_number,
    positive_share,
    whole_number,
)
from hushgram.queries import PartCounts, Vault


@dataclass(frozen=True, kw_only=True)
class UniformGrid(Mechanism):
    """Cuts every axis into equal slices, more of them with more rows and more budget (UG).

    Use it for maps and continuous axes if you want cells of equal size and rows are spread fairly
    evenly; otherwise `adaptive-grid` is more accurate.

    Small cells have much noise, large ones hide where the rows are. With m slices on each of d
    axes, a range over a fixed part of the domain adds up the noise of about m^d cells, and its
    error includes the rows in border cells, about 1/m of them. Balancing the two gives
    m = (N ε / c)^(2 / (d + 2)), the paper's √(N ε / c) for d = 2. Categories keep their cells, and
    each of their combinations is assumed to have an equal share of the rows.

    Privacy: a small share of the budget pays for a noisy N, which determines the grid; the rest
    pays for the counts. With ``m``, N is not needed, and the counts get all. The paper uses the
    true N for free, which is not private. Proof:
    ``docs/proofs/uniform-grid.md``.

    Parameters
    ----------
    m
        Slices per ordered axis, the paper's U_m: a public number, not learned from the table. An
        axis with fewer bins keeps them all. By default chosen by the rule above.
    total_share
        The share of the budget for the number of rows N. With the default of 2 %, its noise changes
        m by less than one, except for tiny tables.
    constant
        The number of rows, in units of the noise, to aim for in a cell: the paper's c = 10. A
        smaller number makes smaller cells.

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

    m: int | None = None
    total_share: Fraction = Fraction(1, 50)
    constant: float = 10.0

    def __post_init__(self) -> None:
        check_parameters(self, m=optional(whole_number(1)))
        check_parameters(self, total_share=positive_share, constant=positive_number)

    def check(self, domain: Domain) -> None:
        Grid(domain, even_slices(domain, self.m) if self.m else slices_per_axis(domain, 0.0))

    def estimate(self, vault: Vault) -> Estimate:
        grid = Grid(vault.domain, self._slices(vault))
        return Estimate.direct(vault.ask(PartCounts(grid, vault.remaining)))

    def _slices(self, vault: Vault) -> tuple[int, ...]:
        if self.m:
            return even_slices(vault.domain, self.m)
        rows = noisy_rows(vault, self.total_share)
        return slices_per_axis(vault.domain, rows.signal_to_noise / self.constant)
