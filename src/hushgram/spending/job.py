"""A release in progress: its subject, and the mechanism's run on a vault."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from hushgram.declare.domain import Domain
from hushgram.declare.unit import Neighbours, Unit
from hushgram.mechanisms.base import Mechanism
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.measured import Measured, Measuring, run
from hushgram.queries import Vault
from hushgram.release.release import Release
from hushgram.spending.charge import ReceiptJson
from hushgram.spending.rehearsal import corner

if TYPE_CHECKING:
    from hushgram.trusted.engine.table import Table
    from hushgram.trusted.noise import Noise
    from hushgram.trusted.vault import TableVault


COUNTS_ONLY = Measuring()
"""No measures besides the number of rows."""


@dataclass(frozen=True)
class Job:
    """What to publish, at what epsilon, and who is protected."""

    domain: Domain
    epsilon: Fraction
    unit: Unit
    neighbours: Neighbours
    measuring: Measuring = COUNTS_ONLY

    def open_vault(self, table: Table, domain: Domain, noise: Noise) -> TableVault:
        """Open a vault with the whole epsilon, on the job's domain or a part of it."""
        from hushgram.trusted.vault import TableVault

        return TableVault(
            table, domain, self.epsilon, unit=self.unit, neighbours=self.neighbours, noise=noise
        )


def release_from_vault(
    mechanism: Mechanism, vault: Vault, job: Job, receipt: ReceiptJson | None, where: str = ""
) -> Release:
    """Run the mechanism, or the one that it chooses, and return the release."""
    counting = job.measuring.counting(vault)
    chosen, why = job.measuring.settle(mechanism, counting)
    counts = chosen.estimate(counting)
    measured = job.measuring.measure(vault, counts)
    return make_release(chosen, counts, job, receipt, why, where, measured)


def run_candidates(mechanism: Mechanism, job: Job, open_vault: Callable[[Domain], Vault]) -> None:
    """Run every mechanism that may be chosen on vaults without rows, and write the releases."""
    small = corner(mechanism, job.domain)
    job.measuring.settle(mechanism, job.measuring.counting(open_vault(small)))
    for one in job.measuring.candidates(mechanism, small):
        counts, measured = run(one, job.measuring, open_vault(small))
        make_release(one, counts, job, None, measured=measured).to_bytes()


def make_release(
    mechanism: Mechanism,
    estimate: Estimate,
    job: Job,
    receipt: ReceiptJson | None,
    why: str = "",
    where: str = "",
    measured: tuple[Measured, ...] = (),
) -> Release:
    return Release(
        estimate,
        mechanism=mechanism.name,
        parameters=mechanism.parameters(),
        epsilon=job.epsilon,
        unit=job.unit,
        neighbours=job.neighbours,
        receipt=receipt,
        why=why,
        where=where,
        measured=measured,
    )
