"""Haar wavelets of the counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hushgram.declare.domain import Domain
from hushgram.geometry.measured.contrasts import Contrasts
from hushgram.geometry.partition import Grid
from hushgram.mechanisms.base import Mechanism
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.inference.wavelet import Wavelet
from hushgram.mechanisms.parameters import check_parameters, one_of
from hushgram.queries import Linear, Vault


@dataclass(frozen=True, kw_only=True)
class Privelet(Mechanism):
    """Adds noise to the wavelet coefficients of the counts instead of to the counts.

    Use it for ranges along axes of a thousand cells or more.

    A tree halves an ordered axis down to single cells. The mechanism measures the total and, for
    each node, the sum of its left half minus the sum of its right half. The cells follow from these
    numbers. In the sum of a range, the noise of every node that is entirely inside or outside
    cancels, so only the nodes at its two ends count: about log³ n instead of n. Several axes are
    transformed one after the other, if they are long: on short axes, plain cells have less noise
    (Privelet+). On a category of many values, which have no order, the total is measured in
    addition to each value. "Other" is separate.

    The paper measures (mean of the left - mean of the right) / 2 with noise divided by the node's
    number of cells. Multiplied by that number it is this integer, with one scale of noise for all.

    Privacy: one `Linear` query; what is measured is fixed by the domain. A row moves one number per
    level of the tree and the total, on each axis that is transformed. Proof:
    ``docs/proofs/privelet.md``.

    Parameters
    ----------
    axes
        Which axes are transformed. ``"long"`` (default): those for which the bound on the variance
        of a range is smaller with wavelets, that is, from 727 cells on, and categories of more than
        16 values (Privelet+); shorter axes are counted as by `identity`. ``"ordered"``: every axis
        with an order, and no other (Privelet).

    References
    ----------
    Xiao, Wang & Gehrke, *Differential privacy via wavelet transforms*, IEEE TKDE 2011.

    Examples
    --------
    >>> import hushgram as hg
    >>> release = hg.publish(hg.Counts([3] * 1024), epsilon=1, mechanism="privelet")
    >>> release.estimate.measurements[0].scale      # the total and ten levels
    Fraction(11, 1)
    """

    name: ClassVar[str] = "privelet"
    proof: ClassVar[str] = "privelet"

    axes: str = "long"

    def __post_init__(self) -> None:
        check_parameters(self, axes=one_of("long", "ordered"))

    def check(self, domain: Domain) -> None:
        self._contrasts(domain)

    def _contrasts(self, domain: Domain) -> Contrasts:
        if self.axes == "long":
            return Contrasts.long_wavelets(domain)
        return Contrasts.wavelets(domain)

    def estimate(self, vault: Vault) -> Estimate:
        wavelets = self._contrasts(vault.domain)
        noisy = vault.ask(Linear(wavelets, vault.remaining))
        return Estimate.infer(Grid.of_cells(vault.domain), [noisy], Wavelet(wavelets))
