"""Paper 004: two looks at a cube of counts, and what its release is good for. NONPRIVATE."""

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
from hushgram.mechanisms.inference.kdtree import even_tree
from hushgram.mechanisms.kd_hybrid import KDHybrid
from hushgram.mechanisms.privelet import Privelet
from hushgram.queries import Vault
from reproduction.adult import adult, cube
from reproduction.drawing import Panel, lines
from reproduction.findings import Claim, Numbers, Paper, PaperFinding, Picture
from reproduction.grids import Place, measure_grid
from reproduction.judged import Judged, Runs, every, format_mean, in_order, lowest, mean, times
from reproduction.p004_blocking import blocking
from reproduction.p004_learning import classification

ROWS = 10_000
"""The first so many rows, in the experiments on queries."""

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
    """A KD-hybrid whose answers come from its last level alone."""

    name: ClassVar[str] = "kd-hybrid-leaves"

    def estimate(self, vault: Vault) -> Estimate:
        return Estimate.direct(super().estimate(vault).measurements[-1])


LEAVES = "KD-hybrid, its leaves alone"
RIVALS: dict[str, Any] = {
    **FOUR,
    "DPCube, literal": DPCube(estimator="uniform", stop="variance"),
    LEAVES: Leaves(),
}
"""With DPCube by the paper's rules, and a KD-hybrid without least squares."""

WORKLOADS = {"boxes of any size": "boxes", "small boxes": "small-boxes"}

LEFT = {
    2: "on 1,600 cells plain noise is the best with the largest budget.",
    3: "the least budget, for which we have no tested reason.",
}
"""By number of axes, where DPCube is still not the best."""

PAPER_CUBE = np.array([[10, 21, 37], [20, 0, 0], [53, 0, 0]])
"""Fig. 2: age x income."""


def example(runs: int) -> PaperFinding:
    """Fig. 2 to 8: the boxes of equation 5 are found, and queries are answered as in Fig. 8."""
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
    empty = Boxes(Raster.of_cells(domain), *even_tree(PAPER_CUBE, 0.0))
    alone = empty.parts(list(Grid.of_cells(domain).boxes()[0].T))[[4, 5, 7, 8]]
    shares = rows[:, [1, 4, 7]].sum(axis=1) / rows.sum(axis=1)
    answer = " + ".join(f"{share:g}·y{n + 10}" for n, share in enumerate(shares) if share)
    return PaperFinding(
        "Fig. 2–8, equations 4 and 5",
        "Nine cells of age x income; four boxes of alike cells; the count at ages 30 to 40.",
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
        [order_of(size, medians[size], LEFT[axes]) for size in WORKLOADS],
        [numbers_of(size, medians[size]) for size in WORKLOADS],
        [
            Picture(
                f"004-fig16-{axes}d",
                f"Fig. 16 ({letters}): median absolute error of boxes by privacy budget.",
                partial(lines, [panel(name, size, medians[size]) for size in WORKLOADS]),
            )
        ],
    )


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
        f"with a KD-hybrid that answers from its leaves alone DPCube is the lowest "
        f"{times(without, 'α')} ({size}). What is left: {left}",
    )


def numbers_of(size: str, medians: dict[str, list[Runs]]) -> Numbers:
    rows = [(name, *map(format_mean, found)) for name, found in medians.items()]
    heads = ("method", *(f"α = {e}" for e in EPSILONS))
    return Numbers(f"Median absolute errors, {size}", heads, rows)


PAPER = Paper(
    "004",
    "two looks at a cube of counts (DPCube)",
    "Xiao, Xiong, Fan, Goryczka & Li, *DPCube: differentially private histogram release through "
    "multidimensional partitioning*, Transactions on Data Privacy 2014.",
    20,
    [
        example,
        partial(on_cube, "age x education", "a, b"),
        partial(on_cube, "age x hours x education", "c, d"),
        classification,
        blocking,
    ],
    [
        "DPCube stands for this package's `dpcube` unless the page says *literal*. *Dwork* is "
        "noise on every cell. Privelet+ transforms long axes only, and by its own rule none of "
        "these, so that it would be *Dwork* again: drawn is the transform of all axes. Figures of "
        "the paper are plots without printed numbers; its text gives the accuracy of ID3 and the "
        "reduction ratio.",
    ],
)
