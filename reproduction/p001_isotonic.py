"""Paper 001: groups of adjacent bins, then isotonic regression. NONPRIVATE."""

from __future__ import annotations

from functools import partial
from itertools import combinations

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.geometry.partition import Ints
from hushgram.mechanisms.inference.voptimal import v_optimal_table
from reproduction.drawing import bars
from reproduction.findings import Claim, Numbers, Paper, PaperFinding, Picture, short
from reproduction.judged import Runs, every, format_mean, less, mean, times
from reproduction.nonprivate_grouping import (
    in_true_order,
    squared_error,
)
from reproduction.p001_private import private
from reproduction.p001_statements import singular_dots, statements
from reproduction.p001_transactions import EPSILONS, GROUPS, ROWS, literal, transactions

D = np.array([4, 3, 3, 7, 6, 5, 2, 3])
NOISY = np.array([4.3677, 3.0691, 2.9174, 7.3485, 6.1965, 5.6298, 3.7323, 3.0327])
"""Fig. 1."""


def cut(values: Floats) -> Floats:
    """Truncate to two decimals, as the paper does "for convenience"."""
    return np.asarray(np.trunc(values * 100 + 1e-9) / 100)


def example(runs: int) -> PaperFinding:
    """Fig. 1 to 5: the worked example."""
    noisy = cut(NOISY)
    fitted = cut(in_true_order(D, noisy))
    pairs = D.reshape(-1, 2).mean(axis=1).repeat(2).tolist()
    told = [
        ("noise error before isotonic regression", "3.6712", squared_error(D, noisy)),
        ("noise error after it", "2.1553", squared_error(D, fitted)),
        ("what the regression changes", "0.4123", squared_error(noisy, fitted)),
    ]
    table = v_optimal_table(D, len(D))
    entries = len(D) * (len(D) + 1) // 2
    right = sum(
        abs(table[s, t] - least_of_all(D[:s], t)) < 1e-9
        for s in range(1, len(D) + 1)
        for t in range(1, s + 1)
    )
    return PaperFinding(
        "Fig. 1–5: the worked example",
        "D = 4, 3, 3, 7, 6, 5, 2, 3 and its noisy version, in the order of D itself: the paper's "
        "literal pipeline, which is not private. §4 of the paper calls the first error *through "
        "isotonic algorithm* and the second *without*, which is the wrong way round. It computes "
        "with numbers truncated to two decimals.",
        [
            *(Claim(what, printed, f"{here:.4f}", f"{here:.4f}" == printed)
              for what, printed, here in told),
            Claim("pairs of bins replaced by their means (Fig. 3)",
                  "3.5, 3.5, 5, 5, 5.5, 5.5, 2.5, 2.5", ", ".join(f"{x:g}" for x in pairs),
                  pairs == [3.5, 3.5, 5.0, 5.0, 5.5, 5.5, 2.5, 2.5]),
            Claim("M(s, t) is the smallest error of x₁ … x_s in t groups (Fig. 4)",
                  "by dynamic programming; the text gives no number of the figure",
                  f"equal to the smallest over all ways to cut in {right} of {entries} entries",
                  right == entries),
        ],
        [intermediate(table)],
    )  # fmt: skip


def least_of_all(counts: Ints, groups: int) -> float:
    """Return the least structure error of this many groups, over all ways to cut."""
    ways = combinations(range(1, len(counts)), groups - 1)
    return min(sum(float(part.var()) * len(part) for part in np.split(counts, way)) for way in ways)


def intermediate(table: Floats) -> Numbers:
    """Return Fig. 4: the upper part of the matrix, s from left to right."""
    rows = [
        (f"t = {t}", *(short(table[s, t]) if s >= t else "" for s in range(1, len(D) + 1)))
        for t in range(1, len(D) + 1)
    ]
    heads = ("M(s, t)", *(f"s = {s}" for s in range(1, len(D) + 1)))
    return Numbers("Fig. 4: intermediate results of dynamic programming", heads, rows)


def figure_six(runs: int) -> PaperFinding:
    counts = transactions()
    rng = np.random.default_rng(6)
    found = {
        epsilon: [literal(counts, k, float(epsilon), runs, rng) for k in GROUPS]
        for epsilon in EPSILONS
    }
    less_ = [less(one["E(Hs)"], one["E(Hm)"]) for by in found.values() for one in by]
    structure = [mean(one["E(H*)"]) for one in found[EPSILONS[0]]]
    falls = bool(np.all(np.diff(structure) <= 1e-6 * structure[0]))
    shares = {
        epsilon: float(np.mean([1 - mean(one["E(Hs)"]) / mean(one["E(Hm)"]) for one in by]))
        for epsilon, by in found.items()
    }
    most = max(shares, key=shares.__getitem__)
    saved: dict[str, Runs] = {
        e: (np.array(by[-1]["E(Hm)"]) - by[-1]["E(Hs)"]).tolist() for e, by in found.items()
    }
    return PaperFinding(
        "Fig. 6: data release error, the literal pipeline",
        f"{ROWS:,} rows in {len(counts)} categories: places of the world by country (bundled). "
        "The paper has 349,655,790 rows; with that many rows, noise at these ε would be "
        "invisible next to the structure error. **Not private**: the groups are chosen by true "
        "counts, and the regression uses the true order. It only serves to reproduce the shape "
        "of the paper's figure.",
        [
            Claim("error with isotonic regression is below that without, for every ε and k",
                  "always", times(less_, "ε and k"), every(less_),
                  "one group has no order to restore."),
            Claim("structure error falls as the number of groups grows", "yes",
                  "yes" if falls else "no", falls),
            Claim("regression reduces the error most at ε = 0.001", "yes",
                  f"at k = n it takes off {format_mean(saved['0.001'])} there, "
                  f"{format_mean(saved['1'])} at ε = 1; as a share, most at ε = {most}",
                  every(less(saved[e], saved["0.001"]) for e in EPSILONS if e != "0.001")),
        ],
        [numbers_of(found)],
        [Picture("001-fig6", "Fig. 6: data release error by number of groups; E(H*) is structure "
                 "error (0 with 100 groups), E(Hm) without and E(Hs) with isotonic regression.",
                 partial(bars, {f"ε = {e}": heights(by) for e, by in found.items()},
                         [str(k) for k in GROUPS], "number of groups", "error", log=True))],
    )  # fmt: skip


def heights(by: list[dict[str, Runs]]) -> dict[str, list[float]]:
    return {name: [mean(one[name]) or np.nan for one in by] for name in by[0]}


def numbers_of(found: dict[str, list[dict[str, Runs]]]) -> Numbers:
    rows = [
        (
            epsilon,
            str(k),
            short(mean(one["E(H*)"])),
            format_mean(one["E(Hm)"]),
            format_mean(one["E(Hs)"]),
        )
        for epsilon, by in found.items()
        for k, one in zip(GROUPS, by, strict=True)
    ]
    return Numbers("Errors", ("ε", "groups", "E(H*)", "E(Hm)", "E(Hs)"), rows)


PAPER = Paper(
    "001",
    "groups of adjacent bins, then isotonic regression",
    "Shi & Zhou, *Difference privacy histogram release based on isotonic regression*, 2015.",
    200,
    [figure_six, statements, private, singular_dots, example],
    [
        "The paper's data, a company's transactions, are not public. The paper's figures are "
        "plots without printed numbers; its text gives the worked example.",
    ],
)
