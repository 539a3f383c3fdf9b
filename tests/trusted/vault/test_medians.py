"""Cuts near medians: drawn with exactly the stated chances, which are private."""

from __future__ import annotations

import itertools
import math
from contextlib import nullcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushgram.declare.axis import Integer
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows, User
from hushgram.errors import BadInput
from hushgram.geometry.partition import Boxes, Raster
from hushgram.lab.memory import IndexedTable
from hushgram.lab.replay import distance
from hushgram.queries import Medians
from hushgram.trusted.engine.sources.counted import CountedTable, Counts
from hushgram.trusted.noise import Native
from hushgram.trusted.vault import Sensitivity, TableVault
from hushgram.trusted.vault.operations.medians import MediansOperation, candidates

OPERATION = MediansOperation()
PLANE = Domain(x=Integer(0, 5), y=Integer(0, 3))
HALVES = Boxes(Raster.of_cells(PLANE), np.array([0, -1, 1, -1, -1]), np.array([2, 0, 1, 0, 0]))
"""Slices 0 and 1 of x; the others at y = 0; the others above."""


def exact_of(query: Medians, rows: Any) -> Any:
    domain = query.boxes.domain
    return OPERATION.count(query, IndexedTable(domain, rows), domain)


def by_hand(query: Medians, rows: Any) -> list[list[int]]:
    """The score of every cut of every box that is cut, counted row by row."""
    lower, upper = query.boxes.boxes()
    rows = np.asarray(rows, dtype=np.int64).reshape(-1, len(query.boxes.domain))
    found = []
    for box, axis in enumerate(query.axes):
        if axis >= 0:
            inside = rows[((rows >= lower[box]) & (rows < upper[box])).all(axis=1), axis]
            cuts = range(lower[box, axis] + 1, upper[box, axis])
            found.append([-abs(int((inside < t).sum()) - int((inside >= t).sum())) for t in cuts])
    return found


TABLES = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3)), max_size=20)


@given(TABLES, st.sampled_from([(1, 0, 1), (0, -1, 0), (-1, 0, -1), (-1, -1, -1)]))
def test_scores_are_those_of_every_cut(rows: Any, axes: tuple[int, ...]) -> None:
    query = Medians(HALVES, axes, Fraction(1))
    _, starts, scores, many = candidates(query, exact_of(query, rows))
    each = [slice(*ends) for ends in itertools.pairwise(starts)]
    found = [np.repeat(scores[k], many[k]).tolist() for k in each]
    assert found == by_hand(query, rows)


@given(TABLES, st.tuples(st.integers(0, 5), st.integers(0, 3)))
def test_a_row_moves_the_scores_of_one_box_by_one(rows: Any, row: Any) -> None:
    """Twice the rank score, whose sensitivity is a half."""
    query = Medians(HALVES, (1, 0, 1), Fraction(1))
    pairs = zip(by_hand(query, rows), by_hand(query, [*rows, row]), strict=True)
    moved = [np.abs(np.array(a) - np.array(b)) for a, b in pairs]
    assert sorted({int(one.min()) for one in moved}) == [0, 1]
    assert all(len(set(one.tolist())) == 1 for one in moved)
    assert sum(int(one.max()) for one in moved) == 1


def chances(scores: list[int], rate: float) -> np.ndarray:
    weights = np.exp(rate * (np.array(scores, dtype=float) - max(scores)))
    return weights / weights.sum()


def test_outcomes_have_the_stated_chances() -> None:
    """Against the definition of the exponential mechanism, with half of ε per unit of rank."""
    query, runs = Medians(HALVES, (1, 0, 1), Fraction(3, 2)), 4000
    rows = [[0, 1], [0, 1], [1, 3], [5, 0], [3, 3], [3, 2], [4, 2], [2, 1]]
    exact = exact_of(query, rows)
    scale = OPERATION.sensitivity(query, Sensitivity(Rows(), "add-remove", True)) / query.epsilon
    laws = [chances(scores, 1.5 / 2) for scores in by_hand(query, rows)]
    firsts = [1, 3, 2]
    found: dict[tuple[int, ...], int] = {}
    for _ in range(runs):
        outcome = tuple(OPERATION.perturb(query, exact, scale, Native()).tolist())
        found[outcome] = found.get(outcome, 0) + 1
    for places in itertools.product(*(range(len(law)) for law in laws)):
        p = math.prod(law[i] for law, i in zip(laws, places, strict=True))
        outcome = tuple(first + i for first, i in zip(firsts, places, strict=True))
        slack = 6 * math.sqrt(runs * p * (1 - p)) + 12
        assert abs(found.pop(outcome, 0) - runs * p) <= slack, (outcome, p)
    assert not found


class Told(Native):
    """Draws as ever, and notes the rates that were asked for."""

    def __init__(self) -> None:
        self.rates: list[Fraction] = []

    def exponential_each(self, scores: Any, starts: Any, rate: Fraction, many: Any) -> Any:
        self.rates += [rate] * (len(starts) - 1)
        return super().exponential_each(scores, starts, rate, many)


def test_every_box_is_cut_at_half_of_epsilon_per_unit_of_sensitivity() -> None:
    query, noise = Medians(HALVES, (1, -1, 1), Fraction(1)), Told()
    OPERATION.perturb(query, exact_of(query, [[0, 1], [5, 3]]), Fraction(3, 7), noise)
    assert noise.rates == [Fraction(7, 6)] * 2


def test_the_loss_is_within_epsilon_and_nearly_reaches_it() -> None:
    """All pairs of tables of up to four rows on four slices that differ by one row."""
    domain = Domain(x=Integer(0, 3))
    query = Medians(Boxes.whole(Raster.of_cells(domain)), (0,), Fraction(1))
    worst = 0.0
    for counts in itertools.product(range(9), repeat=4):
        for place in range(4):
            more = np.array(counts)
            more[place] += 1
            laws = [
                chances(by_hand_counts(np.array(one)), float(query.epsilon) / 2)
                for one in (counts, more)
            ]
            worst = max(worst, float(np.abs(np.log(laws[0] / laws[1])).max()))
    assert 0.95 < worst <= 1


def by_hand_counts(counts: np.ndarray) -> list[int]:
    return [-abs(int(counts[:t].sum() - counts[t:].sum())) for t in range(1, len(counts))]


def test_sensitivity_is_twice_that_of_ranks() -> None:
    query = Medians(HALVES, (1, 0, 1), Fraction(1))
    units = [(Rows(), "add-remove"), (Rows(), "replace-one"), (User("u", 3), "add-remove")]
    found = [OPERATION.sensitivity(query, Sensitivity(u, n, True)) for u, n in units]  # type: ignore[arg-type]
    assert found == [1, 2, 3]


def test_the_answer_is_the_finer_boxes() -> None:
    table = IndexedTable(PLANE, np.repeat([[0, 2], [4, 0], [3, 3]], 400, axis=0))
    vault = TableVault(
        table, PLANE, Fraction(9), unit=Rows(), neighbours="add-remove", noise=Native()
    )
    finer = vault.ask(Medians(HALVES, (1, 0, -1), Fraction(9)))
    assert isinstance(finer, Boxes)
    assert finer.size == 5
    assert finer.corners[0][4].tolist() == [2, 1]
    assert vault.remaining == 0


def test_counts_near_the_end_of_64_bits() -> None:
    counts = Counts([2**62, 0, 0, 2**62 - 1])
    query = Medians(Boxes.whole(Raster.of_cells(counts.domain)), (0,), Fraction(1))
    exact = OPERATION.count(query, CountedTable(counts), counts.domain)
    _, _, scores, many = candidates(query, exact)
    assert scores.tolist() == [-(2**63 - 1), -1, -(2**63 - 1)]
    assert many.tolist() == [0, 3, 0]


@pytest.mark.parametrize("axes", [(0, 0), (0, 1, 2), (0, 0, -2), (0, 1, 1)])
def test_what_cannot_be_cut_is_refused(axes: tuple[int, ...]) -> None:
    with pytest.raises(BadInput):
        OPERATION.check(Medians(HALVES, axes, Fraction(1)), PLANE)


@pytest.mark.parametrize("place", [1, 2, 3])
def test_a_box_is_cut_if_it_has_two_slices_wherever_it_lies(place: int) -> None:
    line = Domain(x=Integer(0, 3))
    whole = Boxes.whole(Raster.of_cells(line))
    for box, width in enumerate((place, 4 - place)):
        axes = tuple(0 if other == box else -1 for other in range(2))
        query = Medians(whole.cut(np.array([0]), np.array([place])), axes, Fraction(1))
        with nullcontext() if width >= 2 else pytest.raises(BadInput, match="two slices"):
            OPERATION.check(query, line)


def test_boxes_of_another_domain_are_refused() -> None:
    with pytest.raises(BadInput, match="a different domain"):
        OPERATION.check(Medians(HALVES, (0, 0, 0), Fraction(1)), Domain(x=Integer(0, 5)))


@given(TABLES, TABLES)
def test_distance_of_occupied_cells(first: Any, second: Any) -> None:
    query = Medians(HALVES, (1, 0, 1), Fraction(1))
    dense = [np.zeros(PLANE.shape, dtype=np.int64) for _ in range(2)]
    for counts, rows in zip(dense, (first, second), strict=True):
        for x, y in rows:
            counts[x, y] += 1
    moved = distance(exact_of(query, first), exact_of(query, second))
    assert moved == np.abs(dense[0] - dense[1]).sum()
