"""Measure coverage for each combination of table, mechanism, epsilon and question. NONPRIVATE.

A table and a mechanism are skipped if the mechanism refuses the table's domain, or if its first
release has more than `MOST_PARTS` parts, for example because it counts every cell of a continuous
axis. Nobody would publish that.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from hushgram.errors import HushgramError
from hushgram.lab import tidy
from hushgram.lab.coverage.judge import Judge, Verdicts
from hushgram.lab.coverage.tables import Half, TableRecipe
from hushgram.mechanisms.base import Mechanism

MOST_PARTS = 2**18
"""The maximum number of parts of a release."""


@dataclass(frozen=True)
class CoverageRow:
    """The answers of one kind for one table, mechanism and epsilon: their number, the share of the
    intervals that contained the truth, and means."""

    table: str
    half: Half
    mechanism: str
    epsilon: str
    question: str
    answers: int
    refused: int
    held: float
    error: float
    half_width: float
    noise: float
    """Half the width of the noise-only interval; NaN if there is none."""
    hard: float
    """Half the width of the hard bound, plus noise; NaN if the question has none."""
    releases: int

    def to_json(self) -> dict[str, Any]:
        """Return the fields: numbers with six digits, missing values as None."""
        return {name: format_field(value) for name, value in asdict(self).items()}

    @classmethod
    def from_text(cls, row: dict[str, str]) -> CoverageRow:
        """Create from a row of a CSV file."""
        kinds = {one.name: READ.get(str(one.type), str) for one in fields(cls)}
        return cls(**{name: kinds[name](text) for name, text in row.items()})


def read_float(text: str) -> float:
    return float(text) if text else math.nan


READ: dict[str, Callable[[str], Any]] = {"int": int, "float": read_float}
"""Parsers of fields, by type."""


def format_field(value: Any) -> Any:
    if not isinstance(value, float):
        return value
    return None if math.isnan(value) else float(f"{value:.6g}")


def read_rows(path: Path) -> list[CoverageRow]:
    """Read the rows of a CSV file that this command wrote; an empty list if the file does not
    exist."""
    return [CoverageRow.from_text(row) for row in tidy.earlier(path, CoverageRow)]


@dataclass
class CoveragePlan:
    """What to run, and the progress."""

    recipes: Sequence[TableRecipe]
    mechanisms: Sequence[Mechanism]
    names: Sequence[str]
    """The mechanisms as the user wrote them."""
    epsilons: Sequence[str]
    releases: int = 25
    questions: int = 8
    done: Collection[tuple[str, str, str]] = ()
    """Tables, mechanisms and epsilons to skip, because they were run before."""
    skipped: list[dict[str, str]] = field(default_factory=list)
    """Tables and mechanisms that do not fit each other, and why."""
    failed: list[dict[str, str]] = field(default_factory=list)
    """Cells that ended with an unexpected error."""
    too_fine: dict[tuple[str, int], int] = field(default_factory=dict)
    """By mechanism and number of continuous axes, the smallest number of cells with which it made
    too many parts. Domains with at least as many are not tried."""
    _cells: int = 0

    @property
    def share(self) -> float:
        """The share of the work that is done, from 0 to 1."""
        return self._cells / max(len(self.recipes) * len(self.names) * len(self.epsilons), 1)

    def run(self) -> Iterator[list[CoverageRow]]:
        """Yield the rows of each table, mechanism and epsilon as they are computed."""
        with single_thread():
            for recipe in self.recipes:
                yield from self._run_table(recipe)

    def _run_table(self, recipe: TableRecipe) -> Iterator[list[CoverageRow]]:
        judges: list[Judge] = []
        for name, mechanism in zip(self.names, self.mechanisms, strict=True):
            wanted = [e for e in self.epsilons if (recipe.name, name, e) not in self.done]
            if wanted:
                judges = judges or Judge.several(recipe.make(), self.questions)
                yield from self._run_pair(judges, name, mechanism, wanted)
            self._cells += len(self.epsilons)

    def _run_pair(
        self, judges: Sequence[Judge], name: str, mechanism: Mechanism, epsilons: Sequence[str]
    ) -> Iterator[list[CoverageRow]]:
        table = judges[0].table
        pair = {"table": table.name, "mechanism": name}
        kind, cells = (name, len(table.domain.continuous)), table.domain.cells
        if cells >= self.too_fine.get(kind, cells + 1):
            why = f"Releases of {cells:,} cells have too many parts."
        else:
            why = reason_to_skip(judges[0], mechanism, epsilons[0])
            if why.endswith("parts."):
                self.too_fine[kind] = cells
        if why:
            self.skipped.append({**pair, "why": why})
            return
        for epsilon in epsilons:
            try:
                found = ask_releases(judges, mechanism, epsilon, self.releases)
            except Exception as error:  # one broken cell must not end a run of hours
                what = f"{type(error).__name__}: {error}"
                self.failed.append({**pair, "epsilon": epsilon, "error": what})
                continue
            yield [
                summarise(table.name, table.half, name, epsilon, verdicts, self.releases)
                for verdicts in found.values()
            ]


def reason_to_skip(judge: Judge, mechanism: Mechanism, epsilon: str) -> str:
    """Return why a mechanism is skipped on a table; empty if it is not."""
    try:
        mechanism.check(judge.table.domain)
    except HushgramError as error:
        return str(error)
    if judge.table.domain.cells <= MOST_PARTS:
        return ""
    try:
        parts = judge.publish(mechanism, Fraction(epsilon)).estimate.partition.size
    except HushgramError as error:
        return str(error)
    return f"A release has {parts:,} parts." if parts > MOST_PARTS else ""


def ask_releases(
    judges: Sequence[Judge], mechanism: Mechanism, epsilon: str, releases: int
) -> dict[str, list[Verdicts]]:
    """Make several releases and return the verdicts by kind of question."""
    found: dict[str, list[Verdicts]] = {}
    for turn in range(releases):
        judge = judges[turn % len(judges)]
        for verdicts in judge.ask(judge.publish(mechanism, Fraction(epsilon))):
            found.setdefault(verdicts.question, []).append(verdicts)
    return found


def summarise(
    table: str,
    half: Half,
    mechanism: str,
    epsilon: str,
    verdicts: list[Verdicts],
    releases: int,
) -> CoverageRow:
    means = {
        "held": mean_of([one.holds for one in verdicts]),
        "error": mean_of([one.error for one in verdicts]),
        "half_width": mean_of([one.half_width for one in verdicts]),
        "noise": mean_of([one.noise for one in verdicts]),
        "hard": mean_of([one.hard for one in verdicts]),
    }
    return CoverageRow(
        table,
        half,
        mechanism,
        epsilon,
        verdicts[0].question,
        answers=sum(len(one.holds) for one in verdicts),
        refused=sum(one.refused for one in verdicts),
        releases=releases,
        **means,
    )


def mean_of(columns: list[Any]) -> float:
    numbers = np.concatenate(columns)
    return float(numbers.mean()) if len(numbers) else math.nan


@contextmanager
def single_thread() -> Iterator[None]:
    """Use a single thread: questions come in small batches, for which threads cost more than they
    save."""
    import numba

    before = numba.get_num_threads()
    numba.set_num_threads(1)
    try:
        yield
    finally:
        numba.set_num_threads(before)


def check_epsilons(text: str) -> list[str]:
    """Parse a list of epsilons.

    >>> check_epsilons("0.01, 1")
    ['0.01', '1']
    """
    from hushgram.declare.epsilon import as_epsilon

    found = [part.strip() for part in text.split(",")]
    for epsilon in found:
        as_epsilon(epsilon)
    return found
