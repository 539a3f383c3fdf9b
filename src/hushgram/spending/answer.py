"""Answers other than releases: a median, bounds, a number of rows. The ledger stores them as
JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hushgram.base.exact import format_number
from hushgram.declare.domain import Domain
from hushgram.spending.charge import ReceiptJson, Spending
from hushgram.spending.rehearsal import rehearsal_key
from hushgram.spending.task import Rehearsal

if TYPE_CHECKING:
    from hushgram.trusted.engine.table import Table
    from hushgram.trusted.noise import Noise
    from hushgram.trusted.vault.budget_pool import BudgetPool


@dataclass(frozen=True)
class AnswerTask:
    """One answer about a table, in a form that JSON can represent."""

    table: Table
    domain: Domain
    """The axes that the table's schema must fit."""
    spending: Spending
    asked: Mapping[str, object]
    """What a request ID stands for; ``asked["answer"]`` is the kind."""
    find: Callable[[Table, BudgetPool], Any]
    """Finds the answer, with a pool that holds the whole epsilon."""
    field: str = "found"
    """The name of the answer in the stored JSON."""

    def check(self) -> None:
        self.table.check(self.domain, self.spending.unit)

    def rehearsals(self, noise: Noise) -> Iterator[Rehearsal]:
        kind = {"answer": self.asked["answer"]}
        key = rehearsal_key(self.table, self.domain, self.spending.unit, noise, kind)
        yield Rehearsal(lambda: self.find(self.table.empty(), self._budget(noise)), key)

    def request(self) -> Mapping[str, object]:
        return self.asked

    def run(self, noise: Noise, receipt: ReceiptJson | None) -> Any:
        return self.find(self.table, self._budget(noise))

    def to_bytes(self, found: Any, receipt: ReceiptJson | None) -> bytes:
        kept = {
            **self.asked,
            self.field: found,
            "epsilon": format_number(self.spending.epsilon),
            "unit": self.spending.unit.to_json(),
            "neighbours": self.spending.neighbours,
            "receipt": receipt,
        }
        return json.dumps(kept).encode()

    def from_bytes(self, kept: bytes) -> Any:
        return json.loads(kept)[self.field]

    def _budget(self, noise: Noise) -> BudgetPool:
        from hushgram.trusted.vault.budget_pool import BudgetPool

        spending = self.spending
        return BudgetPool(
            spending.epsilon, unit=spending.unit, neighbours=spending.neighbours, noise=noise
        )
