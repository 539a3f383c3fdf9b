"""Boundaries and bisections: drawn with exactly the stated chances, which are private."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from hushgram.declare.axis import Integer
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows, User
from hushgram.errors import BadInput
from hushgram.geometry.partition import Cuts, Grid
from hushgram.lab.memory import IndexedTable
from hushgram.queries import Bisections, Boundaries
from hushgram.trusted.noise import Native
from hushgram.trusted.vault import Sensitivity
from hushgram.trusted.vault.operations import OPERATIONS
from hushgram.trusted.vault.scores.bisection import split_scores
from hushgram.trusted.vault.scores.boundaries import errors_until, least_errors

EPSILON = Fraction(3)
Law = dict[tuple[int, ...], float]


def line(cells: int) -> Domain:
    return Domain(x=Integer(0, cells - 1))


def boundaries(cells: int, groups: int, bound: int) -> Boundaries:
    return Boundaries(Grid.of_cells(line(cells)), groups, bound, EPSILON)


def bisections(cells: int, starts: list[int], score: str) -> Bisections:
    return Bisections(Cuts(line(cells), (np.array(starts),)), score, EPSILON)


def scale_of(query: Any, neighbours: Any = "add-remove") -> Fraction:
    table = Sensitivity(Rows(), neighbours, loses_rows=True)
    return OPERATIONS[type(query)].sensitivity(query, table) / query.epsilon


def chances(scores: np.ndarray, rate: float) -> np.ndarray:
    weights = np.exp(rate * (scores - scores.max()))
    return weights / weights.sum()


def law(query: Any, counts: np.ndarray, scale: Fraction) -> Law:
    """The chance of every outcome, from the definition of the exponential mechanism."""
    if isinstance(query, Boundaries):
        rate = 1 / (2 * (query.groups - 1) * float(scale))
        return boundary_law(counts, query.groups - 1, len(counts), rate)
    starts = query.cuts.starts[0].tolist()
    scores = split_scores(counts, query.cuts.starts[0], query.score)
    outcomes: Law = {(): 1.0}
    for start, stop in zip(starts, [*starts[1:], len(counts)], strict=True):
        cut = chances(scores[start + 1 : stop], 1 / (2 * float(scale))) if stop - start > 1 else []
        new = {start + 1 + i: p for i, p in enumerate(cut)} or {start: 1.0}
        outcomes = {
            (*old, *sorted({start, place})): p * q
            for old, p in outcomes.items()
            for place, q in new.items()
        }
    return outcomes


def boundary_law(counts: np.ndarray, before: int, stop: int, rate: float) -> Law:
    if before == 0:
        return {(0,): 1.0}
    least = least_errors(counts, before)[before, before:stop]
    drawn = chances(-(least + errors_until(counts, stop)[before:]), rate)
    found: Law = {}
    for place, p in enumerate(drawn, start=before):
        for rest, q in boundary_law(counts, before - 1, place, rate).items():
            found[(*rest, place)] = p * q
    return found


QUERIES = [
    boundaries(5, 2, 4),
    boundaries(5, 3, 9),
    boundaries(4, 4, 1),
    bisections(6, [0, 3, 4], "interpolation"),
    bisections(6, [0, 2], "deviation"),
]


@pytest.mark.parametrize("query", QUERIES, ids=str)
def test_outcomes_have_the_stated_chances(query: Any) -> None:
    domain = query.grid.domain if isinstance(query, Boundaries) else query.cuts.domain
    rows = np.repeat(np.arange(domain.cells), [1, 3, 0, 2, 7, 4][: domain.cells])
    operation, scale, runs = OPERATIONS[type(query)], scale_of(query), 3000
    exact = operation.count(query, IndexedTable(domain, rows), domain)
    found: dict[tuple[int, ...], int] = {}
    for _ in range(runs):
        outcome = tuple(operation.perturb(query, exact, scale, Native()).tolist())
        found[outcome] = found.get(outcome, 0) + 1
    stated = law(query, exact, scale)
    assert math.isclose(sum(stated.values()), 1)
    assert set(found) <= set(stated)
    for outcome, p in stated.items():
        slack = 6 * math.sqrt(runs * p * (1 - p)) + 12
        assert abs(found.get(outcome, 0) - runs * p) <= slack, (outcome, p)


@pytest.mark.parametrize(
    ("query", "most"),
    [
        (boundaries(4, 2, 2), 2),
        (boundaries(4, 3, 2), 2),
        (bisections(5, [0], "interpolation"), 2),
        (bisections(5, [0, 3], "interpolation"), 2),
        (bisections(5, [0, 2], "deviation"), 2),
    ],
    ids=str,
)
@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
def test_no_outcome_tells_neighbours_apart(query: Any, most: int, neighbours: str) -> None:
    """Over all small tables, the exact loss is at most epsilon, and a row does show."""
    cells = (query.grid if isinstance(query, Boundaries) else query.cuts).domain.cells
    scale = scale_of(query, neighbours)
    laws = {
        counts: law(query, np.array(counts), scale)
        for counts in product(range(most + 1), repeat=cells)
    }
    losses = [
        max(abs(math.log(p / laws[other][outcome])) for outcome, p in laws[counts].items())
        for counts in laws
        for other in near(counts, neighbours)
        if other in laws
    ]
    assert float(EPSILON) / 20 < max(losses) <= float(EPSILON)


def near(counts: tuple[int, ...], neighbours: str) -> list[tuple[int, ...]]:
    """One row more, or one row moved to another cell."""
    unit = np.eye(len(counts), dtype=int)
    moves = unit if neighbours == "add-remove" else [b - a for a in unit for b in unit]
    return [tuple((np.array(counts) + move).tolist()) for move in moves]


def test_users_and_replacements_cost_more() -> None:
    query = boundaries(5, 2, 10)
    operation = OPERATIONS[Boundaries]
    one = operation.sensitivity(query, Sensitivity(Rows(), "add-remove", True))
    user = operation.sensitivity(query, Sensitivity(User("id", 5), "replace-one", True))
    assert (one, user) == (256 * 19, 10 * 256 * 19)
    for score, per_row in (("interpolation", 256), ("deviation", 512)):
        asked, cutting = bisections(5, [0], score), OPERATIONS[Bisections]
        assert cutting.sensitivity(asked, Sensitivity(Rows(), "replace-one", True)) == 2 * per_row


def test_counts_are_cut_at_their_bounds() -> None:
    domain = line(3)
    table = IndexedTable(domain, [[0]] * 9 + [[2]])
    exact = OPERATIONS[Boundaries].count(boundaries(3, 2, 4), table, domain)
    assert exact.tolist() == [4, 0, 1]


def test_other_is_never_grouped() -> None:
    domain = Domain(x=Integer(0, 4, outside="other"))
    table = IndexedTable(domain, [[5]] * 50 + [[0]])
    for query in (
        Boundaries(Grid.of_cells(domain), 2, 100, EPSILON),
        Bisections(Cuts(domain, (np.array([0]),)), "interpolation", EPSILON),
    ):
        operation = OPERATIONS[type(query)]
        exact = operation.count(query, table, domain)
        assert exact.tolist() == [1, 0, 0, 0, 0]
        cuts = operation.answer(
            query, operation.perturb(query, exact, Fraction(1), Native()), Fraction(1)
        )
        assert cuts.shape == (3,)
        assert cuts.cuts(0)[-2:].tolist() == [5, 6]


def test_a_coarse_grid_has_boundaries_at_its_slices() -> None:
    domain = line(10)
    query = Boundaries(Grid(domain, (3,)), 3, 5, EPSILON)
    operation = OPERATIONS[Boundaries]
    noisy = operation.perturb(query, np.array([1, 2, 3]), Fraction(1), Native())
    assert operation.answer(query, noisy, Fraction(1)).starts[0].tolist() == [0, 4, 7]


@pytest.mark.parametrize("query", [boundaries(5, 2, 1), boundaries(5, 5, 3)], ids=str)
def test_the_least_and_the_most_groups_are_allowed(query: Boundaries) -> None:
    OPERATIONS[Boundaries].check(query, line(5))


def test_choices_are_of_one_axis() -> None:
    plane = Domain(x=Integer(0, 4), y=Integer(0, 4))
    cuts = Cuts(plane, (np.array([0]), np.array([0])))
    for query in (
        Boundaries(Grid.of_cells(plane), 2, 3, EPSILON),
        Bisections(cuts, "deviation", EPSILON),
    ):
        with pytest.raises(BadInput, match="one axis"):
            OPERATIONS[type(query)].check(query, plane)


@pytest.mark.parametrize(
    "query",
    [
        boundaries(5, 1, 3),
        boundaries(5, 6, 3),
        boundaries(5, 2, 0),
        boundaries(5, 2, 2**31),
        boundaries(10**5, 201, 3),
        boundaries(4, 2, 3),
        bisections(5, [0], "best"),
        bisections(4, [0], "deviation"),
    ],
    ids=str,
)
def test_bad_queries_are_refused(query: Any) -> None:
    domain = line(10**5) if getattr(query, "groups", 0) == 100 else line(5)
    with pytest.raises(BadInput):
        OPERATIONS[type(query)].check(query, domain)
