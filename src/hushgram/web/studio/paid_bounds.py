"""A search for bounds as the page asks for it: it is paid for, like a release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from hushgram.declare.unit import Neighbours, Unit
from hushgram.web.studio.accounts import find_account
from hushgram.web.studio.checking import preview
from hushgram.web.studio.declaration import ChargeForm, TableForm, read_unit
from hushgram.web.studio.fields import Form, exact_text, text_of
from hushgram.web.studio.problems import Checks
from hushgram.web.studio.words import NO_WORDS, bounds_command, bounds_python

if TYPE_CHECKING:
    from hushgram.declare.axis import Axis
    from hushgram.spending.bounds import Kind
    from hushgram.trusted.ledger import Ledger


@dataclass(frozen=True)
class BoundsForm:
    """Which column is looked at, for whom, and what pays."""

    table: TableForm
    column: str
    kind: str
    payment: ChargeForm
    unit: Unit
    neighbours: Neighbours

    @classmethod
    def read(cls, form: Form) -> BoundsForm:
        checks = Checks()
        table, payment = TableForm.read(form, checks), ChargeForm.read(form, checks)
        unit, neighbours = read_unit(form, checks)
        checks.finish()
        assert payment is not None
        column, kind = exact_text(form, "column"), text_of(form, "kind")
        return cls(table, column, kind, payment, unit, neighbours)

    def describe(self) -> dict[str, Any]:
        """The same search as text, and what it would cost."""
        asked = self.table, self.column, self.kind, self.payment, self.unit, self.neighbours
        return {
            "command": bounds_command(*asked) or NO_WORDS,
            "python": bounds_python(*asked),
            "after": preview(self.payment, find_account(self.payment.account)),
        }

    def find(self, request: str, ledger: Ledger) -> Axis:
        from hushgram.spending.bounds import find_bounds

        payment = self.payment
        return find_bounds(
            self.table.as_source(), self.column, epsilon=payment.epsilon_text,
            account=payment.account, kind=cast("Kind", self.kind), unit=self.unit,
            neighbours=self.neighbours, ledger=ledger, request=request, cap=payment.cap,
            allow_large=payment.allow_large,
        )  # fmt: skip
