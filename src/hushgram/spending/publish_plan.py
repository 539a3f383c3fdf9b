"""Publish a plan: several releases of one table, with one charge."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from hushgram.base.exact import Number
from hushgram.declare.about import AboutOption, as_about
from hushgram.declare.source import Source
from hushgram.declare.unit import User
from hushgram.errors import ReleaseCorrupted
from hushgram.mechanisms.measured import Measuring
from hushgram.queries import Vault
from hushgram.release.parquet import read
from hushgram.release.release import Release
from hushgram.spending.charge import ReceiptJson, Spending
from hushgram.spending.identity import filter_text
from hushgram.spending.job import Job, release_from_vault, run_candidates
from hushgram.spending.plan import Plan, Planned, as_plan
from hushgram.spending.publish import measuring_json, whole_columns
from hushgram.spending.rehearsal import rehearsal_key
from hushgram.spending.task import Rehearsal, charge_and_run

if TYPE_CHECKING:
    from hushgram.trusted.engine.table import Table
    from hushgram.trusted.ledger import Ledger
    from hushgram.trusted.noise import Noise
    from hushgram.trusted.vault.budget_pool import BudgetPool


def publish_plan(
    source: Source,
    plan: Plan | str | Path,
    *,
    account: str | None = None,
    ledger: Ledger | None = None,
    noise: str = "native",
    request: str | None = None,
    cap: Number | None = None,
    allow_large: bool = False,
    about: AboutOption | None = None,
) -> dict[str, Release]:
    """Publish all releases of a plan with a single charge, or none of them.

    Parameters
    ----------
    source
        A table, as for `hushgram.publish`.
    plan
        A `hushgram.Plan`, or the path of a TOML file with one.
    account, ledger, noise, cap, allow_large
        As for `hushgram.publish`. The whole epsilon of the plan is charged before anything is read;
        if the program crashes, all of it stays spent.
    request
        A request ID of your choice. Repeating it with the same plan returns the stored releases at
        no cost.
    about
        Public credits of all releases, as for `hushgram.publish`. They take precedence over those
        in the plan.

    Returns
    -------
    dict of Release
        The releases by name: the names in the plan, or ``name-value`` for each value of a key. Each
        has its own epsilon; all share one receipt.

    Examples
    --------
    >>> import hushgram as hg
    >>> plan = hg.Plan(
    ...     [
    ...         hg.Planned("coarse", {"x0": hg.Integer(0, 2)}, "0.4", mechanism="identity"),
    ...         hg.Planned("best", {"x0": hg.Integer(0, 2)}, "0.6"),
    ...     ]
    ... )
    >>> releases = hg.publish_plan(hg.Counts([50, 60, 70]), plan)
    >>> [(name, str(release.epsilon)) for name, release in releases.items()]
    [('coarse', '2/5'), ('best', '3/5')]
    """
    plan = as_plan(plan)
    credits = plan.about.merge(as_about(about))
    spending = Spending.of(
        epsilon=plan.epsilon,
        unit=plan.unit,
        neighbours=plan.neighbours,
        account=account,
        ledger=ledger,
        noise=noise,
        request=request,
        cap=cap,
        allow_large=allow_large,
    )
    task = PlanTask(source, open_tables(source, plan), plan)
    found = charge_and_run(source, task, spending)
    return {name: release.with_about(credits) for name, release in found.items()}


@dataclass(frozen=True)
class PlanTask:
    """The releases of a plan, to make from one table (a `hushgram.spending.task.Task`)."""

    source: Source
    tables: Sequence[Table]
    """The table that each release reads."""
    plan: Plan

    def check(self) -> None:
        for planned, table in zip(self.plan.releases, self.tables, strict=True):
            table.check(planned.domain, self.plan.unit)

    def rehearsals(self, noise: Noise) -> Iterator[Rehearsal]:
        """Yield one rehearsal for each release."""
        for planned, table in zip(self.plan.releases, self.tables, strict=True):
            job = self._job(planned, table)
            recipe = {
                "mechanism": repr(planned.mechanism),
                "per": planned.per,
                **measuring_json(job.measuring),
            }
            yield Rehearsal(
                partial(run_without_rows, planned, job, table, noise),
                rehearsal_key(table, job.domain, job.unit, noise, recipe),
            )

    def request(self) -> Mapping[str, object]:
        return {"plan": self.plan.to_json()}

    def run(self, noise: Noise, receipt: ReceiptJson | None) -> dict[str, Release]:
        from hushgram.trusted.vault.budget_pool import BudgetPool

        plan = self.plan
        budget = BudgetPool(plan.epsilon, unit=plan.unit, neighbours=plan.neighbours, noise=noise)
        outputs = iter(plan.outputs())
        releases: dict[str, Release] = {}
        for planned, table in zip(plan.releases, self.tables, strict=True):
            for vault in open_vaults(budget, table, planned):
                output = next(outputs)
                where = filter_text(self.source, output.where)
                releases[output.name] = release_from_vault(
                    planned.mechanism, vault, self._job(planned, table), receipt, where
                )
        return releases

    def to_bytes(self, found: Mapping[str, Release], receipt: ReceiptJson | None) -> bytes:
        return pack_releases(found)

    def from_bytes(self, kept: bytes) -> dict[str, Release]:
        return unpack_releases(kept)

    def _job(self, planned: Planned, table: Table) -> Job:
        whole = whole_columns(table, planned.measures)
        measuring = Measuring.of(planned.measures, None, whole, self.plan.unit.rows)
        return Job(
            planned.published, planned.budget, self.plan.unit, self.plan.neighbours, measuring
        )


def run_without_rows(planned: Planned, job: Job, table: Table, noise: Noise) -> None:
    """Run every mechanism that one release may use, without rows."""
    from hushgram.trusted.engine.keyed import Keyed

    without = table.empty().bound_to(planned.domain, job.unit)
    if planned.per is not None:
        without = Keyed(without, planned.domain, planned.per, 0)
    run_candidates(planned.mechanism, job, lambda part: job.open_vault(without, part, noise))


def open_tables(source: Source, plan: Plan) -> list[Table]:
    """Return the table for each release, without reading rows.

    The source is opened once, so that all releases see the same version of it. If possible, one
    pass counts for all of them. With users, each release chooses which rows count separately, in
    its vault's own view of the table.
    """
    from hushgram.trusted.engine.remembered import Remembered
    from hushgram.trusted.engine.sources.source import open_table

    table = open_table(source)
    if isinstance(plan.unit, User):
        return [table_with_amounts(table, planned) for planned in plan.releases]
    shared = Remembered(table, [planned.domain for planned in plan.releases])
    return [table_with_amounts(table, one) if one.measures else shared for one in plan.releases]


def table_with_amounts(table: Table, planned: Planned) -> Table:
    """Return a separate table for one release, with the amounts of its measures."""
    from hushgram.trusted.engine.remembered import Remembered

    amounts = [measure.amount for measure in planned.measures]
    return Remembered(table.carrying(amounts), [planned.domain])


def open_vaults(budget: BudgetPool, table: Table, planned: Planned) -> Iterator[Vault]:
    """Open the vault of a release, or one for each value of its key."""
    if planned.per is None:
        yield budget.open_vault(table, planned.domain, planned.budget)
    else:
        yield from budget.open_vaults(table, planned.domain, planned.per, planned.budget)


def pack_releases(releases: Mapping[str, Release]) -> bytes:
    """Return the releases' files in one archive for the ledger. Equal releases give equal bytes."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as bundle:
        for name, release in releases.items():
            bundle.writestr(zipfile.ZipInfo(name), release.to_bytes())
    return archive.getvalue()


def unpack_releases(data: bytes) -> dict[str, Release]:
    """Return the releases in an archive. Compressed archives are refused, because they may unpack
    to too much."""
    with zipfile.ZipFile(io.BytesIO(data)) as bundle:
        if any(file.compress_type != zipfile.ZIP_STORED for file in bundle.infolist()):
            raise ReleaseCorrupted(
                "Cannot read the stored releases of this plan: they are compressed."
            )
        return {name: read(bundle.read(name), name) for name in bundle.namelist()}
