"""Sums and averages: their intervals hold the truth about heaped and about smooth tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hushgram as hg
from hushgram.release import Release
from tests.answers.tables.test_part_columns import TABLES, counts_of, publish
from tests.samples import cells, release_of

RUNS, RANGES = 25, 12


def ask_all(release: Release, values: Any, rng: Any) -> tuple[list[bool], list[bool]]:
    """Whether sums and averages over ranges hold the truth."""
    sums, averages = [], []
    for start, stop in np.sort(rng.uniform(0, 200, (RANGES, 2)), axis=1):
        inside = values[(values >= start) & (values < stop)]
        sums.append(holds(release.sum("x", x=(start, stop)), inside.sum()))
        if len(inside) > 300:
            averages.append(holds(release.average("x", x=(start, stop)), inside.mean()))
    return sums, averages


def holds(answer: hg.Answer, truth: float) -> bool:
    return answer.interval[0] - 1e-9 <= truth <= answer.interval[1] + 1e-9


@pytest.mark.parametrize("bins", [10, 40])
@pytest.mark.parametrize("table", TABLES)
def test_cells_that_were_counted_one_by_one(table: str, bins: int) -> None:
    rng = np.random.default_rng(5)
    counts = counts_of(TABLES[table], bins)
    grid = cells(x=hg.Regular(bins, 0, 200))
    sums, averages = [], []
    for _ in range(RUNS):
        release = release_of(grid, counts + rng.laplace(0, 2, bins).round())
        some, others = ask_all(release, TABLES[table], rng)
        sums += some
        averages += others
    assert np.mean(sums) >= 0.94
    assert np.mean(averages) >= 0.94


@pytest.mark.parametrize("mechanism", ["ahp", "structure-first", "hb", "privtree"])
def test_groups_and_trees(mechanism: str) -> None:
    rng = np.random.default_rng(6)
    sums, averages = [], []
    for table in ("heaped", "hills"):
        values = TABLES[table]
        for _ in range(4):
            release = publish(values[:, None], mechanism, x=hg.Regular(40, 0, 200))
            some, others = ask_all(release, values, rng)
            sums += some
            averages += others
    assert np.mean(sums) >= 0.93  # 96 answers, with a deviation of 2
    assert np.mean(averages) >= 0.93


def test_a_view_of_boxes() -> None:
    """The view cuts the boxes of the release, so its sums are less sure than its noise."""
    rng = np.random.default_rng(7)
    x = TABLES["heaped"]
    values = np.stack([x, rng.uniform(0, 1, len(x))], axis=1)
    sums, averages = [], []
    for _ in range(4):
        release = publish(values, "privtree", x=hg.Interval(0, 200), y=hg.Interval(0, 1))
        some, others = ask_all(release.project("x", bins=40), x, rng)
        sums += some
        averages += others
    assert np.mean(sums) >= 0.93
    assert np.mean(averages) >= 0.93


def test_cells_that_nothing_is_known_about_have_sums_with_an_error() -> None:
    """Their groups are one part each: sums were once given the error of the noise alone."""
    release = publish(TABLES["hills"][:, None], "structure-first", x=hg.Regular(40, 0, 200))
    answer = release.sum("x", x=(0, 60))
    assert answer.noise_interval is not None
    assert answer.half_width > 2 * (answer.noise_interval[1] - answer.value)
    seen = release.slice(x=(0, 60)).sum("x")
    assert seen.value == pytest.approx(answer.value)
    assert seen.half_width == pytest.approx(answer.half_width, rel=0.05)
