"""Paper 001's idea, with every step charged. NONPRIVATE."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
from numpy.random import Generator

from hushgram.geometry.partition import Ints
from hushgram.lab.evaluate.data import DataSet
from hushgram.mechanisms.base import Mechanism
from hushgram.mechanisms.isotonic import Isotonic
from reproduction.drawing import Panel, lines
from reproduction.findings import Claim, Numbers, PaperFinding, Picture
from reproduction.grids import Place, measure_grid
from reproduction.judged import Ratio, Runs, every, format_mean, less, mean, times
from reproduction.nonprivate_grouping import in_true_order, squared_error
from reproduction.p001_transactions import EPSILONS, GROUPS, PAPERS_ROWS, ROWS, transactions

PRIVATE: dict[str, str | Mechanism] = {
    "isotonic": "isotonic",
    **{f"isotonic, {k} groups": Isotonic(groups=k) for k in GROUPS[1:-1]},
    "identity": "identity",
    "noise-first": "noise-first",
    "hb": "hb",
}
DRAWN = ("isotonic", "identity", "noise-first", "hb")


def private(runs: int) -> PaperFinding:
    """Measure the benefit of the idea when every step is charged."""
    counts = transactions()
    found = totals(counts, PRIVATE, runs)
    many = totals(transactions(PAPERS_ROWS), PRIVATE, runs)
    won = [less(*pair) for pair in zip(found["isotonic"], found["identity"], strict=True)]
    places = [float(e) for e in EPSILONS]
    heads = ("mechanism", *(f"ε = {e}" for e in EPSILONS))
    return PaperFinding(
        "The idea, paid for",
        "The mechanism `isotonic` spends a share of ε on the groups and their order. The number "
        "of groups k is given, as in the paper, or found with a penalty. The data are the same "
        "categories, and the error is the total squared error over all bins.",
        [
            Claim("beyond the paper: isotonic regression has a lower error than plain noise", "–",
                  times(won, "ε"), every(won),
                  "groups and order cost budget, and are only worth it if many bins are alike. "
                  "Tested: regression along the true order, which the paper takes for free, "
                  "does better than plain noise. Along an order paid for with half of ε, it "
                  "loses that advantage and more, except for a small gain at ε = 0.001. On 100 "
                  "bins of two heights, `isotonic` has a fraction of the error of plain noise."),
            with_all_rows(many),
        ],
        [
            Numbers(f"Total errors, {ROWS:,} rows", heads,
                    [(name, *map(format_mean, y)) for name, y in found.items()]),
            Numbers(f"Total errors, {PAPERS_ROWS:,} rows", heads,
                    [(name, *map(format_mean, y)) for name, y in many.items()]),
            paid_for(counts, found["identity"], runs),
        ],
        [Picture("001-private", "Total error of private mechanisms by ε.", partial(
            lines, [Panel(f"{rows:,} rows in 100 categories", "ε", "total error",
                          {name: (places, [mean(one) for one in y[name]]) for name in DRAWN})
                    for rows, y in ((ROWS, found), (PAPERS_ROWS, many))]
        ))],
    )  # fmt: skip


def with_all_rows(many: dict[str, list[Runs]]) -> Claim:
    """Check the same with the paper's number of rows."""
    pairs = list(zip(many["isotonic"], many["identity"], strict=True))
    won = [less(*pair) for pair in pairs]
    ratios = [str(Ratio.of(*pair)) for pair in pairs]
    return Claim(
        f"beyond the paper: the same with the paper's {PAPERS_ROWS:,} rows",
        "–",
        f"{times(won, 'ε')}; times the error of plain noise: {', '.join(ratios)}",
        every(won),
        "with that many rows, no two of these categories are alike, so there is nothing to "
        "group. Half of ε pays for an order that the counts show anyway. Both counts are "
        "averaged, and two counts for half of ε each have twice the squared error of one count "
        "for all of it. If few groups are given, the structure error alone is millions of times "
        "the noise. Use `identity` there.",
    )


def totals(
    counts: Ints, mechanisms: Mapping[str, str | Mechanism], runs: int
) -> dict[str, list[Runs]]:
    """Return total errors of mechanisms at each ε."""
    data = DataSet("transactions", counts)
    found = measure_grid(data, mechanisms, EPSILONS, ["cells"], "total", runs)
    return {name: [found[Place(name, e, "cells")] for e in EPSILONS] for name in mechanisms}


PRICED = (
    ("the true order, at no cost", False),
    ("an order paid for with half of ε", True),
)
"""Two orders for the regression, and whether each is charged."""


def paid_for(counts: Ints, plain: list[Runs], runs: int) -> Numbers:
    """Measure the idea without groups, with a free or a charged order; and all of it if bins are
    alike."""
    rng = np.random.default_rng(7)
    rows: list[tuple[str, list[Runs]]] = [("plain noise", plain)]
    for name, bought in PRICED:
        found: list[Runs] = [
            [regressed_error(counts, float(e), rng, bought=bought) for _ in range(runs)]
            for e in EPSILONS
        ]
        rows.append((f"isotonic regression along {name}; no groups", found))
    levels = np.repeat([500, 1500], 50)
    rows += [
        (f"two heights: {name}", y)
        for name, y in totals(levels, {n: n for n in ("identity", "isotonic")}, runs).items()
    ]
    return Numbers(
        "Tested: total errors, part by part",
        ("", *(f"ε = {e}" for e in EPSILONS)),
        [(name, *map(format_mean, y)) for name, y in rows],
    )


def regressed_error(counts: Ints, epsilon: float, rng: Generator, *, bought: bool) -> float:
    """Simulate one run without groups. A charged order leaves half of ε for counts."""
    level = 2 / epsilon if bought else 1 / epsilon
    order = counts + rng.laplace(scale=level, size=len(counts)) if bought else counts
    noisy = counts + rng.laplace(scale=level, size=len(counts))
    return squared_error(counts, in_true_order(order, noisy))
