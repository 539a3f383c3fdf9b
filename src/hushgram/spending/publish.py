"""Table + domain + mechanism → release, for one charge."""

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
from hushgram.spending.ask import Rehearsal, charge_and_look, prepare
from hushgram.spending.charge import ReceiptJson, Spending, preview_charge
from hushgram.spending.dry_run import AccountPreview, DryRun
from hushgram.spending.identity import filter_text
from hushgram.spending.job import Job, release_from_vault, run_candidates
from hushgram.spending.rehearsal import rehearsal_key

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
    about
        Public text for readers, stored in the release: ``About(publisher="…", source="…",
        contact="…", licence="…", date="2026-05-01")``, or a mapping with some of these names.
    measures
        What is published beside the number of rows: ``[Sum("earnings", 0, 200_000)]``, a `Mean` or
        a `Weighted` count. See `release.sum` and `release.mean`.
    share
        The share of epsilon that measures get together, such as 0.5. By default the one with which
        the largest error of means is least: 1/2 for one measure.
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
    ask = ReleaseAsk.of(source, public, recipe, spending, wanted, share)
    if dry_run:
        prepare(ask, spending)
        return ask.preview(preview_charge(source, spending))
    return charge_and_look(source, ask, spending).with_about(credits)


@dataclass(frozen=True)
class ReleaseAsk:
    """A release, asked of a table (an `hushgram.spending.ask.Ask`)."""

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
    ) -> ReleaseAsk:
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

    def look(self, noise: Noise, receipt: ReceiptJson | None) -> Release:
        from hushgram.trusted.engine.remembered import Remembered

        table = Remembered(self.table, raster=self.mechanism.raster_of(self.job.domain))
        vault = self.job.open_vault(table, self.job.domain, noise)
        return release_from_vault(self.mechanism, vault, self.job, receipt, self.where)

    def to_bytes(self, found: Release, receipt: ReceiptJson | None) -> bytes:
        return found.to_bytes()

    def from_bytes(self, kept: bytes) -> Release:
        return read(kept)

    def preview(self, account: AccountPreview | None) -> DryRun:
        """What a publish would do."""
        job = self.job
        return DryRun(
            self.mechanism, job.domain, self.table.column_types(job.domain.columns), job.epsilon,
            job.unit, job.neighbours, self.where, account, job.measuring.measures,
        )  # fmt: skip

    def _recipe(self) -> dict[str, object]:
        own = {"mechanism": self.mechanism.name, "parameters": self.mechanism.parameters()}
        return {**own, **measuring_json(self.job.measuring)}


def whole_columns(table: Table, measures: Sequence[Sum]) -> frozenset[str]:
    """The columns that hold whole numbers by their type, which is public."""
    kinds = table.column_types(measure.column for measure in measures)
    return frozenset(name for name, kind in kinds.items() if "int" in kind and "[" not in kind)


def measuring_json(measuring: Measuring) -> dict[str, object]:
    """What a request id stands for, of the measures; nothing if there are none."""
    if not measuring.measures:
        return {}
    listed = [measure.to_json() for measure in measuring.measures]
    return {"measures": listed, "share": format_number(measuring.share)}


def as_domain(source: Source, domain: Domain | Mapping[str, AxisOption] | None) -> Domain:
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
