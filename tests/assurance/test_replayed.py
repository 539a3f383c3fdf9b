"""Neighbouring files under one recording: nothing may tell them apart, and planted leaks do."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from assurance.replayed import replay_pairs
from assurance.replayed.campaign import Search
from hushgram.mechanisms.registry import MECHANISMS, parse_mechanism
from hushgram.release.release import Release
from hushgram.trusted.engine.ibis.table import IbisTable
from hushgram.trusted.engine.sources import records
from hushgram.trusted.vault.sensitivity import Sensitivity
from tests.program import run_program


@pytest.mark.slow
def test_pairs_of_all_mechanisms() -> None:
    pairs = 230
    counts = list(
        replay_pairs([parse_mechanism(name) for name in MECHANISMS], pairs, smallest=False)
    )
    assert [count.example for count in counts] == [""] * len(counts)
    assert sum(count.pairs for count in counts) == pairs
    assert sum(count.moved for count in counts) >= pairs // 10
    for kind in (
        "published",
        "refused",
        "csv",
        "parquet",
        "people",
        "measures",
        "conditions",
        "plans",
    ):
        assert sum(getattr(count, kind) for count in counts) >= 1, kind
    assert max(count.most_of_epsilon for count in counts) == 1


def a_log_line(patch: pytest.MonkeyPatch) -> None:
    """Every chunk of text is logged with its length."""
    honest = records.whole_records

    def chatty(*given: Any) -> Any:
        for block in honest(*given):
            logging.getLogger("anything").debug("read %d bytes", len(block))
            yield block

    patch.setattr(records, "whole_records", chatty)


def half_the_noise(patch: pytest.MonkeyPatch) -> None:
    honest = Sensitivity.counts.fget  # type: ignore[attr-defined]
    patch.setattr(Sensitivity, "counts", property(lambda self: Fraction(honest(self), 2)))


def a_fact_in_the_release(patch: pytest.MonkeyPatch) -> None:
    """The name of the rows that are meant tells how large the file is."""
    seen: list[int] = []
    check, to_bytes = IbisTable.check, Release.to_bytes

    def looking(self: Any, *given: Any) -> None:
        check(self, *given)
        rows = self.view(["x"])
        seen.append(int(rows.count().execute()) if hasattr(rows, "count") else 0)

    patch.setattr(IbisTable, "check", looking)
    patch.setattr(Release, "to_bytes", lambda self: to_bytes(self) + bytes(seen[-1:]))


@pytest.mark.parametrize(
    ("plant", "found"),
    [(a_log_line, "logged"), (half_the_noise, "a loss of"), (a_fact_in_the_release, "files")],
)
def test_a_planted_leak_is_found(
    plant: Callable[[pytest.MonkeyPatch], None], found: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch)
    (count,) = replay_pairs([parse_mechanism("identity")], 60, smallest=False)
    assert count.differences == 1
    assert found in count.example


def test_the_command_writes_a_table_and_a_page(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run_program(
        capsys,
        "./hush assurance",
        "replay",
        "identity",
        "--pairs",
        "3",
        "-o",
        "r.csv",
        "--page",
        "r.md",
        "--json",
    )
    assert (code, err) == (0, "")
    assert json.loads(out)["mechanisms"][0]["pairs"] == 3
    assert Path("r.csv").read_text().startswith("mechanism,pairs,published")
    assert "**3 pairs, 0 that differ.**" in Path("r.md").read_text()


def test_a_stopped_campaign_is_resumed(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["replay", "identity", "hb", "--pairs", "6", "-o", "r.csv"]
    assert run_program(capsys, "./hush assurance", *words)[0] == 0
    whole = Path("r.csv").read_text()
    lines = whole.splitlines(keepends=True)
    Path("r.csv").write_text("".join(lines[:2]))
    searched: list[str] = []
    honest = Search.run

    def noted(self: Search, *given: Any) -> None:
        searched.append(self.mechanism.name)
        honest(self, *given)

    monkeypatch.setattr(Search, "run", noted)
    assert run_program(capsys, "./hush assurance", *words, "--resume")[0] == 0
    assert searched == ["hb"]
    assert Path("r.csv").read_text().splitlines(keepends=True)[:2] == lines[:2]
    run_program(
        capsys, "./hush assurance", "replay", "identity", "--pairs", "2", "-o", "r.csv", "--resume"
    )
    assert searched == ["hb", "identity"]


def test_only_a_table_of_a_replay_is_resumed(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = run_program(capsys, "./hush assurance", "replay", "--resume")
    assert (code, "Name it with --output" in err) == (2, True)
    Path("other.csv").write_text("a,b\n1,2\n")
    code, _, err = run_program(capsys, "./hush assurance", "replay", "-o", "other.csv", "--resume")
    assert (code, "a different kind of CSV" in err) == (2, True)
    assert Path("other.csv").read_text() == "a,b\n1,2\n"


def test_unknown_mechanisms_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run_program(capsys, "./hush assurance", "replay", "magic")
    assert code == 2
    assert "Unknown mechanism 'magic'" in err
