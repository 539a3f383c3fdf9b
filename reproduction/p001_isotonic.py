"""Paper 001: groups of adjacent bins, then isotonic regression. NONPRIVATE."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.random import Generator

from hushgram.declare.axis import Floats
from hushgram.geometry.partition import Ints
from hushgram.lab.evaluate.data import DataSet
from reproduction.data import texts
from reproduction.drawing import Panel, bars, lines
from reproduction.findings import Claim, Numbers, Paper, PaperFinding, Picture, short
from reproduction.grids import Place, measure_grid
from reproduction.judged import Runs, every, format_mean, less, mean, times
from reproduction.nonprivate_grouping import (
    errors,
    in_true_order,
    nonprivate_grouping,
    squared_error,
)

D = np.array([4, 3, 3, 7, 6, 5, 2, 3])
NOISY = np.array([4.3677, 3.0691, 2.9174, 7.3485, 6.1965, 5.6298, 3.7323, 3.0327])
"""Fig. 1."""

GROUPS = (1, 6, 10, 20, 100)
"""1, n/15, n/10, n/5 and n."""

EPSILONS = ("1", "0.1", "0.01", "0.001")
ROWS = 100_000
"""With the paper's 349,655,790 no noise of these ε shows beside the structure error."""

PRIVATE = ("isotonic", "identity", "noise-first", "hb")


def cut(values: Floats) -> Floats:
    """Two decimals, the others cut off, as the paper computes "for convenience"."""
    return np.asarray(np.trunc(values * 100 + 1e-9) / 100)


def example(runs: int) -> PaperFinding:
    """Fig. 1 to 5."""
    noisy = cut(NOISY)
    fitted = cut(in_true_order(D, noisy))
    pairs = D.reshape(-1, 2).mean(axis=1).repeat(2).tolist()
    told = [
        ("noise error before isotonic regression", "3.6712", squared_error(D, noisy)),
        ("noise error after it", "2.1553", squared_error(D, fitted)),
        ("what the regression changes", "0.4123", squared_error(noisy, fitted)),
    ]
    return PaperFinding(
        "Fig. 1–5: the worked example",
        "D = 4, 3, 3, 7, 6, 5, 2, 3 and its noisy version, along the order of D itself: the "
        "paper's literal pipeline, which is not private. §4 of the paper says *through isotonic "
        "algorithm* of the first error and *without* of the second, the wrong way round; it "
        "computes with numbers cut to two decimals.",
        [
            *(Claim(what, printed, f"{here:.4f}", f"{here:.4f}" == printed)
              for what, printed, here in told),
            Claim("pairs of bins replaced by their means (Fig. 3)",
                  "3.5, 3.5, 5, 5, 5.5, 5.5, 2.5, 2.5", ", ".join(f"{x:g}" for x in pairs),
                  pairs == [3.5, 3.5, 5.0, 5.0, 5.5, 5.5, 2.5, 2.5]),
        ],
    )  # fmt: skip


def transactions() -> Ints:
    """Rows by category: the 100 countries with most places, by name."""
    from hushgram.data import places

    _, counts = np.unique(texts(places(), "country"), return_counts=True)
    kept = np.sort(np.argsort(-counts, kind="stable")[: GROUPS[-1]])
    return DataSet("transactions", counts[kept]).rescale(ROWS).counts


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
        f"{ROWS:,} rows in {len(counts)} categories: places of the world by country "
        "(bundled). The paper has 349,655,790 rows, and leaves out *singular dots* by a rule that "
        "it does not state; with as many rows here, no noise of these ε shows beside the structure "
        "error. **Not private**: the groups are chosen by true counts and the regression goes "
        "along the true order. For the shape of the paper's figure only.",
        [
            Claim("error with isotonic regression is below that without, for every ε and k",
                  "always", times(less_, "ε and k"), every(less_),
                  "one group has no order to restore."),
            Claim("structure error falls as the groups become more", "yes",
                  "yes" if falls else "no", falls),
            Claim("regression takes most off the error at ε = 0.001", "yes",
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


def literal(
    counts: Ints, groups: int, epsilon: float, runs: int, rng: Generator
) -> dict[str, Runs]:
    """The errors of the literal pipeline, run by run."""
    found = [errors(counts, nonprivate_grouping(counts, groups, epsilon, rng)) for _ in range(runs)]
    return {
        "E(H*)": [one.structure for one in found],
        "E(Hm)": [one.total_noisy for one in found],
        "E(Hs)": [one.total_isotonic for one in found],
    }


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


def private(runs: int) -> PaperFinding:
    """What is left of the idea when everything is paid for."""
    counts = transactions()
    found = totals(counts, PRIVATE, runs)
    won = [less(found["isotonic"][n], found["identity"][n]) for n in range(len(EPSILONS))]
    places = [float(e) for e in EPSILONS]
    return PaperFinding(
        "The idea, paid for",
        "The mechanism `isotonic` buys the groups and their order with a share of ε. The same "
        "categories; total error, the sum of squares over all bins.",
        [
            Claim("beyond the paper: isotonic regression has a lower error than plain noise", "–",
                  times(won, "ε"), every(won),
                  "what is bought has to be paid for, and is worth its price only where many bins "
                  "are alike. Tested: regression along the true order, which the paper takes for "
                  "nothing, does better than plain noise; along an order that is bought with half "
                  "of ε it loses that and more, but for a little at ε = 0.001; and on 100 bins of "
                  "two heights `isotonic` has a fraction of the error of plain noise."),
        ],
        [
            Numbers("Total errors", ("mechanism", *(f"ε = {e}" for e in EPSILONS)),
                    [(name, *map(format_mean, y)) for name, y in found.items()]),
            paid_for(counts, found["identity"], runs),
        ],
        [Picture("001-private", "Total error of private mechanisms by ε.", partial(
            lines, [Panel(f"{ROWS:,} rows in 100 categories", "ε", "total error",
                          {name: (places, [mean(one) for one in y]) for name, y in found.items()})]
        ))],
    )  # fmt: skip


def totals(counts: Ints, names: Sequence[str], runs: int) -> dict[str, list[Runs]]:
    """Total errors of mechanisms at each ε."""
    data, mechanisms = DataSet("transactions", counts), {name: name for name in names}
    found = measure_grid(data, mechanisms, EPSILONS, ["cells"], "total", runs)
    return {name: [found[Place(name, e, "cells")] for e in EPSILONS] for name in names}


def paid_for(counts: Ints, plain: list[Runs], runs: int) -> Numbers:
    """The idea without groups, its order free or bought; and all of it where bins are alike."""
    rng = np.random.default_rng(7)
    rows: list[tuple[str, list[Runs]]] = [("plain noise", plain)]
    for name, bought in (("the true order, for nothing", False), ("an order for half of ε", True)):
        found: list[Runs] = [
            [regressed_error(counts, float(e), rng, bought=bought) for _ in range(runs)]
            for e in EPSILONS
        ]
        rows.append((f"isotonic regression along {name}; no groups", found))
    levels = np.repeat([500, 1500], 50)
    rows += [
        (f"two heights: {name}", y)
        for name, y in totals(levels, ("identity", "isotonic"), runs).items()
    ]
    return Numbers(
        "Tested: total errors, part by part",
        ("", *(f"ε = {e}" for e in EPSILONS)),
        [(name, *map(format_mean, y)) for name, y in rows],
    )


def regressed_error(counts: Ints, epsilon: float, rng: Generator, *, bought: bool) -> float:
    """One run without groups, simulated; an order that is bought leaves half of ε for counts."""
    level = 2 / epsilon if bought else 1 / epsilon
    order = counts + rng.laplace(scale=level, size=len(counts)) if bought else counts
    noisy = counts + rng.laplace(scale=level, size=len(counts))
    return squared_error(counts, in_true_order(order, noisy))


PAPER = Paper(
    "001",
    "groups of adjacent bins, then isotonic regression",
    "Shi & Zhou, *Difference privacy histogram release based on isotonic regression*, 2015.",
    200,
    [example, figure_six, private],
    [
        "The paper's data, transactions of a company, are not public. Figures of the paper are "
        "plots without printed numbers; its text gives the worked example.",
    ],
)
