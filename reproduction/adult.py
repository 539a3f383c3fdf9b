"""The table Adult of paper 004, for counts, classifiers and record linkage. NONPRIVATE."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import hushgram as hg
from hushgram.answers.learning.blocking import BlockPairs
from hushgram.declare.axis import Floats
from hushgram.geometry.partition import Ints
from hushgram.lab.evaluate.patterns import Shape
from hushgram.lab.evaluate.random_boxes import sums
from hushgram.lab.evaluate.workloads import BoxQuestions, boxes, small_boxes
from hushgram.private.linkage import assign_records, measure
from reproduction.data import numbers, table_file, texts

NUMBERS = ("age", "hours_per_week", "education_num")
TEXTS = ("workclass", "marital_status", "race", "sex", "income")
GAPS = ("workclass", "occupation", "native_country")
"""Columns in which ``?`` means a missing value."""

CUBES: dict[str, tuple[tuple[str, ...], Shape]] = {
    "age x education": (("age", "education_num"), (100, 16)),
    "age x hours x education": (("age", "hours_per_week", "education_num"), (100, 100, 16)),
}
LINKED = ("age", "education_num", "income", "marital_status", "race", "sex")


class Linked(NamedTuple):
    """The quality of blocks in one run."""

    reduction: float
    """The reduction ratio, counting comparisons with dummies."""
    recall: float
    blocks: float
    true: float
    """The reduction ratio for true sizes."""


@dataclass(frozen=True, eq=False)
class Adult:
    """Columns of whole numbers. Text values are numbered in sorted order. NONPRIVATE."""

    about: str
    columns: dict[str, Ints]
    complete: Any
    """Which rows have no missing value."""
    train: Any

    def select(self, names: Sequence[str], rows: Any = slice(None)) -> Ints:
        """Return some columns of some rows: rows x columns."""
        return np.stack([self.columns[name][rows] for name in names], axis=1)


def adult() -> Adult:
    path = table_file("adult")
    return generate_adult() if path is None else read(path)


def read(path: Path) -> Adult:
    whole = numbers(path, *NUMBERS).astype(np.int64)
    columns = dict(zip(NUMBERS, whole.T, strict=True))
    for name in TEXTS:
        columns[name] = np.unique(texts(path, name), return_inverse=True)[1].astype(np.int64)
    complete = np.all([texts(path, name) != "?" for name in GAPS], axis=0)
    return Adult("Adult (UCI)", columns, complete, texts(path, "split") == "train")


def generate_adult(rows: int = 48_842) -> Adult:
    """Generate the same number of rows, with correlations similar to Adult's."""
    rng = np.random.default_rng(4)
    age = np.clip(17 + rng.gamma(2.4, 9.2, rows), 17, 90).astype(np.int64)
    education = np.clip(np.rint(rng.normal(10.1, 2.5, rows)), 1, 16).astype(np.int64)
    usual = rng.random(rows) < 0.5
    hours = np.where(usual, 40, np.clip(rng.normal(41, 15, rows), 1, 99)).astype(np.int64)
    sex = (rng.random(rows) < 0.67).astype(np.int64)
    married = (rng.random(rows) < 0.25 + 0.35 * sex).astype(np.int64)
    marital = np.where(married == 1, 2, rng.choice([0, 1, 3, 4, 5, 6], rows))
    pull = 0.35 * (education - 10) + 2.2 * married + 0.02 * (age - 38) - 2.7
    columns = {
        "age": age, "hours_per_week": hours, "education_num": education,
        "workclass": rng.choice(9, rows, p=[0.06, 0.02, 0.06, 0.01, 0.69, 0.04, 0.08, 0.03, 0.01]),
        "marital_status": marital,
        "race": rng.choice(5, rows, p=[0.01, 0.03, 0.1, 0.01, 0.85]),
        "sex": sex,
        "income": (rng.random(rows) < 1 / (1 + np.exp(-pull))).astype(np.int64),
    }  # fmt: skip
    complete = rng.random(rows) < 0.926
    return Adult("a generated table like Adult", columns, complete, rng.random(rows) < 2 / 3)


def count_cells(rows: Ints, shape: Shape) -> Ints:
    counts = np.zeros(shape, dtype=np.int64)
    np.add.at(counts, tuple(rows.T), 1)
    return counts


def cube(table: Adult, name: str, first: int) -> Ints:
    """Return the counts of the first rows. Education is numbered from 1."""
    columns, shape = CUBES[name]
    values = table.select(columns, slice(first))
    values[:, -1] -= 1
    return count_cells(values, shape)


def questions(shape: Shape) -> dict[str, BoxQuestions]:
    """Return 2,000 random boxes with few cells, and as many of any size."""
    found = {}
    for size, make in (("small", small_boxes), ("large", boxes)):
        asked = make(size, shape, np.random.default_rng(16))
        assert isinstance(asked, BoxQuestions)
        found[size] = asked
    return found


def box_errors(
    counts: Ints, asked: dict[str, BoxQuestions], mechanism: Any, epsilon: str, runs: int
) -> dict[str, Floats]:
    """Return the mean relative and the median absolute error for each size: runs x 2."""
    found: dict[str, list[tuple[float, float]]] = {size: [] for size in asked}
    for _ in range(runs):
        release = hg.publish(
            hg.Counts(counts), epsilon=epsilon, mechanism=mechanism, ledger=hg.Ledger.in_memory()
        )
        cells = np.asarray(release.to_array(), dtype=float)
        for size, one in asked.items():
            true = one.true(counts)
            apart = np.abs(sums(cells, one.starts, one.stops) - true)
            relative = apart / np.maximum(true, counts.sum() / 1000)
            found[size].append((float(relative.mean()), float(np.median(apart))))
    return {size: np.array(one) for size, one in found.items()}


def halves(table: Adult, axes: int) -> tuple[list[Ints], Ints, Shape]:
    """Return the rows of two parties, half of which are common; the pairs of common rows; and the
    cells of the first ``axes`` axes."""
    codes = table.select(LINKED[:axes])
    codes -= codes.min(axis=0)
    shape = tuple(int(n) for n in codes.max(axis=0) + 1)
    codes = codes[np.random.default_rng(18).permutation(len(codes))]
    quarter = len(codes) // 4
    common = np.arange(quarter)
    sides = [codes[: 2 * quarter], codes[quarter : 3 * quarter]]
    return sides, np.stack([quarter + common, common], axis=1), shape


def link_once(
    sides: list[Ints],
    matches: Ints,
    shape: Shape,
    epsilon: str,
    mechanism: Any,
    margins: Sequence[float],
) -> list[Linked]:
    """Run once and return the quality of blocks for each margin."""
    first, second = (
        hg.publish(
            hg.Counts(count_cells(side, shape)),
            epsilon=epsilon,
            mechanism=mechanism,
            ledger=hg.Ledger.in_memory(),
        )
        for side in sides
    )
    found = []
    for margin in margins:
        pairs = hg.match_blocks(first, second, margin=margin)
        ours = assign_records(pairs.first, sides[0])
        theirs = assign_records(pairs.second, sides[1])
        result = measure(pairs, ours, theirs, matches)
        blocks = len(pairs.first.sizes)
        found.append(
            Linked(result.reduction_ratio, result.recall, blocks, by_true_sizes(pairs, sides))
        )
    return found


def by_true_sizes(pairs: BlockPairs, sides: list[Ints]) -> float:
    """Return the reduction ratio of equation 10, which counts true rows, for comparison only."""
    ours, theirs = (
        np.bincount(side.partition.parts(list(rows.T)), minlength=len(side.sizes))
        for side, rows in zip((pairs.first, pairs.second), sides, strict=True)
    )
    compared = (ours[pairs.pairs[:, 0]] * theirs[pairs.pairs[:, 1]]).sum()
    return float(1 - compared / (len(sides[0]) * len(sides[1])))
