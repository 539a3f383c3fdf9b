"""``hushgram find-bounds`` and ``hushgram find-max-rows``: spend part of the budget to find good
parameters for a release."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hushgram.cli.account import account_json, account_text, spend
from hushgram.cli.options import (
    Epsilon,
    NeighboursText,
    Outside,
    PaymentOptions,
    TableOptions,
    UnitOptions,
    WorkloadText,
)
from hushgram.cli.output import Json, show
from hushgram.cli.records import with_records

if TYPE_CHECKING:
    from hushgram.declare.axis import Date, Integer, Interval
    from hushgram.trusted.ledger.opening import Opening


def add_to(app: typer.Typer) -> None:
    app.command("find-bounds")(find_bounds)
    app.command("find-max-rows")(find_max_rows)


@with_records
def find_bounds(
    *,
    table: TableOptions,
    column: Annotated[str, typer.Argument(help="A column of numbers or dates.")],
    epsilon: Epsilon,
    payment: PaymentOptions,
    kind: Annotated[
        str, typer.Option("--kind", help="Kind of axis: interval, integer or date.")
    ] = "interval",
    coverage: Annotated[
        float,
        typer.Option(
            "--coverage", help="Share of the rows that the bounds should contain, from 0.5 to 1."
        ),
    ] = 1.0,
    who: UnitOptions,
    as_json: Json = False,
) -> None:
    """Find bounds that contain nearly all values of a column. Spends budget, like a release.

    If you know bounds without looking at the table, declare them instead: that costs nothing.

    \b
    Example:
      hushgram find-bounds people.parquet income --account people --epsilon 0.2
    """
    from hushgram.spending.bounds import find_bounds as run

    axis, opening = spend(
        lambda: run(
            table.as_source(),
            column,
            epsilon=epsilon,
            kind=kind,  # type: ignore[arg-type] # it is checked there
            coverage=coverage,
            unit=who.unit,
            neighbours=who.neighbours,
            **payment.keywords(),
        )
    )
    option = f"{column}={axis_option(axis)}"
    facts = {"column": column, "option": option, "axis": axis.to_json()}
    report(
        facts, f"--axis {shlex.quote(option)}", epsilon, payment.account, opening, as_json=as_json
    )


@with_records
def find_max_rows(
    *,
    table: TableOptions,
    user_column: Annotated[str, typer.Argument(help="The column that identifies the person.")],
    release_epsilon: Annotated[
        str,
        typer.Option(
            "--release-epsilon", help="The epsilon of the release that you plan to publish."
        ),
    ],
    epsilon: Epsilon,
    payment: PaymentOptions,
    axis: Annotated[
        list[str] | None,
        typer.Option(
            "--axis", "-a", help="Axis that you plan to publish, as for publish. Can be repeated."
        ),
    ] = None,
    outside: Outside = None,
    workload: WorkloadText = None,
    neighbours: NeighboursText = "add-remove",
    as_json: Json = False,
) -> None:
    """Find how many rows of each person to count. Spends budget, like a release.

    \b
    Example:
      hushgram find-max-rows visits.parquet user_id --account visits --epsilon 0.1 \\
        --release-epsilon 1 --axis hour=0..23
    """
    from hushgram.cli.grammar import parse_domain
    from hushgram.declare.unit import as_neighbours
    from hushgram.spending.max_rows import find_max_rows as run

    domain = parse_domain(axis or [], outside or []) if axis or outside else None
    rows, opening = spend(
        lambda: run(
            table.as_source(),
            user_column,
            release_epsilon=release_epsilon,
            epsilon=epsilon,
            domain=domain,
            workload=workload,  # type: ignore[arg-type] # it is checked there
            neighbours=as_neighbours(neighbours),
            **payment.keywords(),
        )
    )
    option = f"--unit {shlex.quote(user_column)} --max-rows {rows}"
    report(
        {"unit": user_column, "max_rows": rows},
        option,
        epsilon,
        payment.account,
        opening,
        as_json=as_json,
    )


def axis_option(axis: Interval | Integer | Date) -> str:
    """An axis in the grammar of ``--axis``.

    >>> from hushgram.declare.axis import Date, Integer, Interval
    >>> axis_option(Interval(-74.5, 1e6)), axis_option(Integer(0, 9))
    ('-74.5:1000000', '0..9')
    >>> axis_option(Date("2024-01-01", "2024-12-31"))
    '2024-01-01..2024-12-31/1d'
    """
    from hushgram.declare.axis import Date, Integer

    if isinstance(axis, Integer):
        return f"{axis.lo}..{axis.hi}"
    if isinstance(axis, Date):
        return f"{axis.start.date()}..{axis.stop.date()}/{axis.step}"
    lo, hi = (repr(bound).removesuffix(".0") for bound in (axis.lo, axis.hi))
    return f"{lo}:{hi}"


def report(
    facts: dict[str, Any],
    text: str,
    epsilon: str,
    account: str,
    opening: Opening | None,
    *,
    as_json: bool,
) -> None:
    from hushgram.base.exact import format_number as plain
    from hushgram.declare.epsilon import as_epsilon

    rest = account_json(account, opening)
    data = {**facts, "epsilon": plain(as_epsilon(epsilon)), **rest}
    show(data, f"{text}\n{account_text(rest, opening)}", as_json=as_json)
