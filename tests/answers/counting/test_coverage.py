"""Intervals hold the noise of every exact mechanism; what was measured is what the guide says."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hushgram as hg
from hushgram.answers.counting.cutting import Cutting
from hushgram.answers.counting.intervals import quantile, tabulate_quantiles, uneven_quantile
from hushgram.mechanisms.registry import BUILT_IN
from hushgram.release.parquet import build, describe

ROOT = Path(__file__).parents[3]
RESULTS = ROOT / "benchmarks" / "results" / "coverage.csv"
MEASURED = list(csv.DictReader(RESULTS.read_text().splitlines()))
GUIDE = (ROOT / "docs" / "guides" / "intervals.md").read_text()
EXACT = sorted(name for name, cls in hg.MECHANISMS.items() if cls.intervals == "exact")
COUNTS = np.rint(400 * np.exp(-np.arange(64) / 12)).astype(int)


@pytest.mark.parametrize("name", sorted(hg.MECHANISMS))
def test_every_mechanism_says_whether_its_intervals_are_exact(name: str) -> None:
    cls = hg.MECHANISMS[name]
    assert cls.intervals in ("exact", "approximate")
    assert cls.because != hg.Mechanism.because
    assert cls.because.endswith(".")
    assert cls().approximation() == ("" if cls.intervals == "exact" else cls.because)


def test_a_mechanism_that_says_nothing_is_approximate() -> None:
    assert hg.Mechanism.intervals == "approximate"


@pytest.mark.slow
def test_every_mechanism_was_measured() -> None:
    missing = {*BUILT_IN} - {row["mechanism"] for row in MEASURED}
    assert not missing, "run python benchmarks/intervals.py, and put its table into the guide"


@pytest.mark.parametrize("name", sorted({row["mechanism"] for row in MEASURED}))
def test_the_guide_has_the_numbers_that_were_measured(name: str) -> None:
    rows = [row for row in MEASURED if row["mechanism"] == name]
    line = next(line for line in GUIDE.splitlines() if line.startswith(f"| `{name}` |"))
    kind, noise, truth, quantiles, together = (cell.strip() for cell in line.split("|")[2:7])
    assert {row["intervals"] for row in rows} == {kind} == {hg.MECHANISMS[name].intervals}
    for measure, said in {
        "noise": noise, "truth": truth, "quantile": quantiles, "together": together
    }.items():  # fmt: skip
        measured = [f"{100 * float(row[measure]):.1f}" for row in rows if row[measure]]
        assert [number for number in said.split() if number != "–"] == measured


@pytest.mark.parametrize("row", MEASURED, ids=lambda row: "-".join(list(row.values())[:3]))
def test_exact_intervals_hold_as_often_as_promised(row: dict[str, str]) -> None:
    """Between 95 and 97 % of the time, give or take the error of measuring it."""
    if row["intervals"] == "exact":
        noise, error = float(row["noise"]), float(row["noise error"])
        assert 0.95 - 3.5 * error < noise < 0.97 + 3.5 * error
        assert not row["whole"] or float(row["whole"]) > 0.95 - 4 * float(row["whole error"])
        if row["together"]:
            assert float(row["together"]) > 0.95 - 3.5 * max(float(row["together error"]), 0.01)


@pytest.mark.parametrize("epsilon", ["0.1", "1"])
@pytest.mark.parametrize("name", EXACT)
def test_intervals_hold_noise_that_is_drawn_anew(name: str, epsilon: str) -> None:
    """The weights of questions on the measurements, times noise of the measurements' scale."""
    release = hg.publish(hg.Counts(COUNTS), epsilon=epsilon, mechanism=name)
    estimate, rng = release.estimate, np.random.default_rng(6)
    noise = [drawn(float(m.scale), (4000, m.partition.size), rng) for m in estimate.measurements]
    lows = rng.integers(0, 64, 40)
    highs = lows + 1 + rng.integers(0, 64 - lows)
    covered = []
    for low, high in zip(lows.tolist(), highs.tolist(), strict=True):
        answer = release.count(x0=(low, high))
        pulled = estimate.inference.pull(weights_of(release, low, high))
        off = sum(draws @ weights for draws, weights in zip(noise, pulled, strict=True))
        width = answer.interval[1] - answer.value
        covered.append(float(np.mean(np.abs(off) <= width + 1e-9)))
    assert 0.945 < np.mean(covered) < 0.975
    assert min(covered) > 0.93


@pytest.mark.parametrize("epsilon", ["0.1", "1"])
@pytest.mark.parametrize("name", EXACT)
def test_simultaneous_intervals_hold_together(name: str, epsilon: str) -> None:
    release = hg.publish(hg.Counts(COUNTS), epsilon=epsilon, mechanism=name)
    table, estimate = release.group_by("x0", simultaneous=True), release.project("x0").estimate
    rng = np.random.default_rng(8)
    noise = [drawn(float(m.scale), (4000, m.partition.size), rng) for m in estimate.measurements]
    each = [np.concatenate(estimate.inference.pull(one)) for one in np.eye(len(table))]
    width = (table["upper"] - table["lower"]).to_numpy() / 2
    inside = np.abs(np.concatenate(noise, axis=1) @ np.array(each).T) <= width + 1e-9
    assert inside.all(axis=1).mean() > 0.935


def drawn(scale: float, shape: tuple[int, int], rng: np.random.Generator) -> Any:
    chance = -np.expm1(-1 / scale)
    return (rng.geometric(chance, shape) - rng.geometric(chance, shape)).astype(np.float64)


def weights_of(release: hg.Release, low: int, high: int) -> Any:
    lower, upper = (corner[:, 0] for corner in release.estimate.partition.boxes())  # type: ignore[attr-defined]
    inside = np.minimum(upper, high) - np.maximum(lower, low)
    return np.maximum(inside, 0) / (upper - lower)


@pytest.mark.parametrize("share", [0.05, 0.3, 0.7, 0.95])
def test_one_large_term_among_small_ones_is_held_far_out(share: float) -> None:
    """Against 4 million draws of a Laplace and a normal variable."""
    rng = np.random.default_rng(7)
    scale = np.sqrt(share / 2)
    noise = np.abs(rng.laplace(0, scale, 4_000_000) + rng.normal(0, np.sqrt(1 - share), 4_000_000))
    for confidence in (0.9, 0.99, 0.999):
        beyond = float(np.mean(noise > uneven_quantile(share, confidence)))
        assert beyond == pytest.approx(1 - confidence, rel=0.12)


def test_nearer_in_equal_terms_are_the_wider_ones() -> None:
    assert tabulate_quantiles(0.95)[12] == quantile(float(np.geomspace(1, 4096, 49)[12]), 0.95)
    assert tabulate_quantiles(1 - 1e-4)[12] > quantile(
        float(np.geomspace(1, 4096, 49)[12]), 1 - 1e-4
    )


@pytest.mark.parametrize("name", ["ahp", "noise-first", "isotonic", "dpcube", "grouping-smoothing"])
def test_groups_of_cells_are_parts_that_can_be_cut(name: str) -> None:
    release = hg.publish(hg.Counts(COUNTS // 20), epsilon="0.1", mechanism=name)
    groups = Cutting(release.estimate).groups
    assert groups is not None
    values = np.asarray(release.estimate.values)
    lows, highs = np.array([0, 3, 10, 0]), np.array([64, 4, 30, 63])
    many = release.count({"x0_lo": lows, "x0_hi": highs})
    for row, (low, high) in enumerate(zip(lows, highs, strict=True)):
        inside = np.arange(64)
        inside = (inside >= low) & (inside < high)
        cut = [g for g in np.unique(groups) if not inside[groups == g].all()]
        expected = values[inside & np.isin(groups, cut)].sum()
        one = release.count(x0=(int(low), int(high)))
        assert one.partial == pytest.approx(expected, abs=1e-6)
        assert many.partial[row] == pytest.approx(expected, abs=1e-6)
    assert release.count().partial == 0
    seen = release.rollup(x0=16)
    assert seen.count(x0=(0, 16)).partial == pytest.approx(release.count(x0=(0, 16)).partial)


def test_a_view_tells_of_the_parts_that_it_cut() -> None:
    counts = np.zeros((32, 32), dtype=int)
    counts[:9, :5] = 40
    release = hg.publish(hg.Counts(counts), epsilon=1, mechanism="privtree")
    view = release.project("x0")
    for low, high in [(0, 32), (0, 3), (5, 17)]:
        told = release.count(x0=(low, high))
        assert view.count(x0=(low, high)).partial == pytest.approx(told.partial, abs=1e-6)
        assert view.count(x0=(low, high)).value == pytest.approx(told.value)


@pytest.mark.parametrize("name", ["ahp", "hb"])
def test_every_answer_carries_the_mark(name: str) -> None:
    release = hg.publish(hg.Counts(COUNTS), epsilon=1, mechanism=name)
    view = release.rollup(x0=8)
    about = name == "ahp"
    answers: list[Any] = [
        release.count(), release.count(x0=3), release.count({"x0_lo": [0], "x0_hi": [9]})[0],
        release.median("x0"), release.rank("x0", 9), release.cdf("x0", 9), release.share(x0=(0, 9)),
        release.sum("x0"), release.average("x0"), view.count(), view.median("x0"),
    ]  # fmt: skip
    for answer in answers:
        assert answer.approximate is about
        assert ("with about 95%" in str(answer)) is about
    assert release.intervals.startswith("approximate. The cells" if about else "exact")


def test_a_printed_answer_tells_what_is_cut() -> None:
    answer = hg.Answer(1234.0, (1200.0, 1260.0), partial=300.4, approximate=True)
    assert str(answer) == "1,234  (1,200 to 1,260 with about 95%; 300 of it in parts that are cut)"
    answer = hg.Answer(3.0, (-9.0, 15.0), partial=8.0)
    assert str(answer) == "3  (-9 to 15 with 95%; 8 in parts that are cut)"


def test_files_of_before_leave_the_mark_to_the_mechanism() -> None:
    for name, cls in (("ahp", hg.MECHANISMS["ahp"]), ("hb", hg.MECHANISMS["hb"])):
        release = hg.publish(hg.Counts(COUNTS), epsilon=1, mechanism=name)
        about = json.loads(describe(release))
        assert about.pop("approximate") == cls().approximation()
        measured = release.estimate.partition, release.estimate.values
        assert build(about, *measured).intervals == release.intervals
        unknown = build({**about, "mechanism": "mine"}, *measured)
        assert unknown.estimate.approximate == ""
