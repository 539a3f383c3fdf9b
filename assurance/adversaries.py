"""Neighbouring tables that an adversary would choose, for the full audit. NONPRIVATE.

A heavy cell, an empty cell, an empty table, a cell at the boundary of halves, the ends of the
sorted rows; rows and people that are added, removed, replaced, or dropped by the domain.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from hushgram.declare.axis import Category, Integer, Interval
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Neighbours, Rows, Unit, User
from hushgram.geometry.measured.contrasts import Contrasts
from hushgram.geometry.partition import Boxes, Cuts, Grid, Ints, Raster
from hushgram.lab.audit import OperationPair, accepts, features_of, operation_pairs
from hushgram.lab.memory import IndexedTable
from hushgram.lab.stock import Stocked
from hushgram.mechanisms.base import Mechanism
from hushgram.queries import (
    Bisections,
    Boundaries,
    Decomposition,
    Linear,
    Medians,
    PartCounts,
    SmoothMedian,
    Total,
)
from hushgram.trusted.noise import Noise
from hushgram.trusted.vault import TableVault

PERSON = User("who", 3)


@cache
def all_operation_pairs() -> tuple[OperationPair, ...]:
    """Return the pairs of the fast audit, and more."""
    return (*operation_pairs(), *more_added(), *more_chosen())


def more_added() -> Iterator[OperationPair]:
    """Yield pairs for operations that add noise."""
    domain = Domain(x=Integer(0, 3))
    heavy = [[0]] * 1000
    tables: dict[str, tuple[Unit, Neighbours, Any, Any]] = {
        "heavy cell": (Rows(), "add-remove", [*heavy, [0]], heavy),
        "empty table": (Rows(), "add-remove", [[2]], []),
        "over the boundary": (Rows(), "replace-one", [*heavy, [1]], [*heavy, [2]]),
        "end to end": (Rows(), "replace-one", [[0], [1], [2], [0]], [[0], [1], [2], [3]]),
        "replaced by one outside": (Rows(), "replace-one", [[0], [3]], [[0]]),
        "person outside": (PERSON, "replace-one", [[0], [3], [3], [3]], [[0]]),
    }
    for name, (unit, neighbours, first, second) in tables.items():
        pair = IndexedTable(domain, first), IndexedTable(domain, second)
        for query in (
            PartCounts(Grid.of_cells(domain), Fraction(1)),
            Total(Fraction(1)),
            Linear(Contrasts.wavelets(domain), Fraction(1)),
        ):
            yield OperationPair(name, query, unit, neighbours, *pair)


def more_chosen() -> Iterator[OperationPair]:
    """Yield pairs for operations that choose: a person with three rows is added, or moves."""
    ten, three, four = (Domain(x=Integer(0, bins - 1)) for bins in (10, 3, 4))
    boundaries = Boundaries(Grid.of_cells(ten), 2, 4, Fraction(1))
    cut = Bisections(Cuts(ten, (np.array([0]),)), "deviation", Fraction(1))
    medians = Medians(Boxes.whole(Raster.of_cells(three)), (0,), Fraction(1))
    tree = Decomposition(Raster.of_cells(four), 0, 0, Fraction(1))
    end = [7, 8, 9]
    tables: list[tuple[str, Any, Domain, Unit, Neighbours, list[int], list[int]]] = [
        ("person", boundaries, ten, PERSON, "add-remove", [*end, 6, 6, 6], end),
        ("person moved", boundaries, ten, PERSON, "replace-one", [*end, 0, 0, 0], [*end, 9, 9, 9]),
        ("heavy cell", cut, ten, Rows(), "add-remove", [0] * 41, [0] * 40),
        ("empty table", cut, ten, Rows(), "add-remove", [9], []),
        ("person moved", cut, ten, PERSON, "replace-one", [*end, 0, 0, 0], [*end, 9, 9, 9]),
        ("person", medians, three, PERSON, "add-remove", [1] * 3 + [2] * 8, [2] * 8),
        ("person moved", medians, three, PERSON, "replace-one", [0] * 5, [0] * 2 + [2] * 3),
        ("person", tree, four, PERSON, "add-remove", [3] * 9, [3] * 6),
        ("person moved", tree, four, PERSON, "replace-one", [3] * 9, [3] * 6 + [0] * 3),
        ("person", SmoothMedian(Fraction(1)), ten, PERSON, "add-remove", [0, 0, 9, 9, 9], [0, 0]),
    ]
    for name, query, domain, unit, neighbours, *rows in tables:
        pair = (IndexedTable(domain, np.array(one).reshape(-1, 1)) for one in rows)
        yield OperationPair(name, query, unit, neighbours, *pair)


@dataclass(frozen=True, eq=False)
class Attack:
    """A mechanism on two neighbouring tables, and the row that an attacker looks for."""

    name: str
    mechanism: Mechanism
    unit: Unit
    neighbours: Neighbours
    tables: tuple[IndexedTable, IndexedTable]
    rows: Ints
    epsilon: Fraction = Fraction(1)
    noise: Noise = field(default_factory=Stocked)

    def run(self, which: int) -> list[float]:
        """Return what an attacker sees of one run on one of the tables."""
        table = self.tables[which]
        vault = TableVault(
            table,
            table.domain,
            self.epsilon,
            unit=self.unit,
            neighbours=self.neighbours,
            noise=self.noise,
        )
        estimate = self.mechanism.estimate(vault)
        return [seen for row in self.rows for seen in features_of(estimate, row)]


def attacks(mechanism: Mechanism) -> Iterator[Attack]:
    """Yield all attacks on a line, and those on planes that differ from them."""
    for place, domain in domains().items():
        if not accepts(mechanism, domain):
            continue
        low = np.zeros(len(domain), dtype=np.int64)
        far, middle = np.array(domain.shape) - 1, np.array(domain.shape) // 2
        heavy, steps = low[np.newaxis].repeat(40, axis=0), stairs(domain)
        many, none = low[np.newaxis].repeat(1102, axis=0), heavy[:0]
        cases: dict[str, tuple[Unit, Any, Any, Any]] = {
            "empty cell": (Rows(), heavy, [far], []),
            "threshold of N": (Rows(), many, [far], []),
            "empty table": (Rows(), none, [far], []),
            "heavy cell": (Rows(), heavy, [low], []),
            "boundary": (Rows(), heavy, [middle], [middle - 1]),
            "end to end": (Rows(), steps, [low], [far]),
            "first of the sorted": (Rows(), steps, [low], []),
            "person": (PERSON, heavy, [far] * 3, []),
            "person moved": (PERSON, steps, [low] * 3, [far] * 3),
        }
        shown = list(cases) if place == "line" else ["threshold of N", "end to end", "person"]
        for name in shown:
            unit, rows, first, second = cases[name]
            yield Attack(
                f"{place}, {name}",
                mechanism,
                unit,
                "replace-one" if second else "add-remove",
                (with_rows(domain, rows, first), with_rows(domain, rows, second)),
                np.unique(np.array([*first, *second]), axis=0),
            )


def domains() -> dict[str, Domain]:
    return {
        "line": Domain(x=Integer(0, 7)),
        "plane": Domain(x=Interval(0, 1, resolution=64), y=Interval(0, 1, resolution=64)),
        "mixed": Domain(x=Interval(0, 1, resolution=16), sex=Category(("F", "M"), outside="other")),
    }


def stairs(domain: Domain) -> Ints:
    """Return forty rows from one end to the other."""
    sides = np.array(domain.shape) - 1
    return np.asarray(np.linspace(0, 1, 40)[:, np.newaxis] * sides, dtype=np.int64)


def with_rows(domain: Domain, rows: Ints, more: Any) -> IndexedTable:
    added = np.array(more, dtype=np.int64).reshape(-1, len(domain))
    return IndexedTable(domain, np.concatenate([rows, added]))
