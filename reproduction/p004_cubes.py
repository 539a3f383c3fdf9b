"""Paper 004: cubes that are counted twice, and queries of their releases. NONPRIVATE."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

import hushgram as hg
from hushgram.geometry.partition import Boxes, Grid, Raster
from hushgram.lab.evaluate.data import DataSet
from hushgram.mechanisms.dpcube import DPCube
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.inference.kdtree import threshold_tree
from hushgram.mechanisms.kd_hybrid import KDHybrid
from hushgram.mechanisms.privelet import Privelet
from hushgram.queries import Vault
from reproduction.adult import adult, cube
from reproduction.drawing import Panel, lines
from reproduction.findings import Claim, Numbers, Paper, PaperFinding, Picture, short
from reproduction.grids import Place, measure_grid
from reproduction.judged import (
    Judged,
    Ratio,
    Runs,
    every,
    format_mean,
    in_order,
    less,
    lowest,
    mean,
    times,
)
from reproduction.p004_blocking import INAN, TREE, blocking
from reproduction.p004_equations import equations, simulations
from reproduction.p004_learning import classification
from reproduction.p004_targets import interactive, merged_cells, whole_tree
from reproduction.p004_variance import budgets, histograms, thresholds

ROWS = 10_000
"""The number of rows in the experiments on queries: the first ones."""

EPSILONS = ("0.05", "0.1", "0.5", "1")
FOUR: dict[str, Any] = {
    "DPCube": "dpcube",
    "Dwork": "identity",
    "KD-hybrid": "kd-hybrid",
    "Privelet": Privelet(axes="ordered"),
}
"""The paper's four."""


@dataclass(frozen=True, kw_only=True)
class Leaves(KDHybrid):
    """A KD-hybrid that answers from its last level only."""

    name: ClassVar[str] = "kd-hybrid-leaves"

    def estimate(self, vault: Vault) -> Estimate:
        return Estimate.direct(super().estimate(vault).measurements[-1])


LEAVES = "KD-hybrid, its leaves alone"
HB = "hb (not in the paper)"
RIVALS: dict[str, Any] = {
    **FOUR,
    "DPCube, literal": DPCube(estimator="uniform", stop="variance"),
    LEAVES: Leaves(),
    TREE: INAN,
    HB: "hb",
}
"""Also DPCube by the paper's rules, a KD-hybrid without least squares, the tree of Inan et al., and
the best mechanism here for the same questions."""

UNSMOOTHED = "DPCube, least squares"
BEYOND: dict[str, Any] = {
    "DPCube": "dpcube",
    "hb": "hb",
    UNSMOOTHED: DPCube(estimator="least-squares"),
    "KD-hybrid": "kd-hybrid",
    "Dwork": "identity",
    "auto": "auto",
}
BUDGETS = ("0.1", "1")
"""For all rows of the larger cube."""

WORKLOADS = {"boxes of any size": "boxes", "small boxes": "small-boxes"}

LEFT = {
    2: "on 1,600 cells, plain noise is best at the largest budget.",
    3: "the smallest budget, for which we have no tested reason.",
}
"""Where DPCube is still not the best, by number of axes."""

PAPER_CUBE = np.array([[10, 21, 37], [20, 0, 0], [53, 0, 0]])
"""Fig. 2: age x income."""


def example(runs: int) -> PaperFinding:
    """Fig. 2 to 8: check the boxes of equation 5, and the answers of Fig. 8."""
    domain = hg.Counts(PAPER_CUBE).domain
    tree_ = np.array([0, 1, -1, -1, 1, -1, -1]), np.array([1, 2, 0, 0, 1, 0, 0])
    leaves = Boxes(Raster.of_cells(domain), *tree_)
    labels = leaves.parts(list(Grid.of_cells(domain).boxes()[0].T))
    sums = np.bincount(labels, PAPER_CUBE.reshape(-1)).astype(int).tolist()
    rows = (np.arange(len(sums))[:, None] == labels).astype(int)
    printed = [
        [1, 1, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 1, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 1, 0, 0, 1, 0, 0],
        [0, 0, 0, 0, 1, 1, 0, 1, 1],
    ]
    empty = Boxes(Raster.of_cells(domain), *threshold_tree(PAPER_CUBE, 0.0))
    alone = empty.parts(list(Grid.of_cells(domain).boxes()[0].T))[[4, 5, 7, 8]]
    shares = rows[:, [1, 4, 7]].sum(axis=1) / rows.sum(axis=1)
    answer = " + ".join(f"{share:g}·y{n + 10}" for n, share in enumerate(shares) if share)
    return PaperFinding(
        "Fig. 2–8, equations 4 and 5",
        "Nine cells of age x income; four boxes of similar cells; the count at ages 30 to 40.",
        [
            Claim("y_II without noise", "31, 37, 73, 0", ", ".join(map(str, sums)),
                  sums == [31, 37, 73, 0]),
            Claim("H_II", "4 x 9, equation 5", "4 x 9, the same" if rows.tolist() == printed
                  else str(rows.tolist()), rows.tolist() == printed),
            Claim("the kd-tree keeps the empty cells x5, x6, x8, x9 together", "one box",
                  "one box" if len(set(alone)) == 1 else f"{len(set(alone))} boxes",
                  len(set(alone)) == 1),
            Claim("x2 + x5 + x8 by uniform estimation", "y10 / 2 + y13 / 2", answer,
                  answer == "0.5·y10 + 0.5·y13"),
        ],
    )  # fmt: skip


def on_cube(name: str, letters: str, runs: int) -> PaperFinding:
    """Two panels of Fig. 16."""
    table = adult()
    counts = cube(table, name, ROWS)
    axes = counts.ndim
    data = DataSet(name, counts)
    found = measure_grid(data, RIVALS, EPSILONS, list(WORKLOADS.values()), "median", runs)
    medians = {
        size: {
            rival: [found[Place(rival, epsilon, workload)] for epsilon in EPSILONS]
            for rival in RIVALS
        }
        for size, workload in WORKLOADS.items()
    }
    return PaperFinding(
        f"Fig. 16 ({letters}): {name}",
        f"{table.about}, the first {ROWS:,} rows in {counts.size:,} cells. Random boxes of any "
        f"size, and small ones of at most {500 if axes == 2 else 4000:,} cells.",
        [
            *(order_of(size, medians[size], LEFT[axes]) for size in WORKLOADS),
            *trends(medians),
            *against_inan(medians),
        ],
        [numbers_of(size, medians[size]) for size in WORKLOADS],
        [
            Picture(
                f"004-fig16-{axes}d",
                f"Fig. 16 ({letters}): median absolute error of boxes by privacy budget.",
                partial(lines, [panel(name, size, medians[size]) for size in WORKLOADS]),
            )
        ],
    )


def trends(medians: dict[str, dict[str, list[Runs]]]) -> list[Claim]:
    """Check the text's statements on Fig. 16 besides the order of the four."""
    any_size, small = (medians[size] for size in WORKLOADS)
    ours = "DPCube"

    def ratios(found: dict[str, list[Runs]], rival: str) -> list[Ratio]:
        return [Ratio.of(b, a) for a, b in zip(found[ours], found[rival], strict=True)]

    gaps = ratios(any_size, "KD-hybrid")
    grows = [less(one, other) for one, other in zip(small[ours], any_size[ours], strict=True)]
    gains = {
        rival: [
            one.below(other)
            for one, other in zip(ratios(any_size, rival), ratios(small, rival), strict=True)
        ]
        for rival in ("KD-hybrid", "Privelet")
    }
    return [
        Claim("the gap to KD-hybrid expands with the budget", "yes",
              f"its error is {gaps[0]} times DPCube's at α = 0.05, {gaps[-1]} at 1",
              gaps[0].below(gaps[-1])),
        Claim("DPCube's error increases with the query size", "yes",
              f"small boxes have less {times(grows, 'α')}", every(grows)),
        *(
            Claim(f"{rival} favours large queries: DPCube gains on it with small ones", "yes",
                  f"{times(judged, 'α')}; its error is {ratios(small, rival)[-1]} times DPCube's "
                  f"with small boxes, {ratios(any_size, rival)[-1]} with any, at α = 1",
                  every(judged), "we have no tested reason.")
            for rival, judged in gains.items()
        ),
    ]  # fmt: skip


def against_inan(medians: dict[str, dict[str, list[Runs]]]) -> list[Claim]:
    """Compare with the tree of Inan et al., which the paper mentions but does not draw."""

    def claim(size: str, found: dict[str, list[Runs]]) -> Claim:
        judged = [less(one, other) for one, other in zip(found["DPCube"], found[TREE], strict=True)]
        return Claim(
            f"better utility than the {TREE} for random count queries ({size})",
            "yes",
            times(judged, "α"),
            every(judged),
            "we have no tested reason. Our tree reconciles all levels by least squares, which Inan "
            "et al. do not.",
        )

    return [claim(size, found) for size, found in medians.items()]


def all_rows(runs: int) -> PaperFinding:
    """Measure the larger cube with all rows, also with `hb` and `auto`."""
    table, name = adult(), "age x hours x education"
    rows = len(table.complete)
    data = DataSet(name, cube(table, name, rows))
    means = measure_grid(data, BEYOND, BUDGETS, ["boxes"], "l1", runs)
    errors = {
        rival: [means[Place(rival, epsilon, "boxes")] for epsilon in BUDGETS] for rival in BEYOND
    }
    three = [name for name in FOUR if name in BEYOND]
    best = [
        lowest({name: errors[name][n] for name in three}, "DPCube") for n in range(len(BUDGETS))
    ]
    last = {rival: short(mean(found[-1])) for rival, found in errors.items()}
    return PaperFinding(
        "Fig. 16 with all rows: age x hours x education",
        f"{table.about}, all {rows:,} rows in {data.counts.size:,} cells: mean absolute error of "
        "random boxes, which depends mainly on a few large ones. `hb` and `auto` are not in the "
        "paper.",
        [
            Claim("DPCube has the lowest error", "at all α (10,000 rows, median)",
                  f"{times(best, 'α')}; at α = 1 {in_order({r: errors[r][-1] for r in three})}; "
                  f"hb has {last['hb']}", every(best),
                  "boxes that hold most rows cut or combine many of DPCube's leaves. Tested: "
                  "with least squares, which does not smooth, its mean error at α = 1 is "
                  f"{last[UNSMOOTHED]} instead of {last['DPCube']}: unevenly spread rows in its "
                  "leaves explain no more than that."),
        ],
        [
            Numbers("Mean absolute errors", ("method", *(f"α = {e}" for e in BUDGETS)),
                    [(rival, *map(format_mean, found)) for rival, found in errors.items()])
        ],
    )  # fmt: skip


def panel(name: str, size: str, medians: dict[str, list[Runs]]) -> Panel:
    places = [float(epsilon) for epsilon in EPSILONS]
    return Panel(
        f"{name}, {size}",
        "privacy budget α",
        "median absolute error",
        {one: (places, [mean(runs) for runs in y]) for one, y in medians.items()},
    )


def order_of(size: str, medians: dict[str, list[Runs]], left: str) -> Claim:
    def best(names: list[str]) -> list[Judged]:
        return [
            lowest({name: medians[name][n] for name in names}, "DPCube")
            for n in range(len(EPSILONS))
        ]

    four = best(list(FOUR))
    without = best([name if name != "KD-hybrid" else LEAVES for name in FOUR])
    orders = "; ".join(
        f"{epsilon}: {in_order({name: medians[name][n] for name in FOUR})}"
        for n, epsilon in enumerate(EPSILONS)
    )
    return Claim(
        f"DPCube has the lowest median error of {size}",
        "at all α",
        f"{times(four, 'α')}; {orders}",
        every(four),
        "our KD-hybrid reconciles the counts of all levels of its tree by least squares. Tested: "
        "with a KD-hybrid that only answers from its leaves, DPCube has the lowest error "
        f"{times(without, 'α')} ({size}). What remains: {left}",
    )


def numbers_of(size: str, medians: dict[str, list[Runs]]) -> Numbers:
    rows = [(name, *map(format_mean, found)) for name, found in medians.items()]
    heads = ("method", *(f"α = {e}" for e in EPSILONS))
    return Numbers(f"Median absolute errors, {size}", heads, rows)


def not_tested(runs: int) -> PaperFinding:
    """List the statements that cannot be checked here."""
    return PaperFinding(
        "What cannot be tested here",
        "These statements come without a number in the paper, or use data that are not public.",
        [
            Claim.not_tested(
                "Fig. 13–15 on age x income",
                "plots",
                "the public table only has income in two classes, and the paper does not say "
                "where its numbers come from; the sections above use age x education.",
            ),
            Claim.not_tested(
                "query errors of the consistency check (Hay et al.)",
                "implemented, not shown",
                "no figure or number of it is printed.",
            ),
            Claim.not_tested(
                "heights of the lines in Fig. 9–18",
                "plots without numbers",
                "the paper has no tables of them; we compare trends and orders instead.",
            ),
        ],
    )


PAPER = Paper(
    "004",
    "counting a cube twice (DPCube)",
    "Xiao, Xiong, Fan, Goryczka & Li, *DPCube: differentially private histogram release through "
    "multidimensional partitioning*, Transactions on Data Privacy 2014.",
    20,
    [
        partial(on_cube, "age x education", "a, b"),
        partial(on_cube, "age x hours x education", "c, d"),
        all_rows,
        interactive,
        classification,
        blocking,
        simulations,
        equations,
        histograms,
        thresholds,
        budgets,
        whole_tree,
        merged_cells,
        example,
        not_tested,
    ],
    [
        "DPCube stands for this package's `dpcube` unless the page says *literal*. *Dwork* is "
        "noise on every cell. Privelet+ only transforms long axes, and by its own rule none of "
        "these, so it would be *Dwork* again. We draw the transform of all axes instead. The "
        "paper's figures are plots without printed numbers; its text gives the accuracy of ID3 "
        "and the reduction ratio.",
    ],
)
