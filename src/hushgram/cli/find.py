"""``hushgram find-bounds`` and ``hushgram find-max-rows``: what to publish with, for part of the
budget."""

from __future__ import annotations

import shlex
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
    app.command("find-bounds")(find_bounds)
    app.command("find-max-rows")(find_max_rows)


@reads_texts
def find_bounds(
    source: Source,
    column: Annotated[str, typer.Argument(help="A column of numbers or dates.")],
    epsilon: Epsilon,
    account: Account,
    text: TextOptions,
    kind: Annotated[str, typer.Option("--kind", help="interval, integer or date.")] = "interval",
    coverage: Annotated[
        float, typer.Option("--coverage", help="The share of rows to hold, from 0.5 to 1.")
    ] = 1.0,
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
    """Find bounds that hold nearly all values of a column. It is paid for, like a release.

    Bounds that are known without the table cost nothing: declare those.

    \b
    Example:
      hushgram find-bounds people.parquet income --account people --epsilon 0.2
    """
    from hushgram.cli.publish import as_unit_option
    from hushgram.spending.bounds import find_bounds as run

    axis, opening = announced(
        run,
        chosen(source, where, text),
        column,
        epsilon=epsilon,
        account=account,
        kind=kind,
        coverage=coverage,
        unit=as_unit_option(unit, max_rows),
        neighbours=neighbours,
        noise=noise,
        request=request,
        cap=cap,
        allow_large=allow_large,
    )
    option = f"{column}={between(axis)}"
    facts = {"column": column, "option": option, "axis": axis.to_json()}
    report(facts, f"--axis {shlex.quote(option)}", epsilon, account, opening, as_json=as_json)


@reads_texts
def find_max_rows(
    source: Source,
    user_column: Annotated[str, typer.Argument(help="The column that names the person.")],
    release_epsilon: Annotated[
        str, typer.Option("--release-epsilon", help="The epsilon of the later release.")
    ],
    epsilon: Epsilon,
    account: Account,
    text: TextOptions,
    axis: Annotated[
        list[str] | None,
        typer.Option("--axis", "-a", help="What will be published, as for publish."),
    ] = None,
    outside: Annotated[
        list[str] | None,
        typer.Option("--outside", help="What does not fit: NAME=drop, clamp or other."),
    ] = None,
    workload: Annotated[
        str | None, typer.Option("--workload", help="What will be asked: ranges or cells.")
    ] = None,
    where: Where = None,
    neighbours: Neighbours = "add-remove",
    noise: Noise = "native",
    request: Request = None,
    cap: Cap = None,
    allow_large: Large = False,
    as_json: Json = False,
) -> None:
    """Find how many rows of each person should count. It is paid for, like a release.

    \b
    Example:
      hushgram find-max-rows visits.parquet user_id --account visits --epsilon 0.1 \\
        --release-epsilon 1 --axis hour=0..23
    """
    from hushgram.cli.grammar import parse_domain
    from hushgram.spending.max_rows import find_max_rows as run

    rows, opening = announced(
        run,
        chosen(source, where, text),
        user_column,
        release_epsilon=release_epsilon,
        epsilon=epsilon,
        account=account,
        domain=parse_domain(axis or [], outside or []) if axis or outside else None,
        workload=workload,
        neighbours=neighbours,
        noise=noise,
        request=request,
        cap=cap,
        allow_large=allow_large,
    )
    option = f"--unit {shlex.quote(user_column)} --max-rows {rows}"
    report(
        {"unit": user_column, "max_rows": rows}, option, epsilon, account, opening, as_json=as_json
    )


def between(axis: Any) -> str:
    """An axis in the grammar of ``--axis``.

    >>> from hushgram.declare.axis import Date, Integer, Interval
    >>> between(Interval(-74.5, 1e6)), between(Integer(0, 9))
    ('-74.5:1000000', '0..9')
    >>> between(Date("2024-01-01", "2024-12-31"))
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
    facts: dict[str, Any], text: str, epsilon: str, account: str, opening: Any, *, as_json: bool
) -> None:
    from hushgram.base.exact import format_number as plain
    from hushgram.declare.epsilon import as_epsilon

    rest = rest_of(account, opening)
    data = {**facts, "epsilon": plain(as_epsilon(epsilon)), **rest}
    show(data, f"{text}\n{told(rest, opening)}", as_json=as_json)
