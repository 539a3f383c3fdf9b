"""Measures: DPBench's is that of the benchmarks; the others by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hushgram as hg
from hushgram.answers.counting.nonnegative import norm_sub
from hushgram.lab.evaluate.catalogue import data_set
from hushgram.lab.evaluate.contender import Contender
from hushgram.lab.evaluate.data import DataSet
from hushgram.lab.evaluate.grid import ExperimentGrid
from hushgram.lab.evaluate.measures import MEASURES, RunOutcome, measure_outcome
from hushgram.lab.evaluate.workloads import BoxQuestions, Quantiles, questions
from hushgram.mechanisms.registry import BUILT_IN

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"


def outcome_of(
    counts: Any, mechanism: str = "identity", epsilon: Any = 1, workload: str = "ranges"
) -> RunOutcome:
    data = DataSet("mine", np.asarray(counts))
    asked = questions(workload, data.shape)
    recipe = Contender.of(mechanism).on(data.domain)
    release = hg.publish(hg.Counts(counts), epsilon=epsilon, mechanism=recipe, allow_large=True)
    return RunOutcome(data, asked, asked.true(data.counts), release)


def figures(outcome: RunOutcome, *names: str) -> dict[str, float]:
    return {f.measure: f.value for f in measure_outcome(outcome, names) if f.size == "all"}


@pytest.mark.skipif(not BENCHMARKS.exists(), reason="benchmarks are not shipped")
@pytest.mark.parametrize(
    ("module", "data", "mechanism"),
    [
        ("accuracy", "zipf-1d", "hb"),
        ("accuracy2d", "clustered-2d", "adaptive-grid"),
        ("accuracy2d", "clustered-2d", "hb"),
    ],
)
def test_the_scaled_error_is_that_of_the_benchmarks(
    module: str, data: str, mechanism: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their own functions, on the same release and questions."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    theirs = __import__(module)
    counts = data_set(data).counts
    outcome = outcome_of(counts, mechanism)
    assert isinstance(outcome.questions, BoxQuestions)
    starts, stops = outcome.questions.starts, outcome.questions.stops
    if counts.ndim == 1:
        starts, lengths = starts[:, 0], (stops - starts)[:, 0]
        cells = outcome.release.to_array()
    else:
        lengths = stops - starts
        cells = theirs.cells_of(outcome.release.estimate, counts.shape)
    apart = theirs.sums(cells, starts, lengths) - theirs.sums(counts, starts, lengths)
    expected = np.linalg.norm(apart) / len(starts) / counts.sum()
    assert figures(outcome, "scaled")["scaled"] == pytest.approx(expected, rel=1e-9)


def test_measures_of_answers_by_hand() -> None:
    outcome = outcome_of([5, 0, 7, 2000], workload="cells")
    errors = outcome.cells - [5, 0, 7, 2000]
    found = figures(outcome, "l1", "l2", "mse", "scaled", "relative", "median", "worst", "bias")
    assert found == pytest.approx(
        {
            "l1": np.abs(errors).mean(),
            "l2": np.sqrt((errors**2).sum()) / 4,
            "mse": (errors**2).mean(),
            "scaled": np.sqrt((errors**2).sum()) / 4 / 2012,
            "relative": (np.abs(errors) / [5, 2.012, 7, 2000]).mean(),
            "median": np.median(np.abs(errors)),
            "worst": np.abs(errors).max(),
            "bias": errors.mean(),
        },
        rel=1e-6,
    )


def test_errors_by_size_are_those_of_the_groups() -> None:
    outcome = outcome_of(np.arange(64), workload="sizes", epsilon="0.1")
    found = {f.size: f.value for f in measure_outcome(outcome, ["mse"])}
    assert list(found) == ["all", "1", "2", "4", "8", "16", "32", "64"]
    assert found["all"] == pytest.approx(np.mean([found[size] for size in list(found)[1:]]))
    whole = outcome.cells.sum() - np.arange(64).sum()
    assert found["64"] == pytest.approx(whole**2, abs=1e-6)


def test_kl_is_of_the_truth_from_the_release() -> None:
    """With the rule for zeros: norm-sub, then a row spread over all cells."""
    counts = np.array([500, 0, 3, 0, 80])
    outcome = outcome_of(counts, epsilon="0.5")
    p, q = (x + 1 / 5 for x in (counts, norm_sub(outcome.cells)))
    p, q = p / p.sum(), q / q.sum()
    assert figures(outcome, "kl")["kl"] == pytest.approx((p * np.log(p / q)).sum())


def test_the_earth_movers_distance_is_the_area_between_cumulative_shares() -> None:
    counts = np.array([50, 0, 30, 20])
    outcome = outcome_of(counts, epsilon="0.5")
    q = norm_sub(outcome.cells)
    apart = np.cumsum(counts / counts.sum() - q / q.sum())[:-1]
    assert figures(outcome, "emd")["emd"] == pytest.approx(np.abs(apart).sum())


def test_structure_noise_and_total() -> None:
    """Two slices of four cells each: the literal definitions of papers 001 and 004."""
    counts = np.array([1.0, 3, 5, 7, 10, 10, 20, 20])
    outcome = outcome_of(counts, "hierarchical", epsilon=500)
    exact = figures(outcome, "structure", "noise", "total", "weighted-variance")
    assert exact == pytest.approx(dict.fromkeys(exact, 0.0), abs=1e-9)
    pooled = outcome_of(counts, "grouping-smoothing:group_size=4", epsilon=500)
    groups, grouped = pooled.groups, pooled.grouped
    assert np.bincount(groups).tolist() == [4, 4]
    found = figures(pooled, "structure", "noise", "total", "weighted-variance")
    assert found["noise"] == pytest.approx(0, abs=1e-6)
    assert found["structure"] == pytest.approx(((counts - grouped) ** 2).sum())
    assert found["total"] == pytest.approx(found["structure"], rel=1e-6)
    parts = [counts[groups == n] for n in range(2)]
    assert found["weighted-variance"] == pytest.approx(sum(x.sum() * x.var() for x in parts))


def test_the_leaves_of_dpcube_are_groups() -> None:
    """Its parts are cells, but those of a leaf have one value."""
    counts = np.repeat([3.0, 60.0], 32) + np.tile([0.0, 2.0], 32)
    outcome = outcome_of(counts, "dpcube", epsilon=0.5)
    numbers = np.unique(outcome.groups)
    assert len(numbers) < len(counts)
    values = outcome.release.estimate.values
    assert all(len(np.unique(values[outcome.groups == n])) == 1 for n in numbers)
    parts = [counts[outcome.groups == n] for n in numbers]
    found = figures(outcome, "weighted-variance")["weighted-variance"]
    assert found == pytest.approx(sum(x.sum() * x.var() for x in parts))
    assert found > 0


VARIANTS = [
    *sorted(BUILT_IN),
    "dpcube:estimator=uniform",
    "dpcube:estimator=least-squares",
    "dpcube:stop=variance,xi=3",
    "dpcube:stop=variance,xi=3,estimator=uniform,axis=longest",
    "dpcube:stop=variance,xi=30,estimator=uniform,levels=3",
]


ALONG_A_LINE = {"isotonic", "noise-first", "p-hpartition", "structure-first"}


@pytest.mark.parametrize(
    ("mechanism", "shape"),
    [(one, (96,)) for one in VARIANTS]
    + [(one, (12, 10)) for one in VARIANTS if one not in ALONG_A_LINE],
)
def test_measures_of_buckets_by_their_definition(mechanism: str, shape: tuple[int, ...]) -> None:
    """Whatever the mechanism: V = Σ x_i V_i of paper 004, and 001's structure and noise errors,
    bucket by bucket. A bucket is the cells that get one value whatever was measured."""
    rng = np.random.default_rng(4)
    counts = rng.poisson(rng.gamma(0.3, 30, shape))
    outcome = outcome_of(counts, mechanism, epsilon=0.3)
    true, cells = counts.reshape(-1).astype(float), outcome.cells.reshape(-1)
    weighted = structure = noise = smooth = 0.0
    for bucket in buckets_of(outcome, rng):
        inside = [true[cell] for cell in bucket]
        mean = sum(inside) / len(inside)
        spread = sum((x - mean) ** 2 for x in inside)
        weighted += sum(inside) * spread / len(inside)
        structure += spread
        smooth = max(smooth, max(inside) - min(inside))
        noise += sum((cells[cell] - mean) ** 2 for cell in bucket)
    expected = {
        "weighted-variance": weighted, "structure": structure, "noise": noise, "smoothness": smooth
    }  # fmt: skip
    assert figures(outcome, *expected) == pytest.approx(expected, rel=1e-9, abs=1e-6)


def buckets_of(outcome: RunOutcome, rng: np.random.Generator) -> list[list[int]]:
    """The cells that have one value for any measurements: the inference is run on random ones."""
    estimate = outcome.release.estimate
    where = np.indices(outcome.data.shape).reshape(outcome.data.counts.ndim, -1)
    parts = estimate.partition.parts(list(where))
    if estimate.inference.is_linear:
        other = [replace(m, values=rng.normal(size=m.values.shape)) for m in estimate.measurements]
        values = np.round(estimate.inference.push(other), 9)[parts].tolist()
    else:
        values = parts.tolist()
    found: dict[float, list[int]] = {}
    for cell, value in enumerate(values):
        found.setdefault(value, []).append(cell)
    return list(found.values())


def test_the_weighted_variance_grows_with_the_threshold() -> None:
    """Fig. 14 (a) of paper 004: the larger ξ₀, the fewer cuts, and the more differs in a box."""
    rng = np.random.default_rng(14)
    counts = rng.poisson(rng.gamma(0.4, 20, (24, 20)))
    found = [
        figures(outcome_of(counts, f"dpcube:stop=variance,estimator=uniform,xi={xi}", epsilon=2),
                "weighted-variance")["weighted-variance"]
        for xi in (1, 30, 1000)
    ]  # fmt: skip
    assert 0 < found[0] < found[1] < found[2]


def test_the_intervals_of_identity_hold_as_often_as_they_say() -> None:
    """3,000 independent cells: 0.03 are seven standard deviations."""
    data = data_set("zipf-1d", shape=(256,))
    grid = ExperimentGrid([data], ["identity"], ["0.1"], ["cells"], ["coverage", "bias"], runs=30)
    tables = [cell.results().to_pydict() for cell in grid.cells]
    found = [
        value
        for table in tables
        for value, name in zip(table["value"], table["measure"], strict=True)
        if name == "coverage"
    ]
    assert len(found) == 30
    assert np.mean(found) == pytest.approx(0.95, abs=0.03)


def test_quantiles_are_off_by_cells() -> None:
    counts = np.array([0, 0, 100, 0, 0, 0])
    outcome = outcome_of(counts, epsilon=500, workload="quantiles")
    assert isinstance(outcome.questions, Quantiles)
    found = figures(outcome, *(name for name in MEASURES if name not in ("emd", "kl")))
    assert found["l1"] == 0
    assert found["coverage"] == 1
    assert not {"scaled", "relative"} & set(found)


def test_a_release_without_rows_has_no_shares() -> None:
    outcome = outcome_of(np.zeros(4, dtype=int), epsilon=500)
    assert np.isnan(figures(outcome, "emd")["emd"])
    assert figures(outcome, "kl")["kl"] == pytest.approx(0, abs=1e-9)
    empty = outcome_of(np.zeros(4, dtype=int), epsilon=500, workload="quantiles")
    assert np.isnan(list(figures(empty, "l1", "coverage").values())).all()
