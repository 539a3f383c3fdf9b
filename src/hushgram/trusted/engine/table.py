"""A table that can be counted, wherever it lives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import ibis

from hushgram.domain import Domain
from hushgram.errors import EngineFailed
from hushgram.partition import Ints, Partition
from hushgram.progress import watch
from hushgram.trusted.engine.counting import bounded, count_parts
from hushgram.trusted.engine.quantise import check_columns, check_present, with_indices
from hushgram.unit import Rows, Unit, User


class Table(Protocol):
    """One verb: count."""

    def loses_rows(self, domain: Domain) -> bool:
        """Whether a row can drop out for what it holds, so that even their number is private."""

    def check(self, domain: Domain, unit: Unit) -> None:
        """Refuse what the table's schema cannot give. Reads no row."""

    def count(self, partition: Partition) -> Ints:
        """The exact number of rows in each part."""


class IbisTable:
    """A table behind an Ibis backend.

    ``view`` gives the table for one pass, with at least the columns it is asked for; ``header``
    replaces the list of columns in messages, where a file might have a row in its place;
    ``lossy`` sources can lose a row themselves.
    """

    def __init__(
        self,
        backend: Any,
        schema: ibis.Schema,
        view: Callable[[list[str]], ibis.Table],
        *,
        header: str = "",
        lossy: bool = False,
    ) -> None:
        self.backend = backend
        self.schema = schema
        self.view = view
        self.header = header
        self.lossy = lossy
        self._unit: Unit = Rows()
        self._bounded: tuple[Domain, ibis.Table] | None = None

    def check(self, domain: Domain, unit: Unit) -> None:
        check_columns(self.schema, domain, header=self.header)
        if isinstance(unit, User):
            check_present(self.schema, unit.column, header=self.header)
        self._unit = unit

    def loses_rows(self, domain: Domain) -> bool:
        return self.lossy or domain.loses_rows

    def count(self, partition: Partition) -> Ints:
        with quiet(), watch("counting rows", self._share):
            return count_parts(self._indexed(partition.domain), partition, self._run)

    def _indexed(self, domain: Domain) -> ibis.Table:
        if isinstance(self._unit, User):
            return self._stored(domain, self._unit)
        return with_indices(self.view(list(domain)), domain)

    def _stored(self, domain: Domain, user: User) -> ibis.Table:
        """The bounded rows' indices, chosen once and stored: every pass sees the same rows."""
        if self._bounded is None or self._bounded[0] != domain:
            rows = self.view([*domain, user.column])
            indexed = with_indices(rows, domain, user=rows[user.column])
            stored = self.backend.create_table(
                ibis.util.gen_name("hushgram_bounded"), bounded(indexed, user.max_rows), temp=True
            )
            self._bounded = domain, stored
        return self._bounded[1]

    def _run(self, expression: ibis.Table) -> Any:
        return self.backend.to_pyarrow(expression)

    def _share(self) -> float | None:
        """How much of the running query is done, if the engine tells."""
        ask = getattr(getattr(self.backend, "con", None), "query_progress", None)
        return ask() / 100 if ask else None


class quiet:
    """Hide an engine's own words while it counts: they may quote values of the table."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, Exception):
            raise EngineFailed(
                "the engine failed while counting. Its message may quote private values, so it is "
                "not shown; what was charged stays charged. Run the same count with the engine "
                "itself to see what is wrong."
            ) from None
