"""A table behind an Ibis backend: in this process, on a server or in a cluster."""

from __future__ import annotations

import copy
import secrets
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, TypeVar

import ibis

from hushgram.base.progress import watch
from hushgram.declare.amount import Amount
from hushgram.declare.condition import All, Condition, columns
from hushgram.declare.domain import Domain
from hushgram.declare.text_format import DEFAULT, TextFormat
from hushgram.declare.unit import Rows, Unit, User
from hushgram.errors import BadInput, EngineFailed, SourceError
from hushgram.geometry.partition import Boxes, Grid, Ints, Raster, Refined
from hushgram.trusted.engine.ibis.conditions import check_condition, condition_value
from hushgram.trusted.engine.ibis.counting import (
    bound_rows,
    cut_to_box,
    find_occupied,
    tally_boxes,
    tally_parts,
)
from hushgram.trusted.engine.ibis.dialect import dialect_of
from hushgram.trusted.engine.ibis.quantise import (
    check_amounts,
    check_columns,
    check_names,
    with_indices,
)
from hushgram.trusted.engine.ibis.type_names import type_name
from hushgram.trusted.engine.occupied import Occupied
from hushgram.trusted.engine.sources.frames import Naming
from hushgram.trusted.engine.table import Table

Found = TypeVar("Found")


@dataclass(eq=False, repr=False)
class IbisTable(Table):
    """A table behind an Ibis backend, to which ``connect`` connects when it is first needed.

    ``view`` returns the table for one pass, with the requested columns as ``c0``, ``c1``, …;
    ``header`` replaces the list of columns in messages if a file might have a row in its place;
    ``lossy`` sources may drop rows themselves; ``probed`` sources get a query for zero rows before
    anything is spent, because an engine may refuse a type that Ibis accepts; ``no_rows`` makes the
    table without rows if querying the engine for none would read some; ``unchanged`` raises if the
    rows differ from those of the first pass; ``guessed`` are integer columns whose type was
    inferred from rows; ``rows_only`` says why this source cannot distinguish people, if it cannot.
    """

    connect: Callable[[], Any]
    schema: ibis.Schema
    view: Callable[[list[str]], ibis.Table]
    _: KW_ONLY
    header: str = ""
    lossy: bool = False
    probed: bool = False
    no_rows: Callable[[], IbisTable] | None = None
    unchanged: Callable[[], None] = lambda: None
    rows_only: str = ""
    guessed: frozenset[str] = frozenset()
    form: TextFormat = field(default=DEFAULT, init=False)
    condition: Condition | None = field(default=None, init=False)
    rowless: bool = field(default=False, init=False)
    """True for a stream that was made without rows."""
    amounts: tuple[Amount, ...] = field(default=(), init=False)
    _unit: Unit = field(default=Rows(), init=False)
    _whole: Domain | None = field(default=None, init=False)
    _bounded: ibis.Table | None = field(default=None, init=False)
    _probed_for: set[tuple[Domain, Unit]] = field(default_factory=set, init=False)

    def column_types(self, names: Iterable[str] | None = None) -> dict[str, str]:
        wanted = self.schema.names if names is None else names
        unlisted = ", name not checked"  # JSON lines have no header: see `sources.json_lines`
        return {
            name: f"{type_name(self.schema[name])}{'' if name in self.schema.names else unlisted}"
            for name in wanted
            if name in self.schema
        }

    def whole_columns(self, names: Iterable[str]) -> frozenset[str]:
        known = (name for name in names if name in self.schema and name not in self.guessed)
        return frozenset(name for name in known if self.schema[name].is_integer())

    def check(self, domain: Domain, unit: Unit) -> None:
        self.unchanged()
        check_columns(self.schema, domain, header=self.header)
        check_amounts(self.schema, self.amounts, header=self.header)
        if isinstance(unit, User):
            self.check_people(unit.column)
        else:
            check_unbounded(self.amounts)
        if self.probed and (domain, unit) not in self._probed_for:
            self._probe(domain, [Naming(unit.column)] if isinstance(unit, User) else [])
            self._probed_for.add((domain, unit))

    def check_people(self, column: str) -> None:
        """Refuse a column that cannot identify people reliably, and a source in which one person's
        text could pass for another person's rows. At no cost."""
        check_names(self.schema, column, header=self.header)
        if self.rows_only:
            raise SourceError(self.rows_only)

    def bound_to(self, domain: Domain, unit: Unit) -> IbisTable:
        self.check(domain, unit)
        bound = copy.copy(self)
        bound._whole, bound._unit, bound._bounded = domain, unit, None
        return bound

    @property
    def reading(self) -> tuple[object, ...]:
        return bool(self.header), *self.form.declared.items()

    def empty(self) -> IbisTable:
        if self.no_rows is None:
            without = copy.copy(self)
            without.view = lambda columns: self.view(columns).limit(0)
        else:
            without = self.no_rows()
        without.form, without.condition = self.form, self.condition
        without.amounts = self.amounts
        without.unchanged = lambda: None  # nothing is read that could have changed
        return without

    def _probe(self, domain: Domain, names: list[str]) -> None:
        """Refuse columns that the engine cannot read in any table, at no cost."""
        owned = self.index_columns(domain, *names)
        try:
            hide_messages(lambda: self._run(owned.limit(0)))
        except EngineFailed:
            pass
        else:
            return
        wanted = ", ".join(repr(str(name)) for name in (*self.columns_needed(domain), *names))
        raise SourceError(
            f"The engine cannot read {wanted} as declared. Cast columns of unusual types, "
            "for instance to text or to a number."
        )

    def loses_rows(self, domain: Domain) -> bool:
        dropped = any(amount.drops for amount in self.amounts)
        return self.lossy or self.condition is not None or dropped or domain.loses_rows

    def declare_texts(self, form: TextFormat) -> None:
        self.form = form

    def owners(self, column: str, domain: Domain | None) -> IbisTable:
        from hushgram.trusted.engine.ibis.owners import owners

        return owners(self, column, domain)

    def keep(self, condition: Condition) -> None:
        check_condition(self.schema, condition, header=self.header)
        self.condition = condition if self.condition is None else All((self.condition, condition))

    def carrying(self, amounts: Sequence[Amount]) -> IbisTable:
        check_amounts(self.schema, amounts, header=self.header)
        carrier = copy.copy(self)
        carrier.amounts, carrier._probed_for = tuple(amounts), set()
        return carrier

    def count_grid(self, grid: Grid | Refined) -> Ints:
        return self.tally_grid(grid)[0]

    def tally_grid(self, grid: Grid | Refined) -> list[Ints]:
        return self._watch_pass(lambda: tally_parts(self._index_rows(grid.domain), grid, self._run))

    def tally_boxes(self, boxes: Boxes) -> list[Ints]:
        return self._watch_pass(
            lambda: tally_boxes(self._index_rows(boxes.domain), boxes, self._run)
        )

    def occupied_cells(self, raster: Raster) -> Occupied:
        return self._watch_pass(
            lambda: find_occupied(self._index_rows(raster.domain), raster, self._run)
        )

    def _watch_pass(self, work: Callable[[], Found]) -> Found:
        with watch("counting rows", self._share):
            return self._pass(work)

    def _pass(self, work: Callable[[], Found]) -> Found:
        """Run one pass over the rows, and raise if they changed meanwhile. Without rows there is
        nothing to hide, so the engine's messages are shown."""
        if self.rowless:
            return work()
        self.unchanged()
        try:
            return hide_messages(work)
        finally:  # also if the engine failed, because changed rows may be the reason
            self.unchanged()

    def _index_rows(self, domain: Domain) -> ibis.Table:
        if isinstance(self._unit, User):
            assert self._whole is not None
            return cut_to_box(self._store_bounded(self._whole, self._unit), self._whole, domain)
        return self.index_columns(domain)

    def columns_needed(self, domain: Domain) -> list[str]:
        """Return the columns to read: those of the axes, then those of the amounts."""
        return [*domain.columns, *(amount.column for amount in self.amounts)]

    def index_columns(self, domain: Domain, *names: str) -> ibis.Table:
        """Return the rows of a pass as indices, with texts read as declared; ``names`` may add the
        user column."""
        wanted = [*self.columns_needed(domain), *names]
        user = f"c{len(wanted) - 1}" if names else None
        return with_indices(self.rows(wanted), domain, user, self.form, self.amounts)

    def rows(self, wanted: list[str]) -> ibis.Table:
        """Return the rows for one pass, with the wanted columns first."""
        if self.condition is None:
            return self.view(wanted)
        further = list(dict.fromkeys(columns(self.condition)))
        rows = self.view([*wanted, *further])
        found = {name: rows[f"c{place}"] for place, name in enumerate(further, len(wanted))}
        return rows.filter(condition_value(self.condition, found, dialect_of(rows, self.form)))

    def _store_bounded(self, whole: Domain, user: User) -> ibis.Table:
        """Choose which rows of each user count, once, and store their indices in the engine for as
        long as this table exists, so that every pass sees the same rows.

        Rows are chosen from the whole domain that the table is bound to, not from the box that is
        counted: all boxes of a split together contain ``max_rows`` rows of a user, not each of
        them.
        """
        if self._bounded is None:
            owned = self.index_columns(whole, Naming(user.column))
            if self.probed:  # on Spark, Ibis caches a query without the tables that it is joined to
                self._run(owned.limit(0))
            salt = secrets.token_hex(16)
            self._bounded = bound_rows(owned, user.max_rows, salt, self.amounts).cache()
        return self._bounded

    def _run(self, expression: ibis.Table) -> Any:
        return self.connect().to_pyarrow(expression)

    def _share(self) -> float | None:
        """Return the progress of the running query, if the engine reports it."""
        progress = getattr(getattr(self.connect(), "con", None), "query_progress", None)
        return progress() / 100 if progress else None


def check_unbounded(amounts: Sequence[Amount]) -> None:
    """Refuse bounds per person if the unit is a row."""
    for amount in amounts:
        if amount.person is not None:
            raise BadInput(
                f"per_person bounds the sum of {amount.column!r} of one person. Say who a "
                'person is, with unit=User("id", max_rows=5), or leave it out.'
            )


def hide_messages(work: Callable[[], Found]) -> Found:
    """Hide an engine's errors and warnings while it counts, because they may quote values.

    The new error is raised outside the handler, so it does not have the engine's error as its
    context either, where a logger would find it.
    """
    try:
        with warnings.catch_warnings(), silence_spark():
            warnings.simplefilter("ignore")
            return work()
    except (KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException:  # a Polars panic is not an Exception
        failed = EngineFailed(
            "The engine failed while counting. Its message is not shown, because it may "
            "quote private values. The charge stays spent. Run the same count in the "
            "engine itself to see what is wrong."
        )
    raise failed


@contextmanager
def silence_spark() -> Iterator[None]:
    """Suppress the messages that Spark logs when it raises an error."""
    there = sys.modules.get("pyspark.logger")
    names = ("SQLQueryContextLogger", "DataFrameQueryContextLogger") if there else ()
    loggers = [there.PySparkLogger.getLogger(name) for name in names]  # type: ignore[union-attr]
    for logger in loggers:
        logger.addFilter(reject)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(reject)


def reject(record: Any) -> bool:
    return False
