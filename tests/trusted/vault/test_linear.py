"""Signed sums: the vault itself works out how far one row can move them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hushgram.declare.axis import Integer
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows as SingleRows
from hushgram.declare.unit import User
from hushgram.errors import BadInput
from hushgram.geometry.measured.contrasts import ContrastRows, Contrasts
from hushgram.geometry.partition import Grid
from hushgram.lab.audit import operation_pairs
from hushgram.lab.memory import IndexedTable
from hushgram.queries import Linear
from hushgram.trusted.noise import Native, variance
from hushgram.trusted.vault import Sensitivity, TableVault
from hushgram.trusted.vault.operations import OPERATIONS
from hushgram.trusted.vault.operations.linear import covering
from tests.geometry.measured.test_contrasts import contrasts, dense

ONE_ROW = Sensitivity(SingleRows(), "add-remove", loses_rows=True)


@given(contrasts())
def test_the_sensitivity_is_the_largest_column_of_the_matrix(asked: Contrasts) -> None:
    column = int(np.abs(dense(asked)).sum(axis=0).max())
    query = Linear(asked, Fraction(1))
    for unit, neighbours, factor in [
        (SingleRows(), "add-remove", 1),
        (SingleRows(), "replace-one", 2),
        (User("who", 5), "add-remove", 5),
        (User("who", 5), "replace-one", 10),
    ]:
        table = Sensitivity(unit, neighbours, loses_rows=True)  # type: ignore[arg-type]
        assert OPERATIONS[Linear].sensitivity(query, table) == factor * column


@given(st.integers(1, 30), st.lists(st.tuples(*[st.integers(0, 29)] * 3), min_size=1))
def test_any_rows_are_counted(indices: int, drawn: list[tuple[int, int, int]]) -> None:
    """Not only those of wavelets: overlapping, nested, empty or repeated ones too."""
    ends = np.minimum(np.sort(np.array(drawn), axis=1), indices)
    rows = ContrastRows(*ends.T)
    found = np.zeros(indices, dtype=int)
    for start, _, stop in ends:
        found[start:stop] += 1
    assert covering(rows, indices) == found.max()


@given(contrasts(cells=60), st.integers(0, 2**32))
@settings(max_examples=50)
def test_one_row_moves_the_exact_vector_by_a_column(asked: Contrasts, seed: int) -> None:
    """And some row by the whole sensitivity."""
    operation, query = OPERATIONS[Linear], Linear(asked, Fraction(1))
    domain = asked.domain
    cells = np.stack(np.unravel_index(np.arange(domain.cells), domain.shape), axis=1)
    rows = cells[np.random.default_rng(seed).integers(0, domain.cells, 20)]
    before = operation.count(query, IndexedTable(asked.domain, rows), asked.domain)
    moved = []
    for cell in cells:
        table = IndexedTable(asked.domain, np.concatenate([rows, cell[np.newaxis]]))
        moved.append(np.abs(operation.count(query, table, asked.domain) - before).sum())
    assert moved == np.abs(dense(asked)).sum(axis=0).tolist()
    assert max(moved) == operation.sensitivity(query, ONE_ROW)


def test_the_audited_pairs_reach_the_sensitivity() -> None:
    """Where a row or a person is added; a moved row leaves the total alone."""
    operation = OPERATIONS[Linear]
    reached = {}
    for pair in operation_pairs():
        if isinstance(pair.query, Linear):
            domain = pair.first.domain
            exact = [operation.count(pair.query, t, domain) for t in (pair.first, pair.second)]
            table = Sensitivity(pair.unit, pair.neighbours, loses_rows=True)
            bound = operation.sensitivity(pair.query, table)
            reached[pair.name] = Fraction(int(np.abs(exact[0] - exact[1]).sum()), bound)
    assert reached["added"] == reached["person"] == reached["added to a plane"] == 1
    assert reached["moved"] == Fraction(4, 6)
    assert max(reached.values()) == 1


def vault(domain: Domain, rows: Any) -> Any:
    terms: Any = {"unit": SingleRows(), "neighbours": "add-remove", "noise": Native()}
    return TableVault(IndexedTable(domain, rows), domain, Fraction(1), **terms)


def test_the_answer_carries_its_noise() -> None:
    domain = Domain(x=Integer(0, 7))
    asked = Contrasts.wavelets(domain)
    sealed = vault(domain, [[0], [3]])
    answer = sealed.ask(Linear(asked, Fraction(1, 2)))
    assert sealed.remaining == Fraction(1, 2)
    assert answer.partition is asked
    assert answer.scale == 8
    assert (
        answer.variance == variance(Fraction(8)) == sealed.variance(Linear(asked, Fraction(1, 2)))
    )
    assert answer.values.shape == (8,)


def test_contrasts_of_another_domain_are_refused_for_free() -> None:
    sealed = vault(Domain(x=Integer(0, 7)), [[0]])
    other = Contrasts.wavelets(Domain(x=Integer(0, 8)))
    with pytest.raises(BadInput, match="a different domain"):
        sealed.ask(Linear(other, Fraction(1)))
    assert sealed.remaining == 1
    assert sealed._table.reads == 0


def test_children_of_a_split_are_measured_row_by_row() -> None:
    domain = Domain(x=Integer(0, 7))
    for child in vault(domain, [[1], [6]]).split(Grid(domain, (2,)), Fraction(1)):
        answer = child.ask(Linear(Contrasts.wavelets(child.domain), child.remaining))
        assert answer.scale == 3
