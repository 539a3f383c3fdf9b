"""Many pairs for every mechanism, and what came of them. NONPRIVATE."""

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
    "csv", "parquet", "rows", "people", "measures", "conditions", "plans", "replace-one", "spoilt",
)  # fmt: skip

MEMORY = Path("/dev/shm")
"""Files in memory, on Linux: else most of a pair's time is a wait for the disk."""


@dataclass
class ReplayCount:
    """The pairs of one mechanism."""

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
    spoilt: int = 0
    moved: int = 0
    """Pairs whose exact vectors differ."""
    most_of_epsilon: float = 0.0
    """The greatest loss, as a share of the epsilon that was paid."""
    differences: int = 0
    example: str = ""
    """The smallest pair that differs."""

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
        """From a row of a table."""
        blank = cls(cells["mechanism"]).to_json()
        return cls(**{name: type(value)(cells[name]) for name, value in blank.items()})


def counts_in(path: Path | None) -> dict[str, ReplayCount]:
    """What a stopped campaign has written, by mechanism."""
    return {row["mechanism"]: ReplayCount.of(row) for row in tidy.earlier(path, ReplayCount)}


class Different(AssertionError):
    """Somebody could tell the two files apart, by more than was paid for."""


def check_pair(pair: FilePair, folder: Path) -> tuple[bool, Fraction]:
    """Whether it was published, and the privacy loss; Different if it can be distinguished."""
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
    told: Callable[[int], None] = lambda done: None,
) -> Iterator[ReplayCount]:
    """So many pairs, shared evenly by the mechanisms. `start` chooses which are drawn.

    Where a pair differs, the mechanism's search ends; with `smallest`, with the smallest example.
    Mechanisms of which as many pairs are `known` are not searched again.
    """
    done = 0
    for place, mechanism in enumerate(mechanisms):
        share = number * (place + 1) // len(mechanisms) - number * place // len(mechanisms)
        count = (known or {}).get(mechanism.name) or ReplayCount(mechanism.name)
        if count.pairs != share:
            count = ReplayCount(mechanism.name)
            search = Search(mechanism, share, start + place, smallest)
            search.run(count, partial(further, told, done))
        done += count.pairs
        yield count


def quick() -> Path | None:
    """Where files are quick, if there is such a place: both runs of a pair use the same."""
    return MEMORY if os.access(MEMORY, os.W_OK) else None


def further(told: Callable[[int], None], before: int, here: int) -> None:
    told(before + here)


@dataclass(frozen=True)
class Search:
    """The pairs of one mechanism, drawn by Hypothesis."""

    mechanism: Mechanism
    number: int
    start: int
    smallest: bool

    def run(self, count: ReplayCount, told: Callable[[int], None]) -> None:
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
                told(count.pairs)

            try:
                each()
            except Different as different:
                count.differences += 1
                count.example = str(different)
