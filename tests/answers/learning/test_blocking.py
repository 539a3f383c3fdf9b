"""Blocks of two releases: which overlap, how large they are, and what that saves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hushgram as hg
from hushgram.answers.learning import blocking
from hushgram.answers.learning.blocking import block_sizes, match_blocks, overlapping
from hushgram.errors import DomainError, NotAnswerable, QuestionError
from hushgram.geometry.partition import Boxes, Grid, Raster
from tests.samples import cells, release_of


@st.composite
def cut_boxes(draw: Any) -> Boxes:
    raster = Raster.of_cells(hg.Domain(x=hg.Integer(0, 6), y=hg.Integer(0, 4)))
    boxes = Boxes.whole(raster)
    for _ in range(draw(st.integers(0, 4))):
        lower, upper = boxes.corners
        axes, cuts = np.full((2, boxes.size), -1)
        for part in range(boxes.size):
            axis = draw(st.integers(0, 1))
            if upper[part, axis] - lower[part, axis] > 1:
                axes[part] = axis
                cuts[part] = draw(st.integers(lower[part, axis] + 1, upper[part, axis] - 1))
        boxes = boxes.cut(axes, cuts)
    return boxes


@given(cut_boxes(), cut_boxes())
@settings(max_examples=40)
def test_blocks_overlap_where_they_share_a_cell(first: Boxes, second: Boxes) -> None:
    everywhere = [indices.ravel() for indices in np.indices((7, 5))]
    shared = set(zip(first.parts(everywhere), second.parts(everywhere), strict=True))
    found = overlapping(first, second)
    assert [tuple(pair) for pair in found] == sorted(shared)


def test_blocks_are_compared_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    domain = hg.Domain(x=hg.Integer(0, 11))
    first, second = Grid(domain, (5,)), Grid(domain, (4,))
    whole = overlapping(first, second)
    monkeypatch.setattr(blocking, "COMPARED", 1)
    assert np.array_equal(overlapping(first, second), whole)


def test_sizes_and_the_reduction_ratio() -> None:
    grid = cells(x=hg.Integer(0, 2))
    ours, theirs = release_of(grid, [10, -2, 30]), release_of(grid, [20, 40, 0])
    found = match_blocks(ours, theirs, margin=0)
    assert found.first.sizes.tolist() == [10, 0, 30]
    assert found.pairs.tolist() == [[0, 0]]
    assert found.comparisons == 200
    assert found.reduction_ratio == 1 - 200 / (38 * 60)
    wide = match_blocks(ours, theirs, margin=1.5)
    deviation = ours.estimate.measurements[0].variance ** 0.5
    assert wide.first.sizes.tolist() == [
        max(int(np.ceil(count + 1.5 * deviation)), 0) for count in (10, -2, 30)
    ]
    assert len(wide.pairs) == 3
    assert match_blocks(*[release_of(grid, [-9] * 3)] * 2, margin=0).reduction_ratio == 1


def test_leaves_of_equal_cells_are_blocks() -> None:
    counts = np.zeros((32, 16), dtype=int)
    counts[4:20, :8] = 100
    release = hg.publish(hg.Counts(counts), epsilon=1, mechanism="dpcube")
    blocks = match_blocks(release, release).first
    leaves = release.estimate.inference.leaves  # type: ignore[attr-defined]
    assert blocks.partition is leaves
    everywhere = [indices.ravel() for indices in np.indices((32, 16))]
    inside = leaves.parts(everywhere)
    for block in range(len(blocks.sizes)):
        weights = (inside == block) * 1.0
        value = float(weights @ release.estimate.values)
        noise = release.estimate.moments(weights)[0]
        assert blocks.sizes[block] == max(np.ceil(round(value + 2 * noise**0.5, 6)), 0)


@pytest.mark.parametrize("mechanism", ["identity", "privelet"])
def test_one_partition_can_be_shared(mechanism: str) -> None:
    counts = np.zeros((32, 16), dtype=int)
    counts[4:20, :8] = 100
    ours = hg.publish(hg.Counts(counts), epsilon=1, mechanism="dpcube")
    theirs = hg.publish(hg.Counts(counts), epsilon=1, mechanism=mechanism)
    found = match_blocks(ours, theirs, shared=True)
    assert found.second.partition is found.first.partition
    assert (found.pairs[:, 0] == found.pairs[:, 1]).all()
    lower, upper = found.first.partition.boxes()
    block = int(np.argmax(found.second.sizes))
    question = {f"x{axis}": (int(lower[block, axis]), int(upper[block, axis])) for axis in range(2)}
    asked = theirs.count(question)
    weights = np.zeros((32, 16))
    weights[tuple(slice(*ends) for ends in question.values())] = 1
    deviation = theirs.estimate.moments(weights.ravel())[0] ** 0.5
    assert found.second.sizes[block] == np.ceil(round(asked.value + 2 * deviation, 6))


@pytest.mark.parametrize("mechanism", hg.MECHANISMS)
def test_every_mechanism_s_releases_can_be_matched(mechanism: str) -> None:
    counts = np.random.default_rng(1).poisson(30, (16, 8))
    try:
        pair = [hg.publish(hg.Counts(counts), epsilon=1, mechanism=mechanism) for _ in range(2)]
    except DomainError:
        flat = hg.Counts(counts.ravel())
        pair = [hg.publish(flat, epsilon=1, mechanism=mechanism) for _ in range(2)]
    found = match_blocks(pair[0], pair[1])
    assert found.to_arrow().num_rows == len(found.pairs) > 0
    for side, release in zip((found.first, found.second), pair, strict=True):
        assert side.rows == pytest.approx(release.count().value)


def test_what_cannot_be_matched() -> None:
    ours = release_of(cells(x=hg.Integer(0, 2)))
    with pytest.raises(QuestionError, match="different domains"):
        match_blocks(ours, release_of(cells(x=hg.Integer(0, 3))))
    for margin in (-1, float("nan"), float("inf"), "2"):
        with pytest.raises(QuestionError, match="margin must be"):
            match_blocks(ours, ours, margin=margin)  # type: ignore[arg-type]
    coarse = release_of(Grid(ours.domain, (1,)))
    assert match_blocks(coarse, ours, shared=True).second.sizes.tolist() == [13]
    with pytest.raises(NotAnswerable, match="span several blocks of the first"):
        match_blocks(ours, coarse, shared=True)


def test_pairs_as_a_table() -> None:
    grid = cells(age=hg.Regular(2, 0, 80), sex=hg.Category(["F", "M"]))
    table = match_blocks(release_of(grid, [5, 6, 7, 8]), release_of(grid), margin=0).to_arrow()
    assert table.column_names == [
        "first_block", "first_size", "first_age_lo", "first_age_hi", "first_sex",
        "second_block", "second_size", "second_age_lo", "second_age_hi", "second_sex",
    ]  # fmt: skip
    assert table.num_rows == 3
    assert table.to_pylist()[0]["first_sex"] == "M"


def test_a_forged_count_is_no_warning() -> None:
    sizes, rows = block_sizes(np.array([1e300, 3.2, -5.0]), np.zeros(3), 2.0)
    assert (sizes.tolist(), rows) == ([2**53, 4, 0], 1e300)


def test_blocks_of_cells_that_share_a_value_allow_for_it() -> None:
    """Half of a group may have more of its rows than its cells' common value says."""
    counts = hg.Counts(np.repeat([900, 0, 700, 20], 25))
    ours = hg.publish(counts, epsilon=1, mechanism="identity").rollup(x0=10)
    theirs = hg.publish(counts, epsilon=1, mechanism="noise-first")
    assert theirs.estimate.inference.groups() is not None
    blocks = match_blocks(ours, theirs.rollup(x0=10)).second
    noise = np.sqrt(theirs.rollup(x0=10).estimate.variances())
    values = theirs.rollup(x0=10).estimate.values
    assert (blocks.sizes >= np.maximum(values + 2 * noise, 0)).all()
    assert (blocks.sizes > values + 2 * noise).any()
