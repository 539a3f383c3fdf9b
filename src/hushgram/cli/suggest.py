"""``hushgram suggest``: errors to expect for a table of some size and shape."""

from __future__ import annotations

from typing import Annotated

import typer

from hushgram.cli.options import MECHANISM_HELP
from hushgram.cli.output import PROGRAM, Json, show


def add_to(app: typer.Typer) -> None:
    app.command("suggest")(suggest)


def suggest(
    rows: Annotated[int, typer.Option("--rows", help="Approximate number of rows in the table.")],
    axis: Annotated[
        list[str],
        typer.Option(
            "--axis", "-a", help="Column with public bounds, e.g. age=0..120. Repeat for more axes."
        ),
    ],
    epsilon: Annotated[
        list[str] | None,
        typer.Option("--epsilon", "-e", help="Privacy budget to compare. Can be repeated."),
    ] = None,
    mechanism: Annotated[
        str,
        typer.Option("--mechanism", "-m", help=MECHANISM_HELP),
    ] = "auto",
    workload: Annotated[
        str | None, typer.Option("--workload", help="What you will ask most: ranges or cells.")
    ] = None,
    max_rows: Annotated[
        int | None,
        typer.Option("--max-rows", help="Most rows to count per person, if people have several."),
    ] = None,
    neighbours: Annotated[
        str, typer.Option("--neighbours", help="add-remove or replace-one.")
    ] = "add-remove",
    error: Annotated[
        float | None,
        typer.Option(
            "--error", help="A mean error in rows: find the least epsilon that reaches it."
        ),
    ] = None,
    at: Annotated[
        str,
        typer.Option("--at", help="With --error: the share that boxes cover: 1%, 0.01 or cell."),
    ] = "1%",
    kind: Annotated[
        str,
        typer.Option(
            "--kind", help="With --error: how rows are spread: unknown, even, towns, streets."
        ),
    ] = "unknown",
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "--measure",
            help="A sum, mean or weighted-count, e.g. 'mean earnings 0:200000'. Can be repeated.",
        ),
    ] = None,
    share: Annotated[
        str | None, typer.Option("--share", help="Share of epsilon for measures, e.g. 0.5.")
    ] = None,
    spread: Annotated[
        float | None,
        typer.Option(help="Guess of how far means are from the middle of their bounds."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Show the errors to expect at several values of epsilon, before you spend anything. With
    --error, find the least epsilon that reaches an error.

    Publishes simulated tables of that size and shape, from evenly spread to highly clustered, and
    compares the answers with the truth. Your table is not opened.

    \b
    Example:
      hushgram suggest --rows 1000000 --axis lon=-180:180 --axis lat=-90:90
      hushgram suggest --rows 50000 --axis age=17..90 --measure "mean hours 0:80"
      hushgram suggest --rows 20000 --axis age=0..99 --error 50 --at 1%
    """
    from typing import cast

    from hushgram.cli.grammar import parse_domain
    from hushgram.declare.measure_grammar import parse_measure
    from hushgram.declare.unit import Neighbours, Rows, Unit, User
    from hushgram.declare.workload import Workload
    from hushgram.errors import BadInput
    from hushgram.expect.least import least_epsilon
    from hushgram.expect.suggestion import EPSILONS
    from hushgram.expect.suggestion import suggest as find_errors

    domain, measures = parse_domain(axis, []), [parse_measure(one) for one in measure or []]
    unit: Unit = User("person", max_rows) if max_rows is not None else Rows()
    if error is not None:
        if epsilon:
            raise BadInput("--error finds the epsilon: leave --epsilon out.")
        least = least_epsilon(
            rows, domain, error=error, at=at, kind=kind, mechanism=mechanism, unit=unit,
            neighbours=cast("Neighbours", neighbours), workload=cast("Workload | None", workload),
            measures=measures, share=share,
        )  # fmt: skip
        show(least.to_json(), str(least), as_json=as_json)
        return
    found = find_errors(
        rows,
        domain,
        epsilon=epsilon or EPSILONS,
        mechanism=mechanism,
        unit=unit,
        neighbours=cast("Neighbours", neighbours),
        workload=cast("Workload | None", workload),
        measures=measures,
        share=share,
        spread=spread,
    )
    publish = f"Publish with: {PROGRAM} publish TABLE --account NAME --epsilon … --axis …"
    show(found.to_json(), f"{found}\n{publish}", as_json=as_json)
