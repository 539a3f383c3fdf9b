"""Arguments and options of the commands that query a release, each declared once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

ReleaseFile = Annotated[Path, typer.Argument(help="Release file.")]
Signer = Annotated[
    str | None,
    typer.Option(
        "--signer", help="Fail unless the release is signed with this public key (or .pub file)."
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite existing files.")]

Ranges = Annotated[
    list[str] | None,
    typer.Argument(help="Range of an axis: axis=lo:hi, axis=first..last or axis=value,value."),
]
OtherRanges = Annotated[
    list[str] | None,
    typer.Option(
        "--where", "-w", help="Only count rows in this range of another axis. Can be repeated."
    ),
]
Bins = Annotated[int | None, typer.Option(help="At most this many bins per axis.")]
Confidence = Annotated[float, typer.Option(help="Confidence level, between 0 and 1.")]
Simultaneous = Annotated[
    bool,
    typer.Option(
        "--simultaneous", help="Widen the intervals so that all of them hold at the same time."
    ),
]
