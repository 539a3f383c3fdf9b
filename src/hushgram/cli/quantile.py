"""``hushgram quantile``: quantiles of an axis, with error bars."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any

import typer

from hushgram.base.text import align_columns
from hushgram.cli.output import Json, show
from hushgram.cli.parameters import Confidence, OtherRanges, ReleaseFile, Signer


def add_to(app: typer.Typer) -> None:
    app.command("quantile")(quantile)


def quantile(
    release: ReleaseFile,
    axis: Annotated[str, typer.Argument(help="Axis whose values you want.")],
    shares: Annotated[
        list[float],
        typer.Argument(
            help="Shares from 0 to 1: 0.5 is the median, 0 the minimum, 1 the maximum.",
        ),
    ],
    where: OtherRanges = None,
    confidence: Confidence = 0.95,
    signer: Signer = None,
    as_json: Json = False,
) -> None:
    """Compute the median or other quantiles, with error bars. Costs nothing.

    \b
    Example:
      hushgram quantile people.hush.parquet age 0.25 0.5 0.75
    """
    from hushgram.cli.grammar import parse_question
    from hushgram.release import load

    found = load(release, signer=signer)
    restricted = parse_question(found.domain, where or [])
    answers = found.quantile(axis, shares, where=restricted, confidence=confidence)
    data = [
        {
            "q": answer.q,
            "value": plain(answer.value),
            "interval": [plain(end) for end in answer.interval],
            "confidence": answer.confidence,
        }
        for answer in answers
    ]
    lines = [(f"{answer.q:g}", str(answer)) for answer in answers]
    show(data, align_columns(lines), as_json=as_json)


def plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, date) else value
