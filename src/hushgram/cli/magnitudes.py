"""``hushgram sum`` and ``hushgram mean``: the sum and the mean of a measured column."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hushgram.cli.output import Json, show
from hushgram.cli.parameters import Confidence, Ranges, ReleaseFile, Signer

Column = Annotated[str, typer.Argument(help="A measured column, or a numeric axis.")]


def add_to(app: typer.Typer) -> None:
    app.command("sum")(add_up)
    app.command("mean")(mean)


def add_up(
    release: ReleaseFile,
    column: Column,
    ranges: Ranges = None,
    confidence: Confidence = 0.95,
    signer: Signer = None,
    as_json: Json = False,
) -> None:
    """Compute the sum of a column over a range, with an error bar. Costs nothing.

    \b
    Example:
      hushgram sum survey.hush.parquet earnings region=S
    """
    answer("sum", release, column, ranges, confidence, signer, as_json=as_json)


def mean(
    release: ReleaseFile,
    column: Column,
    ranges: Ranges = None,
    confidence: Confidence = 0.95,
    signer: Signer = None,
    as_json: Json = False,
) -> None:
    """Compute the mean of a column over a range, with an error bar. Costs nothing.

    \b
    Example:
      hushgram mean survey.hush.parquet earnings region=S age=20..29
    """
    answer("mean", release, column, ranges, confidence, signer, as_json=as_json)


def answer(
    kind: str,
    file: Path,
    column: str,
    ranges: list[str] | None,
    confidence: float,
    signer: str | None,
    *,
    as_json: bool,
) -> None:
    from hushgram.cli.grammar import parse_question
    from hushgram.release import load

    found = load(file, signer=signer)
    question = parse_question(found.domain, ranges or [])
    compute = found.sum if kind == "sum" else found.mean
    result = compute(column, question, confidence=confidence)
    data = {
        "column": column,
        kind: result.value,
        "interval": list(result.interval),
        "confidence": result.confidence,
        "noise_interval": list(result.noise_interval),
    }
    show(data, str(result), as_json=as_json)
