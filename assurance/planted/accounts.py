"""Bugs in vaults, budget pools, ledgers, and in bounding a person's rows."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import ibis
import numpy as np

from assurance.planted.bug import Bug, instead
from hushgram.declare.domain import Domain
from hushgram.declare.epsilon import budget_exceeded
from hushgram.declare.unit import User
from hushgram.spending import task as tasks
from hushgram.spending.charge import Charge, charge
from hushgram.trusted.engine.ibis import table as engine
from hushgram.trusted.engine.ibis.counting import bound_rows
from hushgram.trusted.engine.ibis.dialect import double
from hushgram.trusted.engine.ibis.quantise import with_indices
from hushgram.trusted.engine.ibis.table import IbisTable
from hushgram.trusted.engine.sources.frames import Naming
from hushgram.trusted.ledger.account import Account
from hushgram.trusted.vault.budget_pool import BudgetPool
from hushgram.trusted.vault.vault import TableVault, operation_for

CHARGE, STORED = charge, IbisTable._store_bounded


def count_first(self: Any, query: Any) -> Any:
    operation = operation_for(query)
    exact = operation.count(query, self._table, self._domain)
    self._charge(query.epsilon)
    return self._perturb(operation, query, exact)


def half_price(self: Any, epsilon: Fraction) -> None:
    self._remaining -= min(epsilon / 2, self._remaining)


def overlapping(self: Any, partition: Any, epsilon: Fraction) -> Any:
    """Split into parts that share their border cells, and charge for one."""
    self._charge(epsilon)
    lower, upper = partition.boxes()
    wider = np.minimum(upper + 1, self.domain.shape)
    return [self._child(box, epsilon) for box in zip(lower, wider, strict=True)]


def never_charged(self: Any, epsilon: Fraction) -> None:
    """Never charge the pool."""


def refund_after_failure(*arguments: Any, **more: Any) -> Any:
    """Write the charge when the release is stored, so that earlier failures cost nothing."""

    def keep(release: bytes) -> None:
        paid = CHARGE(*arguments, **more)
        assert isinstance(paid, Charge)
        paid.keep(release)

    return Charge(None, keep)


def float_sums(self: Account, epsilon: Fraction) -> Account:
    """Add up budgets in doubles."""
    spent = float(self.spent) + float(epsilon)
    if spent > float(self.cap):
        raise budget_exceeded(epsilon, self.remaining, "the account")
    return replace(self, spent=Fraction(spent))


def answer_again(*arguments: Any, **more: Any) -> Any:
    """Answer a repeated request with new noise, at no cost."""
    paid = CHARGE(*arguments, **more)
    return Charge(None, lambda release: None) if isinstance(paid, bytes) else paid


def bounded_in_each_box(self: Any, domain: Domain) -> Any:
    """Bound a person's rows in each box that is counted, instead of once."""
    whole, user = self._whole, self._unit
    rows = self.rows([*whole, Naming(user.column)])
    rows = with_indices(rows, whole, user=f"c{len(whole)}")
    for place, (start, stop) in enumerate(whole.ranges_of(domain) or ()):
        index = rows[f"i{place}"] - double(start)
        rows = rows.mutate(**{f"i{place}": index})
        rows = rows.filter(rows[f"i{place}"] >= 0, rows[f"i{place}"] < double(stop - start))
    return bound_rows(rows, user.max_rows, salt="salt")


def chosen_in_each_pass(self: Any, whole: Domain, user: User) -> Any:
    """Choose the rows that count again in every pass."""
    self._bounded = None
    return STORED(self, whole, user)


def lots_from_one_stream(indexed: Any, max_rows: int, salt: str) -> Any:
    """Draw all rows' random numbers from one stream, so that one person affects those of all
    others."""
    places = [name for name in indexed.columns if name != "user"]
    dealt = indexed.mutate(turn=ibis.row_number().over(order_by=["user", *places]))
    words = ibis.literal(salt) + dealt["turn"].cast("string")
    dealt = dealt.mutate(lot=words.hash())
    ranked = dealt.mutate(rank=ibis.row_number().over(group_by="user", order_by="lot"))
    return ranked.filter(ranked["rank"] < max_rows).select(*places)


BUGS = (
    Bug("looked-before-paid", "the table is read before the query is paid for",
        instead(TableVault, "ask", count_first), ("books", "identity")),
    Bug("half-price", "a vault charges half of the price",
        instead(TableVault, "_charge", half_price), ("books", "identity")),
    Bug("overlapping-parts", "a split into parts that overlap, charged as the largest of them",
        instead(TableVault, "split", overlapping), ("split",)),
    Bug("pool-never-charged", "the budget pool of a plan stays full",
        instead(BudgetPool, "_charge", never_charged), ("books",)),
    Bug("refund-after-looking", "a release that fails after the table was read costs nothing",
        instead(tasks, "charge", refund_after_failure), ("books",)),
    Bug("float-budgets", "budgets added up in doubles",
        instead(Account, "with_charge", float_sums), ("books",)),
    Bug("request-answered-again", "repeating an answered request draws new noise at no cost",
        instead(tasks, "charge", answer_again), ("books",)),
    Bug("people-bounded-per-key", "a person's rows are bounded separately for each key or box",
        instead(IbisTable, "_index_rows", bounded_in_each_box), ("people",)),
    Bug("people-bounded-per-pass", "a person's rows are chosen again in every pass",
        instead(IbisTable, "_store_bounded", chosen_in_each_pass), ("people",)),
    Bug("lots-from-one-stream", "the rows that count depend on who else is there",
        instead(engine, "bound_rows", lots_from_one_stream), ("people",)),
)  # fmt: skip
