"""How often do 95 % intervals hold? Counts, quantiles and simultaneous ones, for every mechanism.

    python benchmarks/intervals.py                   all of them: twenty minutes
    python benchmarks/intervals.py hb dpcube         some of them again

A skewed array of 256 cells and a clustered table of 32 x 32, 20,000 rows each, at ε = 0.1 and 1.
Ranges have lengths from one cell to all of them, as many short as long. ``noise`` is how often the
interval of a count holds what the same release would say without noise, on the parts that it chose;
``truth`` is how often it holds the true count, rows that do not lie evenly in their parts and all;
``whole`` is ``truth`` where the release says that no part is cut (empty if that is so for fewer
than fifty questions). ``cut`` is how much of what is answered comes from parts that are cut.
``together`` is how often the simultaneous intervals of all parts' counts hold the noise at once, in
every fourth release; ``quantile`` is how often the intervals of five quantiles hold the true ones.
Each error is a standard error over releases. NONPRIVATE: it sees true counts.
"""

from __future__ import annotations

import argparse
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from report import save

import hushgram as hg
from hushgram.answers.counting.counts import counts_of
from hushgram.declare.unit import Rows
from hushgram.lab.checks import vault_for
from hushgram.lab.replay import RecordingVault
from hushgram.mechanisms.estimate import Estimate
from hushgram.queries import Measurement, NoisyTotal
from hushgram.spending.job import Job, make_release
from hushgram.trusted.engine.sources.counted import CountedTable

ROWS, QUESTIONS = 20_000, 100
SECONDS = 30
"""What a mechanism may take for each table and ε, in CPU time."""
EPSILONS = ("0.1", "1")
LEAST = 50
"""Questions below which nothing is said."""
MEASURES = ("noise", "truth", "quantile", "together")
GUIDE = Path(__file__).parent.parent / "docs" / "guides" / "intervals.md"
MARKS = "<!-- coverage -->", "<!-- end of coverage -->"
SHARES = (0.1, 0.25, 0.5, 0.75, 0.9)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mechanisms", nargs="*", default=list(hg.MECHANISMS))
    parser.add_argument("--releases", type=int, default=400)
    asked = parser.parse_args()
    rows = []
    for data, counts in (("skewed", skewed()), ("clustered", clustered())):
        for name in asked.mechanisms:
            for epsilon in EPSILONS:
                found = measure(counts, name, epsilon, asked.releases)
                if found is not None:
                    rows.append({"mechanism": name, "data": data, "epsilon": epsilon, **found})
                    print(rows[-1], flush=True)
    known = save("coverage", rows, by=("mechanism", "data", "epsilon"))
    order = list(hg.MECHANISMS)
    write_guide(sorted(known, key=lambda row: order.index(row["mechanism"])))


def write_guide(rows: list[dict[str, Any]]) -> None:
    """The table of the guide, between its two marks."""
    before, _, rest = GUIDE.read_text().partition(MARKS[0])
    after = rest.partition(MARKS[1])[2]
    GUIDE.write_text(f"{before}{MARKS[0]}\n{guide_table(rows)}\n{MARKS[1]}{after}")


def guide_table(rows: list[dict[str, Any]]) -> str:
    heads = ("mechanism", "intervals", *MEASURES)
    lines = [heads, ["---"] * len(heads)]
    for name, kind in {row["mechanism"]: row["intervals"] for row in rows}.items():
        lines.append([f"`{name}`", kind, *(percents(rows, name, what) for what in MEASURES)])
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def percents(rows: list[dict[str, Any]], name: str, measure: str) -> str:
    """The numbers of a mechanism in the order of the guide."""
    found = {
        (row["data"], row["epsilon"]): row[measure] for row in rows if row["mechanism"] == name
    }
    tables = ("skewed", "clustered") if measure in ("noise", "truth") else ("skewed",)
    values = [found.get((data, epsilon), "") for data in tables for epsilon in EPSILONS]
    return " ".join("–" if value == "" else f"{100 * float(value):.1f}" for value in values)


def measure(counts: np.ndarray, name: str, epsilon: str, releases: int) -> dict[str, Any] | None:
    """Coverage over many releases and questions; None if the mechanism refuses the domain."""
    source, mechanism = hg.Counts(counts), hg.MECHANISMS[name]()
    try:
        mechanism.check(source.domain)
    except hg.HushgramError:
        return None
    rng = np.random.default_rng(6)
    looks: list[dict[str, Any]] = []
    started = time.process_time()
    while len(looks) < releases and time.process_time() < started + SECONDS:
        again = len(looks) % 4 == 0
        looks.append(look(source, counts, mechanism, epsilon, rng, all_parts=again))
    return {
        "releases": len(looks),
        "questions": QUESTIONS,
        "intervals": mechanism.intervals,
        **coverage("noise", [one["noise"] for one in looks]),
        **coverage("truth", [one["truth"] for one in looks]),
        **coverage("whole", [one["whole"] for one in looks]),
        "cut": round(float(np.mean([one["cut"] for one in looks])), 3),
        **coverage("together", [one["together"] for one in looks]),
        **coverage("quantile", [one["quantile"] for one in looks]),
    }


def coverage(name: str, hits: list[np.ndarray]) -> dict[str, Any]:
    """The mean of all hits, and its standard error: releases are independent, questions of one
    release are not."""
    asked = np.array([len(one) for one in hits])
    if asked.sum() < LEAST:
        return {name: "", f"{name} error": ""}
    sums = np.array([one.sum() for one in hits])
    mean = sums.sum() / asked.sum()
    error = np.sqrt(((sums - mean * asked) ** 2).sum()) / asked.sum()
    return {name: round(float(mean), 4), f"{name} error": round(float(error), 4)}


def look(
    source: Any,
    counts: np.ndarray,
    mechanism: Any,
    epsilon: str,
    rng: np.random.Generator,
    *,
    all_parts: bool,
) -> dict[str, np.ndarray]:
    """One release, and which of its intervals hold what they should."""
    job = Job(source.domain, Fraction(epsilon), Rows(), "add-remove")
    vault = vault_for(job, CountedTable(source), RecordingVault)
    release = make_release(mechanism, mechanism.estimate(vault), job, None)
    expected = without_noise(release.estimate, vault.transcript.steps)
    lows, highs = ranges(counts.shape, QUESTIONS, rng)
    names = source.domain.names
    table = {f"{name}_lo": low for name, low in zip(names, lows.T, strict=True)}
    table |= {f"{name}_hi": high for name, high in zip(names, highs.T, strict=True)}
    answers = release.count(table)
    holds = held(answers, counts_of(expected).many(table).values)
    true = held(answers, true_sums(counts, lows, highs))
    line = counts.ndim == 1
    uncut = np.abs(answers.partial) < 1e-6
    return {
        "noise": holds,
        "truth": true,
        "whole": true[uncut],
        "cut": np.abs(answers.partial).sum() / np.abs(answers.values).sum(),
        "together": together(release, expected) if line and all_parts else np.empty(0),
        "quantile": quantiles(release, counts) if line else np.empty(0),
    }


def held(answers: Any, truth: np.ndarray) -> np.ndarray:
    slack = 1e-9 * (1 + np.abs(truth))
    return (answers.lower - slack <= truth) & (truth <= answers.upper + slack)


def without_noise(estimate: Estimate, steps: list[Any]) -> Estimate:
    """The estimate that the same inference makes of exact counts."""
    exact = [
        Measurement(m.partition, exact_of(m, steps), m.variance, m.scale)
        for m in estimate.measurements
    ]
    values = estimate.inference.push(exact)
    return Estimate(estimate.partition, values, tuple(exact), estimate.inference)


def exact_of(measurement: Measurement, steps: list[Any]) -> np.ndarray:
    """What the table said where this was measured."""
    for step in steps:
        if step.answer is measurement:
            return np.asarray(step.exact)
        if isinstance(step.answer, NoisyTotal) and measurement.partition.size == 1:
            return np.asarray(step.exact).reshape(1)
    raise LookupError("a measurement that was not asked for")


def together(release: Any, expected: Estimate) -> np.ndarray:
    """Whether the simultaneous intervals of all parts hold at once."""
    table = release.group_by("x0", simultaneous=True)
    truth = np.asarray(expected.values, dtype=float)
    slack = 1e-9 * (1 + np.abs(truth))
    inside = (table["lower"] - slack <= truth) & (truth <= table["upper"] + slack)
    return np.array([inside.all()])


def quantiles(release: Any, counts: np.ndarray) -> np.ndarray:
    truth = np.searchsorted(np.cumsum(counts), np.array(SHARES) * counts.sum())
    ends = np.array([one.interval for one in release.quantile("x0", SHARES)])
    return (ends[:, 0] <= truth) & (truth <= ends[:, 1])


def ranges(
    shape: tuple[int, ...], many: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Ranges of whole cells whose lengths are even on a logarithmic scale."""
    sides = np.array(shape)
    lengths = np.floor(sides ** rng.random((many, len(sides)))).astype(np.int64)
    lows = np.floor(rng.random(lengths.shape) * (sides - lengths + 1)).astype(np.int64)
    return lows, lows + lengths


def true_sums(counts: np.ndarray, lows: np.ndarray, highs: np.ndarray) -> np.ndarray:
    boxes = (tuple(map(slice, *ends)) for ends in zip(lows, highs, strict=True))
    return np.array([counts[box].sum() for box in boxes], dtype=float)


def skewed() -> np.ndarray:
    """Few values have most rows, as words and incomes do; the same rows in every run."""
    rng = np.random.default_rng(6)
    places = np.minimum(rng.exponential(30, ROWS), 255).astype(np.int64)
    return np.bincount(places, minlength=256)


def clustered() -> np.ndarray:
    """Five clusters of different widths on a plane, and nothing between them."""
    rng = np.random.default_rng(7)
    centres, widths = rng.random((5, 2)), np.array([0.02, 0.04, 0.06, 0.1, 0.15])
    which = rng.integers(5, size=ROWS)
    points = centres[which] + widths[which, None] * rng.normal(size=(ROWS, 2))
    inside = np.clip(np.floor(points * 32), 0, 31).astype(np.int64)
    return np.bincount(inside[:, 0] * 32 + inside[:, 1], minlength=1024).reshape(32, 32)


if __name__ == "__main__":
    main()
