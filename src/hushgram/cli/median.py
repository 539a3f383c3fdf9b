"""``hushgram median``: one answer, bought without a histogram."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any

import typer

from hushgram.cli.output import Json, show


def add_to(app: typer.Typer) -> None:
    app.command("median")(median)


def median(
    source: Annotated[str, typer.Argument(help="A CSV or Parquet file, a glob, or a folder.")],
    axis: Annotated[
        list[str], typer.Option("--axis", "-a", help="The column and its public bounds.")
    ],
    epsilon: Annotated[str, typer.Option("--epsilon", "-e", help="Budget: 1, 0.1 or 1/3.")],
    account: Annotated[str, typer.Option("--account", help="The account that pays.")],
    outside: Annotated[
        list[str] | None,
        typer.Option("--outside", help="What does not fit: NAME=drop or clamp."),
    ] = None,
    unit: Annotated[
        str | None, typer.Option("--unit", help="The column that names the person, if not rows.")
    ] = None,
    max_rows: Annotated[
        int | None, typer.Option("--max-rows", help="Rows counted per person, with --unit.")
    ] = None,
    neighbours: Annotated[
        str, typer.Option("--neighbours", help="add-remove or replace-one.")
    ] = "add-remove",
    noise: Annotated[str, typer.Option("--noise", help="native or opendp.")] = "native",
    allow_large: Annotated[
        bool, typer.Option("--allow-large", help="Allow an epsilon above 10.")
    ] = False,
    as_json: Json = False,
) -> None:
    """The noisy median of one column. It is paid for, and printed once.

    \b
    Axes: age=0:120 (continuous), age=0..120 (whole numbers), age=0:120/60 (bins),
    day=2024-01-01..2024-12-31/1d (dates).

    \b
    Example:
      hushgram median people.parquet --account people --epsilon 1 --axis age=0..120
    """
    from hushgram.cli.grammar import parse_domain
    from hushgram.cli.publish import as_unit_option
    from hushgram.medians import smooth_median

    domain = parse_domain(axis, outside or [])
    value = smooth_median(
        source,
        domain,
        epsilon=epsilon,
        account=account,
        unit=as_unit_option(unit, max_rows),
        neighbours=neighbours,
        noise=noise,
        allow_large=allow_large,
    )
    report(domain.names[0], value, epsilon, account, as_json=as_json)


def report(name: str, value: Any, epsilon: str, account: str, *, as_json: bool) -> None:
    from hushgram.epsilon import as_epsilon
    from hushgram.errors import show as plain
    from hushgram.trusted.ledger import Ledger

    left = Ledger.open().account(account)
    data = {
        "axis": name,
        "median": value.isoformat() if isinstance(value, date) else value,
        "epsilon": plain(as_epsilon(epsilon)),
        "account": account,
        "remaining": plain(left.remaining),
        "cap": plain(left.cap),
    }
    text = (
        f"Median of {name}: {data['median']}\n"
        f"Account {account}: {data['remaining']} of {data['cap']} left."
    )
    show(data, text, as_json=as_json)
