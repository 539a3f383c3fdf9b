"""Mistakes that stewards make: each is noticed, in a sentence that says what to do, and what can be
noticed from public facts costs nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

import hushgram as hg
from tests.surface.conftest import Run, history

PLACES = [(47.3 + k / 1000, 8.5 + k / 1000) for k in range(400)]


@pytest.fixture(autouse=True)
def stops(folder: Path) -> None:
    """One table, written as several offices would."""
    rows = [(lat, lon, k % 24, f"2024-03-{k % 28 + 1:02}", "AB"[k % 2])
            for k, (lat, lon) in enumerate(PLACES)]  # fmt: skip
    head = "lat{0}lon{0}hour{0}day{0}line\n"
    plain = "".join(f"{a:.4f},{b:.4f},{h},{d},{c}\n" for a, b, h, d, c in rows)
    (folder / "stops.csv").write_text(head.format(",") + plain)
    (folder / "semicolons.csv").write_text(head.format(";") + plain.replace(",", ";"))
    commas = (f'"{a:.4f}","{b:.4f}",{h},{d},{c}\n' for a, b, h, d, c in rows)
    (folder / "commas.csv").write_text(head.format(",") + "".join(commas).replace(".", ","))


def publish(*words: str, source: str = "stops.csv") -> tuple[str, ...]:
    return ("publish", source, "--account", "stops", "-e", "1", *words)


FREE = {
    "latitude beyond the pole": (
        publish("--axis", "lat=8:9", "--axis", "lon=-190:10"),
        "Axis lon: longitudes range from -180 to 180, or from 0 to 360. Found -190 to 10",
    ),
    "bounds of the other axis": (
        publish("--axis", "lat=-120:-100"),
        "Axis lat: latitudes range from -90 to 90. Found -120 to -100. Are longitude and "
        "latitude swapped?",
    ),
    "a bracket is missing": (
        publish("--axis", "hour=[0,6,12"),
        "Axis hour: cannot read '[0,6,12'.",
    ),
    "a comma for a range": (
        publish("--axis", "hour=0,23"),
        "For all whole numbers from 0 to 23, write hour=0..23",
    ),
    "bounds reversed": (
        publish("--axis", "lon=8.9:8.5/4"),
        "Axis lon: bounds are reversed. Did you mean lon=8.5:8.9/4?",
    ),
    "a mechanism misspelled": (
        publish("--axis", "hour=0..23", "-m", "privtre-hb"),
        "Unknown mechanism 'privtre-hb'. Did you mean 'privtree-hb'?",
    ),
    "another separator": (
        publish("--axis", "hour=0..23", source="semicolons.csv"),
        "--separator ';'",
    ),
    "people in a CSV": (
        publish("--axis", "hour=0..23", "--unit", "line", "--max-rows", "3"),
        "--line-breaks never",
    ),
    "a cap that is too small": (
        publish("--axis", "hour=0..23", "--cap", "0.5"),
        "Use a larger cap",
    ),
}  # fmt: skip


@pytest.mark.parametrize("mistake", FREE)
def test_mistakes_that_cost_nothing(run: Run, mistake: str) -> None:
    words, said = FREE[mistake]
    result = run(*words)
    assert result.code == 2
    assert said in result.err
    assert history() == {}


def test_a_column_misspelled(run: Run, folder: Path) -> None:
    import pyarrow.csv
    import pyarrow.parquet

    table = pyarrow.csv.read_csv(folder / "stops.csv")
    pyarrow.parquet.write_table(table, folder / "stops.parquet")
    result = run(*publish("--axis", "Hour=0..23", source="stops.parquet"))
    assert "The table has no column 'Hour'. Did you mean 'hour'?" in result.err
    assert history() == {}


HARDLY = {
    "lines in the wrong case": (("--axis", "line=a,b"), "categories differ in case"),
    "dates of another year": (("--axis", "day=2023-01-01..2023-12-31/1d"), "dates are in another"),
    "longitude and latitude are swapped": (
        ("--axis", "lat=8:9/4", "--axis", "lon=47:48/4"), "longitude and latitude are swapped",
    ),
}  # fmt: skip


@pytest.mark.parametrize("mistake", HARDLY)
def test_mistakes_that_only_the_rows_show(run: Run, mistake: str) -> None:
    words, cause = HARDLY[mistake]
    result = run(*publish(*words))
    assert result.code == 0
    assert "Hardly any rows fall inside the axes" in result.out
    assert cause in result.out


def test_decimal_commas(run: Run) -> None:
    axes = ("--axis", "lat=47:48/4", "--axis", "lon=8:9/4")
    result = run(*publish(*axes, source="commas.csv"))
    assert "text columns use decimal commas (--decimal ,)" in result.out
    again = run(
        "publish", "commas.csv", "--account", "again", "-e", "1", *axes, "--decimal", ",",
        "-o", "again.hush.parquet",
    )  # fmt: skip
    assert "rows fall inside the axes" in again.out


def test_the_first_question_leaves_a_budget_for_the_release(run: Run) -> None:
    found = run("find-bounds", "stops.csv", "lon", "--account", "stops", "--epsilon", "0.1")
    assert "New account 'stops': cap ε = 1. This is the only account in the ledger." in found.out
    assert (
        run("publish", "stops.csv", "--account", "stops", "-e", "0.9", "--axis", "hour=0..23").code
        == 0
    )
    assert hg.Ledger.open().account("stops").remaining == 0


def test_an_account_misspelled(run: Run) -> None:
    assert run(*publish("--axis", "hour=0..23")).code == 0
    result = run("ledger", "show", "stosp")
    assert "Did you mean 'stops'?" in result.err
    other = run("publish", "stops.csv", "--account", "stop", "-e", "1", "--axis", "hour=0..23",
                "-o", "b.hush.parquet")  # fmt: skip
    assert "New account 'stop': cap ε = 1. Other accounts in this ledger: 'stops'." in other.out


def test_an_axis_or_a_category_misspelled(run: Run) -> None:
    words = publish("--axis", "line=A,B", "--axis", "hour=0..23", "-o", "r.hush.parquet")
    assert "About 4" in run(*words).out
    assert "Did you mean 'hour'?" in run("count", "r.hush.parquet", "hours=3").err
    assert "Did you mean 'A'?" in run("count", "r.hush.parquet", "line=a").err
