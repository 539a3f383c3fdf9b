"""A party's own records: padded, cut, paired and measured."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hushgram as hg
from hushgram.answers.learning.blocking import Blocks, match_blocks
from hushgram.errors import QuestionError
from hushgram.geometry.partition import Grid
from hushgram.private.linkage import DUMMY, assign_records, candidate_pairs, measure
from tests.samples import cells, release_of

GRID = cells(x=hg.Integer(0, 2))


def blocks(sizes: list[int]) -> Blocks:
    return Blocks(GRID, np.array(sizes), float(sum(sizes)))


@given(
    st.lists(st.integers(-1, 3), max_size=30), st.lists(st.integers(0, 9), min_size=3, max_size=3)
)
def test_every_block_gets_its_public_size(values: list[int], sizes: list[int]) -> None:
    found = assign_records(blocks(sizes), {"x": values})
    assert found.rows == len(values)
    assert np.diff(found.starts).tolist() == sizes
    for block, size in enumerate(sizes):
        inside = [row for row, value in enumerate(values) if value == block]
        real = [record for record in found.block(block).tolist() if record != DUMMY]
        assert len(set(real)) == len(real) == min(size, len(inside))
        assert set(real) <= set(inside)


def test_who_is_left_out_is_random() -> None:
    kept = np.zeros(10)
    places = np.zeros(4)
    for _ in range(4000):
        kept[assign_records(blocks([3, 0, 0]), {"x": [0] * 10}).records] += 1
        places += assign_records(blocks([4, 0, 0]), {"x": [0]}).records == 0
    assert (np.abs(kept - 1200) < 6 * (4000 * 0.3 * 0.7) ** 0.5).all()
    assert (np.abs(places - 1000) < 6 * (4000 * 0.25 * 0.75) ** 0.5).all()


def test_a_table_for_the_owner() -> None:
    table = assign_records(blocks([2, 1, 0]), {"x": [0, 1, 2, 7]}).to_arrow().to_pydict()
    assert table["block"] == [0, 0, 1]
    assert sorted(table["record"], key=str) == [0, 1, None]


def small() -> tuple[Any, Any, Any]:
    """Two coarse blocks against three fine ones."""
    coarse = release_of(Grid(hg.Domain(x=hg.Integer(0, 2)), (2,)), [4, 2])
    fine = release_of(GRID, [2, 2, 2])
    matched = match_blocks(coarse, fine, margin=0)
    ours = assign_records(matched.first, {"x": [0, 1, 2, 0]})
    theirs = assign_records(matched.second, {"x": [2, 1, 0]})
    return matched, ours, theirs


def test_pairs_of_records_to_compare() -> None:
    matched, ours, theirs = small()
    assert matched.pairs.tolist() == [[0, 0], [0, 1], [1, 2]]
    table = candidate_pairs(matched, ours, theirs).to_pydict()
    found = set(zip(table["first"], table["second"], strict=True))
    assert found == {(a, b) for a in (0, 1, 3) for b in (1, 2)} | {(2, 0)}
    none = match_blocks(*[release_of(GRID, [0, 0, 0])] * 2, margin=0)
    empty = assign_records(none.first, {"x": [0, 1]})
    assert candidate_pairs(none, empty, empty).num_rows == 0


def test_reduction_and_recall_against_the_truth() -> None:
    matched, ours, theirs = small()
    found = measure(matched, ours, theirs, [(0, 2), (1, 1), (2, 0), (3, 0)])
    assert found.reduction_ratio == 1 - (4 * 2 + 4 * 2 + 2 * 2) / (4 * 3)
    assert found.recall == 0.75
    cut = assign_records(blocks([0, 0, 0]), {"x": [2, 1, 0]})
    assert measure(matched, ours, cut, [(0, 2), (1, 1)]).recall == 0
    with pytest.raises(QuestionError, match="none were given"):
        measure(matched, ours, theirs, [])


def test_records_lack_a_column() -> None:
    with pytest.raises(QuestionError, match="has no column 'x'"):
        assign_records(blocks([1, 1, 1]), {"y": [1]})


def halves(names: list[str]) -> tuple[pd.DataFrame, pd.DataFrame, Any]:
    """Overlapping halves of Adult, and the rows that are in both."""
    table = pd.read_parquet(Path(os.environ["HUSHGRAM_DATA"]) / "adult.parquet")[names]
    order = np.random.default_rng(4).permutation(len(table))
    quarter = len(table) // 4
    matches = [(quarter + n, n) for n in range(quarter)]
    return table.iloc[order[: 2 * quarter]], table.iloc[order[quarter : 3 * quarter]], matches


@pytest.mark.skipif("HUSHGRAM_DATA" not in os.environ, reason="HUSHGRAM_DATA is not set")
@pytest.mark.parametrize("mechanism", ["dpcube", "identity", "kd-cell"])
def test_adult_is_linked_with_few_comparisons(mechanism: str) -> None:
    ours, theirs, matches = halves(["age", "education_num"])
    domain = hg.Domain(age=hg.Integer(17, 90), education_num=hg.Integer(1, 16))
    releases = [
        hg.publish(side, domain, epsilon=0.1, account=name, mechanism=mechanism)
        for name, side in {"ours": ours, "theirs": theirs}.items()
    ]
    matched = match_blocks(*releases)
    sides = assign_records(matched.first, ours), assign_records(matched.second, theirs)
    found = measure(matched, *sides, matches)
    assert found.reduction_ratio > 0.8
    assert found.recall > 0.95
    assert matched.reduction_ratio == pytest.approx(found.reduction_ratio, abs=0.05)
