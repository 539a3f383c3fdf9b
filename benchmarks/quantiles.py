"""Do 95 % intervals of quantiles hold the truth? Coverage, width and error for every mechanism.

    python benchmarks/quantiles.py --runs 400

Three shapes of rows on 1,024 values, 10,000 rows, ε = 0.1. Width and error are in values of the
axis. NONPRIVATE: it sees true counts.
"""

from __future__ import annotations

import argparse

import numpy as np
from report import save

import hushgram as hg

BINS, ROWS, EPSILON = 1024, 10_000, "0.1"
SHARES = (0.1, 0.5, 0.9)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mechanisms", nargs="*", default=list(hg.MECHANISMS))
    parser.add_argument("--runs", type=int, default=400)
    asked = parser.parse_args()
    rows = []
    for shape in ("normal", "exponential", "two clusters"):
        counts = rows_of(shape)
        truth = np.searchsorted(np.cumsum(counts), np.array(SHARES) * ROWS)
        for name in asked.mechanisms:
            found = measure(counts, truth, name, asked.runs)
            if found is not None:
                rows.append({"rows": shape, "mechanism": name, "runs": asked.runs, **found})
                print(rows[-1], flush=True)
    save("quantiles", rows)


def measure(counts: np.ndarray, truth: np.ndarray, name: str, runs: int) -> dict | None:
    """Coverage of each quantile; mean width and mean absolute error of the median."""
    answers = np.empty((runs, len(SHARES), 3))
    for run in range(runs):
        try:
            release = hg.publish(hg.Counts(counts), epsilon=EPSILON, mechanism=name)
        except hg.HushgramError:
            return None
        found = release.quantile("x0", SHARES)
        answers[run] = [(one.value, *one.interval) for one in found]
    value, low, high = answers.transpose(2, 0, 1)
    inside = ((low <= truth) & (truth <= high)).mean(axis=0)
    return {
        **{f"covers {q}": round(float(hit), 3) for q, hit in zip(SHARES, inside, strict=True)},
        "width of median": round(float((high - low)[:, 1].mean()), 1),
        "error of median": round(float(np.abs(value - truth)[:, 1].mean()), 1),
    }


def rows_of(shape: str) -> np.ndarray:
    """The same rows in every run."""
    rng = np.random.default_rng(6)
    if shape == "normal":
        values = rng.normal(0.4, 0.12, ROWS)
    elif shape == "exponential":
        values = rng.exponential(0.1, ROWS)
    else:
        near = rng.random(ROWS) < 0.45
        values = np.where(near, rng.normal(0.2, 0.01, ROWS), rng.normal(0.8, 0.01, ROWS))
    places = np.clip(values * BINS, 0, BINS - 1).astype(np.int64)
    return np.bincount(places, minlength=BINS)


if __name__ == "__main__":
    main()
