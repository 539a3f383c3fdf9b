"""Find out which check catches which bug."""

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

AREAS: dict[str, tuple[Callable[[], None], ...]] = {
    "noise": samplers.TRIALS,
    "people": people.TRIALS,
    "books": books.TRIALS,
    "amounts": carried.TRIALS,
}

FIGURE = 80
"""The maximum number of characters of a message."""

Trial = tuple[str, Callable[[], None]]


@dataclass(frozen=True)
class Catch:
    """A bug, and the check that caught it; empty if it was missed."""

    bug: str
    what: str
    caught_by: str
    figure: str

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def bugs_by_name(names: Iterable[str]) -> list[Bug]:
    """Return the bugs with these names, by default all."""
    unknown = [name for name in names if name not in BUGS]
    if unknown:
        raise BadInput(f"Unknown bug {unknown[0]!r}. Bugs: {', '.join(BUGS)}.")
    return [BUGS[name] for name in names] or list(BUGS.values())


def trials_of(area: str) -> Iterator[Trial]:
    """Yield all checks of an area, the quick ones first."""
    if area == "split":
        yield "exact losses of a split", exact.split_losses
    elif area in AREAS:
        for trial in AREAS[area]:
            yield f"{area}: {check_title(trial)}", trial
    elif area in MECHANISMS:
        for check in CHECKS:
            yield f"contract: {check_title(check)}", partial(on_mechanism, check, area)
        yield "statistics of runs", partial(statistics.mechanism_losses, area)
    else:
        yield from operation_trials(area)


def operation_trials(area: str) -> Iterator[Trial]:
    kind = QUERIES[area]
    if OPERATIONS[kind].additive:
        yield "exact distances", partial(exact.exact_distances, kind)
    if area == "Decomposition":
        yield "exact losses of a path", exact.tree_losses
    elif area == "SmoothMedian":
        yield "exact spreads", exact.spreads
    elif area == "NestedCounts":
        yield "exact losses of noise that agrees", exact.nested_losses
    elif not OPERATIONS[kind].additive:
        yield "exact losses of choices", partial(exact.choice_losses, kind)
    yield "statistics of draws", partial(statistics.operation_losses, kind)


def on_mechanism(check: Callable[[Any], None], name: str) -> None:
    check(MECHANISMS[name]())


def check_title(trial: Callable[..., Any]) -> str:
    return trial.__name__.removeprefix("check_").replace("_", " ")


def hunt_bug(bug: Bug) -> Catch:
    """Plant a bug, and run the checks of its areas until one fails."""
    all_operation_pairs()  # created by the original code
    with bug.plant():
        for area in bug.areas:
            for name, trial in trials_of(area):
                figure = fault(trial)
                if figure:
                    return Catch(bug.name, bug.what, name, figure)
    return Catch(bug.name, bug.what, "", "")


def fault(trial: Callable[[], None]) -> str:
    """Run a check and return its message; empty if it passes. Any error counts as a failure."""
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
    """Run the checks of all these bugs' areas on the original code, and return the failures."""
    areas = dict.fromkeys(area for bug in bugs for area in bug.areas)
    found = []
    for area in areas:
        for name, trial in trials_of(area):
            figure = fault(trial)
            if figure:
                found.append(f"FALSE ALARM in {area}: {name}: {figure}")
    return found
