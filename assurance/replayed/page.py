"""Write the page about replays, from their CSV file alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hushgram.base.text import markdown_table

ABOUT = """# Replay, from a file to a release

Made by `./hush assurance replay --pairs {pairs} -o replay.csv --page replay.md`; the numbers are in
`benchmarks/results/replay.csv`. A full run has 10,000 pairs.

Hypothesis draws two neighbouring files, CSV or Parquet, and a command of the program. The command
publishes the first file, and every query to the vault is recorded with its noisy answer. The same
command publishes the second file with the recorded answers. Then the following must be identical,
byte for byte: all release files and their names, the output, the exit code, warnings, log lines of
all loggers at every level, and the ledger. The exact vectors behind the answers may differ, but the
sum of |difference| / scale over all answers must be at most the epsilon that was paid.

The files differ by one row anywhere, or by all rows of a person, added, removed or replaced. Cells
are numbers, days and texts inside and outside the domain, NaN, infinities, numbers that are too
long to parse, and missing values; lines of a CSV may also be meaningless bytes. In about a third of
the pairs, all rows are inside every axis, except for the row or person that differs. Commands have
conditions, measures, plans with a release for each value of a key, and every policy for values
outside and missing ones. About one command in ten contains a corrupted word and must be refused
with the same message, and with nothing charged.

**{total:,} pairs, {differences} that differ.** In {moved:,} the exact vectors differ; the largest
loss was {most:.0%} of the epsilon that was paid."""


def markdown(rows: Sequence[Mapping[str, Any]]) -> str:
    total = sum(row["pairs"] for row in rows)
    about = ABOUT.format(
        pairs=total,
        total=total,
        differences=sum(row["differences"] for row in rows),
        moved=sum(row["moved"] for row in rows),
        most=max(row["most_of_epsilon"] for row in rows),
    )
    heads = [name for name in rows[0] if name != "example"]
    table = [[format_value(row[name]) for name in heads] for row in rows]
    return f"{about}\n\n{markdown_table([name.replace('_', ' ') for name in heads], table)}\n"


def format_value(value: Any) -> str:
    return f"{value:.0%}" if isinstance(value, float) else str(value)
