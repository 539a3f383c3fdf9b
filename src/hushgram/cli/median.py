"""``hushgram median``: one noisy median, without a histogram."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Annotated

import typer

from hushgram.cli.account import account_json, account_text, epsilon_text, spend
from hushgram.cli.options import (
    Epsilon,
    PaymentOptions,
    TableOptions,
    UnitOptions,
)
from hushgram.cli.output import Json, show
from hushgram.cli.records import with_records

if TYPE_CHECKING:
    from hushgram.spending.median import Value
    from hushgram.trusted.ledger.opening import Opening


def add_to(app: typer.Typer) -> None:
    app.command("median")(median)


@with_records
def median(
    *,
    table: TableOptions,
    axis: Annotated[list[str], typer.Option("--axis", "-a", help="Column with public bounds.")],
    epsilon: Epsilon,
    payment: PaymentOptions,
    outside: Annotated[
        list[str] | None,
        typer.Option("--outside", help="What to do with values outside: NAME=drop or NAME=clamp."),
    ] = None,
    who: UnitOptions,
    as_json: Json = False,
) -> None:
    """Compute the noisy median of one column. Every call spends budget, unless it repeats a
    request ID.

    There is no error bar, because the size of the noise would reveal something about the table.

    \b
    Axes: age=0:120 (continuous), age=0..120 (whole numbers), age=0:120/60 (bins),
    day=2024-01-01..2024-12-31/1d (dates).

    \b
    Example:
      hushgram median people.parquet --account people --epsilon 1 --axis age=0..120 \\
        --request june
    """
    from hushgram.cli.grammar import parse_domain
    from hushgram.spending.median import smooth_median

    domain = parse_domain(axis, outside or [])
    value, opening = spend(
        lambda: smooth_median(
            table.as_source(),
            domain,
            epsilon=epsilon,
            unit=who.unit,
            neighbours=who.neighbours,
            **payment.keywords(),
        )
    )
    report(domain.names[0], value, epsilon, payment.account, opening, as_json=as_json)


def report(
    name: str, value: Value, epsilon: str, account: str, opening: Opening | None, *, as_json: bool
) -> None:
    rest = account_json(account, opening)
    median = value.isoformat() if isinstance(value, date) else value
    data = {"axis": name, "median": median, "epsilon": epsilon_text(epsilon), **rest}
    show(data, f"Median of {name}: {median}\n{account_text(rest, opening)}", as_json=as_json)
