"""Run trials of every target for some time, and collect the results."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any

from assurance.fuzz.target import Input, Target
from assurance.fuzz.trial import TrialOutcome
from assurance.fuzz.worker import Known, Worker, rehearse
from hushgram import __version__

KEPT = 40
"""The maximum number of inputs of a target in the corpus folder."""

LARGEST = 8 << 10
"""The maximum number of bytes of an input in the corpus folder."""

BATCH = 200
"""The number of trials per process; its CPU time is known when it ends."""

TRACED = 0.1
"""The share of trials whose lines are traced, which doubles their time."""

SHRINKS = 60
"""The maximum number of trials to shrink the input of a finding."""


@dataclass(frozen=True)
class FuzzRow:
    """The results of fuzzing one target."""

    run: int
    target: str
    trials: int
    cpu_seconds: float
    kept: int
    outcomes: int
    lines: int
    findings: int
    longest_seconds: float
    peak_mb: int
    commit: str

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass
class Fuzzer:
    """The search of one target: its pool of inputs, and its findings."""

    target: Target
    folder: Path | None
    chance: Random
    report: Callable[[str], None]

    def __post_init__(self) -> None:
        self.known: Known = set()
        self.worker = Worker(self.target, self.known)
        self.pool: list[Input] = []
        self.seen: set[str] = set()
        self.found: dict[str, Input] = {}
        self.trials, self.lines, self.longest, self.peak = 0, 0, 0.0, 0
        self.begun = False

    def run(self, cpu: float, trials: int | None) -> None:
        """Run until the workers have used ``cpu`` seconds, or for ``trials`` mutated inputs."""
        if not self.begun:
            self.begun = True
            rehearse(self.target, list(self.target.ways)[: None if trials is None else 1])
            self.replay(traced=trials is None)
        left = trials
        while self.worker.cpu < cpu and left != 0:
            batch = BATCH if left is None else min(BATCH, left)
            for _ in range(batch):
                self.step(self.mutated(), traced=self.chance.random() < TRACED)
            self.worker.stop()
            left = None if left is None else left - batch

    def replay(self, *, traced: bool) -> None:
        """Run valid inputs, the first in every way, then the inputs that an earlier search kept."""
        for number, data in enumerate(self.target.seeds()):
            for way in self.target.ways if number == 0 else [self.way()]:
                self.step(Input(data, way), save=False, traced=traced)
        for given in read_inputs(self.target, self.folder):
            self.step(given, save=False, traced=traced)
            if given not in self.pool:
                self.pool.append(given)

    def replay_kept(self) -> None:
        """Run only the inputs that were kept."""
        self.begun = True
        rehearse(self.target, list(self.target.ways)[:1])
        for given in read_inputs(self.target, self.folder):
            self.step(given, save=False)
        self.worker.stop()

    def mutated(self) -> Input:
        base = self.chance.choice(self.pool)
        others = [self.chance.choice(self.pool).data for _ in range(2)]
        way = base.way if self.chance.random() < 0.5 else self.way()
        return Input(self.target.mutated(base.data, others, self.chance), way)

    def way(self) -> str:
        """Choose a way, rarely a slow one."""
        way = self.chance.choice(list(self.target.ways))
        slow = way in self.target.slow and self.chance.random() > 0.1
        return next(iter(self.target.ways)) if slow else way

    def step(self, given: Input, *, save: bool = True, traced: bool = False) -> None:
        outcome = self.try_input(given, traced=traced)
        if outcome.findings == ["hang"]:  # perhaps the machine was busy: try again
            outcome = self.try_input(given)
        new = outcome.signature not in self.seen
        self.seen.add(outcome.signature)
        self.lines += len(outcome.lines)
        self.known.update(places(outcome))
        for finding in outcome.findings:
            self.convict(given, finding)
        if (new or outcome.lines) and not outcome.findings:
            self.pool.append(given)
            if save:
                self.save(given)

    def try_input(self, given: Input, *, traced: bool = False) -> TrialOutcome:
        outcome = self.worker.run(given, traced=traced)
        self.trials += 1
        self.longest = max(self.longest, outcome.seconds)
        self.peak = max(self.peak, outcome.peak)
        return outcome

    def convict(self, given: Input, finding: str) -> None:
        """Report a finding once, with a smaller input if possible."""
        kind = kind_of(finding)
        if kind in self.found:
            return
        self.found[kind] = given
        small = self.shrunk(given, kind)
        self.report(f"FOUND: {self.target.name} {small.way}: {finding}: {small.data[:300]!r}")
        self.save(small, "finding-")

    def shrunk(self, given: Input, kind: str) -> Input:
        """Remove parts of an input as long as the finding remains."""
        parts = self.target.parts(given.data)
        size, left = max(len(parts) // 2, 1), 0 if kind == "hang" else SHRINKS
        while size and left:
            place = 0
            while place < len(parts) and left:
                less = [*parts[:place], *parts[place + size :]]
                smaller = Input(self.target.join(less), given.way)
                left -= 1
                if kind in map(kind_of, self.try_input(smaller).findings):
                    given, parts = smaller, less
                else:
                    place += size
            size //= 2
        return given

    def save(self, given: Input, prefix: str = "") -> None:
        if self.folder is None:
            return
        home = self.folder / self.target.name
        home.mkdir(parents=True, exist_ok=True)
        full = len(list(home.iterdir())) >= KEPT or len(given.data) > LARGEST
        if prefix or not full:
            name = f"{prefix}{given.way}-{given.digest}{self.target.ending}"
            (home / name).write_bytes(given.data)

    def row(self, run: int, commit: str) -> FuzzRow:
        return FuzzRow(
            run, self.target.name, self.trials, round(self.worker.cpu, 1), len(self.pool),
            len(self.seen), self.lines, len(self.found), round(self.longest, 2), self.peak, commit,
        )  # fmt: skip


def places(outcome: TrialOutcome) -> Iterator[tuple[str, int]]:
    from assurance.fuzz.trial import HOME

    for line in outcome.lines:
        file, _, number = line.rpartition(":")
        yield str(Path(HOME, file)), int(number)


def kind_of(finding: str) -> str:
    """Return the kind and place of a finding; equal ones count as one."""
    head, _, rest = finding.partition(": ")
    if head == "exception":
        return f"{head}: {rest.partition(': ')[0]}"
    return re.sub("[0-9]+", "#", head)


def read_inputs(target: Target, folder: Path | None) -> list[Input]:
    """Read the inputs in a folder, in the order of their names."""
    home = folder / target.name if folder else None
    if home is None or not home.is_dir():
        return []
    return [
        Input(file.read_bytes(), file.name.removeprefix("finding-").partition("-")[0])
        for file in sorted(home.iterdir())
    ]


def fuzz(
    targets: Sequence[Target],
    *,
    minutes: float,
    trials: int | None = None,
    folder: Path | None = None,
    seed: int = 0,
    run: int = 1,
    replay: bool = False,
    report: Callable[[str], None] = lambda message: None,
) -> Iterator[list[FuzzRow]]:
    """Fuzz the targets in turn, a minute each. Yields the results of all after every turn.

    Minutes are CPU minutes over all targets, and only of the processes that run trials. With
    `replay`, each target's kept inputs are run once.
    """
    commit = commit_here()
    fuzzers = [
        Fuzzer(target, folder, Random(f"{seed} {target.name}"), report) for target in targets
    ]
    each = 60 * minutes / len(fuzzers)
    turns = 1 if replay else max(int(each / 60), 1)
    for turn in range(1, turns + 1):
        for fuzzer in fuzzers:
            if replay:
                fuzzer.replay_kept()
            else:
                fuzzer.run(each * turn / turns, trials)
            yield [one.row(run, commit) for one in fuzzers if one.begun]


def commit_here() -> str:
    """Return the commit of the clone, with "+" if it was changed; the version if it is not a
    clone."""
    words = ["git", "describe", "--always", "--exclude=*", "--dirty=+"]
    described = subprocess.run(words, cwd=Path(__file__).parent, capture_output=True, text=True)
    return described.stdout.strip() or __version__
