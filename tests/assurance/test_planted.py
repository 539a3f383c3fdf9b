"""Every planted bug is caught, and the code as it is raises no alarm."""

from __future__ import annotations

import json

import pytest

from assurance.planted import BUGS, alarms, bugs_by_name, hunt_bug
from assurance.planted.hunt import QUERIES, fault, trials_of
from hushgram.mechanisms import MECHANISMS
from tests.program import run_program

pytestmark = pytest.mark.system_randomness

QUICK = (
    "split",
    "books",
    "people",
    "noise",
    "Total",
    "PartSums",
    "SortedSums",
    "SmoothMedian",
    "Medians",
)


LONG = {
    "centre-from-the-data",
    "no-clamp-in-sql",
    "noise-in-steps",
    "total-of-dropped",
    "unpaid-shift",
}
"""Bugs that take seconds to be caught: they are planted among the slow tests."""

PLANTED = [pytest.param(name, marks=[pytest.mark.slow] * (name in LONG)) for name in BUGS]


def test_there_are_thirty_bugs_or_more_in_rooms_that_exist() -> None:
    assert len(BUGS) >= 30
    assert {*BUGS} >= LONG
    known = {"noise", "people", "books", "amounts", "split", *MECHANISMS, *QUERIES}
    assert {area for bug in BUGS.values() for area in bug.areas} <= known


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_bug_is_caught(name: str) -> None:
    catch = hunt_bug(BUGS[name])
    assert catch.caught_by, f"nothing noticed {catch.what}"
    assert catch.figure


@pytest.mark.parametrize("area", QUICK)
def test_no_alarm_without_a_bug(area: str) -> None:
    assert {name: fault(trial) for name, trial in trials_of(area) if fault(trial)} == {}


@pytest.mark.slow
def test_no_alarm_anywhere_without_a_bug() -> None:
    assert alarms(bugs_by_name(())) == []


def test_the_command_lists_each_bug_with_its_check(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run_program(
        capsys, "./hush assurance", "planted", "float-budgets", "free-total", "--json"
    )
    found = json.loads(out)
    assert (code, found["escaped"], found["false_alarms"]) == (0, [], [])
    assert [one["caught_by"] for one in found["bugs"]] == ["books: exact sums", "exact distances"]


def test_an_unknown_bug_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, error = run_program(capsys, "./hush assurance", "planted", "no-such-bug")
    assert code == 2
    assert "Unknown bug 'no-such-bug'" in error
