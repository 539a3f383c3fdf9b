"""``hushgram publish``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hushgram.cli.account import account_json, account_text, spend
from hushgram.cli.inside import inside_json, inside_text
from hushgram.cli.options import OutputOptions, PaymentOptions, TableOptions
from hushgram.cli.output import PROGRAM, Json, show
from hushgram.cli.recipe import Recipe
from hushgram.cli.records import with_records
from hushgram.cli.write import check_target, write_releases

if TYPE_CHECKING:
    from hushgram.declare.source import Source
    from hushgram.declare.unit import Unit
    from hushgram.release import Release
    from hushgram.spending.dry_run import DryRun
    from hushgram.trusted.ledger.opening import Opening


def add_to(app: typer.Typer) -> None:
    app.command("publish")(publish)


@with_records
def publish(
    *,
    table: TableOptions,
    payment: PaymentOptions,
    recipe: Recipe,
    output: OutputOptions,
    plan: Annotated[
        Path | None,
        typer.Option("--plan", help="TOML file that lists several releases and their budgets."),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Check everything that can be checked without reading or spending."
        ),
    ] = False,
    rows: Annotated[
        int | None,
        typer.Option(
            "--rows",
            metavar="N",
            help="With --dry-run: approximate number of rows, to estimate errors.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Publish noisy counts of a table as a release file.

    With --plan, publish many releases under one charge.

    \b
    Axes: lon=-180:180 (continuous), lon=-180:180/256 (bins), age=17..90 (whole numbers),
    age=[0,18,65] (edges), sex=F,M (categories), day=2024-01-01..2024-12-31/1d (dates),
    district=districts.geojson:name@lon,lat (areas of a public map, named by a property).

    \b
    Example:
      hushgram publish checkins.parquet --account checkins --epsilon 1 \\
        --axis lon=-180:180/360 --axis lat=-60:75/135 -o checkins.hush.parquet
      hushgram publish postgresql://me@host/city/public.trips --account trips --epsilon 1 \\
        --axis hour=0..23 --where "distance > 0 AND fleet IN ('green', 'yellow')"
      hushgram publish visits.csv --account visits --epsilon 1 --axis hour=0..23 \\
        --unit user_id --max-rows 5 --separator ';' --decimal , --line-breaks quoted
      hushgram publish stops.csv --account stops --epsilon 1 \\
        --axis district=districts.geojson:name/city@lon,lat --outside district=other
      hushgram publish visits.csv --account visits --epsilon 1 --axis hour=0..23 \\
        --publisher "City of Bremen" --source "Visits 2025" --licence "CC BY 4.0" --date 2026-05-01
      hushgram publish survey.parquet --account survey --epsilon 1 --axis region=N,S,E,W \\
        --measure "mean earnings 0:200000" --measure "weighted-count weight 0:5000"
      hushgram publish checkins.parquet --account checkins --plan plan.toml --dry-run
    """
    payment = payment.with_request()
    source = table.as_source()
    if plan is None:
        publish_one(source, recipe, payment, output, dry_run=dry_run, rows=rows, as_json=as_json)
        return
    from hushgram.cli.plan import publish_plan

    recipe.refuse_with_plan()
    about = recipe.about.as_about()
    publish_plan(source, plan, payment, output, about, dry_run=dry_run, as_json=as_json)


def publish_one(
    source: Source,
    recipe: Recipe,
    payment: PaymentOptions,
    output: OutputOptions,
    *,
    dry_run: bool,
    rows: int | None,
    as_json: bool,
) -> None:
    """Publish one release to a file, or only describe it."""
    from hushgram.spending.publish import publish as run

    key = output.open_key()
    domain, options = recipe.parse(payment)
    target = output.output or Path(f"{payment.account}.hush.parquet")
    check_target(target, overwrite=output.force)
    if dry_run:
        planned = run(source, domain, **options, dry_run=True)
        show_dry_run(planned, rows, target, as_json=as_json)
        return
    release, opening = spend(lambda: run(source, domain, **options))
    write_releases({target: release}, payment, output, key)
    report(release, target, payment.account, opening, as_json=as_json)


def show_dry_run(planned: DryRun, rows: int | None, target: Path, *, as_json: bool) -> None:
    """Print what publishing would do."""
    from hushgram.spending.dry_run import ROWS

    sizes = ROWS if rows is None else (rows,)
    data = {**planned.to_json(sizes), "release": str(target)} if as_json else {}
    show(data, f"{planned.describe(sizes)}\n  Release    {target}", as_json=as_json)


def report(
    release: Release, target: Path, account: str, opening: Opening | None, *, as_json: bool
) -> None:
    from hushgram.base.exact import format_number as plain

    rest = account_json(account, opening)
    data = {
        "release": str(target),
        "mechanism": release.mechanism,
        "epsilon": plain(release.epsilon),
        "parts": release.estimate.partition.size,
        "rows_inside": inside_json(release),
        **(
            {"measures": [str(one.measure) for one in release.measured]} if release.measured else {}
        ),
        **rest,
    }
    text = (
        f"Published {data['parts']:,} noisy counts with {release.mechanism}, epsilon "
        f"{data['epsilon']}.\n"
        f"{measures_text(release)}{inside_text(release)}\n"
        f"{advise_on_bins(release)}Protects: {unit_text(release.unit)}.\n"
        f"Release: {target}\n"
        f"{account_text(rest, opening)}\n"
        f"Query it with: {PROGRAM} count {target}"
    )
    show(data, text, as_json=as_json)


def measures_text(release: Release) -> str:
    if not release.measured:
        return ""
    return f"Measured: {'; '.join(one.measure.described for one in release.measured)}.\n"


def advise_on_bins(release: Release) -> str:
    """Return advice if every cell of a continuous axis was counted, so that most have few rows."""
    axes = release.domain.continuous
    if not axes or release.estimate.partition.size < release.domain.cells:
        return ""
    return (
        "Most cells are so small that they mostly show noise. Use fewer bins for "
        f"{' and '.join(axes)} ({axes[0]}=LOW:HIGH/BINS), or let -m auto choose.\n"
    )


def unit_text(unit: Unit) -> str:
    """Describe what a release protects, so that the steward notices a wrong unit."""
    from hushgram.declare.unit import User

    if isinstance(unit, User):
        return f"each person in {unit.column} (at most {unit.max_rows} rows of each are counted)"
    return "each row (if people have several rows, use --unit COLUMN --max-rows N)"
