"""The ledger under fire, in small: few kills, a small crowd, all edits."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

import assurance
import hushgram.errors
from assurance.fire.scene import Scene, Verdict
from hushgram.lab import tidy
from tests.program import run_program

SOURCE = os.pathsep.join(
    str(Path(m.__file__ or "").parents[1]) for m in (hushgram.errors, assurance)
)

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")


def fired(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """In a process of its own: the tests' has too many threads to fork."""
    return subprocess.run(
        [sys.executable, "-m", "assurance", "fire", *words],
        env={**os.environ, "PYTHONPATH": SOURCE},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.mark.slow
def test_a_small_fire_breaks_no_promise(tmp_path: Path) -> None:
    run = fired(
        tmp_path, "--kills", "32", "--processes", "16", "--attempts", "10", "--trials", "8",
        "-o", "fire.csv", "--page", "fire.md", "--json",
    )  # fmt: skip
    assert (run.returncode, run.stderr) == (0, "")
    assert json.loads(run.stdout)["violations"] == 0
    values: dict[tuple[str, str], float] = defaultdict(float)
    for row in tidy.read(tmp_path / "fire.csv"):
        values[row["part"], row["measure"]] += float(row["value"])
    assert values["crowd", "paid"] == values["crowd", "affordable"] == 80
    assert values["kills", "kills"] == 32
    for outcome in ("nothing", "forfeited", "same"):
        assert values["kills", outcome] > 0, outcome
    assert values["edits", "tried"] > 100
    assert values["troubles", "trials"] == 11
    assert values["troubles", "clean refusals"] >= 8
    assert "All of them together: **0**" in (tmp_path / "fire.md").read_text()


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    scene = Scene(tmp_path, str(tmp_path / "book" / "ledger.db"))
    scene.prepare()
    return scene


def test_a_finished_publish_is_the_same_again(scene: Scene) -> None:
    scene.publish()
    assert scene.judge() == Verdict("same")


def test_a_release_without_a_charge_is_unpaid(scene: Scene, tmp_path: Path) -> None:
    scene.publish()
    shutil.rmtree(Path(scene.place).parent)
    scene.output.rename(tmp_path / "stray")
    assert scene.judge().outcome == "unpaid"


def test_an_older_ledger_is_unsound(scene: Scene) -> None:
    scene.publish()
    shutil.rmtree(Path(scene.place).parent)
    verdict = scene.judge()
    assert (verdict.outcome, verdict.sound) == ("unsound", False)
    assert "does not contain receipt" in verdict.why


def test_other_bytes_for_one_request_are_found(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene.publish()
    publish = Scene.publish
    monkeypatch.setattr(Scene, "publish", lambda self: publish(self) + b"!")
    assert scene.judge().outcome == "changed"


def test_what_the_command_refuses(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run_program(capsys, "./hush assurance", "fire", "--page", "fire.md")
    assert code == 2
    assert "Name it with --output" in err
    code, _, err = run_program(capsys, "./hush assurance", "fire", "--ledger", "ledger.db")
    assert code == 2
    assert "postgresql:// address" in err
    Path("other.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    code, _, err = run_program(capsys, "./hush assurance", "fire", "-o", "other.csv")
    assert (code, "a different kind of CSV" in err) == (2, True)
