"""Publishing a plan: one charge, all releases or none, and a budget that holds for every person."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import hushgram as hg
from hushgram.errors import (
    AccountMismatch,
    BadInput,
    BudgetExceeded,
    EngineFailed,
    RequestConflict,
    SourceError,
)
from hushgram.lab.replay import RecordingVault, ReplayingVault, Transcript, loss
from hushgram.spending.publish_plan import pack_releases, unpack_releases
from hushgram.trusted.engine.compiled import arrow
from hushgram.trusted.engine.keyed import Keyed
from hushgram.trusted.engine.sources.source import open_table
from hushgram.trusted.ledger import Receipt, ledger_path
from hushgram.trusted.vault import budget_pool

REGIONS = hg.Category(["north", "south", "west"])
AGES = {"age": hg.Integer(0, 9)}
BY_REGION = {**AGES, "region": REGIONS}


def people(rows: int = 300) -> pd.DataFrame:
    number = np.arange(rows)
    return pd.DataFrame(
        {
            "age": number % 10,
            "region": np.array(["north", "south", "west", "sea"])[number % 4],
            "who": [f"u{k}" for k in number // 2],
        }
    )


def plan(**more: Any) -> hg.Plan:
    return hg.Plan(
        [
            hg.Planned("ages", AGES, share="1/4", mechanism="identity"),
            hg.Planned("by-region", BY_REGION, share="3/4", per="region", mechanism="identity"),
        ],
        **{"epsilon": 1, **more},
    )


def entries(account: str = "people") -> list[str]:
    if not ledger_path().exists():
        return []
    return [entry.kind for entry in hg.Ledger.open().entries(account)]


def test_a_plan_is_charged_once_and_each_release_has_its_own_epsilon() -> None:
    releases = hg.publish_plan(people(), plan(), account="people")
    assert list(releases) == ["ages", "by-region-north", "by-region-south", "by-region-west"]
    assert [release.epsilon for release in releases.values()] == [Fraction(1, 4)] + [
        Fraction(3, 4)
    ] * 3
    assert all(release.domain == hg.Domain(AGES) for release in releases.values())
    assert [release.where for release in releases.values()] == [
        "", "region = north", "region = south", "region = west",
    ]  # fmt: skip
    assert releases["by-region-west"].rollup(age=5).where == "region = west"
    assert entries() == ["open", "charge", "commit"]
    ledger = hg.Ledger.open()
    assert ledger.account("people").spent == 1
    (receipt,) = {tuple(sorted((release.receipt or {}).items())) for release in releases.values()}
    assert ledger.find(Receipt.from_json(dict(receipt)))
    assert Fraction(dict(receipt)["epsilon"]) == 1
    ledger.verify()


def test_the_releases_are_about_the_rows_that_they_name() -> None:
    """With a huge epsilon there is no noise to speak of."""
    frame = people()
    loud = hg.publish_plan(frame, plan(epsilon=10_000), account="a", allow_large=True)
    for region in REGIONS.values:
        ages = frame[frame["region"] == region]["age"]
        truth = np.bincount(ages, minlength=10)
        assert loud[f"by-region-{region}"].to_array().tolist() == truth.tolist()
    truth = np.bincount(frame["age"], minlength=10)
    assert loud["ages"].to_array().tolist() == truth.tolist()


@pytest.mark.parametrize(
    ("mechanism", "unit"),
    [
        ("auto", "rows"), ("noise-first", hg.User("who", max_rows=2)), ("privtree-hb", "rows"),
        ("adaptive-grid", "rows"), ("kd-cell", hg.User("who", max_rows=2)),
    ],
)  # fmt: skip
def test_any_mechanism_may_be_asked_per_key(mechanism: str, unit: Any) -> None:
    """A map has two axes beside the key, whose cells are more than can be counted ahead."""
    frame = people(2000).assign(lon=np.linspace(0, 1, 2000), lat=np.linspace(0, 1, 2000) ** 2)
    flat = mechanism in ("adaptive-grid", "kd-cell")
    shape = {"lon": (0, 1), "lat": (0, 1)} if flat else {"lon": hg.Regular(64, 0, 1)}
    one = hg.Planned("x", {**shape, "region": REGIONS}, 10, per="region", mechanism=mechanism)
    found = hg.publish_plan(frame, hg.Plan([one], unit=unit), account="a")
    for release in found.values():
        assert release.domain.names == tuple(shape)
        assert release.mechanism == mechanism or mechanism == "auto"
        assert release.count().value == pytest.approx(500, abs=100)


def test_a_scan_is_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    scans = []
    tally = arrow.tally_rows

    def counting(grids: Any, *more: Any) -> Any:
        scans.append(len(grids))
        return tally(grids, *more)

    hg.publish_plan(people(), plan(), account="first")  # rehearses, which scans no rows
    monkeypatch.setattr(arrow, "tally_rows", counting)
    hg.publish_plan(people(), plan(), account="people")
    assert scans == [2]


def test_the_same_request_gives_the_stored_releases() -> None:
    first = hg.publish_plan(people(), plan(), account="people", request="monday")
    again = hg.publish_plan(people(), plan(), account="people", request="monday")
    assert list(again) == list(first)
    assert [one.to_bytes() for one in again.values()] == [one.to_bytes() for one in first.values()]
    assert entries() == ["open", "charge", "commit"]
    other = hg.Plan([*plan().releases[:1], hg.Planned("b", AGES, "3/4")])
    with pytest.raises(RequestConflict, match="used for a different request"):
        hg.publish_plan(people(), other, account="people", request="monday")


def test_a_bundle_holds_the_files_and_is_the_same_twice() -> None:
    releases = hg.publish_plan(people(), plan(), account="people")
    data = pack_releases(releases)
    assert pack_releases(unpack_releases(data)) == data == pack_releases(releases)


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        ({"plan": plan(unit=hg.User("nobody", 2))}, SourceError, "no column 'nobody'"),
        ({"plan": hg.Plan([hg.Planned("a", AGES, 1), hg.Planned("b", {"x": (0, 1)}, 1)])},
         SourceError, "no column 'x'"),
        ({"plan": plan(epsilon=11)}, BadInput, "above 10"),
        ({"account": None}, BadInput, "account is missing"),
        ({"noise": "loud"}, BadInput, "loud"),
        ({"source": "nowhere.csv"}, SourceError, "does not exist"),
    ],
)  # fmt: skip
def test_what_cannot_be_published_costs_nothing(
    change: dict[str, Any], error: type[Exception], said: str, ledger_file: Path
) -> None:
    given = {"source": people(), "plan": plan(), "account": "people", **change}
    with pytest.raises((error, ValueError), match=said):
        hg.publish_plan(**given)
    assert not ledger_file.exists() or not hg.Ledger.open().accounts()


def test_a_plan_that_is_too_dear_is_not_begun() -> None:
    hg.Ledger.open().open_account("people", "0.9", unit="rows", neighbours="add-remove")
    with pytest.raises(BudgetExceeded):
        hg.publish_plan(people(), plan(), account="people")
    assert entries() == ["open"]
    with pytest.raises(AccountMismatch):
        hg.publish_plan(people(), plan(unit=hg.User("who", 2)), account="people")


def test_counts_may_go_without_an_account(ledger_file: Path) -> None:
    parts = {"x0": hg.Integer(0, 1), "x1": hg.Integer(0, 2)}
    counts = hg.Counts([[50, 60, 70], [5, 6, 7]])
    both = hg.Plan(
        [hg.Planned("a", parts, 500), *(hg.Planned(k, parts, 250, per=k) for k in parts)]
    )
    found = hg.publish_plan(counts, both, allow_large=True)
    assert [one.to_array().tolist() for one in found.values()] == [
        [[50, 60, 70], [5, 6, 7]], [50, 60, 70], [5, 6, 7], [50, 5], [60, 6], [70, 7],
    ]  # fmt: skip
    assert all(one.unaccounted for one in found.values())
    assert not ledger_file.exists()


def test_a_failure_in_the_middle_forfeits_all(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: Any, partition: Any) -> Any:
        raise EngineFailed("the engine failed while counting.")

    with monkeypatch.context() as patch:
        patch.setattr(Keyed, "count", broken)
        with pytest.raises(EngineFailed):
            hg.publish_plan(people(), plan(), account="people", request="monday")
    assert entries() == ["open", "charge"]
    assert hg.Ledger.open().account("people").remaining == 0
    with pytest.raises(RequestConflict, match="did not finish"):
        hg.publish_plan(people(), plan(), account="people", request="monday")


DIE = """
import os, signal, sys
import hushgram as hg
from hushgram.spending import publish_plan as plans, task
from hushgram.trusted.engine.keyed import Keyed
def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)
charge = task.charge
def charge_then_break(*arguments, **more):  # not before: a rehearsal would notice
    Keyed.count = die
    return charge(*arguments, **more)
if sys.argv[1] == "after the first release":
    task.charge = charge_then_break
else:
    plans.pack_releases = lambda releases: die()
plan = hg.Plan.from_toml('''
epsilon = 1
[[release]]
name = "first"
axes = { x0 = "0..1", x1 = "0..1" }
share = "1/2"
[[release]]
name = "second"
axes = { x0 = "0..1", x1 = "0..1" }
per = "x0"
share = "1/2"
''')
hg.publish_plan(hg.Counts([[1, 2], [3, 4]]), plan, account="a", request="r1")
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
@pytest.mark.parametrize("moment", ["after the first release", "before the commit"])
def test_a_killed_plan_is_spent_and_never_drawn_again(moment: str) -> None:
    here = {**os.environ, "PYTHONPATH": str(Path(hg.__file__).parent.parent)}
    done = subprocess.run(
        [sys.executable, "-c", DIE, moment], env=here, capture_output=True, text=True,
        timeout=60, check=False,
    )  # fmt: skip
    assert (done.stderr, done.returncode) == ("", -signal.SIGKILL)
    assert entries("a") == ["open", "charge"]
    halves = [
        hg.Planned("first", {"x0": hg.Integer(0, 1), "x1": hg.Integer(0, 1)}, "1/2"),
        hg.Planned("second", {"x0": hg.Integer(0, 1), "x1": hg.Integer(0, 1)}, "1/2", per="x0"),
    ]
    with pytest.raises(RequestConflict, match="did not finish"):
        hg.publish_plan(
            hg.Counts([[1, 2], [3, 4]]), hg.Plan(halves), account="a", request="r1"
        )  # fmt: skip
    hg.Ledger.open().verify()


def transcript_of(source: Any, planned: hg.Plan, patch: Any, replayed: Any = None) -> Transcript:
    """What the vaults of a plan are asked and say; with the answers of another run, if given."""
    transcript = Transcript()

    def recording(*arguments: Any, **more: Any) -> RecordingVault:
        kind = RecordingVault if replayed is None else ReplayingVault
        vault = kind(*arguments, **more)
        vault.transcript = transcript
        if isinstance(vault, ReplayingVault):
            vault.recording = replayed
        return vault

    with patch.context() as patched:
        patched.setattr(budget_pool, "TableVault", recording)
        hg.publish_plan(source, planned, account="lab", ledger=hg.Ledger.in_memory())
    return transcript


def loss_of(first: Any, second: Any, planned: hg.Plan, patch: Any) -> Fraction:
    recorded = transcript_of(first, planned, patch)
    return loss(recorded, transcript_of(second, planned, patch, replayed=recorded))


BOUND = 4


def crowd(user_rows: int) -> pd.DataFrame:
    """People of one row each, and one with so many rows under every key."""
    others = pd.DataFrame({"age": [1, 2, 3], "region": REGIONS.values, "who": ["a", "b", "c"]})
    many = {"age": 5, "region": np.repeat(REGIONS.values, user_rows), "who": "z"}
    return pd.concat([others, pd.DataFrame(many)], ignore_index=True) if user_rows else others


def users_plan(neighbours: str = "add-remove") -> hg.Plan:
    return hg.Plan(
        [hg.Planned("x", BY_REGION, 1, per="region", mechanism="identity")],
        unit=hg.User("who", max_rows=BOUND),
        neighbours=neighbours,
    )


def test_a_user_under_many_keys_loses_epsilon_in_all(monkeypatch: pytest.MonkeyPatch) -> None:
    lost = loss_of(crowd(BOUND), crowd(0), users_plan(), monkeypatch)
    assert lost == 1


def test_a_replaced_user_loses_epsilon_in_all(monkeypatch: pytest.MonkeyPatch) -> None:
    other = crowd(BOUND).assign(age=crowd(BOUND)["age"].replace(5, 6))
    lost = loss_of(crowd(BOUND), other, users_plan("replace-one"), monkeypatch)
    assert 0 < lost <= 1


def test_a_bound_for_each_key_would_lose_it_once_per_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """The attack: a user with the allowed number of rows under each of three keys."""

    def bounding_each(frame: Any) -> Callable[..., Keyed]:
        def keyed(table: Any, whole: hg.Domain, key: str, index: int) -> Keyed:
            sides = {name: (0, axis.size) for name, axis in whole.items()}
            box = whole.box([*{**sides, key: (index, index + 1)}.values()])
            own = open_table(frame).bound_to(box, users_plan().unit)
            return Keyed(own, whole, key, index)

        return keyed

    monkeypatch.setattr(budget_pool, "Keyed", bounding_each(crowd(BOUND)))
    recorded = transcript_of(crowd(BOUND), users_plan(), monkeypatch)
    monkeypatch.setattr(budget_pool, "Keyed", bounding_each(crowd(0)))
    replayed = transcript_of(crowd(0), users_plan(), monkeypatch, replayed=recorded)
    assert loss(recorded, replayed) == len(REGIONS.values)


def test_a_row_that_changes_its_key_loses_epsilon_in_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mechanism that asks for totals: under replace-one a row changes two of them."""
    first, second = people(), people()
    second.loc[0, ["region", "age"]] = "south", 7
    wide = {"age": hg.Integer(0, 99), "region": REGIONS}
    for mechanism in ("auto", "uniform-grid", "hb"):
        planned = hg.Plan(
            [hg.Planned("x", wide, 1, per="region", mechanism=mechanism)], neighbours="replace-one"
        )
        assert 0 < loss_of(first, second, planned, monkeypatch) <= 1


def test_all_releases_together_lose_the_plan_s_epsilon(monkeypatch: pytest.MonkeyPatch) -> None:
    lost = loss_of(people(), people()[1:], plan(epsilon=2), monkeypatch)
    assert lost == 2
