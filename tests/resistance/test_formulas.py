"""Formula injection: no text of a CSV export is run by a spreadsheet, and no number is a text."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import hushgram as hg
from hushgram.cli.app import main
from tests.samples import cells, release_of

TRICKS = [
    "=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1", "＋1", "－1", "＠x",
    '=HYPERLINK("http://example.org","x")', "=cmd|' /C calc'!A0", '"=1', ",=1", "a\r\n=1",
]  # fmt: skip
STARTS = tuple("=+-@\t\r\n＝＋－＠")


@pytest.mark.parametrize("trick", TRICKS)
def test_an_export_holds_no_formula(
    trick: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    release = release_of(cells(**{trick: hg.Category([trick, "plain"])}), [-3, 4])
    release.save("r.hush.parquet")
    with pytest.raises(SystemExit) as stop:
        main(["export", "r.hush.parquet", "-o", "r.csv"])
    assert stop.value.code == 0
    with Path("r.csv").open(newline="") as lines:
        head, first, second = csv.reader(lines)
    assert not any(text.startswith(STARTS) for text in (*head, first[0], second[0]))
    assert first[0].removeprefix("'") == trick
    assert (first[1], second[1]) == ("-3", "4")


def test_ranges_below_zero_stay_numbers(tmp_path: Path) -> None:
    release_of(cells(x=hg.Regular(1, -5, 5)), [-7]).to_csv(tmp_path / "r.csv")
    with (tmp_path / "r.csv").open(newline="") as lines:
        _, row = csv.reader(lines)
    assert row[:3] == ["-5.0", "5.0", "-7"]
