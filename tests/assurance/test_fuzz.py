"""The fuzzer itself: it sees what it is there to see."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import assurance
import hushgram.errors
from assurance.fuzz import FuzzRow, page_of
from assurance.fuzz.campaign import kind_of
from assurance.fuzz.files import (
    contents,
    edit_book,
    entries,
    forge_release,
    is_sealed,
    ledger_seed,
    unpack,
)
from assurance.fuzz.mutate import mutated_bytes, mutated_text, mutated_tree
from assurance.fuzz.seeds import cells_release, domains
from assurance.fuzz.target import Input, StepResult
from assurance.fuzz.targets import TARGETS
from assurance.fuzz.trial import general
from assurance.fuzz.words import grammar, restrict_words
from hushgram.geometry.partition import pack
from tests.program import run_program

SOURCE = os.pathsep.join(
    str(Path(m.__file__ or "").parents[1]) for m in (hushgram.errors, assurance)
)

pytestmark = pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="fuzzing needs Linux")

GOOD = StepResult(code=2, err="hushgram: no.\n", error="BadInput")


@pytest.mark.parametrize(
    ("change", "finding"),
    [
        ({}, None),
        ({"code": 0, "err": "", "out": "3\n", "charges": 1, "kept": 1}, None),
        ({"code": 1, "fault": "KeyError at a.py:f: 'x'"}, "exception: KeyError at a.py:f"),
        ({"code": 1}, "exit code #"),
        ({"err": "hushgram: Traceback\n"}, "a traceback was printed"),
        ({"err": "UserWarning: x\n"}, "a warning was printed"),
        ({"err": "hushgram: two\nlines\n"}, "a refusal is not one line"),
        ({"out": "half an answer\n"}, "a refusal is not one line"),
        ({"err": "hushgram: " + "x" * 3000 + "\n"}, "a message of # characters"),
        ({"err": "hushgram: \x1b[2J\n"}, "a terminal control character was printed"),
        ({"charges": 1}, "refused, but charged"),
        ({"charges": 1, "kept": 1}, None),
        ({"charges": 1, "kept": 1, "error": "OutputError"}, "refused, but charged"),
        ({"charges": 1, "error": "EngineFailed"}, None),
        ({"peak": 5000}, "memory"),
        ({"err": "hushgram: 7777.123\n"}, "a private value is in a message"),
        ({"code": 0, "err": "", "out": "SECRETMARK"}, "a private value is in the output"),
    ],
    ids=str,
)  # fmt: skip
def test_what_is_wrong_is_seen(change: dict[str, object], finding: str | None) -> None:
    found = general([], StepResult(**{**vars(GOOD), **change}))  # type: ignore[arg-type]
    assert [kind_of(one) for one in found] == ([] if finding is None else [finding])


def test_a_median_may_come_close_to_a_value_of_the_table() -> None:
    answer = StepResult(out="Median of income: 7777.1234\n", charges=1, kept=1)
    assert general(["median", "people.csv"], answer) == []
    assert general(["publish", "people.csv"], answer) == ["a private value is in the output"]


def test_a_seal_that_does_not_fit_is_seen() -> None:
    text, values = contents(cells_release())
    assert is_sealed(cells_release())
    assert is_sealed(forge_release(text.replace("identity", "identitz"), values))
    target, opened = TARGETS["release"], StepResult(code=0)
    changed = cells_release().replace(b'"identity"', b'"identitz"')
    assert changed != cells_release()
    assert target.wrong(Input(cells_release(), "show"), opened) == ""
    assert "seal" in target.wrong(Input(changed, "show"), opened)


def test_edits_of_a_ledger_are_done(tmp_path: Path) -> None:
    place = tmp_path / "ledger.db"
    book, _ = ledger_seed()
    place.write_bytes(book)
    before = entries(place)
    assert [entry[2] for entry in before] == ["open", "charge", "commit", "charge", "commit"]
    for edit in (
        ["sql", 2, "payload", "{}"],
        ["field", 1, "cap", "9"],
        ["run", "DROP INDEX states"],
    ):
        changed = edit_book(book, [edit], place)
        place.write_bytes(changed)
        assert changed != book
        assert (entries(place) == before) == (edit[0] == "run")
    assert edit_book(book, [["cut", 600]], place) == book[:600]
    assert edit_book(book, [["bytes", 100, "ffff"]], place)[100:102] == b"\xff\xff"


def test_spoiling_repeats_and_changes() -> None:
    def drawn(seed: int) -> list[object]:
        chance = random.Random(seed)
        tree = json.loads(domains()[0])
        return [
            [mutated_bytes(b"abcdefgh" * 9, [b"xyz" * 30], chance) for _ in range(300)],
            [mutated_text("age = 5, sex = 'F'", chance) for _ in range(300)],
            [json.dumps(mutated_tree(tree, chance)) for _ in range(300)],
        ]

    assert drawn(1) == drawn(1) != drawn(2)
    for some in drawn(1):
        assert isinstance(some, list)
        assert len(set(some)) > 200


@pytest.mark.parametrize("name", TARGETS)
def test_every_target_spoils_its_seeds(name: str) -> None:
    target, chance = TARGETS[name], random.Random(1)
    seeds = target.seeds()
    made = {target.mutated(chance.choice(seeds), seeds[:2], chance) for _ in range(100)}
    assert len(made - set(seeds)) > 60
    assert all(target.join(target.parts(data)) == data for data in seeds)


def test_words_come_from_every_command_and_stay_inside() -> None:
    known = {" ".join(path) for path, _ in grammar()}
    assert {"publish", "ledger set-cap", "keys new", "lab audit"} <= known
    assert ("--epsilon", True) in dict(grammar())[("publish",)]
    assert ("--force", False) in dict(grammar())[("publish",)]
    outside = ["/etc/x", "-o/x", "--output=/x", "~/x", "a/../../x"]
    assert restrict_words([*outside, "17..90", "0:9/5"]) == ["x"] * 5 + ["17..90", "0:9/5"]


FAULTS = """
import os, sys, time
from pathlib import Path
from random import Random
from assurance.fuzz import campaign, trial, worker
from assurance.fuzz.target import Target

worker.LONGEST, trial.MOST_MEMORY = 4.0, 100
FAULTS = {
    b"fine": lambda: 0,
    b"hang": lambda: time.sleep(60),
    b"died": lambda: os.kill(os.getpid(), 11),
    b"fill": lambda: len(b"x" * (200 << 20)),
    b"fail": lambda: {}["x"],
    b"tell": lambda: print("SECRETMARK"),
    b"away": lambda: Path("/hushgram-fuzz-was-here").write_text("x"),
}

class Faulty(Target):
    name, ending, ways = "faulty", ".txt", {"call": ()}
    def seeds(self): return list(FAULTS)
    def mutated(self, data, others, chance): return b"fine"
    def steps(self, given, folder): return [FAULTS.get(given.data, FAULTS[b"fine"])]

fuzzer = campaign.Fuzzer(Faulty(), Path("kept"), Random(1), print)
fuzzer.run(1e9, 120)
row = fuzzer.row(1, "")
print(row.findings, row.trials, row.cpu_seconds > 0, row.longest_seconds > 1, row.peak_mb > 100)
"""


@pytest.mark.slow
def test_hangs_crashes_memory_exceptions_and_leaks_are_found(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", FAULTS],
        env={**os.environ, "PYTHONPATH": SOURCE, "TMPDIR": str(tmp_path)},
        cwd=tmp_path, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert run.stderr == ""
    for kind in ("hang", "the process died (SIGSEGV)", "memory: ", "exception: KeyError",
                 "a private value is in the output", "exception: PermissionError"):  # fmt: skip
        assert f"FOUND: faulty call: {kind}" in run.stdout, kind
    numbers = run.stdout.splitlines()[-1].split()
    assert numbers[0] == "6"
    assert int(numbers[1]) >= 120
    assert numbers[2:] == ["True", "True", "True"]
    assert not Path("/hushgram-fuzz-was-here").exists()
    kept = sorted(file.read_bytes() for file in (tmp_path / "kept" / "faulty").glob("finding-*"))
    assert kept == [b"away", b"died", b"fail", b"fill", b"hang", b"tell"]


def test_the_page_adds_up_the_runs() -> None:
    told = FuzzRow(1, "plan", 100, 1800, 5, 7, 9, 2, 1.5, 50, "abc").to_json()
    row = {name: str(value) for name, value in told.items()}
    page = page_of([row, {**row, "run": "2", "findings": "0"}])
    assert "**200 trials in 1.00 hours of the processor, 2 findings, of which 0 in the last" in page
    assert "| plan | 200 | 3,600 | 5 | 7 | 9 | 2 | 1.5 | 50 |" in page
    assert "0 findings.**" in page_of([{**row, "findings": "0"}])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nothing"], "Unknown target 'nothing'. Targets: csv, parquet"),
        (["--page", "x.md"], "--page needs the CSV file"),
        (["--replay"], "--replay needs the folder of inputs"),
        (["-o", "other.csv"], "other.csv is a different kind of CSV"),
    ],
)
def test_bad_words(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    (folder / "other.csv").write_text("a,b\n1,2\n")
    code, out, err = run_program(capsys, "./hush assurance", "fuzz", *words)
    assert (code, out) == (2, "")
    assert message in err


def test_packed_numbers_that_were_mutated_before_are_left_alone() -> None:
    assert unpack(pack(np.array([3, -1]))).tolist() == [3, -1]
    for text in ("words", "i8:", "i8:!!", "i2:AAAA", pack(np.array([3, -1]))[:-6]):
        assert unpack(text) is None
