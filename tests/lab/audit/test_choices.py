"""The audit convicts operations that choose too steeply, or on counts that are not cut."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from hushgram.declare.axis import Integer
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows
from hushgram.geometry.partition import Cuts, Grid
from hushgram.lab.audit import ALPHA, OperationPair, audit_operation
from hushgram.lab.memory import IndexedTable
from hushgram.queries import Bisections, Boundaries
from hushgram.trusted.vault.operations import OPERATIONS

LEVEL = ALPHA / 100
RUNS = 80_000
"""A fortieth of them are made on each table."""

LINE = Domain(x=Integer(0, 9))


def table(counts: list[int]) -> IndexedTable:
    return IndexedTable(LINE, np.repeat(np.arange(10), counts))


def pair(query: Any, first: list[int], second: list[int], neighbours: Any) -> OperationPair:
    return OperationPair("planted", query, Rows(), neighbours, table(first), table(second))


GROUPED = pair(
    Boundaries(Grid.of_cells(LINE), 2, 8, Fraction(1)),
    [8, 0, 0, 0, 0, 0, 0, 0, 0, 8],
    [7, 0, 0, 0, 0, 0, 0, 0, 0, 8],
    "add-remove",
)
FILLED = pair(
    Boundaries(Grid.of_cells(LINE), 2, 1, Fraction(1)),
    [60, 0, 0, 0, 0, 0, 0, 0, 0, 60],
    [60, 0, 0, 0, 0, 0, 0, 0, 0, 61],
    "add-remove",
)
CUT = pair(
    Bisections(Cuts(LINE, (np.array([0]),)), "interpolation", Fraction(1)),
    [1, 0, 1, 1, 1, 1, 1, 1, 1, 1],
    [2, 0, 1, 1, 1, 1, 1, 1, 1, 1],
    "add-remove",
)


def steeper(factor: int) -> Callable[[Any], dict[str, Any]]:
    """As if one row moved a score by so many times less."""

    def bug(right: Any) -> dict[str, Any]:
        def perturb(query: Any, exact: Any, scale: Any, noise: Any) -> Any:
            return right.perturb(query, exact, scale / factor, noise)

        return {"perturb": staticmethod(perturb)}

    return bug


def unbounded(right: Any) -> dict[str, Any]:
    """Counts that are not cut at the bound."""

    def count(query: Any, table: Any, domain: Any) -> Any:
        return table.count(query.grid)

    return {"count": staticmethod(count)}


def best(right: Any) -> dict[str, Any]:
    """The best place instead of one that is drawn."""

    class Greedy:
        def exponential(self, scores: Any, rate: Any) -> int:
            return int(np.argmax(scores))

    def perturb(query: Any, exact: Any, scale: Any, noise: Any) -> Any:
        return right.perturb(query, exact, scale, Greedy())

    return {"perturb": staticmethod(perturb)}


BUGS = {
    "squared errors as if one row moved them by one": (GROUPED, steeper(15)),
    "counts above the bound": (FILLED, unbounded),
    "the best boundary": (GROUPED, best),
    "rounding grid forgotten": (CUT, steeper(256)),
    "the best cut": (CUT, best),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BUGS)
def test_planted_bugs_are_convicted(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    planted, bug = BUGS[name]
    kind = type(planted.query)
    right = OPERATIONS[kind]
    assert not audit_operation(planted, RUNS, LEVEL).convicted
    monkeypatch.setitem(OPERATIONS, kind, type("Planted", (type(right),), bug(right))())
    finding = audit_operation(planted, RUNS, LEVEL)
    assert finding.convicted, finding
