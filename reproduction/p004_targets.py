"""Paper 004: interactive queries, the whole tree for large queries, merged cells for target
queries."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

import hushgram as hg
from hushgram.declare.axis import Floats
from hushgram.geometry.partition import Ints
from hushgram.lab.evaluate.data import DataSet, coarsen
from hushgram.lab.evaluate.random_boxes import sums
from hushgram.lab.evaluate.workloads import BoxQuestions
from hushgram.mechanisms.dpcube import DPCube
from reproduction.adult import CUBES, adult, cube, questions
from reproduction.findings import Claim, Numbers, PaperFinding, short
from reproduction.grids import Place, measure_grid
from reproduction.judged import Judged, Runs, every, format_mean, less, mean, times

ROWS = 10_000
NAME = "age x education"
EPSILONS = ("0.05", "0.1", "0.5", "1")
ASKED = 20
"""Queries that are actually asked interactively in each run."""

PAPERS = 100_000
"""The number of queries in the paper's workload."""

MERGED = (20, 8)
"""Merged cells of five years and two degrees each, of which all target queries consist."""

TREES: dict[str, Any] = {
    name: DPCube(estimator="uniform", stop="variance", xi=3.0, levels=levels)
    for name, levels in {"leaves": 1, "two levels": 2, "four levels": 4}.items()
}
AREAS = {"up to 5 %": (0.0, 0.05), "5 to 25 %": (0.05, 0.25), "25 to 50 %": (0.25, 0.5),
         "more than 50 %": (0.5, 1.0)}  # fmt: skip
"""The shares of cells in boxes."""


def interactive(runs: int) -> PaperFinding:
    """Compare with the interactive model: every query has separate noise, and a share of the
    budget."""
    table = adult()
    data = DataSet(NAME, cube(table, NAME, ROWS))
    found = measure_grid(data, {"DPCube": "dpcube"}, EPSILONS, ["boxes"], "median", runs)
    errors = {e: found[Place("DPCube", e, "boxes")] for e in EPSILONS}
    asked = [ask_boxes(data.counts, e) for e in EPSILONS for _ in range(runs)]
    by_budget = dict(zip(EPSILONS, np.array(asked).reshape(len(EPSILONS), runs, -1), strict=True))
    expected = {e: ASKED / float(e) for e in EPSILONS}
    apart: list[Judged] = [
        bool(abs(np.mean(one) / expected[e] - 1) < 5 / np.size(one) ** 0.5)
        for e, one in by_budget.items()
    ]
    equal = {e: float(e) * mean(errors[e]) / math.log(2) for e in EPSILONS}
    ahead: list[Judged] = [mean(errors[e]) < PAPERS * math.log(2) / float(e) for e in EPSILONS]
    return PaperFinding(
        "The interactive model",
        f"{table.about}, {NAME}. `hg.ask` answers each question separately: {ASKED} random boxes "
        f"in each run, each with α / {ASKED}. The median error of k questions is k ln 2 / α.",
        [
            Claim("the non-interactive release has less error than the interactive model on the "
                  f"paper's {PAPERS:,} queries", "yes", f"{times(ahead, 'α')}; at α = 1 "
                  f"{short(mean(errors['1']))} against {short(PAPERS * math.log(2))}",
                  every(ahead)),
            Claim("with more queries, each gets less budget and more noise", "k / α",
                  "; ".join(f"α = {e}: {short(float(np.mean(one)))} (k / α = {expected[e]:g})"
                            for e, one in by_budget.items()), every(apart)),
        ],
        [
            Numbers(
                "Median absolute error of DPCube, and the number of questions with which asking "
                "one by one is as good",
                ("", *(f"α = {e}" for e in EPSILONS)),
                [("DPCube", *(format_mean(errors[e]) for e in EPSILONS)),
                 ("equals this many single questions", *(f"{equal[e]:.1f}" for e in EPSILONS))],
            )
        ],
    )  # fmt: skip


def ask_boxes(counts: Ints, epsilon: str) -> list[float]:
    """Return the errors of some random boxes, each queried and charged separately."""
    indices = np.repeat(np.argwhere(counts), counts[counts > 0], axis=0)
    names = CUBES[NAME][0]
    rows = pa.table({name: indices[:, axis] for axis, name in enumerate(names)})
    boxes = questions(counts.shape)["large"]
    places = np.random.default_rng().choice(len(boxes.starts), ASKED, replace=False)
    book, price = hg.Ledger.in_memory(), Fraction(epsilon) / ASKED
    errors: list[float] = []
    for start, stop in zip(boxes.starts[places], boxes.stops[places], strict=True):
        axes = {
            name: hg.Integer(int(a), int(b) - 1)
            for name, a, b in zip(names, start, stop, strict=True)
        }
        found = hg.ask(rows, "count", axes, epsilon=price, account="adult", ledger=book)
        true = counts[tuple(slice(int(a), int(b)) for a, b in zip(start, stop, strict=True))].sum()
        assert isinstance(found.value, int)
        errors.append(abs(found.value - int(true)))
    return errors


def whole_tree(runs: int) -> PaperFinding:
    """Check Section 4: internal nodes of the kd-tree, released for large queries."""
    counts = cube(adult(), NAME, ROWS)
    asked = questions(counts.shape)["large"]
    shares = (asked.stops - asked.starts).prod(axis=1) / counts.size
    groups = {
        name: np.flatnonzero((low < shares) & (shares <= high))
        for name, (low, high) in AREAS.items()
    }
    medians: dict[tuple[str, str], list[Runs]] = {
        (size, tree): [] for size in groups for tree in TREES
    }
    for tree, mechanism in TREES.items():
        for epsilon in EPSILONS:
            errors = [box_errors(counts, mechanism, epsilon, asked) for _ in range(runs)]
            for size, places in groups.items():
                medians[size, tree].append([float(np.median(one[places])) for one in errors])
    small, *_, large = groups
    leaves, tree, _ = TREES

    def compare(size: str, first: str, second: str) -> list[Judged]:
        pairs = zip(medians[size, first], medians[size, second], strict=True)
        return [less(one, other) for one, other in pairs]

    gains, losses = compare(large, tree, leaves), compare(small, leaves, tree)
    return PaperFinding(
        "The whole kd-tree for large queries",
        f"{NAME}, ξ₀ = 3, uniform estimation: the leaves alone, or several levels of the tree with "
        "equal parts of α₂, reconciled by least squares (`dpcube` with `levels`). Random boxes by "
        "their share of all cells.",
        [
            Claim(f"internal nodes benefit large queries ({large}; two levels)", "yes",
                  f"less error {times(gains, 'α')}", every(gains)),
            Claim(f"the leaves alone are better for small queries ({small}; two levels)", "yes",
                  f"less error {times(losses, 'α')}", every(losses)),
        ],
        [
            Numbers("Median absolute errors", ("", *(f"α = {e}" for e in EPSILONS)),
                    [(f"{size}: {name}", *map(format_mean, each))
                     for (size, name), each in medians.items()])
        ],
    )  # fmt: skip


def box_errors(
    counts: Ints, mechanism: Any, epsilon: str, asked: BoxQuestions, scale: Any = 1
) -> Floats:
    """Return the absolute errors of boxes in one run, with sides in multiples of ``scale``
    cells."""
    release = hg.publish(
        hg.Counts(counts), epsilon=epsilon, mechanism=mechanism, ledger=hg.Ledger.in_memory()
    )
    starts, stops = asked.starts * scale, asked.stops * scale
    cells: Floats = np.asarray(release.to_array(), dtype=float)
    return np.asarray(np.abs(sums(cells - counts, starts, stops)))


def merged_cells(runs: int) -> PaperFinding:
    """Check Section 4.1: cells that always occur together in target queries form a new cell."""
    fine = cube(adult(), NAME, ROWS)
    coarse = coarsen(fine, MERGED, NAME)
    factor = np.array(fine.shape) // np.array(MERGED)
    asked = questions(coarse.shape)["large"]
    names = {"Dwork": "identity", "DPCube": "dpcube"}
    rows: dict[str, list[Runs]] = {}
    for name, mechanism in names.items():
        for kind, counts, scale in (("all cells", fine, factor), ("merged", coarse, 1)):
            rows[f"{name}, {kind}"] = [
                [float(np.median(box_errors(counts, mechanism, e, asked, scale)))
                 for _ in range(runs)]
                for e in EPSILONS
            ]  # fmt: skip
    claims = [merged_claim(name, rows) for name in names]
    return PaperFinding(
        "Cells merged for target queries",
        f"{NAME}: all queries are known to consist of blocks of {factor[0]} years and {factor[1]} "
        f"degrees. Merging the cells means declaring {MERGED[0]} x {MERGED[1]} cells instead of "
        f"{fine.shape[0]} x {fine.shape[1]}.",
        claims,
        [Numbers("Median absolute errors of target questions",
                 ("", *(f"α = {e}" for e in EPSILONS)),
                 [(name, *map(format_mean, each)) for name, each in rows.items()])],
    )  # fmt: skip


def merged_claim(name: str, rows: dict[str, list[Runs]]) -> Claim:
    pairs = zip(rows[f"{name}, merged"], rows[f"{name}, all cells"], strict=True)
    judged = [less(merged, each) for merged, each in pairs]
    return Claim(
        f"merged cells boost the accuracy of target queries ({name})",
        "yes",
        f"less error {times(judged, 'α')}",
        every(judged),
    )
