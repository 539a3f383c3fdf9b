"""A machine in trouble: a full disk, missing permissions, a clock that runs backwards."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from unittest.mock import patch

from assurance.fire.children import done
from assurance.fire.crowd import ROWS
from assurance.fire.kills import evenly, rehearsal
from assurance.fire.scene import Scene, Verdict, judge_scene, scene
from assurance.fire.steps import StepCounter
from hushgram.errors import BudgetExceeded, HushgramError
from hushgram.trusted.ledger import Ledger

NOBODY = 65534
"""The ID of a user without permissions."""


@dataclass(frozen=True)
class Trial:
    """One publish in trouble: how it ended, and what it left."""

    trouble: str
    case: str
    ended: str
    """The name of the error; "" if all went well."""
    verdict: Verdict


def full_disks(number: int) -> Iterator[Trial]:
    """Fill the disk from some step onwards, for steps throughout the publish."""
    names = rehearsal()
    for step in evenly(len(names), number):
        with scene() as here:
            ended = done(filling, here, step)
            verdict = judge_scene(here)
            yield Trial("full disk", names[step], ended, verdict)


def filling(here: Scene, step: int) -> str:
    import resource  # not on every system

    def fill(name: str) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))

    with StepCounter(step, fill):
        return error_of(here.publish)


def error_of(work: Callable[[], object]) -> str:
    """Return the name of the product's own error. Any other error is raised, and is a finding."""
    try:
        work()
    except HushgramError as error:
        return type(error).__name__
    return ""


def read_only() -> Iterator[Trial]:
    """Make a ledger read-only, then its folder with everything in it."""
    for case, folder in (("file", False), ("file and folder", True)):
        with scene() as here:
            done(make_ledger, here)
            set_read_only(Path(here.place), folder)
            ended = done(powerless, here)
            set_read_only(Path(here.place), folder, back=True)
            verdict = judge_scene(here)
            yield Trial("read-only", case, ended or "nothing was refused", verdict)


def make_ledger(here: Scene) -> bool:
    return Ledger.open(here.place).accounts() == []


def set_read_only(file: Path, folder: bool, *, back: bool = False) -> None:
    """Remove write permission for everybody, or restore it."""
    file.parent.parent.chmod(0o755)
    file.chmod(0o600 if back else 0o444)
    file.parent.chmod(0o700 if back else 0o555 if folder else 0o777)


def powerless(here: Scene) -> str:
    if os.geteuid() == 0:
        os.setuid(NOBODY)  # root may write anywhere
    return error_of(lambda: Ledger.open(here.place).begin("people", 1, **ROWS))


def backward_clock(charges: int) -> Trial:
    """Date every entry a day before the previous one. The ledger and its sums must still be
    valid."""
    with scene() as here:
        verdict = Verdict(**done(lambda: vars(backward(here, charges))))
        return Trial("clock", f"{charges} charges, each a day before the last", "", verdict)


def backward(here: Scene, charges: int) -> Verdict:
    moments = (datetime(2024, 6, 1, tzinfo=UTC) - timedelta(days=day) for day in range(10**6))
    with patch("hushgram.trusted.ledger.chain.datetime") as clock:
        clock.now.side_effect = lambda zone: next(moments)
        ledger = Ledger.open(here.place)
        ledger.open_account("clock", 1, **ROWS)
        for _ in range(charges):
            ledger.begin("clock", f"1/{charges}", **ROWS)
        try:
            ledger.begin("clock", f"1/{charges}", **ROWS)
        except BudgetExceeded:
            return Verdict("nothing") if sound(ledger, charges) else Verdict("unsound", "the sum")
    return Verdict("unpaid", "an account was overdrawn")


def sound(ledger: Ledger, charges: int) -> bool:
    times = [entry.time for entry in ledger.entries()]
    return ledger.verify() == charges + 1 and times == sorted(times, reverse=True)
