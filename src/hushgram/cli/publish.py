"""``hushgram publish``."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Annotated, Any

import typer

from hushgram.cli.account import announced, rest_of, told
from hushgram.cli.inside import inside_json, inside_text
from hushgram.cli.options import (
    Account,
    Cap,
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
from hushgram.cli.output import PROGRAM, Json, show
from hushgram.errors import BadInput


def add_to(app: typer.Typer) -> None:
    app.command("publish")(publish)


@reads_texts
def publish(
    source: Source,
    account: Account,
    text: TextOptions,
    axis: Annotated[
        list[str] | None,
        typer.Option("--axis", "-a", help="A column and its public bounds; once per axis."),
    ] = None,
    epsilon: Annotated[
        str | None, typer.Option("--epsilon", "-e", help="Budget: 1, 0.1 or 1/3.")
    ] = None,
    plan: Annotated[
        Path | None,
        typer.Option("--plan", help="A TOML file that names many releases and their budgets."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Default: ACCOUNT.hush.parquet; with --plan, the folder ACCOUNT."
        ),
    ] = None,
    outside: Annotated[
        list[str] | None,
        typer.Option("--outside", help="What does not fit: NAME=drop, clamp or other."),
    ] = None,
    mechanism: Annotated[
        str,
        typer.Option(
            "--mechanism", "-m", help="See mechanisms. With parameters: quadtree:height=5."
        ),
    ] = "auto",
    where: Where = None,
    workload: Annotated[
        str | None, typer.Option("--workload", help="For auto: ranges or cells.")
    ] = None,
    unit: Person = None,
    max_rows: MaxRows = None,
    neighbours: Neighbours = "add-remove",
    noise: Noise = "native",
    request: Request = None,
    cap: Cap = None,
    allow_large: Large = False,
    sign: Annotated[
        Path | None, typer.Option("--sign", help="Sign with the private key in this file.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the output.")] = False,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Check all that is public; read and spend nothing."),
    ] = False,
    rows: Annotated[
        int | None,
        typer.Option("--rows", help="With --dry-run: about how many rows the table has."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Count a table, spend epsilon, add noise, write one release file; or many, by a plan.

    \b
    Axes: lon=-180:180 (continuous), lon=-180:180/256 (bins), age=17..90 (whole numbers),
    age=[0,18,65] (edges), sex=F,M (categories), day=2024-01-01..2024-12-31/1d (dates).

    \b
    Example:
      hushgram publish checkins.parquet --account checkins --epsilon 1 \\
        --axis lon=-180:180/360 --axis lat=-60:75/135 -o checkins.hush.parquet
      hushgram publish postgresql://me@host/city/public.trips --account trips --epsilon 1 \\
        --axis hour=0..23 --where "distance > 0 AND fleet IN ('green', 'yellow')"
      hushgram publish visits.csv --account visits --epsilon 1 --axis hour=0..23 \\
        --unit user_id --max-rows 5 --separator ';' --decimal , --line-breaks quoted
      hushgram publish checkins.parquet --account checkins --plan plan.toml --dry-run
    """
    from hushgram.base.files import check_format, check_writable
    from hushgram.cli.grammar import parse_domain
    from hushgram.cli.keys import opened
    from hushgram.spending.publish import publish as run
    from hushgram.spending.rehearsal import check_space
    from hushgram.trusted.ledger.account import checked_name

    account = checked_name(account)
    table = chosen(source, where, text)
    key = None if sign is None else opened(sign)
    if plan is not None:
        from hushgram.cli.plan import publish_plan

        refuse_beside_plan(
            axis=axis, epsilon=epsilon, outside=outside, workload=workload, unit=unit,
            max_rows=max_rows, mechanism=None if mechanism == "auto" else mechanism,
            neighbours=None if neighbours == "add-remove" else neighbours,
        )  # fmt: skip
        publish_plan(
            table,
            plan,
            account=account,
            folder=output,
            key=key,
            force=force,
            request=request,
            dry_run=dry_run,
            as_json=as_json,
            noise=noise,
            cap=cap,
            allow_large=allow_large,
        )
        return
    if not axis or epsilon is None:
        raise missing("--epsilon" if axis else "--axis")
    target = output or Path(f"{account}.hush.parquet")
    domain = parse_domain(axis, outside or [])
    who = as_unit_option(unit, max_rows)
    check_format(target, "a release")
    check_writable(target, overwrite=force)
    check_space(target.parent)
    ticket = request or secrets.token_hex(8)
    terms: Any = {
        "epsilon": epsilon, "account": account, "mechanism": mechanism, "workload": workload,
        "unit": who, "neighbours": neighbours, "noise": noise, "request": ticket,
        "cap": cap, "allow_large": allow_large,
    }  # fmt: skip
    if dry_run:
        show_dry_run(run(table, domain, **terms, dry_run=True), rows, target, as_json=as_json)
        return
    release, opening = announced(run, table, domain, **terms)
    save(release, target, ticket, key=key, overwrite=force)
    report(release, target, account, opening, as_json=as_json)


def show_dry_run(planned: Any, rows: int | None, target: Path, *, as_json: bool) -> None:
    """What a publish would do."""
    from hushgram.spending.dry_run import ROWS

    sizes = ROWS if rows is None else (rows,)
    data = {**planned.to_json(sizes), "release": str(target)} if as_json else {}
    show(data, f"{planned.describe(sizes)}\n  Release    {target}", as_json=as_json)


def missing(option: str) -> BadInput:
    return BadInput(
        f"Missing option '{option}', or --plan with a file that says it. "
        "See: hushgram publish --help"
    )


def refuse_beside_plan(**options: Any) -> None:
    """A plan says what is published and what it may spend; a second word would be in doubt."""
    given = [f"--{name.replace('_', '-')}" for name, value in options.items() if value]
    if given:
        raise BadInput(f"{', '.join(given)} and --plan cannot go together: write it in the plan.")


def save(release: Any, target: Path, ticket: str, *, key: Any, overwrite: bool) -> None:
    """Write the release. It is paid for by now, so a full disk must not be the end of it."""
    from hushgram.errors import OutputError

    try:
        write(release, target, key=key, overwrite=overwrite)
    except OutputError as error:
        raise OutputError(
            f"{error} The release is paid for and kept: repeat the command with another "
            f"--output and --request {ticket}, which is free."
        ) from None


def write(release: Any, target: Path, *, key: Any, overwrite: bool) -> None:
    """A release's file, signed if there is a key."""
    from hushgram.base.files import write_new
    from hushgram.release.signing import signed

    if key is None:
        release.save(target, overwrite=overwrite)
    else:
        write_new(target, signed(release, key), overwrite=overwrite)


def as_unit_option(column: str | None, max_rows: int | None) -> Any:
    from hushgram.declare.unit import User

    if column is None and max_rows is None:
        return "rows"
    if column is None or max_rows is None:
        raise BadInput("--unit COLUMN and --max-rows N go together.")
    return User(column, max_rows)


def report(release: Any, target: Path, account: str, opening: Any, *, as_json: bool) -> None:
    from hushgram.base.exact import format_number as plain

    rest = rest_of(account, opening)
    data = {
        "release": str(target),
        "mechanism": release.mechanism,
        "epsilon": plain(release.epsilon),
        "parts": release.estimate.partition.size,
        "rows_inside": inside_json(release),
        **rest,
    }
    text = (
        f"Published {data['parts']:,} noisy counts with {release.mechanism}, "
        f"epsilon {data['epsilon']}.\n"
        f"{inside_text(release)}\n"
        f"{too_fine(release)}"
        f"Protects: {protected(release.unit)}.\n"
        f"Release: {target}\n"
        f"{told(rest, opening)}\n"
        f"Ask it:  {PROGRAM} count {target}"
    )
    show(data, text, as_json=as_json)


def too_fine(release: Any) -> str:
    """Advice where every cell of a continuous axis was counted, though none holds much."""
    axes = release.domain.continuous
    if not axes or release.estimate.partition.size < release.domain.cells:
        return ""
    return (
        f"Cells this fine are mostly noise: give {' and '.join(axes)} bins "
        f"({axes[0]}=LOW:HIGH/BINS), or let -m auto choose.\n"
    )


def protected(unit: Any) -> str:
    """What a release hides, for a steward who may have meant something else."""
    from hushgram.declare.unit import User

    if isinstance(unit, User):
        return f"each person in {unit.column}, of whom at most {unit.max_rows} rows count"
    return "each row (if people have several: --unit COLUMN --max-rows N)"
