"""The full audit at a small size: all tests are made, go on where they stopped, and make a page."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from assurance.adversaries import attacks
from assurance.full import LearnedRatio, every_test, key_of
from assurance.pages import read_rows
from hushgram.lab.audit import ALPHA
from hushgram.lab.bound import lower_bound
from hushgram.mechanisms import MECHANISMS
from hushgram.mechanisms.identity import Identity
from tests.program import run_program

SMALL = ("audit", "identity", "--minutes", "0", "--draws", "400", "--runs", "40")


def test_every_test_has_a_name_of_its_own() -> None:
    tests = every_test([make() for make in MECHANISMS.values()])
    assert len({key_of(test) for test in tests}) == len(tests) > 300


@pytest.mark.parametrize("name", MECHANISMS)
def test_attacks_are_on_neighbours(name: str) -> None:
    for attack in attacks(MECHANISMS[name]()):
        first, second = (len(table.rows) for table in attack.tables)
        added = 0 if attack.neighbours == "replace-one" else attack.unit.rows
        assert first - second == added


def test_a_likelihood_ratio_sees_what_no_feature_shows() -> None:
    """Two features, of which only the difference tells the tables apart."""
    rng = np.random.default_rng(5)
    common = rng.normal(scale=20, size=(2, 20_000))
    own = rng.normal(size=(2, 20_000))
    first, second = (
        np.column_stack([c, c + o + shift]) for c, o, shift in zip(common, own, (3, 0), strict=True)
    )
    learned = LearnedRatio.on(first[::2], second[::2])
    plain = lower_bound(first, second, 1e-6).epsilon
    both = learned.append_to(first), learned.append_to(second)
    assert lower_bound(*both, 1e-6).epsilon > plain + 0.3


@pytest.mark.slow
def test_it_goes_on_and_makes_a_page(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run_program(
        capsys, "./hush assurance", *SMALL, "-o", "full.csv", "--page", "page"
    )
    assert (code, "0 convicted" in out) == (0, True)
    rows = read_rows(folder / "full.csv")
    assert {row["level"] for row in rows} == {ALPHA / len(rows)}
    text = (folder / "page" / "audit.md").read_text(encoding="utf-8")
    assert f"**{len(rows)} tests, 0 convicted.**" in text
    pictures = sorted(path.name for path in (folder / "page").glob("*.png"))
    assert pictures == ["audit-choice.png", "audit-mechanism.png", "audit-operation.png"]
    lines = (folder / "full.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "full.csv").write_text("".join(lines[:-2]), encoding="utf-8")
    code, out, _ = run_program(capsys, "./hush assurance", *SMALL, "-o", "full.csv", "--resume")
    assert (code, out.count("claims")) == (0, 2)
    assert [r["pair"] for r in read_rows(folder / "full.csv")] == [r["pair"] for r in rows]


def test_other_files_are_no_audit(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "other.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    code, _, error = run_program(capsys, "./hush assurance", *SMALL, "-o", "other.csv", "--resume")
    assert (code, "a different kind of CSV" in error) == (2, True)
    code, _, error = run_program(capsys, "./hush assurance", "audit", "identity", "--resume")
    assert (code, "--output" in error) == (2, True)


@pytest.mark.parametrize("words", [SMALL, ("audit", "identity"), ("planted", "half-scale")])
def test_an_output_that_cannot_be_is_said_before_the_work(
    folder: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    code, out, error = run_program(capsys, "./hush assurance", *words, "-o", str(folder))
    assert (code, out) == (2, "")
    assert "is a folder" in error


def test_identity_is_attacked_on_three_domains() -> None:
    assert len({attack.tables[0].domain for attack in attacks(Identity())}) == 3
