"""Haar wavelets of the counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hushgram.contrasts import Contrasts
from hushgram.domain import Domain
from hushgram.estimate import Estimate
from hushgram.inference.wavelet import Wavelet
from hushgram.mechanisms.base import Mechanism
from hushgram.partition import Grid
from hushgram.queries import Linear, Vault


@dataclass(frozen=True, kw_only=True)
class Privelet(Mechanism):
    """Add noise to the wavelet coefficients of the counts instead of to the counts.

    A tree halves an ordered axis until every cell is alone; what is measured is the total and,
    for each node, the sum of its left half minus that of its right half. The cells follow from
    these numbers. In the sum of a range, the noise of every node that lies wholly inside or wholly
    outside cancels, so only the nodes at its two ends count: about log³ n instead of n. Several
    axes are transformed one after the other; values of a category, which have no order, and
    "other" stay alone.

    The paper measures (mean of the left - mean of the right) / 2 with noise divided by the node's
    number of cells. Multiplied by that number it is this integer, with one scale of noise for all.

    Privacy: one `Linear` query; the tree is fixed by the domain. A row moves one number per level
    of the tree and the total, on each axis.

    References
    ----------
    Xiao, Wang & Gehrke, *Differential privacy via wavelet transforms*, ICDE 2010.

    Examples
    --------
    >>> import hushgram as hg
    >>> release = hg.publish(hg.Counts([3, 1, 4, 1, 5]), epsilon=1, mechanism="privelet")
    >>> release.estimate.measurements[0].scale      # the total and three levels
    Fraction(4, 1)
    """

    name: ClassVar[str] = "privelet"
    proof: ClassVar[str] = "privelet"

    def check(self, domain: Domain) -> None:
        Grid.of_cells(domain)

    def estimate(self, vault: Vault) -> Estimate:
        wavelets = Contrasts.wavelets(vault.domain)
        noisy = vault.ask(Linear(wavelets, vault.remaining))
        return Estimate.infer(Grid.of_cells(vault.domain), [noisy], Wavelet(wavelets))
