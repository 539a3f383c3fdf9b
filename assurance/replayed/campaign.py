"""Check many pairs for every mechanism, and collect the results. NONPRIVATE."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings

from assurance.replayed.pairs import FilePair, pairs
from assurance.replayed.runs import both
from hushgram.lab import tidy
from hushgram.lab.replay import ReplayMismatch, loss
from hushgram.mechanisms.base import Mechanism

KINDS = (
    "csv", "parquet", "rows", "people", "measures", "conditions", "plans", "replace-one", "mutated",
)  # fmt: skip

MEMORY = Path("/dev/shm")
"""A folder in memory, on Linux. On disk, most of the time would be spent waiting."""


@dataclass
class ReplayCount:
    """The results for one mechanism."""

    mechanism: str
    pairs: int = 0
    published: int = 0
    refused: int = 0
    csv: int = 0
    parquet: int = 0
    rows: int = 0
    people: int = 0
    measures: int = 0
    conditions: int = 0
    plans: int = 0
    replace_one: int = 0
    mutated: int = 0
    moved: int = 0
    """The number of pairs whose exact vectors differ."""
    most_of_epsilon: float = 0.0
    """The largest loss, as a share of the epsilon that was charged."""
    differences: int = 0
    example: str = ""
    """The smallest pair that was distinguished."""

    def add(self, pair: FilePair, published: bool, lost: Fraction) -> None:
        self.pairs += 1
        self.published += published
        self.refused += not published
        for kind in pair.kinds & set(KINDS):
            name = kind.replace("-", "_")
            setattr(self, name, getattr(self, name) + 1)
        self.moved += lost > 0
        self.most_of_epsilon = max(self.most_of_epsilon, float(lost / pair.epsilon))

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def of(cls, cells: Mapping[str, str]) -> ReplayCount:
        """Create from a row of a CSV file."""
        blank = cls(cells["mechanism"]).to_json()
        return cls(**{name: type(value)(cells[name]) for name, value in blank.items()})


def counts_in(path: Path | None) -> dict[str, ReplayCount]:
    """Return the results of a stopped campaign, by mechanism."""
    return {row["mechanism"]: ReplayCount.of(row) for row in tidy.earlier(path, ReplayCount)}


class Different(AssertionError):
    """The two files can be distinguished beyond what was charged."""


def check_pair(pair: FilePair, folder: Path) -> tuple[bool, Fraction]:
    """Return whether the pair was published, and the privacy loss. Raises Different if the files
    can be distinguished."""
    try:
        first, second, recorded, repeated = both(pair, folder)
        lost = loss(recorded, repeated)
    except ReplayMismatch as mismatch:
        raise Different(f"{mismatch}: {pair}") from None
    names = first.differs(second)
    if names:
        shown = [(getattr(first, name), getattr(second, name)) for name in names]
        raise Different(f"{', '.join(names)}: {shown!r:.2000}: {pair}")
    if lost > pair.epsilon:
        raise Different(f"a loss of {lost} for {pair.epsilon}: {pair}")
    published = first.exit_code == 0
    if not published and first.ledger:
        raise Different(f"refused, but charged: {pair}")
    return published, lost


def replay_pairs(
    mechanisms: Sequence[Mechanism],
    number: int,
    *,
    start: int = 0,
    smallest: bool = True,
    known: Mapping[str, ReplayCount] | None = None,
    report: Callable[[int], None] = lambda done: None,
) -> Iterator[ReplayCount]:
    """Check this many pairs, shared evenly by the mechanisms. `start` is the seed of the pairs.

    A mechanism's search ends at the first pair that differs; with `smallest`, with the smallest
    example. Mechanisms with enough `known` pairs are skipped.
    """
    done = 0
    for place, mechanism in enumerate(mechanisms):
        share = number * (place + 1) // len(mechanisms) - number * place // len(mechanisms)
        count = (known or {}).get(mechanism.name) or ReplayCount(mechanism.name)
        if count.pairs != share:
            count = ReplayCount(mechanism.name)
            search = Search(mechanism, share, start + place, smallest)
            search.run(count, partial(further, report, done))
        done += count.pairs
        yield count


def quick() -> Path | None:
    """Return a folder in memory, if there is one, for both runs of a pair."""
    return MEMORY if os.access(MEMORY, os.W_OK) else None


def further(report: Callable[[int], None], before: int, here: int) -> None:
    report(before + here)


@dataclass(frozen=True)
class Search:
    """The pairs of one mechanism, drawn by Hypothesis."""

    mechanism: Mechanism
    number: int
    start: int
    smallest: bool

    def run(self, count: ReplayCount, report: Callable[[int], None]) -> None:
        with tempfile.TemporaryDirectory(prefix="hushgram-replay-", dir=quick()) as home:

            @seed(self.start)
            @settings(
                max_examples=self.number,
                database=None,
                deadline=None,
                phases=[Phase.generate, *([Phase.shrink] if self.smallest else [])],
                suppress_health_check=list(HealthCheck),
                report_multiple_bugs=False,
            )
            @given(pairs(self.mechanism))
            def each(pair: FilePair) -> None:
                count.add(pair, *check_pair(pair, Path(home) / "run"))
                report(count.pairs)

            try:
                each()
            except Different as different:
                count.differences += 1
                count.example = str(different)
