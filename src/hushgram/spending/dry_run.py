"""Dry runs: describe what publishing would do, without reading or spending anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from hushgram.base.exact import format_number
from hushgram.base.text import align_columns
from hushgram.declare.axis.text import axis_text
from hushgram.declare.domain import Domain
from hushgram.declare.measure import Sum
from hushgram.declare.unit import Neighbours, Unit, User
from hushgram.mechanisms.base import Mechanism
from hushgram.mechanisms.measured import Measuring

if TYPE_CHECKING:
    from hushgram.expect.expected import Expected

COUNTS_ONLY = Measuring()

ROWS = (10_000, 1_000_000)
"""The default table sizes for which errors are shown."""


@dataclass(frozen=True)
class AccountPreview:
    """An account as it would be after the charge."""

    name: str
    cap: Fraction
    remaining: Fraction
    new: bool


@dataclass(frozen=True, repr=False)
class DryRun:
    """What `publish` would do, returned by ``publish(…, dry_run=True)``. It prints as a summary.

    >>> import hushgram as hg, pyarrow as pa
    >>> people = pa.table({"age": [30, 40]})
    >>> planned = hg.publish(
    ...     people, {"age": hg.Integer(0, 120)}, epsilon=1, account="people",
    ...     ledger=hg.Ledger.in_memory(), dry_run=True,
    ... )
    >>> planned.account.new, planned.account.remaining, planned.mechanisms
    (True, Fraction(0, 1), ('bayes-tree',))
    """

    recipe: Mechanism
    domain: Domain
    columns: Mapping[str, str]
    """The type of the column of each axis; empty for counts."""
    epsilon: Fraction
    unit: Unit
    neighbours: Neighbours
    where: str
    account: AccountPreview | None
    """None if no account is charged: counts need none."""
    measuring: Measuring = COUNTS_ONLY

    @property
    def measures(self) -> tuple[Sum, ...]:
        return self.measuring.measures

    @property
    def mechanisms(self) -> tuple[str, ...]:
        """The mechanisms that may run. If there are several, a noisy number of rows decides."""
        may_run = self.measuring.candidates(self.recipe, self.domain)
        return tuple(one.name for one in may_run)

    def expected_errors(self, rows: int) -> Expected:
        """Simulate the errors to expect if the table has about this many rows."""
        from hushgram.expect.expected import expect_errors

        return expect_errors(
            self.recipe, self.domain, rows, [self.epsilon], self.unit, self.neighbours,
            self.measuring,
        )[0]  # fmt: skip

    @cached_property
    def _usual(self) -> dict[int, Expected]:
        return {rows: self.expected_errors(rows) for rows in ROWS}

    def to_json(self, rows: Sequence[int] = ROWS) -> dict[str, Any]:
        account = self.account
        return {
            "domain": self.domain.to_json(),
            "columns": dict(self.columns),
            "cells": None if self.domain.continuous else self.domain.cells,
            "mechanism": self.recipe.name,
            "candidates": list(self.mechanisms),
            "epsilon": format_number(self.epsilon),
            "unit": self.unit.to_json(),
            "neighbours": self.neighbours,
            "where": self.where,
            **({"measures": [one.to_json() for one in self.measures]} if self.measures else {}),
            "account": account
            and {
                "name": account.name,
                "new": account.new,
                "cap": format_number(account.cap),
                "remaining": format_number(account.remaining),
            },
            "expected": [
                {"rows": size, **self._at(size).to_json()} for size in dict.fromkeys(rows)
            ],
        }

    def describe(self, rows: Sequence[int] = ROWS) -> str:
        """A summary, with the errors to expect for tables of these sizes."""
        lines = [
            ("Axes", "; ".join(f"{name}: {axis_text(axis)}" for name, axis in self.domain.items())),
            ("Columns", ", ".join(f"{name} ({kind})" for name, kind in self.columns.items())),
            ("Measures", "; ".join(one.described for one in self.measures)),
            ("Rows", f"only where {self.where}" if self.where else ""),
            ("Parts", self._parts()),
            ("Mechanism", self._mechanism()),
            ("Protects", f"{self._unit_text()}; neighbours {self.neighbours}"),
            ("Cost", self._cost()),
        ]
        text = "\n".join(f"  {head:<10} {value}" for head, value in lines if value)
        return f"Dry run: nothing was read, spent or written.\n{text}\n{self._errors(rows)}"

    def __repr__(self) -> str:
        return self.describe()

    def _at(self, rows: int) -> Expected:
        return self._usual[rows] if rows in ROWS else self.expected_errors(rows)

    def _parts(self) -> str:
        if self.domain.continuous:
            return "chosen by the mechanism, because an axis is continuous"
        return f"{self.domain.cells:,} declared cells"

    def _mechanism(self) -> str:
        names = (
            ", ".join(self.mechanisms[:-1])
            + " or " * (len(self.mechanisms) > 1)
            + self.mechanisms[-1]
        )
        if len(self.mechanisms) > 1:
            return f"{names} ({self.recipe.name} decides from a noisy number of rows)"
        return names if names == self.recipe.name else f"{names} (chosen by {self.recipe.name})"

    def _unit_text(self) -> str:
        if isinstance(self.unit, User):
            return f"each person in {self.unit.column}, at most {self.unit.max_rows} rows each"
        return "each row"

    def _cost(self) -> str:
        cost = f"ε = {format_number(self.epsilon)}"
        if self.account is None:
            return f"{cost}, without an account: the budget is not recorded"
        new = "new account" if self.account.new else "account"
        cap, remaining = map(format_number, (self.account.cap, self.account.remaining))
        return f"{cost} from {new} {self.account.name!r} with cap {cap}, leaving {remaining}"

    def _errors(self, rows: Sequence[int]) -> str:
        """Return a table of errors by the share of the domain that a question covers, a line per
        table size."""
        found = {size: self._at(size).errors for size in dict.fromkeys(rows)}
        lines = [
            (f"    if the table has {size:,}", *(span(*ends) for ends in errors.values()))
            for size, errors in found.items()
        ]
        heads = ("  Mean error, in rows, of a count of", *next(iter(found.values())))
        return align_columns(lines, heads=heads)


def span(low: float, high: float) -> str:
    """Format a range of errors with two digits each.

    >>> span(0.54, 0.71), span(26.9, 44.6), span(30.0, 30.2)
    ('0.54 to 0.71', '27 to 45', '30')
    """
    first, last = (f"{float(f'{end:.2g}'):,g}" for end in (low, high))
    return first if first == last else f"{first} to {last}"
