"""``hushgram lab coverage``: how often intervals contain the true answer. NONPRIVATE."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hushgram.base.text import align_columns
from hushgram.cli.output import Json, show
from hushgram.errors import BadInput

if TYPE_CHECKING:
    from hushgram.lab.coverage.run import CoveragePlan, CoverageRow

HALVES = ("choosing", "confirming", "both")


def coverage(
    mechanisms: Annotated[
        list[str] | None, typer.Argument(help="Mechanisms to run. Default: all.")
    ] = None,
    table: Annotated[
        list[str] | None,
        typer.Option("--table", "-t", help="Table to use, by name. Can be repeated. Default: all."),
    ] = None,
    half: Annotated[
        str, typer.Option(help="Which half of the tables: choosing, confirming or both.")
    ] = "both",
    epsilon: Annotated[
        str, typer.Option("--epsilon", "-e", help="Values of epsilon, separated by commas.")
    ] = "0.01,0.1,1",
    releases: Annotated[
        int, typer.Option(min=1, help="Number of releases for each combination.")
    ] = 25,
    questions: Annotated[
        int, typer.Option(min=1, help="Number of boxes of each kind to ask each release about.")
    ] = 8,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="CSV file to write.")
    ] = None,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Skip combinations that the output file already contains."),
    ] = False,
    page: Annotated[
        Path | None, typer.Option(help="Write coverage.md to this folder of the docs.")
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="List the tables and exit.")] = False,
    as_json: Json = False,
) -> None:
    """Measure how often 95 % intervals contain the true answer, and how wide they are.

    Publishes known tables several times, and asks each release for counts, quantiles, groups,
    shares, sums and means. Half of the tables are for choosing (parameters are only tuned on
    these), half for confirming. Set HUSHGRAM_DATA to the folder with the real tables; without it,
    generated tables are used. Results are NONPRIVATE: they reveal true counts.

    Exits with code 1 after an unexpected error.

    \b
    Example:
      hushgram lab coverage hb privtree-hb --table heaped --epsilon 1
      hushgram lab coverage --half confirming -o coverage.csv --resume
      hushgram lab coverage -o coverage.csv --resume --page docs/assurance
      hushgram lab coverage --list
    """
    from hushgram.base.files import check_writable
    from hushgram.lab.coverage.run import read_rows

    if half not in HALVES:
        raise BadInput(f"--half must be one of {', '.join(HALVES)}. Found {half}.")
    if listed:
        return show_tables(table or [], half, as_json=as_json)
    if resume and output is None:
        raise BadInput("--resume needs the CSV file to continue. Name it with --output.")
    if output is not None:
        check_writable(output, overwrite=True)
    earlier = read_rows(output) if resume and output else []
    plan = plan_of(mechanisms, table, half, epsilon, releases, questions, earlier)
    rows = earlier + run_plan(plan, output, resume=resume)
    if page is not None and rows:
        from hushgram.lab.coverage.page import write_page

        write_page(rows, page)
    return report(plan, rows, len(earlier), as_json=as_json)


def show_tables(names: list[str], half: str, *, as_json: bool) -> None:
    from hushgram.lab.coverage.tables import choose_recipes

    found = choose_recipes(names, half)
    data = [
        {"table": one.name, "half": one.half, "axes": {k: repr(v) for k, v in one.axes.items()}}
        for one in found
    ]
    lines = [
        (one.name, one.half, ", ".join(f"{name}={axis!r}" for name, axis in one.axes.items())[:90])
        for one in found
    ]
    show({"tables": data}, align_columns(lines, heads=("table", "half", "axes")), as_json=as_json)


def plan_of(
    mechanisms: list[str] | None,
    tables: list[str] | None,
    half: str,
    epsilon: str,
    releases: int,
    questions: int,
    earlier: list[CoverageRow],
) -> CoveragePlan:
    from hushgram.lab.coverage.run import CoveragePlan, check_epsilons
    from hushgram.lab.coverage.tables import choose_recipes
    from hushgram.mechanisms.registry import MECHANISMS, parse_mechanism

    names = list(mechanisms or MECHANISMS)
    recipes = choose_recipes(tables or [], half)
    if not recipes:
        raise BadInput(f"None of these tables is in the {half} half. Use --half both.")
    return CoveragePlan(
        recipes,
        [parse_mechanism(name) for name in names],
        names,
        check_epsilons(epsilon),
        releases,
        questions,
        done={(row.table, row.mechanism, row.epsilon) for row in earlier},
    )


def run_plan(plan: CoveragePlan, output: Path | None, *, resume: bool) -> list[CoverageRow]:
    """Run the plan and return its rows. Each cell is written before the next one starts."""
    from hushgram.base.progress import watch
    from hushgram.lab import tidy

    if output is not None and not resume:
        output.unlink(missing_ok=True)
    found: list[CoverageRow] = []
    with watch("Asking releases", lambda: plan.share):
        for rows in plan.run():
            if output is not None:
                tidy.append(output, [row.to_json() for row in rows])
            found += rows
    return found


def report(plan: CoveragePlan, rows: list[CoverageRow], before: int, *, as_json: bool) -> None:
    from hushgram.lab.coverage.summary import low_cells

    low = low_cells(rows)
    data: dict[str, Any] = {
        "label": "NONPRIVATE",
        "rows": [row.to_json() for row in rows],
        "low": [row.to_json() for row in low],
        "skipped": plan.skipped,
        "failed": plan.failed,
    }
    show(data, story(plan, rows, low, before), as_json=as_json)
    if plan.failed:
        raise typer.Exit(1)


def story(plan: CoveragePlan, rows: list[CoverageRow], low: list[CoverageRow], before: int) -> str:
    """Return a table of mechanisms, and the cells to look at."""
    from hushgram.lab.coverage.page import format_percent, format_pooled
    from hushgram.lab.coverage.summary import ENOUGH, FLOOR, GROUPS, count_judged, pool_groups

    parts = [
        (
            "NONPRIVATE. Percent of 95 % intervals that contain the true answer / mean width in "
            "errors."
        )
    ]
    if rows:
        lines = [
            (name, *map(format_pooled, groups.values()))
            for name, groups in pool_groups(rows).items()
        ]
        parts.append(align_columns(lines, heads=("mechanism", *GROUPS)))
    judged = count_judged(rows)
    parts.append(
        f"{len(rows):,} cells, {before:,} of them from an earlier run. {judged:,} have at "
        f"least {ENOUGH} answers; {len(low):,} of these contain the true answer less than "
        f"{FLOOR:.0%} of the time."
    )
    lows = [
        (f"{format_percent(row.held)} %", row.table, row.mechanism, row.epsilon, row.question)
        for row in low[:20]
    ]
    if lows:
        parts.append(align_columns(lows))
    parts += [
        f"Failed: {one['mechanism']} on {one['table']}, epsilon {one['epsilon']}: {one['error']}"
        for one in plan.failed
    ]
    return "\n\n".join(parts)
