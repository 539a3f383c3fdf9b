"""Nested nodes are all nodes of binary trees, in order, or they are refused."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushgram.declare.axis import Integer
from hushgram.declare.domain import Domain
from hushgram.errors import DomainError
from hushgram.geometry.measured import nested_nodes
from hushgram.geometry.measured.nested_nodes import NestedNodes
from hushgram.geometry.measured.reading import measurable_from_json
from hushgram.geometry.measured.weighted_nodes import WeightedNodes
from hushgram.geometry.partition import Grid

LINE = Domain(x=Integer(0, 3))
CELLS = Grid.of_cells(LINE)


def nested(ends: Any, weights: Any = None, leaves: Any = CELLS) -> NestedNodes:
    starts, stops = np.array(ends, dtype=np.int64).T
    given = np.ones(len(starts), dtype=np.int64) if weights is None else np.array(weights)
    return NestedNodes(WeightedNodes(leaves, starts, stops, given))


@st.composite
def forests(draw: st.DrawFn) -> NestedNodes:
    leaves = draw(st.integers(1, 12))
    found: list[tuple[int, int]] = []

    def grow(start: int, stop: int) -> None:
        found.append((start, stop))
        if stop - start > 1:
            middle = draw(st.integers(start + 1, stop - 1))
            grow(start, middle)
            grow(middle, stop)

    ends = sorted({0, leaves, *draw(st.lists(st.integers(0, leaves), max_size=2))})
    for start, stop in pairwise(ends):
        grow(start, stop)
    weights = [draw(st.integers(1, 9)) for _ in found]
    return nested(found, weights, Grid.of_cells(Domain(x=Integer(0, leaves - 1))))


@given(forests())
def test_halves_follow_their_node_and_add_up_to_it(forest: NestedNodes) -> None:
    starts, stops = forest.nodes.starts, forest.nodes.stops
    for node, upper in enumerate(forest.right.tolist()):
        if upper:
            assert starts[node] == starts[node + 1]
            assert stops[node + 1] == starts[upper]
            assert stops[node] == stops[upper]
        else:
            assert stops[node] == starts[node] + 1


@given(forests())
def test_a_description_reads_back(forest: NestedNodes) -> None:
    again = measurable_from_json(forest.domain, forest.to_json())
    assert isinstance(again, NestedNodes)
    assert again.size == forest.size
    assert again.nodes.weights.tolist() == forest.nodes.weights.tolist()
    assert again.right.tolist() == forest.right.tolist()


@pytest.mark.parametrize(
    "ends",
    [
        [(0, 4)],
        [(0, 2), (0, 1), (1, 2)],
        [(0, 2), (0, 1), (1, 2), (3, 4), (2, 3)],
        [(0, 4), (2, 4), (0, 2), (0, 1), (1, 2), (2, 3), (3, 4)],
        [(0, 4), (0, 2), (0, 1), (1, 2), (2, 4), (2, 3), (2, 3)],
        [(0, 1), (1, 2), (2, 3), (3, 4), (0, 1)],
        [(0, 3), (0, 1), (1, 2), (2, 3), (3, 4)],
    ],
    ids=["no leaves", "missing", "order", "halves", "twice", "again", "three"],
)
def test_what_is_not_a_forest_is_refused(ends: Any) -> None:
    with pytest.raises(DomainError, match=r"followed by its two halves|in exactly one tree"):
        nested(ends)


def test_too_many_leaves_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nested_nodes, "MAX_LEAVES", 3)
    with pytest.raises(DomainError, match=r"at most 3 leaves. Found 4"):
        nested([(0, 1), (1, 2), (2, 3), (3, 4)])


def test_other_nodes_are_refused() -> None:
    with pytest.raises(DomainError, match="Found Grid"):
        NestedNodes(CELLS)  # type: ignore[arg-type]
