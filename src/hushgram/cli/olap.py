"""``hushgram marginal`` and ``hushgram sql``: tables from a release."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from typing import Annotated, Any

import typer

from hushgram.base.text import align_columns
from hushgram.cli.output import Json, show
from hushgram.cli.parameters import Bins, Confidence, OtherRanges, ReleaseFile, Signer, Simultaneous

NUMBERS = ("value", "lower", "upper", "noise_lower", "noise_upper")


def add_to(app: typer.Typer) -> None:
    app.command("marginal")(marginal)
    app.command("sql")(sql)


def marginal(
    release: ReleaseFile,
    axes: Annotated[list[str], typer.Argument(help="Axes to keep.")],
    where: OtherRanges = None,
    top: Annotated[
        int | None, typer.Option(help="Show only this many groups, the largest first.")
    ] = None,
    bins: Bins = None,
    share: Annotated[bool, typer.Option("--share", help="Show shares of all rows.")] = False,
    add_up: Annotated[
        str | None, typer.Option("--sum", help="Show the sum of this measured column.")
    ] = None,
    mean: Annotated[
        str | None, typer.Option("--mean", help="Show the mean of this measured column.")
    ] = None,
    together: Simultaneous = False,
    noise: Annotated[
        bool, typer.Option("--noise", help="Also show intervals for the noise alone.")
    ] = False,
    confidence: Confidence = 0.95,
    signer: Signer = None,
    as_json: Json = False,
) -> None:
    """Tabulate counts by one or more axes, with error bars. Costs nothing.

    \b
    Example:
      hushgram marginal adult.hush.parquet sex salary --top 3
      hushgram marginal survey.hush.parquet region --mean earnings
    """
    from hushgram.cli.grammar import parse_question
    from hushgram.release import load

    found = load(release, signer=signer)
    if where:
        found = found.slice(parse_question(found.domain, where), bins=bins)
    options: dict[str, Any] = {
        "confidence": confidence,
        "share": share,
        "bins": bins,
        "noise": noise,
        "sum": add_up,
        "mean": mean,
    }
    if top is None:
        frame = found.group_by(*axes, simultaneous=together, **options)
    else:
        frame = found.top(top, *axes, **options)
    rows = rows_of(frame)
    digits = 4 if share or mean else 0
    texts = [tuple(format_cell(row[key], key, digits) for key in row) for row in rows]
    show(rows, align_columns(texts, heads=tuple(frame.columns)), as_json=as_json)


def sql(
    release: ReleaseFile,
    query: Annotated[str, typer.Argument(help="Query of the form SELECT … FROM release.")],
    signer: Signer = None,
    as_json: Json = False,
) -> None:
    """Query a release with SQL. Each row of the view release stands for several rows of the table:
    use sum(count), not count(*).

    \b
    Example:
      hushgram sql adult.hush.parquet "SELECT sex, sum(count) FROM release GROUP BY sex"
    """
    from hushgram.release import load

    frame = load(release, signer=signer).sql(query)
    rows = rows_of(frame)
    texts = [tuple(format_cell(value) for value in row.values()) for row in rows]
    show(rows, align_columns(texts, heads=tuple(frame.columns)), as_json=as_json)


def rows_of(frame: Any) -> list[dict[str, Any]]:
    """Return the rows of a data frame as JSON values."""
    columns = frame.columns
    return [
        {name: plain(value) for name, value in zip(columns, row, strict=True)}
        for row in frame.astype(object).itertuples(index=False, name=None)
    ]


def plain(value: Any) -> Any:
    """Return a value for JSON: dates as text, null for missing values."""
    if isinstance(value, dt.date):
        return None if value != value else value.isoformat()
    if isinstance(value, Decimal):
        value = int(value) if value == int(value) else float(value)
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list):
        return [plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def format_cell(value: Any, key: str = "", digits: int = 0) -> str:
    """Format a value for the text output."""
    if value is None:
        return "other" if key else ""
    if key in NUMBERS:
        return f"{value:,.{digits}f}"
    return f"{value:,.10g}" if isinstance(value, float) else str(value)
