"""``hushgram suggest``: errors to expect for a table of a given size and shape."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hushgram.cli.options import MECHANISM_HELP, NeighboursText, WorkloadText
from hushgram.cli.output import PROGRAM, Json, show
from hushgram.cli.records import with_records
from hushgram.errors import BadInput

if TYPE_CHECKING:
    from hushgram.declare.domain import Domain
    from hushgram.declare.unit import Unit


def add_to(app: typer.Typer) -> None:
    app.command("suggest")(suggest)


@dataclass(frozen=True)
class SuggestOptions:
    """The size and shape of a table, how it would be published, and which errors to find."""

    rows: Annotated[
        int | None,
        typer.Option("--rows", metavar="N", help="Approximate number of rows in the table."),
    ] = None
    axis: Annotated[
        list[str] | None,
        typer.Option(
            "--axis", "-a", help="Column with public bounds, e.g. age=0..120. Repeat for more axes."
        ),
    ] = None
    epsilon: Annotated[
        list[str] | None,
        typer.Option("--epsilon", "-e", help="Privacy budget to compare. Can be repeated."),
    ] = None
    mechanism: Annotated[str, typer.Option("--mechanism", "-m", help=MECHANISM_HELP)] = "auto"
    workload: WorkloadText = None
    max_rows: Annotated[
        int | None,
        typer.Option(
            "--max-rows", help="Maximum number of rows to count per person, if people have several."
        ),
    ] = None
    neighbours: NeighboursText = "add-remove"
    error: Annotated[
        float | None,
        typer.Option("--error", help="A mean error in rows: find the epsilon that achieves it."),
    ] = None
    at: Annotated[
        str,
        typer.Option("--at", help="With --error: the share that boxes cover: 1%, 0.01 or cell."),
    ] = "1%"
    kind: Annotated[
        str,
        typer.Option(
            "--kind", help="With --error: how rows are spread: unknown, even, towns, streets."
        ),
    ] = "unknown"
    like: Annotated[
        Path | None,
        typer.Option(
            "--like", help="With --error: a release of similar data, instead of --rows and --axis."
        ),
    ] = None
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "--measure",
            help="A sum, mean or weighted-count, e.g. 'mean earnings 0:200000'. Can be repeated.",
        ),
    ] = None
    share: Annotated[
        str | None, typer.Option("--share", help="Share of epsilon for measures, e.g. 0.5.")
    ] = None
    spread: Annotated[
        float | None,
        typer.Option(
            "--spread", help="Guess of how far means are from the middle of their bounds."
        ),
    ] = None

    def keywords(self) -> dict[str, Any]:
        """Return the options that both kinds of suggestion share."""
        from hushgram.declare.measure_grammar import parse_measure
        from hushgram.declare.unit import Rows, User

        unit: Unit = User("person", self.max_rows) if self.max_rows is not None else Rows()
        return {
            "mechanism": self.mechanism,
            "unit": unit,
            "neighbours": self.neighbours,
            "workload": self.workload,
            "measures": [parse_measure(one) for one in self.measure or []],
            "share": self.share,
        }


@with_records
def suggest(options: SuggestOptions, as_json: Json = False) -> None:
    """Show the errors to expect, before you spend anything.

    Compares several values of epsilon. With --error, finds the smallest epsilon that achieves an
    error.

    Publishes simulated tables of that size and shape, from evenly spread to highly clustered, and
    compares the answers with the truth. Your table is not opened.

    \b
    Example:
      hushgram suggest --rows 1000000 --axis lon=-180:180 --axis lat=-90:90
      hushgram suggest --rows 50000 --axis age=17..90 --measure "mean hours 0:80"
      hushgram suggest --rows 20000 --axis age=0..99 --error 50 --at 1%
      hushgram suggest --like lastyear.hush.parquet --error 50 --at 1%
    """
    if options.error is not None:
        if options.epsilon:
            raise BadInput("--error finds the epsilon: leave --epsilon out.")
        show_least(options, as_json=as_json)
    elif options.like is not None:
        raise BadInput("--like needs --error: the mean error in rows that you want to achieve.")
    else:
        show_errors(options, as_json=as_json)


def show_least(options: SuggestOptions, *, as_json: bool) -> None:
    """Print the smallest epsilon that achieves an error."""
    from hushgram.expect.least import least_epsilon
    from hushgram.release import load

    like = options.like
    assert options.error is not None
    found = least_epsilon(
        required(options.rows) if like is None else options.rows,
        None if like is not None and not options.axis else axes(options.axis),
        error=options.error,
        at=options.at,
        kind=options.kind,
        like=None if like is None else load(like),
        **options.keywords(),
    )
    show(found.to_json(), str(found), as_json=as_json)


def show_errors(options: SuggestOptions, *, as_json: bool) -> None:
    """Print the errors to expect at each epsilon."""
    from hushgram.expect.suggestion import EPSILONS
    from hushgram.expect.suggestion import suggest as find_errors

    found = find_errors(
        required(options.rows),
        axes(options.axis),
        epsilon=options.epsilon or EPSILONS,
        spread=options.spread,
        **options.keywords(),
    )
    publish = f"Publish with: {PROGRAM} publish TABLE --account NAME --epsilon … --axis …"
    show(found.to_json(), f"{found}\n{publish}", as_json=as_json)


def required(rows: int | None) -> int:
    if rows is None:
        raise BadInput(
            "Missing option --rows: the approximate number of rows in the table, e.g. 20000."
        )
    return rows


def axes(axis: list[str] | None) -> Domain:
    from hushgram.cli.grammar import parse_domain

    if not axis:
        raise BadInput("Missing option --axis: a column with public bounds, e.g. age=0..120.")
    return parse_domain(axis, [])
