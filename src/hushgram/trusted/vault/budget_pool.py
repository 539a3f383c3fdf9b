"""A charged budget, divided among several vaults."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from hushgram.declare.domain import Domain
from hushgram.declare.unit import Neighbours, Unit
from hushgram.trusted.engine.keyed import Keyed
from hushgram.trusted.engine.table import Table
from hushgram.trusted.noise import Noise
from hushgram.trusted.vault.vault import TableVault, deduct


class BudgetPool:
    """A budget that was charged to the ledger. It opens vaults until it is used up.

    Proof: ``docs/proofs/plan.md``.
    """

    def __init__(
        self, epsilon: Fraction, *, unit: Unit, neighbours: Neighbours, noise: Noise
    ) -> None:
        self._remaining = epsilon
        self._unit = unit
        self._vault = partial(TableVault, unit=unit, neighbours=neighbours, noise=noise)

    @property
    def remaining(self) -> Fraction:
        return self._remaining

    def open_vault(self, table: Table, domain: Domain, epsilon: Fraction) -> TableVault:
        """Open a vault on all rows."""
        self._charge(epsilon)
        return self._vault(table, domain, epsilon)

    def open_vaults(
        self, table: Table, whole: Domain, key: str, epsilon: Fraction
    ) -> list[TableVault]:
        """Open one vault per index of the key's axis, on the other axes. Each row has one index, so
        all vaults together cost ``epsilon`` once.

        A user's rows may have several indices. They are bounded over the whole domain, and noise is
        calibrated row by row, as in a `split`.
        """
        rest = Domain({name: axis for name, axis in whole.items() if name != key})
        self._charge(epsilon)
        bound = table.bound_to(whole, self._unit)
        return [
            self._vault(Keyed(bound, whole, key, index), rest, epsilon, nested=True)
            for index in range(whole[key].size)
        ]

    def _charge(self, epsilon: Fraction) -> None:
        self._remaining = deduct(epsilon, self._remaining, "release", "the plan")
