"""Run all stress tests of the ledger, as rows of one table."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from assurance.fire.crowd import Crowd, crowd
from assurance.fire.edits import edits
from assurance.fire.kills import RANDOM, kills
from assurance.fire.scene import DOMAIN, SOUND, VIOLATIONS, scene
from assurance.fire.troubles import Trial, backward_clock, full_disks, read_only
from hushgram.spending.publish import publish
from hushgram.trusted.ledger import Ledger

DISKS = 64
FLIPS = 200
CHARGES = 20

BROKEN = (*VIOLATIONS, "missed", "off the cap")
"""Measures that count broken promises."""


@dataclass(frozen=True)
class FireRow:
    """One result of the stress tests."""

    part: str
    store: str
    case: str
    measure: str
    value: float | int

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def violations(self) -> int:
        """The number of broken promises, if the row counts these."""
        return int(self.value) if self.measure in BROKEN else 0


@dataclass(frozen=True)
class Scale:
    """The size of the stress tests."""

    kills: int = 1000
    processes: int = 64
    attempts: int = 200
    minutes: float = 30.0
    disks: int = DISKS
    flips: int = FLIPS


def fire(place: str | None, scale: Scale, report: Callable[[str], None]) -> Iterator[FireRow]:
    """Test ledgers in files, or the PostgreSQL ledger at a place, which has no file to edit.

    `report` gets each failure, and the start of each part.
    """
    deadline = time.monotonic() + 60 * scale.minutes
    store = "SQLite" if place is None else "PostgreSQL"
    rehearse()
    report(f"{scale.kills} kills")
    yield from kill_rows(store, place, scale, deadline, report)
    if place is None:
        report("edits of ledger files")
        yield from edit_rows(store, scale, report)
        report("full disks, read-only files, a backward clock")
        yield from trouble_rows(store, scale, report)
    report(f"{scale.processes} processes, {scale.attempts} attempts each")
    yield from crowd_rows(store, run_crowd(place, scale))  # last: it makes a long ledger to verify


def rehearse() -> None:
    """Publish once with a ledger in memory, so that child processes need not compile or import."""
    with scene() as here:
        publish(
            str(here.table), DOMAIN, epsilon=1, account="people", mechanism="identity",
            ledger=Ledger.in_memory(),
        ).to_bytes()  # fmt: skip


def run_crowd(place: str | None, scale: Scale) -> Crowd:
    with scene(place) as here:
        return crowd(here.place, scale.processes, scale.attempts)


def crowd_rows(store: str, found: Crowd) -> Iterator[FireRow]:
    measures = {
        "attempts": found.attempts,
        "affordable": found.affordable,
        "paid": found.paid,
        "off the cap": int(not found.exact),
        "attempts per second": round(found.rate, 1),
        "median milliseconds": round(1000 * found.wait(0.5), 2),
        "p99 milliseconds": round(1000 * found.wait(0.99), 2),
        "longest milliseconds": round(1000 * found.wait(1), 2),
    }
    for measure, value in measures.items():
        yield FireRow("crowd", store, "one account", measure, value)


def edit_rows(store: str, scale: Scale, report: Callable[[str], None]) -> Iterator[FireRow]:
    tried, missed = Counter[str](), Counter[str]()
    for edit in edits(scale.flips, random.Random(1)):
        tried[edit.kind] += 1
        missed[edit.kind] += not edit.found
        if not edit.found:
            report(f"MISSED: {edit.kind}: {edit.what}")
    for kind, number in tried.items():
        yield FireRow("edits", store, kind, "tried", number)
        yield FireRow("edits", store, kind, "missed", missed[kind])


def trouble_rows(store: str, scale: Scale, report: Callable[[str], None]) -> Iterator[FireRow]:
    trials = [*full_disks(scale.disks), *read_only(), backward_clock(CHARGES)]
    for trouble in dict.fromkeys(trial.trouble for trial in trials):
        some = [trial for trial in trials if trial.trouble == trouble]
        yield FireRow("troubles", store, trouble, "trials", len(some))
        yield FireRow(
            "troubles", store, trouble, "clean refusals", sum(bool(t.ended) for t in some)
        )
        yield from outcome_rows(
            "troubles", store, trouble, (trial.verdict.outcome for trial in some)
        )
        for trial in some:
            tell_trial(trial, report)


def tell_trial(trial: Trial, report: Callable[[str], None]) -> None:
    if not trial.verdict.sound:
        report(f"{trial.verdict.outcome.upper()}: {trial.case}: {trial.verdict.why}")


def kill_rows(
    store: str, place: str | None, scale: Scale, deadline: float, report: Callable[[str], None]
) -> Iterator[FireRow]:
    by_case: dict[str, Counter[str]] = {}
    steps: set[str] = set()
    for kill in kills(place, scale.kills, deadline):
        case = RANDOM if kill.at == RANDOM else "a step"
        steps.add(kill.at)
        by_case.setdefault(case, Counter())[kill.verdict.outcome] += 1
        if not kill.verdict.sound:
            report(f"{kill.verdict.outcome.upper()} at {kill.at}: {kill.verdict.why}")
    for case, outcomes in by_case.items():
        yield FireRow("kills", store, case, "kills", outcomes.total())
        if case == "a step":
            yield FireRow("kills", store, case, "steps by name", len(steps - {RANDOM}))
        yield from outcome_rows("kills", store, case, outcomes.elements())


def outcome_rows(part: str, store: str, case: str, outcomes: Iterable[str]) -> Iterator[FireRow]:
    counted = Counter(outcomes)
    for outcome in (*SOUND, *VIOLATIONS):
        yield FireRow(part, store, case, outcome, counted[outcome])
