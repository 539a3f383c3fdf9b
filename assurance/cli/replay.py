"""``./hush assurance replay``: replay recorded answers on neighbouring files. NONPRIVATE."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from hushgram.cli.output import Json, show
from hushgram.errors import BadInput


def replay(
    mechanisms: Annotated[
        list[str] | None, typer.Argument(help="Mechanisms to replay. Default: all.")
    ] = None,
    pairs: Annotated[
        int, typer.Option(min=1, help="Number of pairs of files, shared evenly.")
    ] = 10_000,
    seed: Annotated[int, typer.Option(help="Which pairs are drawn.")] = 0,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Skip mechanisms with enough pairs in the CSV file."),
    ] = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write a CSV.")] = None,
    page: Annotated[Path | None, typer.Option(help="Page to write from the results.")] = None,
    as_json: Json = False,
) -> None:
    """Publish neighbouring files with the same recorded answers. Only paid answers may distinguish
    them.

    Both runs use the program itself, from file to release. Exits with code 1 if releases, printed
    lines, exit codes, warnings, log lines or the ledger differ, or if the exact numbers differ by
    more than the budget allows.

    \b
    Example:
      ./hush assurance replay identity --pairs 100
      ./hush assurance replay --pairs 10000 -o replay.csv --resume
    """
    from hushgram.base.files import check_writable, write_new
    from hushgram.base.progress import watch
    from hushgram.lab import tidy
    from hushgram.mechanisms.registry import MECHANISMS, parse_mechanism

    if resume and output is None:
        raise BadInput("--resume needs the CSV file. Name it with --output.")
    chosen = [parse_mechanism(name) for name in mechanisms or MECHANISMS]
    campaign = load_campaign()
    for path in (output, page):
        if path is not None:
            check_writable(path, overwrite=True)
    known = campaign.counts_in(output) if resume else {}
    done = [0]
    report = partial(done.__setitem__, 0)
    rows: list[dict[str, Any]] = []
    with watch("replaying", lambda: done[0] / pairs):
        for count in campaign.replay_pairs(chosen, pairs, start=seed, known=known, report=report):
            rows.append(count.to_json())
            if output is not None:
                tidy.write(output, rows)
            if not as_json:
                typer.echo(line(rows[-1]))
    differences = sum(row["differences"] for row in rows)
    if page is not None:
        write_new(page, campaign.page_of(rows).encode(), overwrite=True)
    total = sum(row["pairs"] for row in rows)
    text = f"NONPRIVATE. {total:,} pairs, {differences} differences."
    show({"differences": differences, "mechanisms": rows}, text, as_json=as_json)
    if differences:
        raise typer.Exit(1)


def load_campaign() -> Any:
    """Import the campaign, or raise if Hypothesis is not installed."""
    try:
        from assurance import replayed
    except ModuleNotFoundError as error:
        if error.name != "hypothesis":
            raise
        raise BadInput(
            "Hypothesis, which draws the pairs, is not installed: pip install hypothesis"
        ) from None
    return replayed


def line(row: dict[str, Any]) -> str:
    text = f"{row['mechanism']}: {row['pairs']:,} pairs, {row['published']:,} published"
    return f"{text}\nDIFFERENT: {row['example']}" if row["differences"] else f"{text}, none differs"
