"""Statements in the text of paper 001, including incomplete ones. NONPRIVATE."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.geometry.partition import Ints
from hushgram.mechanisms.inference.isotonic import isotonic
from reproduction.findings import Claim, Numbers, PaperFinding, short
from reproduction.judged import every, less, mean, times
from reproduction.nonprivate_grouping import in_true_order
from reproduction.p001_transactions import EPSILONS, GROUPS, PAPERS_ROWS, literal, transactions

DRAWS = 20_000
"""Draws of noise for statements about probabilities."""


def statements(runs: int) -> PaperFinding:
    """Check the statements on privacy, noise and the regression."""
    return PaperFinding(
        "Statements of the text",
        f"Probabilities and variances come from {DRAWS:,} draws.",
        [order_is_private(), budget(), noise_error(), forward_only(), sensitivity_of_means()],
    )


def order_is_private() -> Claim:
    """Check §4, which uses the order of true counts at no cost, on two tables that differ in one
    row."""
    rng = np.random.default_rng(4)
    rises = []
    for counts in (np.array([3, 3]), np.array([4, 3])):
        noise = rng.laplace(size=(DRAWS, 2))
        found = np.array([in_true_order(counts, counts + one) for one in noise])
        rises.append(float((found[:, 0] < found[:, 1]).mean()))
    return Claim(
        "sorting the noisy counts by the true order leaves the privacy of the histogram as it is "
        "(§4)",
        "yes",
        f"counts 3, 3 are released as a rise in {rises[0]:.0%} of draws at ε = 1; counts 4, 3, "
        f"with one more row, in {rises[1]:.0%}",
        rises[1] > 0,
        "a rise distinguishes the two tables with certainty, at any ε. The groups of §3.2 are "
        "chosen by true counts as well. The mechanism `isotonic` pays for both.",
    )


def budget() -> Claim:
    return Claim(
        "the more privacy budget, the higher the requirement of privacy protection (§5)",
        "yes",
        f"the variance of a count's noise is 2/ε²: 2 at ε = 1, {2 * 10**6:,} at ε = 0.001",
        False,
        "it is the other way round, by the paper's own Definition 1.",
    )


def noise_error() -> Claim:
    """§3.1."""
    noise = np.random.default_rng(5).laplace(size=(DRAWS, 8))
    ratio = float((noise**2).sum(axis=1).mean()) / 8
    return Claim(
        "n bins with noise Lap(δ) have an expected noise error of n δ² (§3.1)",
        "n δ²",
        f"{short(ratio)} n δ²",
        abs(ratio - 1) < 0.1,
        "the variance of Lap(δ) is 2 δ².",
    )


def forward_only() -> Claim:
    """Check Algorithm 1 as printed: it only looks forward and never pools back."""
    row = np.array([1.0, 2.0, 3.0, 0.0])
    found = algorithm_one(row)
    return Claim(
        "Algorithm 1 makes a sequence rise",
        "yes",
        f"1, 2, 3, 0 becomes {', '.join(f'{x:g}' for x in found)}; isotonic regression gives "
        + ", ".join(short(x) for x in isotonic(row)),
        bool((np.diff(found) >= 0).all()),
        "a mean that falls below the value before it is never pooled with it. Hushgram pools "
        "backwards.",
    )


def algorithm_one(row: Floats) -> Floats:
    """Run the printed algorithm, index for index.

    >>> algorithm_one(np.array([1.0, 2.0, 3.0, 0.0])).tolist()
    [1.0, 2.0, 1.5, 1.5]
    """
    fitted = row.copy()
    pooled = 1
    for i in range(len(row) - 1):
        if fitted[i] <= row[i + 1]:
            fitted[i + 1] = row[i + 1]
            pooled = 1
        else:
            average = (fitted[i] * pooled + row[i + 1]) / (pooled + 1)
            fitted[i - pooled + 1 : i + 2] = average
            pooled += 1
    return fitted


def sensitivity_of_means() -> Claim:
    """Check §3.2: the effect of one row on the mean of two bins."""
    before, after = np.array([4, 3]).mean(), np.array([3, 3]).mean()
    moved = abs(float(before - after))
    return Claim(
        "means of pairs of bins have a sensitivity of 0.5 (Fig. 3)",
        "0.5",
        f"{moved:g} for each bin, in two bins at once",
        moved == 0.5,
    )


def keep_all(counts: Ints) -> Ints:
    return counts


def within_deviations(counts: Ints) -> Ints:
    """Return the bins within three standard deviations of the mean."""
    return np.asarray(counts[np.abs(counts - counts.mean()) <= 3 * counts.std()])


def within_fences(counts: Ints) -> Ints:
    """Return the bins within Tukey's fences: 1.5 interquartile ranges from the quartiles."""
    low, high = np.quantile(counts, (0.25, 0.75))
    return np.asarray(counts[np.abs(counts - (low + high) / 2) <= 2 * (high - low)])


RULES: dict[str, Callable[[Ints], Ints]] = {
    "none": keep_all,
    "3 standard deviations from the mean": within_deviations,
    "Tukey's fences": within_fences,
}


def singular_dots(runs: int) -> PaperFinding:
    """Check §5 with two common rules for outliers, at the paper's number of rows."""
    rng = np.random.default_rng(8)
    rows, below = [], []
    for name, rule in RULES.items():
        counts = rule(transactions(PAPERS_ROWS))
        groups = [min(k, len(counts)) for k in GROUPS]
        by = {e: [literal(counts, k, float(e), runs, rng) for k in groups] for e in EPSILONS}
        judged = [less(one["E(Hs)"], one["E(Hm)"]) for found in by.values() for one in found]
        below.append(every(judged))
        structure = [short(mean(one["E(H*)"])) for one in by["1"]]
        rows.append((name, str(len(counts)), *structure, times(judged, "ε and k")))
    heads = ("removed beyond", "bins left", *(f"E(H*), k = {k}" for k in (*GROUPS[:-1], "n")))
    return PaperFinding(
        "Singular dots",
        "The paper removes *singular dots* by *numerical analysis* and states no rule. Here are "
        f"two common rules, on the same categories with {PAPERS_ROWS:,} rows, with the literal "
        "pipeline.",
        [
            Claim.not_tested(
                "removing singular dots ensures the reliability of the result (§5)",
                "yes",
                "the rule is not stated, and the data are not public. The table shows the effect "
                "of two common rules.",
            ),
            Claim(
                "error with isotonic regression is below that without, whichever rule is used",
                "always",
                f"with {below.count(True)} of {len(below)} rules at every ε and k",
                every(below),
                "with counts in the millions, noise at these ε never changes the order, so there "
                "is nothing to restore at k = n; and with one group there is no order.",
            ),
        ],
        [Numbers("Bins and structure errors by rule", (*heads, "E(Hs) < E(Hm)"), rows)],
    )
