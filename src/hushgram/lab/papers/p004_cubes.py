"""Paper 004: two looks at a cube of counts, and what its release is good for. NONPRIVATE."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

import hushgram as hg
from hushgram.inference.kdtree import even_tree
from hushgram.lab.papers.adult import (
    CUBES,
    LINKED,
    Adult,
    adult,
    box_errors,
    cube,
    halves,
    linked,
)
from hushgram.lab.papers.adult import questions as boxes_of
from hushgram.lab.papers.classifiers import (
    accuracy,
    cells_of,
    check_extra,
    interactive,
    plain,
    split,
    tree,
)
from hushgram.lab.papers.drawing import Panel, lines
from hushgram.lab.papers.findings import (
    Claim,
    Finding,
    Numbers,
    Paper,
    Picture,
    ranked,
    short,
    some_of,
)
from hushgram.mechanisms.dpcube import DPCube
from hushgram.mechanisms.privelet import Privelet
from hushgram.partition import Boxes, Grid, Raster

ROWS = 10_000
"""The first so many rows, in the experiments on queries."""

EPSILONS = ("0.05", "0.1", "0.5", "1")
RIVALS: dict[str, Any] = {
    "DPCube": "dpcube",
    "DPCube, literal": DPCube(estimator="uniform", stop="variance"),
    "Dwork": "identity",
    "KD-hybrid": "kd-hybrid",
    "Privelet": Privelet(axes="ordered"),
}
"""The paper's four, and DPCube twice: with this package's defaults, and by the paper's rules."""

BUDGETS = ("0.01", "0.03", "0.1", "0.3", "1")
BLOCKERS = {"DPCube": "dpcube", "hierarchical kd-tree": "kd-standard"}
MARGIN = 2.0
"""Standard deviations that are added to the noisy sizes of blocks."""

PAPER_CUBE = np.array([[10, 21, 37], [20, 0, 0], [53, 0, 0]])
"""Fig. 2: age x income."""


def example(runs: int) -> Finding:
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
    return Finding(
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


def on_cube(name: str, letters: str, runs: int) -> Finding:
    """Two panels of Fig. 16."""
    table = adult()
    counts = cube(table, name, ROWS)
    asked = boxes_of(CUBES[name][1])
    medians: dict[str, dict[str, list[float]]] = {size: {} for size in asked}
    for rival, mechanism in RIVALS.items():
        for epsilon in EPSILONS:
            found = box_errors(counts, asked, mechanism, epsilon, runs)
            for size, errors in found.items():
                medians[size].setdefault(rival, []).append(float(errors[:, 1].mean()))
    axes = counts.ndim
    return Finding(
        f"Fig. 16 ({letters}): {name}",
        f"{table.about}, the first {ROWS:,} rows in {counts.size:,} cells. Random boxes of any "
        f"size, and small ones of at most {500 if axes == 2 else 4000:,} cells.",
        [in_order(size, medians[size]) for size in ("large", "small")],
        [numbers_of(size, medians[size]) for size in ("large", "small")],
        [
            Picture(
                f"004-fig16-{axes}d",
                f"Fig. 16 ({letters}): median absolute error of boxes by privacy budget.",
                partial(lines, [
                    Panel(f"{name}, {'any size' if size == 'large' else 'small boxes'}",
                          "privacy budget α", "median absolute error",
                          {one: ([float(e) for e in EPSILONS], y)
                           for one, y in medians[size].items()})
                    for size in ("large", "small")
                ]),
            )
        ],
    )  # fmt: skip


def in_order(size: str, medians: dict[str, list[float]]) -> Claim:
    rivals = [one for one in RIVALS if one != "DPCube, literal"]
    best = [min(rivals, key=lambda one, n=n: medians[one][n]) for n in range(len(EPSILONS))]  # type: ignore[misc]
    won = best.count("DPCube")
    others = {one: float(np.exp(np.mean(np.log(medians[one])))) for one in rivals}
    what = "boxes of any size" if size == "large" else "small boxes"
    return Claim(
        f"DPCube has the lowest median error of {what}",
        "at all α",
        f"at {some_of(won, len(EPSILONS))} α; overall {ranked(others)}",
        won == len(EPSILONS),
        "our KD-hybrid reconciles the counts of all levels of its tree by least squares, so large "
        "boxes, and with little budget small ones too, add up less noise than the leaves of "
        "DPCube; on 1,600 cells plain noise is nearly as good as any of them. *DPCube, literal* "
        "follows the paper's own rules: cut while the variance exceeds a threshold, answer from "
        "the leaves' counts alone.",
    )


def numbers_of(size: str, medians: dict[str, list[float]]) -> Numbers:
    rows = [(name, *map(short, found)) for name, found in medians.items()]
    what = "any size" if size == "large" else "few cells"
    heads = ("method", *(f"α = {e}" for e in EPSILONS))
    return Numbers(f"Median absolute errors, boxes of {what}", heads, rows)


def classification(runs: int) -> Finding:
    """Fig. 17."""
    check_extra()
    table = adult()
    train, test = split(table)
    features, rich = test[:, :-1], test[:, -1]
    counts = cells_of(train)
    learners = {
        "DPCube ID3": partial(tree, counts, "dpcube"),
        "private interactive ID3": partial(interactive, counts, "max", 4),
    }
    base = accuracy(plain(train)(features), rich)
    majority = max(float(rich.mean()), 1 - float(rich.mean()))
    found = {
        name: [
            float(np.mean([accuracy(learn(e)(features), rich) for _ in range(runs)]))
            for e in BUDGETS
        ]
        for name, learn in learners.items()
    }
    ours, theirs = found["DPCube ID3"], found["private interactive ID3"]
    ahead = sum(a >= b for a, b in zip(ours, theirs, strict=True))
    places = [float(e) for e in BUDGETS]
    shown = {
        "original ID3": [base] * len(BUDGETS),
        **found,
        "majority class": [majority] * len(BUDGETS),
    }
    return Finding(
        "Fig. 17: classification",
        f"{table.about}: {len(train):,} rows to train and {len(test):,} to test; work class, "
        "marital status, race and sex tell the salary. Interactive ID3: the score *max*, depth 4.",
        [
            Claim("accuracy of the original ID3", "76.9 %", f"{100 * base:.1f} %",
                  abs(base - 0.769) < 0.01,
                  "only the distribution of the table decides this, and where it is not Adult "
                  "itself, it is another."),
            Claim("DPCube ID3 outperforms the private interactive ID3", "at all α",
                  f"at {some_of(ahead, len(BUDGETS))} α", ahead == len(BUDGETS),
                  f"accuracies of single runs scatter by some percent, and the majority class "
                  f"alone has {100 * majority:.1f} %."),
            Claim("DPCube ID3 comes close to the original", "slightly worse",
                  f"{100 * ours[-1]:.1f} % at α = {BUDGETS[-1]}", abs(ours[-1] - base) < 0.01),
            Claim("both improve with the budget", "yes",
                  "; ".join(f"{name}: {', '.join(f'{100 * one:.1f}' for one in y)} %"
                            for name, y in found.items()),
                  ours == sorted(ours) and theirs == sorted(theirs),
                  "with the least budget a tree often is one leaf, the majority class, which does "
                  "well here; with a little more it learns noise; and runs are few."),
        ],
        [Numbers("Accuracy", ("classifier", *(f"α = {e}" for e in BUDGETS)),
                 [(name, *(f"{100 * one:.1f} %" for one in y)) for name, y in shown.items()])],
        [Picture("004-fig17", "Fig. 17: classification accuracy by privacy budget.", partial(
            lines, [Panel("salary of Adult", "privacy budget α", "classification accuracy",
                          {name: (places, y) for name, y in shown.items()}, log_y=False)]))],
    )  # fmt: skip


class Blocked(NamedTuple):
    """Means over runs."""

    reduction: float
    recall: float
    blocks: float


ByRule = dict[str, list[Blocked]]


def blocking(runs: int) -> Finding:
    """Fig. 18."""
    table = adult()
    axes = list(range(2, len(LINKED) + 1))
    by_budget = {
        name: [blocked(table, 2, epsilon, rule, runs) for epsilon in BUDGETS]
        for name, rule in BLOCKERS.items()
    }
    by_axes = {
        name: [blocked(table, many, "0.1", rule, max(runs // 2, 1)) for many in axes]
        for name, rule in BLOCKERS.items()
    }
    return Finding(
        "Fig. 18: blocking for record linkage",
        f"{table.about}, two parties with half of the rows each and half of those in common. The "
        "paper compares blocks by their true sizes, which leak. Here each party pads or cuts its "
        f"blocks to noisy sizes plus {MARGIN:g} standard deviations of the noise, and comparisons "
        "with dummies count; recall is the share of the common rows that are still compared.",
        [*budget_claims(by_budget), *axes_claims(by_axes)],
        [blocks_table(by_budget, by_axes, axes)],
        [blocks_picture(by_budget, by_axes, axes)],
    )


def blocked(table: Adult, axes: int, epsilon: str, mechanism: str, runs: int) -> Blocked:
    sides, matches, shape = halves(table, axes)
    found = [linked(sides, matches, shape, epsilon, mechanism, (MARGIN,))[0] for _ in range(runs)]
    return Blocked(*np.mean(found, axis=0).tolist())


def budget_claims(found: ByRule) -> list[Claim]:
    ours, theirs = found.values()
    every = [one.reduction for one in ours]
    enough = [one for one, e in zip(every, BUDGETS, strict=True) if float(e) >= 0.1]
    ahead = sum(a.reduction > b.reduction for a, b in zip(ours, theirs, strict=True))
    more = sum(a.recall > b.recall for a, b in zip(ours, theirs, strict=True))
    return [
        Claim(
            "reduction ratio of DPCube on two attributes at α ≥ 0.1",
            "around 85 %",
            f"{100 * min(enough):.0f} % to {100 * max(enough):.0f} %",
            min(enough) > 0.8,
            "few blocks leave many pairs.",
        ),
        Claim(
            "its reduction ratio is steady, α from 0.01 to 1",
            "yes",
            f"{100 * min(every):.0f} % to {100 * max(every):.0f} %",
            max(every) - min(every) < 0.1,
            "with little budget our DPCube keeps few cuts, since a cut has to pay for its noise, "
            "and the margin on noisy sizes is large: few and wide blocks leave many pairs.",
        ),
        Claim(
            "DPCube outperforms the hierarchical kd-tree by budget",
            "at all α",
            f"at {some_of(ahead, len(ours))} α",
            ahead == len(ours),
            WHY_TREE,
        ),
        Claim(
            "beyond the paper: DPCube finds more of the common rows",
            "–",
            f"at {some_of(more, len(ours))} α",
            more == len(ours),
            "with the margin both find nearly all of them, and which finds more is chance.",
        ),
    ]


def axes_claims(found: ByRule) -> list[Claim]:
    ours, theirs = found.values()
    ahead = sum(a.reduction > b.reduction for a, b in zip(ours, theirs, strict=True))
    falls = [by[-1].reduction < by[0].reduction for by in (ours, theirs)]
    return [
        Claim(
            "with more attributes the reduction ratio of both drops",
            "yes",
            ", ".join(
                f"{name}: {100 * by[0].reduction:.0f} % to {100 * by[-1].reduction:.0f} %"
                for name, by in found.items()
            ),
            all(falls),
            "more attributes make more blocks as well as smaller counts.",
        ),
        Claim(
            "DPCube outperforms the kd-tree by number of attributes",
            "2 to 6 attributes",
            f"{some_of(ahead, len(ours))} numbers of attributes",
            ahead == len(ours),
            WHY_TREE,
        ),
    ]


WHY_TREE = (
    "`kd-standard` stands in for the tree of Inan et al. and is stronger: least squares makes its "
    "levels agree. It cuts every node at a private median to a fixed depth, so it has many more "
    "blocks than our DPCube, which cuts where counts differ and stops where they do not: more "
    "blocks leave fewer pairs."
)


def blocks_table(by_budget: ByRule, by_axes: ByRule, axes: list[int]) -> Numbers:
    heads = ("reduction", "recall", "blocks")
    rows = [
        *(row_of(f"α = {epsilon}", by_budget, n) for n, epsilon in enumerate(BUDGETS)),
        *(row_of(f"{many} attributes, α = 0.1", by_axes, n) for n, many in enumerate(axes)),
    ]
    columns = ("", *(f"{name}: {what}" for name in BLOCKERS for what in heads))
    return Numbers("Reduction ratio, recall, number of blocks", columns, rows)


def row_of(label: str, found: ByRule, place: int) -> tuple[str, ...]:
    cells = [
        (f"{100 * one.reduction:.1f} %", f"{100 * one.recall:.1f} %", f"{one.blocks:.0f}")
        for one in (by[place] for by in found.values())
    ]
    return (label, *(text for three in cells for text in three))


def blocks_picture(by_budget: ByRule, by_axes: ByRule, axes: list[int]) -> Picture:
    budgets = [float(epsilon) for epsilon in BUDGETS]
    panels = [
        Panel(
            "two attributes",
            "privacy budget α",
            "reduction ratio",
            {name: (budgets, [one.reduction for one in by]) for name, by in by_budget.items()},
            log_y=False,
        ),
        Panel(
            "α = 0.1",
            "number of attributes",
            "reduction ratio",
            {name: (axes, [one.reduction for one in by]) for name, by in by_axes.items()},
            log_x=False,
            log_y=False,
        ),
    ]
    return Picture(
        "004-fig18",
        "Fig. 18: reduction ratio by budget and by number of attributes.",
        partial(lines, panels),
    )


PAPER = Paper(
    "004",
    "two looks at a cube of counts (DPCube)",
    "Xiao, Xiong, Fan, Goryczka & Li, *DPCube: differentially private histogram release through "
    "multidimensional partitioning*, Transactions on Data Privacy 2014.",
    5,
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
