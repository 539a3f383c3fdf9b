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

    A tree halves an ordered axis down to single cells. The total is measured and, for each node,
    the sum of its left half minus that of its right half. These numbers determine the cells. In the
    sum of a range, the noise of every node that is entirely inside or entirely outside cancels, so
    only the nodes at its two ends contribute: about log³ n instead of n. Several axes are
    transformed one after the other if they are long: along short ones, single cells have less noise
    (Privelet+). Along unordered categories with many values, their total is measured in addition to
    each of them. "Other" is always separate.

    The paper measures (mean of the left - mean of the right) / 2 with noise divided by the node's
    number of cells. Multiplied by that number, it is this integer, with the same noise for all.

    Privacy: one `Linear` query, which is determined by the domain. A row changes the total and one
    number per level of the tree, on each axis that is transformed. Proof:
    ``docs/proofs/privelet.md``.

    Parameters
    ----------
    axes
        The axes to transform. ``"long"`` (default): those for which the bound on the variance of a
        range is smaller with wavelets, from 727 cells on, and categories with more than 16 values
        (Privelet+); shorter ones are counted as by `identity`. ``"ordered"``: all ordered axes, and
        no others (Privelet).

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
