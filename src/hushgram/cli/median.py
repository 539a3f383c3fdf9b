"""``hushgram median``: one answer, bought without a histogram."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any

import typer

from hushgram.cli.account import announced, rest_of, told
from hushgram.cli.options import (
    Account,
    Cap,
    Epsilon,
    Large,
    MaxRows,
    Neighbours,
    Noise,
    Person,
    Request,
    Source,
    TextOptions,
    Where,
    chosen,
    reads_texts,
)
from hushgram.cli.output import Json, show


def add_to(app: typer.Typer) -> None:
    app.command("median")(median)


@reads_texts
def median(
    source: Source,
    axis: Annotated[
        list[str], typer.Option("--axis", "-a", help="The column and its public bounds.")
    ],
    epsilon: Epsilon,
    account: Account,
    text: TextOptions,
    outside: Annotated[
        list[str] | None,
        typer.Option("--outside", help="What does not fit: NAME=drop or clamp."),
    ] = None,
    unit: Person = None,
    max_rows: MaxRows = None,
    where: Where = None,
    neighbours: Neighbours = "add-remove",
    noise: Noise = "native",
    request: Request = None,
    cap: Cap = None,
    allow_large: Large = False,
    as_json: Json = False,
) -> None:
    """The noisy median of one column. It is paid for; with a request id it can be had again.

    \b
    Axes: age=0:120 (continuous), age=0..120 (whole numbers), age=0:120/60 (bins),
    day=2024-01-01..2024-12-31/1d (dates).

    \b
    Example:
      hushgram median people.parquet --account people --epsilon 1 --axis age=0..120 \\
        --request june
    """
    from hushgram.cli.grammar import parse_domain
    from hushgram.cli.publish import as_unit_option
    from hushgram.spending.median import smooth_median

    domain = parse_domain(axis, outside or [])
    value, opening = announced(
        smooth_median,
        chosen(source, where, text),
        domain,
        epsilon=epsilon,
        account=account,
        unit=as_unit_option(unit, max_rows),
        neighbours=neighbours,
        noise=noise,
        request=request,
        cap=cap,
        allow_large=allow_large,
    )
    report(domain.names[0], value, epsilon, account, opening, as_json=as_json)


def report(
    name: str, value: Any, epsilon: str, account: str, opening: Any, *, as_json: bool
) -> None:
    from hushgram.base.exact import format_number as plain
    from hushgram.declare.epsilon import as_epsilon

    rest = rest_of(account, opening)
    median = value.isoformat() if isinstance(value, date) else value
    data = {"axis": name, "median": median, "epsilon": plain(as_epsilon(epsilon)), **rest}
    show(data, f"Median of {name}: {median}\n{told(rest, opening)}", as_json=as_json)
