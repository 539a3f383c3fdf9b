"""Categories in place of paper 001's transactions, and its literal pipeline. NONPRIVATE."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from hushgram.geometry.partition import Ints
from hushgram.lab.evaluate.data import DataSet
from reproduction.data import texts
from reproduction.judged import Runs
from reproduction.nonprivate_grouping import errors, nonprivate_grouping

GROUPS = (1, 6, 10, 20, 100)
"""1, n/15, n/10, n/5 and n."""

EPSILONS = ("1", "0.1", "0.01", "0.001")

PAPERS_ROWS = 349_655_790

ROWS = 100_000
"""With the paper's number of rows, noise at these ε would be invisible next to the structure
error."""


def transactions(rows: int = ROWS) -> Ints:
    """Return rows by category: the 100 countries with the most places, by name."""
    from hushgram.data import places

    _, counts = np.unique(texts(places(), "country"), return_counts=True)
    kept = np.sort(np.argsort(-counts, kind="stable")[: GROUPS[-1]])
    return DataSet("transactions", counts[kept]).rescale(rows).counts


def literal(
    counts: Ints, groups: int, epsilon: float, runs: int, rng: Generator
) -> dict[str, Runs]:
    """Return the errors of the literal pipeline for each run."""
    found = [errors(counts, nonprivate_grouping(counts, groups, epsilon, rng)) for _ in range(runs)]
    return {
        "E(H*)": [one.structure for one in found],
        "E(Hm)": [one.total_noisy for one in found],
        "E(Hs)": [one.total_isotonic for one in found],
    }
