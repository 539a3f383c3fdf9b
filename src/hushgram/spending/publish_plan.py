"""Table + plan + ledger → many releases, under one charge."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hushgram.declare.domain import Domain
from hushgram.declare.unit import User
from hushgram.errors import ReleaseCorrupted
from hushgram.release.parquet import read
from hushgram.release.release import Release
from hushgram.spending.plan import Plan, Planned, as_plan
from hushgram.spending.publish import Job, charge, meant, rehearsal_key, released, try_out
from hushgram.spending.rehearsal import rehearse

if TYPE_CHECKING:
    from hushgram.trusted.engine.table import Table
    from hushgram.trusted.ledger import Ledger
    from hushgram.trusted.noise import Noise
    from hushgram.trusted.vault.purse import Purse


def publish_plan(
    source: Any,
    plan: Plan | str | Path,
    *,
    account: str | None = None,
    ledger: Ledger | None = None,
    noise: str = "native",
    request: str | None = None,
    cap: Any = None,
    allow_large: bool = False,
) -> dict[str, Release]:
    """Publish everything that a plan names: one charge, then all releases or none.

    Parameters
    ----------
    source
        One table, as for `hushgram.publish`.
    plan
        A `hushgram.Plan`, or the path of a TOML file with one.
    account, ledger, noise, cap, allow_large
        As for `hushgram.publish`. The plan's whole epsilon is charged before anything is looked
        at; a crash forfeits all of it.
    request
        An id of your own. The same plan again with the same id gives the stored releases, free.

    Returns
    -------
    The releases by name: a plan's own names, or ``name-value`` for each value of a key. Each has
    its own epsilon, and all have the same receipt.

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
    from hushgram.trusted.noise import source as noise_source
    from hushgram.trusted.vault.purse import Purse

    plan = as_plan(plan)
    sampler = noise_source(noise)
    tables = opened(source, plan)
    rehearse_plan(plan, tables, sampler, noise)
    paid = charge(
        source,
        plan.epsilon,
        {"plan": plan.to_json()},
        unit=plan.unit,
        neighbours=plan.neighbours,
        account=account,
        ledger=ledger,
        request=request,
        cap=cap,
        allow_large=allow_large,
    )
    if isinstance(paid, bytes):
        return unbundled(paid)
    purse = Purse(plan.epsilon, unit=plan.unit, neighbours=plan.neighbours, noise=sampler)
    names = iter(plan.outputs())
    releases: dict[str, Release] = {}
    for planned, table in zip(plan.releases, tables, strict=True):
        job = Job(planned.published, planned.epsilon, plan.unit, plan.neighbours)
        for vault in vaults(purse, table, planned):
            output = next(names)
            releases[output.name] = released(
                planned.mechanism, vault, job, paid.receipt, meant(source, output.where)
            )
    paid.keep(bundled(releases))
    return releases


def rehearse_plan(plan: Plan, tables: list[Table], sampler: Noise, noise: str) -> None:
    """Try every release without rows."""
    from hushgram.trusted.engine.keyed import Keyed
    from hushgram.trusted.vault import TableVault

    for planned, table in zip(plan.releases, tables, strict=True):
        job = Job(planned.published, planned.epsilon, plan.unit, plan.neighbours)
        without = table.empty().bound_to(planned.domain, plan.unit)
        if planned.per is not None:
            without = Keyed(without, planned.domain, planned.per, 0)

        def stage(domain: Domain, rows: Table = without, job: Job = job) -> TableVault:
            return TableVault(
                rows, domain, job.epsilon, unit=job.unit, neighbours=job.neighbours, noise=sampler
            )

        asked = {"mechanism": repr(planned.mechanism), "per": planned.per}
        key = rehearsal_key(table, job.domain, job.unit, noise, asked)
        rehearse(partial(try_out, planned.mechanism, job, stage), key)


def opened(source: Any, plan: Plan) -> list[Table]:
    """The table as each release reads it; nothing is read yet.

    It is opened once, so that all releases are of one version of it. Rows are counted for all of
    them in one pass, where they can be; the rows that count of a user are chosen for each release
    by itself, in its vault's own view of the table.
    """
    from hushgram.trusted.engine.remembered import Remembered
    from hushgram.trusted.engine.sources.source import open_table

    table = open_table(source)
    for planned in plan.releases:
        table.check(planned.domain, plan.unit)
    if isinstance(plan.unit, User):
        return [Remembered(table, [planned.domain]) for planned in plan.releases]
    shared = Remembered(table, [planned.domain for planned in plan.releases])
    return [shared] * len(plan.releases)


def vaults(purse: Purse, table: Table, planned: Planned) -> Iterator[Any]:
    """The vault of a release, or those of a key's values."""
    if planned.per is None:
        yield purse.vault(table, planned.domain, planned.epsilon)
    else:
        yield from purse.vaults(table, planned.domain, planned.per, planned.epsilon)


def bundled(releases: Mapping[str, Release]) -> bytes:
    """What the ledger keeps: the releases' files in one archive; the same ones, the same bytes."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as bundle:
        for name, release in releases.items():
            bundle.writestr(zipfile.ZipInfo(name), release.to_bytes())
    return archive.getvalue()


def unbundled(data: bytes) -> dict[str, Release]:
    """The releases in an archive, which stores them as they are: nothing unpacks to more."""
    with zipfile.ZipFile(io.BytesIO(data)) as bundle:
        if any(file.compress_type != zipfile.ZIP_STORED for file in bundle.infolist()):
            raise ReleaseCorrupted("the stored releases of this plan are compressed: not ours.")
        return {name: read(bundle.read(name), name) for name in bundle.namelist()}
