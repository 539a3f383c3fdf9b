"""Noisy counts of the declared cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hushgram.declare.domain import Domain
from hushgram.geometry.partition import Grid
from hushgram.mechanisms.base import Mechanism
from hushgram.mechanisms.estimate import Estimate
from hushgram.queries import PartCounts, Vault


@dataclass(frozen=True, kw_only=True)
class Identity(Mechanism):
    """Counts every declared cell and adds noise to each.

    Use it for tables with few cells, or with many rows in each, and whenever every cell needs its
    own measured count. It is the baseline of the field.

    Privacy: one `PartCounts` query with the whole budget; the cells are declared, so nothing else
    depends on the table. Proof: ``docs/proofs/identity.md``.

    References
    ----------
    Dwork, McSherry, Nissim & Smith, *Calibrating noise to sensitivity in private data
    analysis*, TCC 2006.

    Examples
    --------
    >>> import hushgram as hg
    >>> release = hg.publish(hg.Counts([120, 0, 33]), epsilon=1, mechanism="identity")
    >>> release.to_array().shape
    (3,)
    """

    name: ClassVar[str] = "identity"
    proof: ClassVar[str] = "identity"

    def check(self, domain: Domain) -> None:
        Grid.of_cells(domain)

    def estimate(self, vault: Vault) -> Estimate:
        cells = vault.ask(PartCounts(Grid.of_cells(vault.domain), vault.remaining))
        return Estimate.direct(cells)
