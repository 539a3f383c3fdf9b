"""Publish a table: one charge, one release."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Required, TypedDict, Unpack, overload

from hushgram.base.exact import Number, format_number
from hushgram.declare.about import AboutOption, as_about
from hushgram.declare.degrees import check_degrees
from hushgram.declare.domain import AxisOption, Domain
from hushgram.declare.measure import Measure, Sum, as_measures
from hushgram.declare.source import Source
from hushgram.declare.unit import Neighbours, UnitOption
from hushgram.declare.workload import Workload
from hushgram.errors import DomainError
from hushgram.mechanisms.base import Mechanism
from hushgram.mechanisms.measured import Measuring
from hushgram.mechanisms.registry import as_mechanism
from hushgram.release.parquet import read
from hushgram.release.release import Release
from hushgram.spending.charge import ReceiptJson, Spending, preview_charge
from hushgram.spending.dry_run import AccountPreview, DryRun
from hushgram.spending.identity import filter_text
from hushgram.spending.job import Job, release_from_vault, run_candidates
from hushgram.spending.rehearsal import rehearsal_key
from hushgram.spending.task import Rehearsal, charge_and_run, prepare

if TYPE_CHECKING:
    from hushgram.trusted.engine.table import Table
    from hushgram.trusted.ledger import Ledger
    from hushgram.trusted.noise import Noise


class Options(TypedDict, total=False):
    """The keywords of `publish`."""

    epsilon: Required[Number]
    account: str | None
    mechanism: str | Mechanism
    unit: UnitOption
    neighbours: Neighbours
    workload: Workload | None
    measures: Sequence[Measure] | Measure
    share: Number | None
    ledger: Ledger | None
    noise: str
    request: str | None
    cap: Number | None
    allow_large: bool
    about: AboutOption | None


@overload
def publish(
    source: Source,
    domain: Domain | Mapping[str, AxisOption] | None = None,
    *,
    dry_run: Literal[False] = False,
    **options: Unpack[Options],
) -> Release: ...


@overload
def publish(
    source: Source,
    domain: Domain | Mapping[str, AxisOption] | None = None,
    *,
    dry_run: Literal[True],
    **options: Unpack[Options],
) -> DryRun: ...


def publish(
    source: Source,
    domain: Domain | Mapping[str, AxisOption] | None = None,
    *,
    epsilon: Number,
    account: str | None = None,
    mechanism: str | Mechanism = "auto",
    unit: UnitOption = "rows",
    neighbours: Neighbours = "add-remove",
    workload: Workload | None = None,
    ledger: Ledger | None = None,
    noise: str = "native",
    request: str | None = None,
    cap: Number | None = None,
    allow_large: bool = False,
    about: AboutOption | None = None,
    measures: Sequence[Measure] | Measure = (),
    share: Number | None = None,
    dry_run: bool = False,
) -> Release | DryRun:
    """Publish noisy counts of a table, with differential privacy.

    Charges epsilon to an account, counts the rows, adds noise and returns a release. The release
    can be queried as often as you like at no cost.

    Parameters
    ----------
    source
        The table: a path, glob or folder of files; a URL of PostgreSQL or Spark; an Arrow, pandas,
        Polars, Spark, DuckDB or Ibis table; some rows of one of these,
        ``Where(source, "age >= 18")``; one with another text format,
        ``Text("people.csv", separator=";", decimal=",")``; or ``Counts(array)``.
    domain
        The axes to publish, by name. They are public. ``Counts`` already have axes.
    epsilon
        The privacy budget of this release, as an exact number: 1, 0.1, "1/3".
    account
        The account to charge: a name that you choose for this table. Required for tables.
    mechanism
        A name from ``MECHANISMS`` or an instance. ``"auto"`` chooses one from public facts and a
        noisy number of rows; ``release.explain()`` says why.
    unit
        Who is protected: ``"rows"``, or people with several rows, ``User("column", max_rows=…)``.
    neighbours
        How neighbouring tables differ: one unit added or removed (``"add-remove"``), or replaced
        (``"replace-one"``).
    workload
        What you will query most, for ``mechanism="auto"``: ``"ranges"`` (the default), counts of
        ranges and boxes of any size, or ``"cells"``, counts of single cells.
    ledger
        The ledger with the account. By default, the user's own; for ``Counts``, one in memory.
    noise
        The noise implementation: ``"native"`` or ``"opendp"``.
    request
        A request ID of your choice. Repeating it returns the stored release at no cost.
    cap
        The maximum that the account may ever spend, if the account is new. The default is 1, or
        epsilon if larger. To change the cap of an existing account, use ``hushgram ledger
        set-cap``.
    allow_large
        Allow an epsilon or a cap above 10, which protects hardly anybody.
    about
        Public credits to store in the release: ``About(publisher="…", source="…", contact="…",
        licence="…", date="2026-05-01")``, or a mapping with some of these names.
    measures
        What to publish besides the number of rows: a `Sum`, a `Mean` or a `Weighted` count, such as
        ``[Sum("earnings", 0, 200_000)]``. See ``release.sum`` and ``release.mean``.
    share
        The share of epsilon to spend on measures, such as 0.5. The default minimises the largest
        error of means: 1/2 for one measure.
    dry_run
        Only check and describe what would be published, and return a `DryRun`. Opens the schema of
        the table, but reads no rows and spends nothing.

    Returns
    -------
    Release
        The release; with ``dry_run=True``, a `DryRun`.

    Examples
    --------
    >>> import hushgram as hg
    >>> release = hg.publish(hg.Counts([50, 60, 70]), epsilon=1)
    >>> release.domain.names, release.unaccounted
    (('x0',), True)
    """
    credits = as_about(about)
    spending = Spending.of(
        epsilon=epsilon,
        unit=unit,
        neighbours=neighbours,
        account=account,
        ledger=ledger,
        noise=noise,
        request=request,
        cap=cap,
        allow_large=allow_large,
    )
    public = as_domain(source, domain)
    recipe = as_mechanism(mechanism, workload)
    recipe.check(public)
    wanted = as_measures(measures)
    Measuring.of(wanted, share)
    task = ReleaseTask.of(source, public, recipe, spending, wanted, share)
    if dry_run:
        prepare(task, spending)
        return task.preview(preview_charge(source, spending))
    return charge_and_run(source, task, spending).with_about(credits)


@dataclass(frozen=True)
class ReleaseTask:
    """A release to make from a table (a `hushgram.spending.task.Task`)."""

    table: Table
    mechanism: Mechanism
    job: Job
    where: str

    @classmethod
    def of(
        cls,
        source: Source,
        domain: Domain,
        mechanism: Mechanism,
        spending: Spending,
        measures: Sequence[Sum] = (),
        share: Number | None = None,
    ) -> ReleaseTask:
        from hushgram.trusted.engine.sources.source import open_table

        table = open_table(source).carrying([measure.amount for measure in measures])
        measuring = Measuring.of(
            measures, share, whole_columns(table, measures), spending.unit.rows
        )
        job = Job(domain, spending.epsilon, spending.unit, spending.neighbours, measuring)
        return cls(table, mechanism, job, filter_text(source))

    def check(self) -> None:
        self.table.check(self.job.domain, self.job.unit)

    def rehearsals(self, noise: Noise) -> Iterator[Rehearsal]:
        from hushgram.trusted.engine.remembered import Remembered

        raster = self.mechanism.raster_of(self.job.domain)

        def run_without_rows() -> None:
            without = Remembered(self.table.empty(), raster=raster)
            run_candidates(
                self.mechanism, self.job, lambda part: self.job.open_vault(without, part, noise)
            )

        key = rehearsal_key(self.table, self.job.domain, self.job.unit, noise, self._recipe())
        yield Rehearsal(run_without_rows, key)

    def request(self) -> Mapping[str, object]:
        return {"domain": self.job.domain.to_json(), **self._recipe()}

    def run(self, noise: Noise, receipt: ReceiptJson | None) -> Release:
        from hushgram.trusted.engine.remembered import Remembered

        table = Remembered(self.table, raster=self.mechanism.raster_of(self.job.domain))
        vault = self.job.open_vault(table, self.job.domain, noise)
        return release_from_vault(self.mechanism, vault, self.job, receipt, self.where)

    def to_bytes(self, found: Release, receipt: ReceiptJson | None) -> bytes:
        return found.to_bytes()

    def from_bytes(self, kept: bytes) -> Release:
        return read(kept)

    def preview(self, account: AccountPreview | None) -> DryRun:
        """Describe what publishing would do."""
        job = self.job
        return DryRun(
            self.mechanism, job.domain, self.table.column_types(job.domain.columns), job.epsilon,
            job.unit, job.neighbours, self.where, account, job.measuring,
        )  # fmt: skip

    def _recipe(self) -> dict[str, object]:
        own = {"mechanism": self.mechanism.name, "parameters": self.mechanism.parameters()}
        return {**own, **measuring_json(self.job.measuring)}


def whole_columns(table: Table, measures: Sequence[Sum]) -> frozenset[str]:
    """Return the columns with an integer type, which is public."""
    return table.whole_columns(measure.column for measure in measures)


def measuring_json(measuring: Measuring) -> dict[str, object]:
    """Return the measures as a part of what a request ID stands for."""
    if not measuring.measures:
        return {}
    listed = [measure.to_json() for measure in measuring.measures]
    return {"measures": listed, "share": format_number(measuring.share)}


def as_domain(source: Source, domain: Domain | Mapping[str, AxisOption] | None) -> Domain:
    """Return the declared domain, or the one that counts already have."""
    if domain is None:
        own = getattr(source, "domain", None)
        if isinstance(own, Domain):
            return own
        raise DomainError(
            "The domain is missing. Bounds, bins and categories are public and must be declared, "
            "for example Domain(age=Integer(0, 120), sex=Category(['F', 'M'])). If you do not know "
            "the bounds, find_bounds can estimate them, for part of the budget."
        )
    declared = domain if isinstance(domain, Domain) else Domain(domain)
    check_degrees(declared)
    return declared
