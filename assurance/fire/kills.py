"""Kill a publish at every step, and at random times."""

from __future__ import annotations

import os
import random
import secrets
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass

from assurance.fire.children import Ended, done, start
from assurance.fire.scene import Scene, Verdict, judge_scene, scene
from assurance.fire.steps import StepCounter

RANDOM = "a random time"


@dataclass(frozen=True)
class Kill:
    """One kill, at a step or at a random time."""

    at: str
    verdict: Verdict


def kills(place: str | None, number: int, deadline: float) -> Iterator[Kill]:
    """Kill at every step once, or at ``number`` evenly spaced steps, in random order; then at
    random times."""
    names = rehearsal(place)
    with scene(place, stranger()) as timed:
        seconds = float(done(duration, timed))
    chosen = evenly(len(names), number)
    random.shuffle(chosen)  # the deadline may come before the last step
    steps: Iterator[int | None] = iter(chosen)
    made = 0
    while made < number and time.monotonic() < deadline:
        with scene(place, stranger()) as here:
            step = next(steps, None)
            ended = kill_publish(here, step, seconds)
            if ended.killed:  # at a random time, it may already have finished
                made += 1
                yield Kill(RANDOM if step is None else str(ended.result), judge_scene(here))


def kill_publish(here: Scene, step: int | None, seconds: float) -> Ended:
    if step is None:
        return start(lambda pipe: bool(here.publish())).end(after=random.uniform(0, seconds))

    def work(pipe: int) -> bool:
        def die(name: str) -> None:
            os.write(pipe, name.encode())
            os.kill(os.getpid(), signal.SIGKILL)

        with StepCounter(step, die):
            return bool(here.publish())

    return start(work).end()


def rehearsal(place: str | None = None) -> list[str]:
    """Return the names of all steps."""

    def work() -> list[str]:
        with StepCounter() as steps:
            here.publish()
        return steps.names

    with scene(place, stranger()) as here:
        return list(done(work))


def stranger() -> str:
    """Return a new account name, because ledgers on a server are reused."""
    return f"people {secrets.token_hex(8)}"


def evenly(steps: int, number: int) -> list[int]:
    """Return this many evenly spaced steps, or all."""
    chosen = min(number, steps)
    return [steps * turn // chosen for turn in range(chosen)]


def duration(here: Scene) -> float:
    start = time.monotonic()
    here.publish()
    return time.monotonic() - start
