"""Table + domain + ledger + mechanism → release. The one place where the zones meet."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Required, TypedDict, Unpack, overload

from hushgram.declare.condition import Where
from hushgram.declare.degrees import check_degrees
from hushgram.declare.domain import Domain
from hushgram.declare.epsilon import as_epsilon
from hushgram.declare.text_format import Text
from hushgram.declare.unit import Neighbours, Unit, User, as_neighbours, as_unit
from hushgram.errors import BadInput, DomainError, Unaccounted
from hushgram.mechanisms.base import Mechanism
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.registry import as_mechanism
from hushgram.queries import Vault
from hushgram.release.parquet import read
from hushgram.release.release import Release
from hushgram.spending.dry_run import AccountPreview, DryRun
from hushgram.spending.rehearsal import MANY, corner, rehearse

if TYPE_CHECKING:
    from hushgram.trusted.engine.table import Table
    from hushgram.trusted.ledger import Ledger


class Options(TypedDict, total=False):
    """The keywords of `publish`."""

    epsilon: Required[Any]
    account: str | None
    mechanism: str | Mechanism
    unit: Any
    neighbours: str
    workload: Any
    ledger: Ledger | None
    noise: str
    request: str | None
    cap: Any
    allow_large: bool


@overload
def publish(
    source: Any,
    domain: Domain | Mapping[str, Any] | None = None,
    *,
    dry_run: Literal[False] = False,
    **options: Unpack[Options],
) -> Release: ...


@overload
def publish(
    source: Any,
    domain: Domain | Mapping[str, Any] | None = None,
    *,
    dry_run: Literal[True],
    **options: Unpack[Options],
) -> DryRun: ...


def publish(
    source: Any,
    domain: Domain | Mapping[str, Any] | None = None,
    *,
    epsilon: Any,
    account: str | None = None,
    mechanism: str | Mechanism = "auto",
    unit: Any = "rows",
    neighbours: str = "add-remove",
    workload: Any = None,
    ledger: Ledger | None = None,
    noise: str = "native",
    request: str | None = None,
    cap: Any = None,
    allow_large: bool = False,
    dry_run: bool = False,
) -> Release | DryRun:
    """Count a table, spend epsilon, add noise, and give back what may leave.

    Parameters
    ----------
    source
        A path, glob or folder of CSV or Parquet files; a URL of PostgreSQL or Spark; an Arrow,
        pandas, Polars or Spark table; a DuckDB relation; an Ibis table; some rows of one of these,
        ``Where(source, "age >= 18")``; one whose texts are written in another way than usual,
        ``Text("people.csv", separator=";", decimal=",")``; or ``Counts(array)``.
    domain
        What is published: named axes, all public. ``Counts`` bring their own.
    epsilon
        The privacy budget of this release, exactly as written: 1, 0.1, "1/3".
    account
        Who pays: a name that the steward chose for this table. Needed for tables.
    mechanism
        A name of ``MECHANISMS`` or an instance. ``"auto"`` chooses one from public facts and a
        noisy number of rows; ``release.explain()`` says why.
    unit, neighbours
        Who is protected: ``"rows"`` or ``User("column", max_rows=…)``; tables that differ by one
        added or removed (``"add-remove"``) or replaced unit (``"replace-one"``).
    workload
        What will be asked most, if ``mechanism="auto"`` is to choose for it: ``"ranges"`` (also
        None), counts of ranges and boxes of any size, or ``"cells"``, each cell by itself.
    ledger
        Where it is remembered: the user's ledger unless given. ``Counts`` use one in memory.
    noise
        ``"native"`` or ``"opendp"``.
    request
        An id of your own. Publishing again with the same id gives the stored release, free.
    cap
        The most that the account may ever spend, if this opens it: by default 1, or epsilon if that
        is more. The cap of an account that exists is changed by ``hushgram ledger set-cap`` only.
    allow_large
        Allow an epsilon or a cap above 10, which protects hardly anybody.
    dry_run
        Check everything that is public and say what would be done (a `DryRun`): the table's schema
        is opened, no row is read, nothing is spent.

    Examples
    --------
    >>> import hushgram as hg
    >>> release = hg.publish(hg.Counts([50, 60, 70]), epsilon=1)
    >>> release.domain.names, release.unaccounted
    (('x0',), True)
    """
    job = Job(
        public_domain(source, domain), as_epsilon(epsilon), as_unit(unit), as_neighbours(neighbours)
    )
    recipe = as_mechanism(mechanism, workload)
    recipe.check(job.domain)
    asked = {"mechanism": recipe.name, "parameters": recipe.parameters()}
    trial = partial(try_out, recipe, job)
    if dry_run:
        table = prepare(source, job, asked, trial, noise).table
        pays = preview_charge(source, job, account, ledger, cap=cap, allow_large=allow_large)
        return DryRun(
            recipe, job.domain, column_types(table, job.domain), job.epsilon, job.unit,
            job.neighbours, meant(source), pays,
        )  # fmt: skip
    sale = buy(
        source,
        job,
        asked,
        trial,
        noise=noise,
        account=account,
        ledger=ledger,
        request=request,
        cap=cap,
        allow_large=allow_large,
    )
    if isinstance(sale, bytes):
        return read(sale)
    release = released(recipe, sale.vault, job, sale.receipt, meant(source))
    sale.keep(release.to_bytes())
    return release


@dataclass(frozen=True)
class Job:
    """What is published, for how much, and who is protected."""

    domain: Domain
    epsilon: Fraction
    unit: Unit
    neighbours: Neighbours


@dataclass(frozen=True)
class Paid:
    """What a ledger was charged for, and a way to keep what comes of it."""

    receipt: Mapping[str, str] | None
    """None if no durable ledger paid."""

    keep: Callable[[bytes], None]
    """To be called with what is to leave, before it does."""


@dataclass(frozen=True)
class Sale(Paid):
    """What was paid for: a vault to ask."""

    vault: Vault


def buy(
    source: Any,
    job: Job,
    asked: Mapping[str, object],
    trial: Callable[[Stage], object],
    *,
    noise: str,
    account: str | None,
    ledger: Ledger | None,
    request: str | None = None,
    cap: Any = None,
    allow_large: bool = False,
) -> Sale | bytes:
    """Open the table, rehearse without its rows, charge its account, and only then let it be
    looked at. ``trial`` gets vaults of an empty table, as many as it wants.

    A request that was finished before gives the bytes that were kept then.
    """
    ready = prepare(source, job, asked, trial, noise)
    paid = charge(
        source,
        job.epsilon,
        {"domain": job.domain.to_json(), **asked},
        unit=job.unit,
        neighbours=job.neighbours,
        account=account,
        ledger=ledger,
        request=request,
        cap=cap,
        allow_large=allow_large,
    )
    if isinstance(paid, bytes):
        return paid
    return Sale(paid.receipt, paid.keep, ready.vault())


@dataclass(frozen=True)
class Prepared:
    """A table that fits what is asked of it, on a machine that can count it. Not yet paid for."""

    table: Table
    vault: Callable[[], Vault]
    """Makes the vault, once it is paid for."""


def prepare(
    source: Any, job: Job, asked: Mapping[str, object], trial: Callable[[Stage], object], noise: str
) -> Prepared:
    """Open the table, compare its schema with the domain, and rehearse without its rows."""
    from hushgram.trusted.engine.remembered import Remembered
    from hushgram.trusted.engine.sources.source import open_table
    from hushgram.trusted.noise import source as noise_source
    from hushgram.trusted.vault import TableVault

    sampler = noise_source(noise)
    table = open_table(source)
    table.check(job.domain, job.unit)

    def vault(rows: Table, domain: Domain) -> TableVault:
        return TableVault(
            rows, domain, job.epsilon, unit=job.unit, neighbours=job.neighbours, noise=sampler
        )

    def run_without_rows() -> None:
        without = Remembered(table.empty())
        trial(lambda domain: vault(without, domain))

    rehearse(run_without_rows, rehearsal_key(table, job.domain, job.unit, noise, asked))
    table.check(job.domain, job.unit)  # again: it may have changed in the seconds of a first trial
    return Prepared(table, lambda: vault(Remembered(table), job.domain))


def rehearsal_key(
    table: Table, domain: Domain, unit: Unit, noise: str, asked: Mapping[str, object]
) -> Hashable:
    """What decides which code a publish runs through."""
    kinds = tuple(axis.whole.kind for axis in domain.axes)
    code = type(table), getattr(table, "reading", ()), type(unit), noise
    return *code, kinds, domain.cells > MANY, repr(sorted(asked.items()))


Stage = Callable[[Domain], Vault]
"""A vault of no rows for a domain, with the whole budget."""


def try_out(recipe: Mechanism, job: Job, stage: Stage) -> None:
    """Run whatever a mechanism may settle on, and write what it would publish."""
    small = corner(recipe, job.domain)
    recipe.settle(stage(small))
    for one in recipe.candidates(small):
        frozen(one, one.estimate(stage(small)), job, None).to_bytes()


def charge(
    source: Any,
    epsilon: Fraction,
    asked: Mapping[str, object],
    *,
    unit: Unit,
    neighbours: Neighbours,
    account: str | None,
    ledger: Ledger | None,
    request: str | None,
    cap: Any = None,
    allow_large: bool = False,
) -> Paid | bytes:
    """Charge the account of a table for what is asked of it; the ledger keeps only a hash of that.

    A request that was finished before gives the bytes that were kept then.
    """
    from hushgram.trusted.ledger import Finished

    book, payer = paying(source, account, ledger)
    ticket = book.begin(
        payer,
        epsilon,
        unit=unit.key,
        neighbours=neighbours,
        request_id=request,
        request={"source": named(source), **bounded(unit), **asked},
        cap=cap,
        allow_large=allow_large,
    )
    if isinstance(ticket, Finished):
        return ticket.release
    receipt = ticket.receipt.to_json() if book.durable else None
    return Paid(receipt, partial(book.commit, ticket))


def preview_charge(
    source: Any,
    job: Job,
    account: str | None,
    ledger: Ledger | None,
    *,
    cap: Any,
    allow_large: bool,
) -> AccountPreview | None:
    """What a charge would leave, after all its checks; None if no account pays."""
    from hushgram.trusted.engine.sources.counted import Counts
    from hushgram.trusted.ledger import Ledger as Book

    if account is None and isinstance(source, Counts):
        return None
    if ledger is None and not Book.exists():  # a preview makes none
        ledger = Book.in_memory()
    book, payer = paying(source, account, ledger)
    after, new = book.preview(
        payer,
        job.epsilon,
        unit=job.unit.key,
        neighbours=job.neighbours,
        cap=cap,
        allow_large=allow_large,
    )
    return AccountPreview(after.name, after.cap, after.remaining, new)


def column_types(table: Table, domain: Domain) -> dict[str, str]:
    """The types of the columns behind the axes; counts have none."""
    schema = getattr(table, "schema", {})
    return {name: str(schema[name]) for name in domain if name in schema}


def released(
    recipe: Mechanism,
    vault: Vault,
    job: Job,
    receipt: Mapping[str, str] | None,
    where: str = "",
) -> Release:
    """Run what a mechanism settles on."""
    chosen, why = recipe.settle(vault)
    return frozen(chosen, chosen.estimate(vault), job, receipt, why, where)


def frozen(
    recipe: Mechanism,
    estimate: Estimate,
    job: Job,
    receipt: Mapping[str, str] | None,
    why: str = "",
    where: str = "",
) -> Release:
    return Release(
        replace(estimate, approximate=recipe.approximation()),
        mechanism=recipe.name,
        parameters=recipe.parameters(),
        epsilon=job.epsilon,
        unit=job.unit,
        neighbours=job.neighbours,
        receipt=receipt,
        why=why,
        where=where,
    )


def public_domain(source: Any, domain: Domain | Mapping[str, Any] | None) -> Domain:
    """The declared domain; counts bring their own."""
    if domain is None:
        own = getattr(source, "domain", None)
        if isinstance(own, Domain):
            return own
        raise DomainError(
            "the domain is missing: bounds, bins and categories are public and must be declared, "
            "for example Domain(age=Integer(0, 120), sex=Category(['F', 'M'])). If nobody knows "
            "bounds, find_bounds finds some, for part of the budget."
        )
    declared = domain if isinstance(domain, Domain) else Domain(domain)
    check_degrees(declared)
    return declared


def paying(source: Any, account: str | None, ledger: Ledger | None) -> tuple[Ledger, str]:
    """The ledger and the account. Counts may go without; tables may not."""
    from hushgram.trusted.engine.sources.counted import Counts
    from hushgram.trusted.ledger import Ledger as Book

    if account is not None:
        return ledger or Book.open(), account
    if not isinstance(source, Counts):
        raise BadInput(
            "the account is missing: every table has one, so that what was spent on it is "
            'remembered. Name it, for example account="checkins".'
        )
    if ledger is None:
        warnings.warn(
            "Counts are published without an account, so nobody remembers what is spent on them. "
            'If they are counts of private data, name one: account="…".',
            Unaccounted,
            stacklevel=stack_outside(),
        )
    return ledger or Book.in_memory(), "counts"


def stack_outside() -> int:
    """How far up the stack the caller of Hushgram is, for warnings that point there."""
    depth, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("hushgram."):
        depth, frame = depth + 1, frame.f_back
    return depth


def bounded(unit: Unit) -> dict[str, object]:
    """What a request id stands for, of the people: an account does not tell their bounds apart."""
    return {"max_rows": unit.max_rows} if isinstance(unit, User) else {}


def meant(source: Any, *more: str) -> str:
    """Which rows of the table are published, for people to read; "" for all of them."""
    conditions = [*more]
    while isinstance(source, Where | Text):
        if isinstance(source, Where):
            conditions.insert(0, source.condition)
        source = source.source
    known = [condition for condition in conditions if condition]
    return known[0] if len(known) == 1 else " AND ".join(f"({one})" for one in known)


def named(source: Any) -> str:
    """What a request id stands for, of the table; of a URL, without its secrets."""
    from hushgram.trusted.engine.sources.address import Address

    if isinstance(source, Where):
        return f"{named(source.source)} WHERE {source.condition}"
    if isinstance(source, Text):
        declared = f" WITH {source.declared}" if source.declared else ""
        return f"{named(source.source)}{declared}"
    if isinstance(source, str) and "://" in source:
        return Address.parse(source).identity
    return str(source) if isinstance(source, str | Path) else type(source).__name__
