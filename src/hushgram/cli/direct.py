"""``hushgram ask``: a single noisy number."""

from __future__ import annotations

from datetime import date
from math import isfinite
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hushgram.cli.account import account_json, account_text, epsilon_text, spend
from hushgram.cli.options import (
    Epsilon,
    Outside,
    PaymentOptions,
    TableOptions,
    UnitOptions,
)
from hushgram.cli.output import Json, show
from hushgram.cli.parameters import Confidence
from hushgram.cli.records import with_records

if TYPE_CHECKING:
    from hushgram.spending.direct_answer import DirectAnswer
    from hushgram.spending.median import Value


def add_to(app: typer.Typer) -> None:
    app.command("ask")(ask)


@with_records
def ask(
    *,
    table: TableOptions,
    aggregate: Annotated[
        str,
        typer.Argument(
            help="What to compute: count, sum, mean or median, or a measure: 'mean hours 0:80'."
        ),
    ],
    epsilon: Epsilon,
    payment: PaymentOptions,
    axis: Annotated[
        list[str] | None,
        typer.Option("--axis", "-a", help="Column with public bounds, for sum, mean and median."),
    ] = None,
    outside: Outside = None,
    confidence: Confidence = 0.95,
    who: UnitOptions,
    as_json: Json = False,
) -> None:
    """Compute one noisy count, sum, mean or median of a table.

    Every call spends budget. If you have many questions, publish a release instead.

    \b
    Axes: age=0..120 (whole numbers), age=0:120 (continuous), age=0:120/60 (bins).
    Without an axis, 'mean earnings' finds bounds for part of epsilon.

    \b
    Example:
      hushgram ask people.parquet count --where "age >= 18" --account people --epsilon 0.1
      hushgram ask people.parquet sum --axis hours=0..99 --account people --epsilon 0.1
      hushgram ask people.parquet "mean earnings 0:200000" --where "sex = 'F'" \\
        --account people --epsilon 0.1
      hushgram ask people.parquet median --axis age=0..120 --where "sex = 'F'" \\
        --account people --epsilon 0.1 --request june
    """
    from hushgram.cli.grammar import parse_domain
    from hushgram.declare.measure_grammar import parse_aggregate
    from hushgram.spending.direct import ask as ask_directly

    asked, column = parse_aggregate(aggregate)
    domain = parse_domain(axis, outside or []) if axis else column
    answer, opening = spend(
        lambda: ask_directly(
            table.as_source(),
            asked,
            domain,
            epsilon=epsilon,
            confidence=confidence,
            unit=who.unit,
            neighbours=who.neighbours,
            **payment.keywords(),
        )
    )
    rest = account_json(payment.account, opening)
    data = {**answer_json(answer), "epsilon": epsilon_text(epsilon), **rest}
    show(data, f"{answer}\n{account_text(rest, opening)}", as_json=as_json)


def answer_json(answer: DirectAnswer) -> dict[str, Any]:
    data: dict[str, Any] = {"aggregate": answer.aggregate, "value": json_value(answer.value)}
    data["interval"] = answer.interval and [json_value(end) for end in answer.interval]
    data["confidence"] = answer.interval and answer.confidence
    if answer.bounds is not None:
        data |= {"bounds": list(answer.bounds), "beyond": answer.beyond}
    return data


def json_value(value: Value) -> object:
    """As JSON can write it: None if nothing is known."""
    if isinstance(value, date):
        return value.isoformat()
    return value if isfinite(value) else None
