"""Worst cases for operations that choose: cuts, boundaries, medians, decompositions."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from hushgram.declare.axis import Integer
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Neighbours, Rows
from hushgram.geometry.partition import Boxes, Cuts, Grid, Raster
from hushgram.lab.audit.pairs import Case, OperationPair
from hushgram.queries import Bisections, Boundaries, Decomposition, Medians, Query, SmoothMedian


def choice_pairs() -> Iterator[OperationPair]:
    """Yield the worst cases of every operation that chooses."""
    yield from cut_pairs()
    yield from decomposition_pairs()
    yield from median_pairs()
    yield from medians_pairs()


def median_pairs() -> Iterator[OperationPair]:
    """Yield pairs for a median that jumps over a gap, a first row, and a row that moves from end to
    end."""
    domain = Domain(x=Integer(0, 40))
    ends = [[0], [0], [40], [40]]
    cases: dict[str, Case] = {
        "over a gap": (Rows(), "add-remove", [*ends, [40]], ends),
        "first row": (Rows(), "add-remove", [[0]], []),
        "end to end": (Rows(), "replace-one", [*ends[:3], [0]], ends),
    }
    for name, case in cases.items():
        yield OperationPair.of_rows(name, SmoothMedian(Fraction(1)), domain, case)


def medians_pairs() -> Iterator[OperationPair]:
    """Yield pairs with boxes of three slices, which have two possible cuts each. A row in the
    middle makes one of them better and the other worse; a row that moves to another box affects the
    cuts of both."""
    line, longer = Domain(x=Integer(0, 2)), Domain(x=Integer(0, 5))
    whole = Medians(Boxes.whole(Raster.of_cells(line)), (0,), Fraction(1))
    halves = Boxes(Raster.of_cells(longer), np.array([0, -1, -1]), np.array([3, 0, 0]))
    both = Medians(halves, (0, 0), Fraction(1))
    tables: list[tuple[str, Medians, Neighbours, list[int], list[int]]] = [
        ("in the middle", whole, "add-remove", [0, 2, 8], [0, 1, 8]),
        ("other box", both, "replace-one", [0, 1, 9, 1, 4, 2], [0, 2, 9, 0, 4, 2]),
    ]
    for name, query, neighbours, *counts in tables:
        first, second = (np.repeat(np.arange(len(each)), each) for each in counts)
        case: Case = (Rows(), neighbours, first, second)
        yield OperationPair.of_rows(name, query, query.boxes.domain, case)


def cut_pairs() -> Iterator[OperationPair]:
    """Yield tables for which one row, or a row that moves to another slice, affects a choice the
    most."""
    domain = Domain(x=Integer(0, 9))
    whole, halves = (Cuts(domain, (np.array(starts),)) for starts in ([0], [0, 5]))
    boundaries = Boundaries(Grid.of_cells(domain), 2, 1, Fraction(1))
    once, twice = (Bisections(cuts, "interpolation", Fraction(1)) for cuts in (whole, halves))
    end, gap = [[7], [8], [9]], [[cell] for cell in (0, *range(2, 10))]
    cases: dict[str, tuple[Query, Case]] = {
        "step moved": (boundaries, (Rows(), "add-remove", [*end, [6]], end)),
        "before a gap": (once, (Rows(), "add-remove", [*gap, [0]], gap)),
        "other slice": (twice, (Rows(), "replace-one", [*gap, [0]], [*gap, [9]])),
    }
    for name, (query, case) in cases.items():
        yield OperationPair.of_rows(name, query, domain, case)


def decomposition_pairs() -> Iterator[OperationPair]:
    """Yield pairs with a row in an empty table; on a path where it affects every node (the margins
    of its nodes are 2 and -1, and -1 is the floor); and moved to such a path from another branch,
    or from an "other" slice, which has a separate tree."""
    line, longer = (Domain(x=Integer(0, bins - 1)) for bins in (4, 8))
    plane = Domain(x=Integer(0, 3), y=Integer(0, 3))
    open_plane = Domain(x=Integer(0, 3, outside="other"), y=Integer(0, 3))
    tables: dict[str, tuple[Domain, str, Neighbours, Any, Any]] = {
        "first row": (line, "5/2", "add-remove", [[3]], []),
        "row on a path": (line, "1", "add-remove", [[3]] * 3, [[3]] * 2),
        "row moved on to a path": (longer, "1", "replace-one", [[7]] * 9, [[7]] * 8 + [[0]]),
        "first row in a plane": (plane, "5/2", "add-remove", [[3, 0]], []),
        "row from other": (open_plane, "1", "replace-one", [[3, 0]] * 5, [[3, 0]] * 4 + [[4, 0]]),
    }
    for name, (domain, epsilon, neighbours, first, second) in tables.items():
        query = Decomposition(Raster.of_cells(domain), 0, 0, Fraction(epsilon))
        case: Case = (Rows(), neighbours, first, second)
        yield OperationPair.of_rows(name, query, domain, case)
