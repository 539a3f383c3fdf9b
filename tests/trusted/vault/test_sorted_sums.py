"""How far one unit moves the sums of sorted groups: every neighbour of small tables."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement as multisets
from typing import Any

import numpy as np
import pytest

from hushgram.declare.axis import Integer
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows, User
from hushgram.errors import BadInput
from hushgram.geometry.measured.sorted_groups import SortedGroups
from hushgram.geometry.partition import Grid
from hushgram.lab.memory import IndexedTable
from hushgram.lab.replay import RecordingVault, ReplayingVault, loss
from hushgram.queries import SortedSums
from hushgram.trusted.noise import Native
from hushgram.trusted.vault import Sensitivity, TableVault
from hushgram.trusted.vault.operations.sorted_sums import SortedSumsOperation

DOMAIN = Domain(x=Integer(0, 3))
INDICES = range(4)
PAIR = User("who", 2)


def changes(unit: Any, neighbours: str, loses: bool) -> Iterator[tuple[Any, Any]]:
    """What one unit holds before and after; a row that drops out holds nothing."""
    least = 0 if loses or isinstance(unit, User) else unit.rows
    held = [kept for size in range(least, unit.rows + 1) for kept in multisets(INDICES, size)]
    for before in held:
        for after in held if neighbours == "replace-one" else [()]:
            yield before, after


@pytest.mark.parametrize("unit", [Rows(), PAIR], ids=str)
@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
@pytest.mark.parametrize("loses", [False, True])
def test_no_unit_moves_the_sums_further_than_stated(
    unit: Any, neighbours: Any, loses: bool
) -> None:
    """And some unit moves them as far, so no noise is wasted."""
    stated = Sensitivity(unit, neighbours, loses)
    for rows in (1, 2, 5):
        for group in (1, 2, 5):
            groups = SortedGroups(DOMAIN, rows, group)
            query = SortedSums(groups, Fraction(1))
            furthest = max(
                moved(groups, [*rest, *before], [*rest, *after])
                for rest in rests()
                for before, after in changes(unit, neighbours, loses)
            )
            limit = SortedSumsOperation().sensitivity(query, stated)
            assert furthest <= limit == unit.rows * 3
            assert furthest == limit or rows < unit.rows


@pytest.mark.parametrize("profile", [(2, 1), (1, 3, 1)], ids=str)
@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
def test_nor_with_unequal_groups(neighbours: Any, profile: tuple[int, ...]) -> None:
    """Corollary 1 of the paper."""
    groups = SortedGroups(DOMAIN, 5, 1, profile)
    assert len(set(groups.lengths.tolist())) > 1
    furthest = max(
        moved(groups, [*rest, *before], [*rest, *after])
        for rest in rests()
        for before, after in changes(Rows(), neighbours, loses=True)
    )
    limit = SortedSumsOperation().sensitivity(
        SortedSums(groups, Fraction(1)), Sensitivity(Rows(), neighbours, loses_rows=True)
    )
    assert furthest == limit == 3


def rests() -> Iterator[Any]:
    for size in range(4):
        yield from multisets(INDICES, size)


def moved(groups: SortedGroups, first: Any, second: Any) -> int:
    before, after = (sums(groups, tuple(sorted(rows))) for rows in (first, second))
    return int(np.abs(before - after).sum())


@cache
def sums(groups: SortedGroups, rows: tuple[int, ...]) -> Any:
    """The same few tables are neighbours of many."""
    return groups.sums(*np.unique(np.array(rows, dtype=int), return_counts=True))


def vault(domain: Domain, rows: Any, kind: Any = TableVault, *first: Any, **more: Any) -> Any:
    terms = {"unit": Rows(), "neighbours": "add-remove", "noise": Native(), **more}
    table = IndexedTable(domain, np.reshape(rows, (-1, 1)))
    return kind(*first, table, domain, Fraction(1), **terms)


def test_one_cell_needs_no_noise() -> None:
    domain = Domain(x=Integer(5, 5))
    query = SortedSums(SortedGroups(domain, 4, 2), Fraction(1))
    assert vault(domain, [0, 0]).variance(query) == 0
    answer = vault(domain, [0, 0]).ask(query)
    assert answer.values.tolist() == [0, 0]
    assert (answer.variance, answer.scale) == (0, 0)


def test_the_scale_is_the_length_of_the_axis() -> None:
    query = SortedSums(SortedGroups(DOMAIN, 4, 2), Fraction(1, 2))
    for neighbours in ("add-remove", "replace-one"):
        assert vault(DOMAIN, [0], neighbours=neighbours).ask(query).scale == 6


def test_groups_of_another_domain_are_refused_for_free() -> None:
    sealed = vault(DOMAIN, [0])
    other = SortedGroups(Domain(x=Integer(0, 4)), 4, 2)
    with pytest.raises(BadInput, match="a different domain"):
        sealed.ask(SortedSums(other, Fraction(1)))
    assert sealed.remaining == 1


def test_a_row_that_changes_child_costs_no_more_than_one_child_spends() -> None:
    def run(sealed: Any) -> Any:
        for child in sealed.split(Grid(DOMAIN, (2,)), Fraction(1)):
            child.ask(SortedSums(SortedGroups(child.domain, 2, 1), child.remaining))
        return sealed.transcript

    terms: Any = {"neighbours": "replace-one"}
    first = run(vault(DOMAIN, [0, 3], RecordingVault.over, **terms))
    second = run(vault(DOMAIN, [2, 3], ReplayingVault.of, first, **terms))
    assert 0 < loss(first, second) <= 1
