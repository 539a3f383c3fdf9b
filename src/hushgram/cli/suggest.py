"""``hushgram suggest``: what a table of some size and shape can expect at several ε."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from hushgram.base.text import align_columns
from hushgram.cli.output import PROGRAM, Json, show

EPSILONS = ("0.01", "0.1", "0.3", "1")


def add_to(app: typer.Typer) -> None:
    app.command("suggest")(suggest)


def suggest(
    rows: Annotated[int, typer.Option("--rows", help="About how many rows the table has.")],
    axis: Annotated[
        list[str],
        typer.Option("--axis", "-a", help="A column and its public bounds; once per axis."),
    ],
    epsilon: Annotated[
        list[str] | None, typer.Option("--epsilon", "-e", help="Budgets to compare.")
    ] = None,
    mechanism: Annotated[
        str,
        typer.Option(
            "--mechanism", "-m", help="See mechanisms. With parameters: quadtree:height=5."
        ),
    ] = "auto",
    workload: Annotated[
        str | None, typer.Option("--workload", help="For auto: ranges or cells.")
    ] = None,
    max_rows: Annotated[
        int | None, typer.Option("--max-rows", help="Rows per person, if people have several.")
    ] = None,
    neighbours: Annotated[
        str, typer.Option("--neighbours", help="add-remove or replace-one.")
    ] = "add-remove",
    as_json: Json = False,
) -> None:
    """Before anything is opened or spent: the error to expect at several ε, and what they mean.

    It publishes generated tables of that size and shape, from evenly spread to heaped at few
    places, and compares the answers with the truth.

    \b
    Example:
      hushgram suggest --rows 1000000 --axis lon=-180:180 --axis lat=-90:90
    """
    from hushgram.cli.grammar import parse_domain
    from hushgram.declare.epsilon import as_epsilon
    from hushgram.declare.unit import Rows, User, as_neighbours
    from hushgram.mechanisms.registry import as_mechanism
    from hushgram.suggest.expected import expect_errors

    domain = parse_domain(axis, [])
    budgets = sorted({as_epsilon(one) for one in epsilon or EPSILONS})
    found = expect_errors(
        as_mechanism(mechanism, workload),
        domain,
        rows,
        budgets,
        User("person", max_rows) if max_rows is not None else Rows(),
        as_neighbours(neighbours),
    )
    data = {
        "rows": rows,
        "expected": [{**one.to_json(), "meaning": meaning(one.epsilon)} for one in found],
    }
    show(data, suggest_text(rows, found), as_json=as_json)


def suggest_text(rows: int, found: list[Any]) -> str:
    from hushgram.base.exact import format_number as plain

    return "\n".join(
        [
            f"How far off will a count be? Simulated for {rows:,} rows.",
            "",
            "Mean error in rows, by how much of the domain a range covers:",
            ranges_table(found, "errors"),
            "",
            "What answers will say, as ± rows at 95 % confidence:",
            ranges_table(found, "half_widths"),
            "",
            example_text(found),
            *joined_text(found[0].joined),
            "",
            "What epsilon means for one person:",
            *(f"  {plain(one.epsilon)}: {meaning(one.epsilon)}" for one in found),
            "",
            "Nothing was opened and nothing spent. Tables were generated, from evenly spread rows "
            "to heaps at few",
            "places. Of the mean errors seen on real tables, about nine in ten lie in such ranges.",
            f"Publish:  {PROGRAM} publish TABLE --account NAME --epsilon … --axis …",
        ]
    )


def ranges_table(found: list[Any], column: str) -> str:
    """A line for each ε, a column for each size of ranges."""
    from hushgram.base.exact import format_number as plain

    lines = [
        (
            plain(one.epsilon),
            " or ".join(one.mechanisms),
            *map(error_text, getattr(one, column).values()),
        )
        for one in found
    ]
    return align_columns(lines, heads=("epsilon", "mechanism", *getattr(found[0], column)))


def example_text(found: list[Any]) -> str:
    """One cell of the tables in a sentence."""
    from hushgram.base.exact import format_number as plain

    one = found[len(found) // 2]
    size = "10 %" if "10 %" in one.errors else "all"
    covered = "all" if size == "all" else f"{size} of the domain"
    return (
        f"At epsilon {plain(one.epsilon)}, expect an error of {error_text(one.errors[size])} rows "
        f"on ranges that cover {covered},\n"
        f"and answers that say ± {error_text(one.half_widths[size])} rows."
    )


def joined_text(joined: int) -> list[str]:
    """What was simplified, if anything was."""
    if joined == 1:
        return []
    return [
        f"There are too many cells to simulate: {joined:,} neighbours were taken as one. Errors of "
        "larger ranges",
        "can be larger with all cells, unless the mechanism joins them itself.",
    ]


def error_text(ends: tuple[float, float]) -> str:
    """The least and the largest error, two digits each.

    >>> error_text((1.234, 56789.0)), error_text((0.0, 0.01)), error_text((130.2, 130.4))
    ('1.2 to 57,000', '0', '130')
    """
    low, high = map(digits, ends)
    return low if low == high else f"{low} to {high}"


def digits(value: float) -> str:
    rounded = float(f"{value:.2g}")
    return f"{rounded:,.1f}".replace(".0", "") if rounded < 10 else f"{rounded:,.0f}"


def meaning(epsilon: Any) -> str:
    """What a budget means, in a sentence."""
    from hushgram.show.report.privacy import odds, percent, surest

    size = float(epsilon)
    return (
        f"the odds that they are in the table change by a factor of at most {odds(size)}; who "
        f"gives that one chance in two can become {percent(surest(0.5, size))} sure, and not more."
    )
