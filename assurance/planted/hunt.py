"""Which check catches which bug."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from assurance.adversaries import all_operation_pairs
from assurance.planted import accounts, amounts, mechanisms, noise, operations
from assurance.planted.bug import Bug
from assurance.trials import amounts as carried
from assurance.trials import books, exact, people, samplers, statistics
from hushgram.errors import BadInput
from hushgram.lab.checks import CHECKS
from hushgram.lab.replay import ReplayMismatch
from hushgram.mechanisms.registry import MECHANISMS
from hushgram.trusted.vault.operations import OPERATIONS

BUGS: dict[str, Bug] = {
    bug.name: bug
    for kind in (noise, operations, amounts, mechanisms, accounts)
    for bug in kind.BUGS
}

QUERIES = {kind.__name__: kind for kind in OPERATIONS}

ROOMS: dict[str, tuple[Callable[[], None], ...]] = {
    "noise": samplers.TRIALS,
    "people": people.TRIALS,
    "books": books.TRIALS,
    "amounts": carried.TRIALS,
}

FIGURE = 80
"""Letters of a figure that are shown."""

Trial = tuple[str, Callable[[], None]]


@dataclass(frozen=True)
class Catch:
    """A bug, and the check that caught it; empty if none did."""

    bug: str
    what: str
    caught_by: str
    figure: str

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def bugs_by_name(names: Iterable[str]) -> list[Bug]:
    """The bugs of these names, or all."""
    unknown = [name for name in names if name not in BUGS]
    if unknown:
        raise BadInput(f"no bug is called {unknown[0]!r}. Known: {', '.join(BUGS)}.")
    return [BUGS[name] for name in names] or list(BUGS.values())


def trials_of(room: str) -> Iterator[Trial]:
    """All checks of a room, the quick ones first."""
    if room == "split":
        yield "exact losses of a split", exact.split_losses
    elif room in ROOMS:
        for trial in ROOMS[room]:
            yield f"{room}: {check_title(trial)}", trial
    elif room in MECHANISMS:
        for check in CHECKS:
            yield f"contract: {check_title(check)}", partial(on_mechanism, check, room)
        yield "statistics of runs", partial(statistics.mechanism_losses, room)
    else:
        yield from operation_trials(room)


def operation_trials(room: str) -> Iterator[Trial]:
    kind = QUERIES[room]
    if OPERATIONS[kind].additive:
        yield "exact distances", partial(exact.exact_distances, kind)
    if room == "Decomposition":
        yield "exact losses of a path", exact.tree_losses
    elif room == "SmoothMedian":
        yield "exact spreads", exact.spreads
    elif room == "NestedCounts":
        yield "exact losses of noise that agrees", exact.nested_losses
    elif not OPERATIONS[kind].additive:
        yield "exact losses of choices", partial(exact.choice_losses, kind)
    yield "statistics of draws", partial(statistics.operation_losses, kind)


def on_mechanism(check: Callable[[Any], None], name: str) -> None:
    check(MECHANISMS[name]())


def check_title(trial: Callable[..., Any]) -> str:
    return trial.__name__.removeprefix("check_").replace("_", " ")


def hunt_bug(bug: Bug) -> Catch:
    """Plant a bug, and run the checks of its rooms until one is not passed."""
    all_operation_pairs()  # made by the code as it is
    with bug.plant():
        for room in bug.rooms:
            for name, trial in trials_of(room):
                figure = fault(trial)
                if figure:
                    return Catch(bug.name, bug.what, name, figure)
    return Catch(bug.name, bug.what, "", "")


def fault(trial: Callable[[], None]) -> str:
    """What a check says; empty if it is passed. An error is a fault too: without a bug there
    is none."""
    try:
        trial()
    except ReplayMismatch:
        return "a different query for a neighbour"
    except AssertionError as error:
        return short(str(error).partition(": Job(")[0])
    except Exception as error:
        return short(f"{type(error).__name__}: {error}")
    return ""


def short(text: str) -> str:
    return text if len(text) <= FIGURE else text[: FIGURE - 1] + "…"


def alarms(bugs: Iterable[Bug]) -> list[str]:
    """What the checks of all these bugs' rooms say about the code as it is: nothing."""
    rooms = dict.fromkeys(room for bug in bugs for room in bug.rooms)
    found = []
    for room in rooms:
        for name, trial in trials_of(room):
            figure = fault(trial)
            if figure:
                found.append(f"FALSE ALARM in {room}: {name}: {figure}")
    return found
