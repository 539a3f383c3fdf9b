"""The vault charges before it looks, never answers for more than it has, and splits soundly."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hushgram.declare.axis import Integer
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows, User
from hushgram.errors import BadInput, BudgetError, BudgetExceeded, DomainError, EngineFailed
from hushgram.geometry.measured.sorted_groups import SortedGroups
from hushgram.geometry.partition import Grid, Merged
from hushgram.lab.memory import IndexedTable
from hushgram.lab.replay import RecordingVault, ReplayingVault, ReplayMismatch, loss
from hushgram.queries import Boundaries, PartCounts, Query, SmoothMedian, Total
from hushgram.trusted.engine.remembered import Remembered
from hushgram.trusted.engine.sources.source import open_table
from hushgram.trusted.noise import Native, variance
from hushgram.trusted.vault import Sensitivity, TableVault

DOMAIN = Domain(x=Integer(0, 5, outside="clamp"))
CELLS = Grid.of_cells(DOMAIN)
HALVES = Grid(DOMAIN, (2,))


def vault(
    rows: Any = (0, 1, 1), kind: Any = TableVault, first: tuple[Any, ...] = (), **more: Any
) -> Any:
    table = IndexedTable(DOMAIN, np.reshape(rows, (-1, 1)))
    terms = {"unit": Rows(), "neighbours": "add-remove", "noise": Native(), **more}
    make = {RecordingVault: RecordingVault.over, ReplayingVault: ReplayingVault.of}.get(kind, kind)
    return make(*first, table, DOMAIN, Fraction(1), **terms)


@pytest.mark.parametrize(
    ("unit", "neighbours", "loses", "counts", "total", "rank"),
    [
        (Rows(), "add-remove", True, 1, 1, Fraction(1, 2)),
        (Rows(), "replace-one", True, 2, 1, 1),
        (Rows(), "replace-one", False, 2, 0, 1),
        (User("u", 5), "add-remove", False, 5, 5, Fraction(5, 2)),
        (User("u", 5), "replace-one", True, 10, 5, 5),
        (User("u", 5), "replace-one", False, 10, 5, 5),
    ],
)
def test_the_table_of_sensitivities(
    unit: Any, neighbours: Any, loses: bool, counts: int, total: int, rank: Any
) -> None:
    found = Sensitivity(unit, neighbours, loses)
    assert (found.counts, found.total, found.rank) == (counts, total, rank)
    nested = Sensitivity(unit, neighbours, loses, nested=True)
    assert nested.total == nested.counts == counts


def test_answers_cost_what_they_say_and_carry_their_noise() -> None:
    sealed = vault()
    total = sealed.ask(Total(Fraction(1, 4)))
    assert sealed.remaining == Fraction(3, 4)
    assert total.scale == 4
    assert total.variance == variance(Fraction(4))
    counts = sealed.ask(PartCounts(CELLS, sealed.remaining))
    assert sealed.remaining == 0
    assert counts.scale == Fraction(4, 3)
    assert counts.variance == vault().variance(PartCounts(CELLS, Fraction(3, 4)))


@pytest.mark.parametrize("query", [Total(Fraction(2)), PartCounts(CELLS, Fraction(3, 2))])
def test_over_asking_is_refused_before_anything_is_read(query: Query) -> None:
    sealed = vault()
    with pytest.raises(BudgetExceeded, match="the vault has epsilon 1 left"):
        sealed.ask(query)
    assert sealed._table.reads == 0
    assert sealed.remaining == 1


def test_it_charges_before_it_looks() -> None:
    sealed = vault()
    sealed._table.count = lambda partition: (_ for _ in ()).throw(OSError("the disk is gone"))
    with pytest.raises(EngineFailed, match=r"\(OSError\)") as caught:
        sealed.ask(Total(Fraction(1, 2)))
    assert "gone" not in str(caught.value)  # it might quote a row
    assert sealed.remaining == Fraction(1, 2)


@dataclass(frozen=True)
class Odd(Query):
    epsilon: Fraction


def test_what_is_no_query_is_refused_for_free() -> None:
    sealed = vault()
    other = Grid.of_cells(Domain(x=Integer(0, 6)))
    for odd in (PartCounts(other, Fraction(1)), Odd(Fraction(1)), "everything"):
        with pytest.raises(BadInput):
            sealed.ask(odd)
    for price in (Fraction(0), Fraction(-1), 0.5, 1):
        with pytest.raises(BudgetError):
            Total(price)  # type: ignore[arg-type]
    assert sealed.remaining == 1
    assert sealed._table.reads == 0


def test_a_public_total_has_no_noise() -> None:
    """Replaced rows that cannot drop out leave their number as it is: everybody knows it."""
    total = vault(neighbours="replace-one").ask(Total(Fraction(1)))
    assert (total.value, total.variance) == (3, 0.0)


def test_a_split_costs_once_and_each_child_sees_its_box() -> None:
    sealed = vault([0, 1, 1, 5])
    children = sealed.split(HALVES, Fraction(1))
    assert sealed.remaining == 0
    assert [child.epsilon for child in children] == [1, 1]
    assert [child.domain.shape for child in children] == [(3,), (3,)]
    exact = [child._table.count(Grid.of_cells(child.domain)).tolist() for child in children]
    assert exact == [[1, 2, 0], [0, 0, 1]]
    with pytest.raises(BudgetExceeded):
        children[0].ask(Total(Fraction(2)))
    with pytest.raises(BudgetExceeded):
        sealed.split(HALVES, Fraction(1, 10))


def test_a_split_goes_along_a_grid_of_the_domain() -> None:
    """Parts that overlap, or are not those of the domain, would cost more than the dearest."""
    sealed = vault()
    for odd in (Merged(CELLS, np.zeros(6)), Grid.of_cells(Domain(x=Integer(0, 6))), [CELLS, CELLS]):
        with pytest.raises(BadInput):
            sealed.split(odd, Fraction(1))
    assert sealed.remaining == 1


@pytest.mark.parametrize("price", [Fraction(0), Fraction(-1), 0.5, 1])
def test_a_split_costs_a_positive_fraction(price: Any) -> None:
    """A price below nothing would fill the vault up."""
    sealed = vault()
    with pytest.raises(BadInput, match="a positive fraction"):
        sealed.split(HALVES, price)
    assert sealed.remaining == 1


def test_the_rows_are_forgotten_with_the_last_question(monkeypatch: pytest.MonkeyPatch) -> None:
    forgotten: list[Fraction] = []
    table = Remembered(IndexedTable(DOMAIN, [[0], [1]]))
    terms: dict[str, Any] = {"unit": Rows(), "neighbours": "add-remove", "noise": Native()}
    sealed = TableVault(table, DOMAIN, Fraction(1), **terms)
    monkeypatch.setattr(table, "forget", lambda: forgotten.append(sealed.remaining))
    sealed.ask(Total(Fraction(1, 2)))
    assert forgotten == []
    sealed.ask(Total(Fraction(1, 2)))
    assert forgotten == [0]


def run_split(sealed: Any) -> None:
    """Every child spends its budget on a total and on counts."""
    for child in sealed.split(HALVES, Fraction(1)):
        child.ask(Total(Fraction(1, 3)))
        child.ask(PartCounts(Grid.of_cells(child.domain), child.remaining))


def split_loss(first: Any, second: Any, **more: Any) -> Fraction:
    recording = vault(first, RecordingVault, **more)
    run_split(recording)
    replaying = vault(second, ReplayingVault, (recording.transcript,), **more)
    run_split(replaying)
    return loss(recording.transcript, replaying.transcript)


@pytest.mark.parametrize(
    ("first", "second", "unit", "neighbours"),
    [
        ([0, 1], [0], Rows(), "add-remove"),
        ([0, 1], [0, 5], Rows(), "replace-one"),
        ([0, 1], [0, 2], Rows(), "replace-one"),
        ([0, 0, 5, 5], [], User("u", 4), "add-remove"),
        ([0, 0, 5, 5], [5, 1, 1, 2], User("u", 4), "replace-one"),
    ],
)
def test_children_together_lose_no_more_than_one_may(
    first: Any, second: Any, unit: Any, neighbours: Any
) -> None:
    assert 0 < split_loss(first, second, unit=unit, neighbours=neighbours) <= 1


def test_totals_in_children_need_the_larger_sensitivity(monkeypatch: pytest.MonkeyPatch) -> None:
    """The attack: a row that moves from one child to the other changes both totals."""
    whole = Sensitivity(Rows(), "replace-one", loses_rows=False).total
    monkeypatch.setattr(Sensitivity, "total", property(lambda self: whole))
    with pytest.raises(ReplayMismatch, match="without noise"):
        split_loss([0, 1], [0, 5], neighbours="replace-one")
    monkeypatch.setattr(Sensitivity, "total", property(lambda self: 1))
    assert split_loss([0, 1], [0, 5], neighbours="replace-one") > 1


@pytest.mark.parametrize("remember", [False, True])
def test_a_vault_counts_no_more_rows_of_a_person_than_its_noise_hides(remember: bool) -> None:
    """Whoever makes it, and whatever was forgotten before."""
    table = open_table(pa.table({"u": ["a"] * 1000, "x": [1] * 1000}))
    seen: list[int] = []

    class Watching(TableVault):
        def _perturb(self, operation: Any, query: Any, exact: Any) -> Any:
            seen.append(int(exact.sum()))
            return super()._perturb(operation, query, exact)

    terms: dict[str, Any] = {"neighbours": "add-remove", "noise": Native()}
    sealed = Watching(
        Remembered(table) if remember else table, DOMAIN, Fraction(1), unit=User("u", 3), **terms
    )
    sealed.ask(PartCounts(Grid.of_cells(DOMAIN), Fraction(1)))
    assert seen == [3]


@pytest.mark.parametrize("remember", [False, True])
def test_the_parts_of_a_split_share_the_rows_of_a_person(remember: bool) -> None:
    """Chosen once, for the whole: a choice in every part would count a person in each of them."""
    cells = Grid.of_cells(DOMAIN)
    table = open_table(pa.table({"u": ["a"] * 10 * cells.size, "x": [*range(cells.size)] * 10}))
    seen: list[int] = []

    class Watching(TableVault):
        def _perturb(self, operation: Any, query: Any, exact: Any) -> Any:
            seen.append(int(exact.sum()))
            return super()._perturb(operation, query, exact)

    whole = Watching(
        Remembered(table) if remember else table, DOMAIN, Fraction(1),
        unit=User("u", 3), neighbours="add-remove", noise=Native(),
    )  # fmt: skip
    for part in whole.split(cells, Fraction(1)):
        part.ask(PartCounts(Grid.of_cells(part.domain), Fraction(1)))
    assert len(seen) == cells.size
    assert sum(seen) == 3


def test_noise_that_is_no_laplace_noise_has_no_such_variance() -> None:
    with pytest.raises(BadInput, match="have no noise variance"):
        vault().variance(SmoothMedian(Fraction(1)))


def test_vaults_of_one_table_do_not_choose_for_each_other() -> None:
    table = open_table(pa.table({"u": ["a"] * 1000, "x": [1] * 1000}))
    terms: dict[str, Any] = {"neighbours": "add-remove", "noise": Native()}
    first = TableVault(table, DOMAIN, Fraction(1), unit=User("u", 1), **terms)
    for unit in (User("u", 500), Rows()):
        TableVault(table, DOMAIN, Fraction(1), unit=unit, **terms)
    assert first._table.count(CELLS).sum() == 1


NUMPY = Fraction(np.int64(1), np.int64(4))


def test_a_price_is_made_of_integers_that_never_wrap() -> None:
    """Numpy's are cut to 64 bits: a price above the budget may look like one below it."""
    with pytest.raises(BudgetError, match="positive fraction"):
        Total(NUMPY)
    sealed = vault()
    for charge in (sealed._charge, lambda price: sealed.split(HALVES, price)):
        with pytest.raises(BadInput, match="positive fraction"):
            charge(NUMPY)
    assert sealed.remaining == 1


@pytest.mark.parametrize("name", ["groups", "bound"])
def test_bounds_that_wrap_are_refused(name: str) -> None:
    """With a bound of 2^55 + 1 in 64 bits, the noise would be that of 1, and no count be cut."""
    numbers: dict[str, Any] = {"groups": 2, "bound": 1000, name: np.int64(2**55 + 1)}
    sealed = vault()
    with pytest.raises(BadInput, match="whole numbers"):
        sealed.ask(Boundaries(CELLS, numbers["groups"], numbers["bound"], Fraction(1)))
    assert sealed.remaining == 1


def test_sums_of_groups_that_wrap_are_refused() -> None:
    most = np.int64((2**63 + 1) // 3)
    with pytest.raises(DomainError, match="does not fit in 64 bits"):
        SortedGroups(Domain(x=Integer(0, 3)), most, most)  # type: ignore[arg-type]
