"""``hushgram publish --plan``: what it writes, prints, previews and refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import hushgram as hg
from hushgram.errors import OutputError
from tests.surface.conftest import Run, history

PLAN = """
epsilon = 1

[[release]]
name = "ages"
axes = { age = "0..9" }
share = "1/4"

[[release]]
name = "by-sex"
axes = { sex = "F,M", age = "0..9" }
per = "sex"
share = "3/4"
mechanism = "hb"
"""

COMMAND = "publish", "people.csv", "--account", "people", "--plan", "plan.toml"
FILES = ["ages.hush.parquet", "by-sex-F.hush.parquet", "by-sex-M.hush.parquet"]


@pytest.fixture(autouse=True)
def plan(folder: Path) -> Path:
    (folder / "plan.toml").write_text(PLAN)
    return folder / "plan.toml"


def test_a_plan_is_published_into_a_folder(run: Run, folder: Path) -> None:
    result = run(*COMMAND, "-o", "out/here")
    assert (result.code, result.err) == (0, "")
    here = folder / "out" / "here"
    assert sorted(file.name for file in here.iterdir()) == FILES
    lines = result.out.splitlines()
    assert lines[0].split() == ["release", "epsilon", "mechanism", "parts", "rows"]
    assert lines[1].split() == ["out/here/ages.hush.parquet", "0.25", "identity", "10"]
    assert lines[2].split()[1:] == ["0.75", "hb", "10", "sex", "=", "F"]
    assert (
        "Charged 1 once.\n"
        "New account 'people': cap ε = 1. This is the only account in the ledger.\n"
        "Account people: 0 of 1 left.\n"
    ) in result.out
    assert history() == {"people": ["open", "charge", "commit"]}
    women = hg.load(here / FILES[1])
    assert (women.where, women.domain.names) == ("sex = F", ("age",))
    assert "sex = F" in run("show", f"out/here/{FILES[1]}").out
    assert "sex = F" in women.report()
    sound = run("ledger", "verify", *(f"out/here/{file}" for file in FILES), "--json")
    assert json.loads(sound.out)["receipts"] == 3


def test_json_and_the_default_folder(run: Run, folder: Path) -> None:
    found = json.loads(run(*COMMAND, "--json").out)
    assert found["epsilon"] == "1"
    assert (found["account"], found["remaining"], found["cap"]) == ("people", "0", "1")
    assert found["releases"][2].pop("rows_inside")["confidence"] == 0.95
    assert found["releases"][2] == {
        "release": "people/by-sex-M.hush.parquet", "where": "sex = M", "mechanism": "hb",
        "epsilon": "0.75", "parts": 10,
    }  # fmt: skip
    assert sorted(file.name for file in (folder / "people").iterdir()) == FILES


def test_a_dry_run_opens_nothing(run: Run, folder: Path, ledger_file: Path) -> None:
    words = "publish", "nowhere.csv", *COMMAND[2:], "--dry-run"
    (folder / "people").mkdir()
    (folder / "people" / FILES[0]).write_text("")
    result = run(*words)
    assert (result.code, result.err) == (0, "")
    assert "people/by-sex-M.hush.parquet  0.75     hb         sex = M" in result.out
    assert "Would charge 1 to account people, once for all releases" in result.out
    told = json.loads(run(*words, "--json").out)
    assert (told["epsilon"], told["unit"], told["neighbours"]) == ("1", "rows", "add-remove")
    assert [line["exists"] for line in told["releases"]] == [True, False, False]
    assert not ledger_file.exists()
    assert len(list((folder / "people").iterdir())) == 1


def test_nothing_is_overwritten_unasked(run: Run, folder: Path) -> None:
    (folder / "people").mkdir()
    (folder / "people" / FILES[2]).write_text("somebody's")
    result = run(*COMMAND)
    assert result.code == 2
    assert "by-sex-M.hush.parquet already exists" in result.err
    assert history() == {}
    assert run(*COMMAND, "--force").code == 0
    assert hg.load(folder / "people" / FILES[2]).where == "sex = M"


def test_a_request_asked_again_is_free(run: Run, folder: Path) -> None:
    assert run(*COMMAND, "--request", "monday", "-o", "one").code == 0
    before = history()
    assert run(*COMMAND, "--request", "monday", "-o", "two").code == 0
    assert history() == before
    for file in FILES:
        assert (folder / "one" / file).read_bytes() == (folder / "two" / file).read_bytes()


def test_paid_releases_survive_a_full_disk(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: hg.Release, path: Any, **_: Any) -> None:
        raise OutputError(f"{path} cannot be written: No space left on device.")

    with monkeypatch.context() as patch:
        patch.setattr(hg.Release, "save", full)
        result = run(*COMMAND)
    assert result.code == 2
    assert "The releases are paid for and stored. Repeat the command" in result.err
    request = result.err.split("--request ")[1].split()[0]
    assert run(*COMMAND, "--request", request).code == 0
    assert history() == {"people": ["open", "charge", "commit"]}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("--axis", "age=0..9"),
            "--axis cannot be combined with --plan. Set it in the plan instead",
        ),
        (("-e", "1", "-m", "hb"), "--epsilon, --mechanism cannot be combined with --plan"),
        (("--unit", "who", "--max-rows", "3"), "--unit, --max-rows cannot be combined with --plan"),
        (("--neighbours", "replace-one"), "--neighbours cannot be combined with --plan"),
        (("-o", "people.csv"), "Cannot use people.csv as a folder: File exists"),
        (("--plan", "nothing.toml"), "The plan nothing.toml does not exist"),
    ],
)
def test_what_is_refused_costs_nothing(run: Run, words: tuple[str, ...], said: str) -> None:
    result = run(*COMMAND, *words)
    assert (result.code, result.out) == (2, "")
    assert said in result.err
    assert result.err.count("\n") == 1
    assert history() == {}


def test_a_mistake_in_the_plan_is_one_sentence(run: Run, plan: Path) -> None:
    plan.write_text(PLAN.replace("share", "shares", 1))
    result = run(*COMMAND)
    assert result.code == 2
    assert result.err == (
        "hushgram: plan.toml: release 'ages': unknown key 'shares' in a release of a plan. Did you "
        "mean 'share'? Known keys: name, axes, outside, epsilon, share, per, mechanism, workload, "
        "measures.\n"
    )
