"""Noisy counts of the declared cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hushgram.declare.domain import Domain
from hushgram.geometry.partition import Grid
from hushgram.mechanisms.base import Mechanism
from hushgram.mechanisms.estimate import Estimate
from hushgram.queries import Counts, Vault


@dataclass(frozen=True, kw_only=True)
class Identity(Mechanism):
    """Count every declared cell and add noise to each.

    The baseline of the whole field, and hard to beat where cells are few or hold many rows.

    Privacy: one `Counts` query with the whole budget; the cells are declared, so nothing else
    depends on the table.

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
    intervals: ClassVar[str] = "exact"
    because: ClassVar[str] = "Every cell has noise of its own, and is answered as it was counted."

    def check(self, domain: Domain) -> None:
        Grid.of_cells(domain)

    def estimate(self, vault: Vault) -> Estimate:
        cells = vault.ask(Counts(Grid.of_cells(vault.domain), vault.remaining))
        return Estimate.direct(cells)
