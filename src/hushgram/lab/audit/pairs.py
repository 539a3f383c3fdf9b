"""A query on two neighbouring tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hushgram.declare.domain import Domain
from hushgram.declare.unit import Neighbours, Unit
from hushgram.lab.memory import IndexedTable
from hushgram.queries import Query

Case = tuple[Unit, Neighbours, Any, Any]
"""The unit, the neighbours, and the rows of the two tables."""


@dataclass(frozen=True)
class OperationPair:
    """A query on two neighbouring tables."""

    name: str
    query: Query
    unit: Unit
    neighbours: Neighbours
    first: IndexedTable
    second: IndexedTable

    @classmethod
    def of_rows(cls, name: str, query: Query, domain: Domain, case: Case) -> OperationPair:
        """Create the pair from the indices of the rows of both tables."""
        unit, neighbours, *rows = case
        first, second = (IndexedTable(domain, one) for one in rows)
        return cls(name, query, unit, neighbours, first, second)
