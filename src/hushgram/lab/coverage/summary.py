"""Summaries of coverage by mechanism and group of questions. NONPRIVATE."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from hushgram.lab.coverage.run import CoverageRow

ENOUGH = 200
"""The minimum number of answers for a cell to be judged on its own."""

FLOOR = 0.9
"""The minimum coverage of a cell with enough answers."""

GROUPS: dict[str, Callable[[str], bool]] = {
    "counts off edges": lambda question: question.startswith("count ") and " off," in question,
    "counts on edges": lambda question: question.startswith("count ") and " off," not in question,
    "quantiles": lambda question: question.startswith("quantile"),
    "ranks": lambda question: question.startswith(("rank", "cdf")),
    "groups": lambda question: question.startswith("group"),
    "shares": lambda question: question == "share",
    "averages": lambda question: question == "average",
    "sums": lambda question: question == "sum",
}
"""Groups of questions in tables, and which questions belong to each."""


@dataclass(frozen=True)
class PooledCells:
    """Several cells together, weighted by their numbers of answers."""

    answers: int
    held: float
    error: float
    half_width: float
    noise: float
    hard: float

    @property
    def ratio(self) -> float:
        """The mean half width over the mean error."""
        return self.half_width / self.error if self.error > 0 else math.nan


def pool(rows: Iterable[CoverageRow]) -> PooledCells | None:
    """Pool all answers of some cells; None if there are none."""
    some = [row for row in rows if row.answers]
    answers = sum(row.answers for row in some)
    if not answers:
        return None

    def mean(column: str) -> float:
        return math.fsum(row.answers * float(getattr(row, column)) for row in some) / answers

    columns = ("held", "error", "half_width", "noise", "hard")
    return PooledCells(answers, *(mean(column) for column in columns))


def mechanisms_of(rows: Sequence[CoverageRow]) -> list[str]:
    return list(dict.fromkeys(row.mechanism for row in rows))


def pool_groups(rows: Sequence[CoverageRow]) -> dict[str, dict[str, PooledCells | None]]:
    """Pool the rows by mechanism and group of questions."""
    found: dict[str, dict[str, PooledCells | None]] = {}
    for mechanism in mechanisms_of(rows):
        mine = [row for row in rows if row.mechanism == mechanism]
        found[mechanism] = {
            group: pool(row for row in mine if belongs(row.question))
            for group, belongs in GROUPS.items()
        }
    return found


def low_cells(rows: Iterable[CoverageRow]) -> list[CoverageRow]:
    """Return the cells with enough answers whose coverage is too low, the worst first."""
    found = [row for row in rows if row.answers >= ENOUGH and row.held < FLOOR]
    return sorted(found, key=lambda row: row.held)


def count_judged(rows: Iterable[CoverageRow]) -> int:
    """Return how many cells have enough answers."""
    return sum(row.answers >= ENOUGH for row in rows)


def of_half(rows: Iterable[CoverageRow], half: str) -> list[CoverageRow]:
    return [row for row in rows if row.half == half]
