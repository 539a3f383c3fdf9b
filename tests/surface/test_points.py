"""``hushgram points``."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import hushgram as hg
from tests.surface.conftest import Run


@pytest.fixture
def release(folder: Path) -> hg.Release:
    counts = np.random.default_rng(1).poisson(90, 64)
    made = hg.publish(hg.Counts(counts), epsilon=1, mechanism="sorted")
    made.save("r.hush.parquet")
    return made


def test_points_are_printed(run: Run, release: hg.Release) -> None:
    result = run("points", "r.hush.parquet")
    assert (result.code, result.err) == (0, "")
    heads, first, *rest = result.out.splitlines()
    assert heads.split() == ["x0", "count"]
    frame = release.points().to_pandas()
    assert first.split() == [f"{frame['x0'][0]:g}", str(frame["count"][0])]
    assert rest[-1] == f"… and {len(frame) - 20:,} more. See --output or --json."


def test_points_as_json_and_as_a_file(run: Run, release: hg.Release) -> None:
    frame = release.points().to_pandas()
    assert json.loads(run("points", "r.hush.parquet", "--json").out) == frame.to_dict("records")
    assert "Wrote p.csv: " in run("points", "r.hush.parquet", "-o", "p.csv").out
    pd.testing.assert_frame_equal(pd.read_csv("p.csv"), frame)
    assert run("points", "r.hush.parquet", "-o", "p.csv").code == 2
    assert json.loads(run("points", "r.hush.parquet", "-o", "p.csv", "--force", "--json").out) == {
        "file": "p.csv",
        "points": len(frame),
        "rows": int(frame["count"].sum()),
    }
    assert "Points are written as .csv" in run("points", "r.hush.parquet", "-o", "p.txt").err


def test_times_and_categories_are_texts(run: Run, folder: Path) -> None:
    days = pd.date_range("2024-01-01", periods=60)
    table = pd.DataFrame({"day": days.repeat(20), "sort": ["=a", "b"] * 600})
    domain = {"day": hg.Date("2024-01-01", "2024-03-31"), "sort": hg.Category(["=a", "b"])}
    made = hg.publish(table, domain, epsilon=5, account="days", mechanism="sorted")
    made.save("d.hush.parquet")
    found = json.loads(run("points", "d.hush.parquet", "--json").out)
    assert {row["sort"] for row in found} <= {"=a", "b"}
    assert all(row["day"].startswith("2024-0") for row in found)
    assert run("points", "d.hush.parquet", "-o", "d.csv").code == 0
    assert "'=a" in Path("d.csv").read_text() or all(row["sort"] == "b" for row in found)


def test_other_releases_have_none(run: Run, folder: Path) -> None:
    hg.publish(hg.Counts([5, 7]), epsilon=1, mechanism="identity").save("i.hush.parquet")
    result = run("points", "i.hush.parquet")
    assert (result.code, result.out) == (2, "")
    assert "no reconstructed points" in result.err


def test_a_signer_is_checked(run: Run, release: hg.Release) -> None:
    assert run("keys", "new", "steward.key").code == 0
    words = ("points", "r.hush.parquet", "--signer", "steward.key.pub")
    assert (run(*words).code, run(*words).out) == (2, "")
    assert run("sign", "r.hush.parquet", "--key", "steward.key").code == 0
    assert run(*words).code == 0
