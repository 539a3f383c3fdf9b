"""Weighted nodes are a matrix of memberships and weights times the leaves' counts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hushgram.declare.axis import Integer
from hushgram.declare.domain import Domain
from hushgram.errors import DomainError
from hushgram.geometry.measured import weighted_nodes
from hushgram.geometry.measured.reading import measurable_from_json
from hushgram.geometry.measured.weighted_nodes import MAX_WEIGHT, WeightedNodes
from hushgram.geometry.partition import (
    Boxed,
    Boxes,
    Cuts,
    Grid,
    Merged,
    Raster,
    Refined,
    is_nested,
    pack,
    same_parts,
)

LINE = Domain(x=Integer(0, 11, outside="other"))
PLANE = Domain(x=Integer(0, 7), y=Integer(0, 4))
MOST = 2**63 - 1


@st.composite
def trees(draw: st.DrawFn) -> Boxes:
    """A few boxes of a plane, cut one after another."""
    boxes = Boxes.whole(Raster.of_cells(PLANE))
    for _ in range(draw(st.integers(0, 5))):
        boxes = draw(cut_further(boxes))
    return boxes


@st.composite
def cut_further(draw: st.DrawFn, boxes: Boxes) -> Boxes:
    """One box is cut, if it can be."""
    axes, places = np.full(boxes.size, -1), np.zeros(boxes.size, dtype=np.int64)
    box, axis = draw(st.integers(0, boxes.size - 1)), draw(st.integers(0, 1))
    lower, upper = (int(corner[box, axis]) for corner in boxes.corners)
    if upper - lower < 2:
        return boxes
    axes[box], places[box] = axis, draw(st.integers(lower + 1, upper - 1))
    return boxes.cut(axes, places)


@st.composite
def slices(draw: st.DrawFn) -> Cuts:
    starts = draw(st.sets(st.integers(1, 11)))
    return Cuts(LINE, (np.array([0, *sorted(starts)]),))


LEAVES: Any = st.one_of(
    trees(),
    slices(),
    st.sampled_from([Grid(LINE, (4,)), Grid(PLANE, (4, 3)), Grid(PLANE, (1, 1))]),
    st.just(Refined(Grid(PLANE, (2, 1)), np.array([[2, 5], [1, 1]]))),
)


@st.composite
def nodes(draw: st.DrawFn, leaves: Any = LEAVES) -> WeightedNodes:
    """Any stretches: nested, overlapping, the same one twice."""
    chosen = draw(leaves)
    end = st.integers(0, chosen.size)
    stretch = st.tuples(end, end).filter(lambda ends: ends[0] != ends[1]).map(sorted)
    weight = st.one_of(st.integers(1, 5), st.integers(1, MAX_WEIGHT))
    drawn = draw(st.lists(st.tuples(stretch, weight), min_size=1, max_size=12))
    starts, stops = np.array([ends for ends, _ in drawn]).T
    return WeightedNodes(chosen, starts, stops, np.array([weight for _, weight in drawn]))


def dense(asked: WeightedNodes) -> Any:
    """One row per node: its weight in each leaf that it holds, in Python's integers."""
    found = np.zeros((asked.size, asked.leaves.size), dtype=object)
    for node, (start, stop, weight) in enumerate(
        zip(asked.starts, asked.stops, asked.weights, strict=True)
    ):
        for leaf in range(start, stop):
            found[node, leaf] = int(weight)
    return found


@given(nodes(), st.data())
def test_sums_are_the_matrix_times_the_leaves(asked: WeightedNodes, data: st.DataObject) -> None:
    size = asked.leaves.size
    counts = np.array(data.draw(st.lists(st.integers(0, 1000), min_size=size, max_size=size)))
    assert asked.sums(counts).tolist() == (dense(asked) @ counts.astype(object)).tolist()


@given(nodes())
def test_the_cover_is_the_largest_column_of_the_matrix(asked: WeightedNodes) -> None:
    assert asked.cover == dense(asked).sum(axis=0).max()
    assert type(asked.cover) is int


@given(nodes(), st.data())
def test_sums_beyond_64_bits_stay_at_their_end(asked: WeightedNodes, data: st.DataObject) -> None:
    """They never wrap, and one row more never moves a node by more than its weight."""
    size = asked.leaves.size
    ends = st.one_of(st.integers(0, 100), st.sampled_from([2**46, 2**47 - 1, 2**62 // size]))
    counts = np.array(data.draw(st.lists(ends, min_size=size, max_size=size)))
    rows = (dense(asked) // asked.weights.astype(object)[:, None]) @ counts.astype(object)
    weights = asked.weights.astype(object)
    capped = np.array([min(n, MOST // w) * w for n, w in zip(rows, weights, strict=True)])
    found = asked.sums(counts)
    assert found.tolist() == capped.tolist()
    assert found.min() >= 0
    leaf = data.draw(st.integers(0, size - 1))
    counts[leaf] += 1
    moved = asked.sums(counts).astype(object) - found.astype(object)
    assert (moved >= 0).all()
    assert (moved <= dense(asked)[:, leaf]).all()


def test_all_rows_that_a_table_can_have() -> None:
    leaves = Grid(Domain(x=Integer(0, 1)), (2,))
    starts, stops = np.array([0, 0, 0]), np.array([2, 2, 1])
    asked = WeightedNodes(leaves, starts, stops, np.array([1, 3, MAX_WEIGHT]))
    counts = np.array([2**62, 2**62 - 1])
    assert asked.sums(counts).tolist() == [MOST, MOST // 3 * 3, 2**63 - MAX_WEIGHT]


def test_many_heavy_nodes_are_added_exactly() -> None:
    leaves = Grid(Domain(x=Integer(0, 1)), (2,))
    many = 300_000
    asked = WeightedNodes(
        leaves, np.arange(many) % 2, np.full(many, 2), np.full(many, MAX_WEIGHT, dtype=np.uint32)
    )
    assert asked.cover == many * MAX_WEIGHT > 2**32


# Finer leaves -----------------------------------------------------------------------------


@given(nodes(trees()), st.data())
def test_nodes_over_a_tree_that_is_cut_further(asked: WeightedNodes, data: st.DataObject) -> None:
    finer = asked.leaves
    for _ in range(4):
        assert isinstance(finer, Boxes)
        finer = data.draw(cut_further(finer))
    check_finer(asked, asked.over(finer))


@given(nodes(slices()), slices())
def test_nodes_over_finer_slices(asked: WeightedNodes, other: Cuts) -> None:
    assert isinstance(asked.leaves, Cuts)
    finer = Cuts(LINE, (np.union1d(asked.leaves.starts[0], other.starts[0]),))
    check_finer(asked, asked.over(finer))
    check_finer(asked, asked.over(Grid.of_cells(LINE)))
    assume(not is_nested(other, asked.leaves))
    with pytest.raises(DomainError, match="Each finer leaf must be within one leaf"):
        asked.over(other)


def test_nodes_over_a_refined_grid() -> None:
    grid = Grid(PLANE, (2, 1))
    asked = WeightedNodes(grid, np.array([0, 1]), np.array([2, 2]), np.array([1, 4]))
    check_finer(asked, asked.over(Refined(grid, np.array([[2, 5], [3, 1]]))))


def test_nodes_over_another_tree_with_the_same_order() -> None:
    """Not cut further, but built anew: the first cut is that of one part."""
    raster = Raster.of_cells(Domain(x=Integer(0, 7)))
    first = Boxes(raster, np.array([0, 0, -1, -1, -1]), np.array([4, 2, 0, 0, 0]))
    again = Boxes(raster, np.array([0, -1, 0, -1, 0, -1, -1]), np.array([2, 0, 4, 0, 6, 0, 0]))
    asked = WeightedNodes(first, np.array([0, 1]), np.array([3, 2]), np.array([1, 2]))
    check_finer(asked, asked.over(again))


def test_another_order_is_refused() -> None:
    """Row by row, two columns come in turns."""
    columns, cells = Grid(PLANE, (1, 2)), Grid(PLANE, (2, 2))
    asked = WeightedNodes(columns, np.array([0]), np.array([1]), np.array([1]))
    with pytest.raises(DomainError, match="a different order"):
        asked.over(cells)


def test_another_domain_is_refused() -> None:
    asked = WeightedNodes(Grid(LINE, (2,)), np.array([0]), np.array([1]), np.array([1]))
    with pytest.raises(DomainError, match="same domain"):
        asked.over(Grid(Domain(x=Integer(0, 12)), (13,)))


def check_finer(asked: WeightedNodes, finer: WeightedNodes) -> None:
    """Every finer leaf has the nodes of the leaf in which it lies."""
    assert isinstance(finer.leaves, Boxed)
    parents = asked.leaves.parts(list(finer.leaves.boxes()[0].T))
    assert (dense(finer) == dense(asked)[:, parents]).all()
    assert (asked.cover, asked.weights.tolist()) == (finer.cover, finer.weights.tolist())


# Files ------------------------------------------------------------------------------------


@given(nodes())
def test_descriptions_read_back(asked: WeightedNodes) -> None:
    again = measurable_from_json(asked.domain, asked.to_json())
    assert isinstance(again, WeightedNodes)
    assert same_parts(asked, again)
    assert again.to_json() == asked.to_json()
    assert (again.size, again.cover) == (asked.size, asked.cover)


def halves(**other: Any) -> dict[str, Any]:
    grid = Grid(PLANE, (2, 1))
    asked = WeightedNodes(grid, np.array([0, 0, 1]), np.array([2, 1, 2]), np.array([1, 2, 2]))
    return {**asked.to_json(), **other}


@pytest.mark.parametrize(
    "odd",
    [
        {"nodes": 2},
        {"nodes": 4},
        {"nodes": 0, "steps": pack(np.array([])), "widths": "", "weights": ""},
        {"nodes": -3},
        {"nodes": True},
        {"nodes": 3.0},
        {"nodes": "3"},
        {"nodes": 10**12},
        {"nodes": None},
        {"steps": pack(np.array([0, 0, -1]))},
        {"steps": pack(np.array([0, 1, 1]))},
        {"steps": pack(np.array([-(2**63), 0, 1]))},
        {"steps": pack(np.array([2**63 - 1, 2**63 - 1, 3]))},
        {"widths": pack(np.array([3, 1, 1]))},
        {"widths": pack(np.array([2, 1, 2**63 - 1]))},
        {"widths": pack(np.array([2, 0, 1]))},
        {"widths": pack(np.array([2, 1, -1]))},
        {"weights": pack(np.array([0, 2, 2]))},
        {"weights": pack(np.array([-1, 2, 2]))},
        {"weights": pack(np.array([1, 2, MAX_WEIGHT + 1]))},
        {"weights": [1, 2, 2]},
        {"weights": "i9:AAAA"},
        {"weights": "not packed"},
        {"leaves": None},
        {"leaves": {"kind": "raster", "slices": [2, 1]}},
        {"leaves": {"kind": "grid", "slices": [2]}},
        {"leaves": {"kind": "grid", "slices": [1, 1]}},
        {"leaves": halves()},
        {"leaves": Merged(Grid(PLANE, (2, 1)), np.array([0, 1])).to_json()},
    ],
    ids=str,
)
def test_hostile_files_are_refused(odd: dict[str, Any]) -> None:
    assert isinstance(measurable_from_json(PLANE, halves()), WeightedNodes)
    with pytest.raises(DomainError):
        measurable_from_json(PLANE, halves(**odd))


@pytest.mark.parametrize("name", ["leaves", "nodes", "steps", "widths", "weights"])
def test_descriptions_with_gaps_are_refused(name: str) -> None:
    data = halves()
    del data[name]
    with pytest.raises(DomainError, match="Cannot read"):
        measurable_from_json(PLANE, data)


# What is refused --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("starts", "stops", "weights", "message"),
    [
        ([], [], [], "from 1 to 200,000,000. Found 0"),
        ([0], [1, 2], [1], "one start, one stop and one weight. Found 1, 2 and 1"),
        ([0, 0], [1, 2], [1], "one start, one stop and one weight. Found 2, 2 and 1"),
        ([-1], [1], [1], "Node 0 must start at a leaf"),
        ([0, 2], [1, 2], [1, 1], "Node 1 must start at a leaf .* Found 2 to 2"),
        ([0], [5], [1], "within 0 to 4. Found 0 to 5"),
        ([0], [4], [0], "from 1 to 65,536. Found 0 for node 0"),
        ([0, 0], [4, 4], [1, MAX_WEIGHT + 1], "Found 65537 for node 1. Scale"),
        ([0], [4], [-1], "Found -1"),
        ([0.5], [4], [1], "starts must be a list of whole numbers. Found float64"),
        ([0], [4], [float("nan")], "weights must be a list of whole numbers"),
        ([0], [4], [True], "weights must be a list of whole numbers. Found bool"),
        ([0], [4], [2**63], "Weights must be from"),
        ([0], [4], [2**64], "whole numbers. Found object"),
        ([[0]], [[4]], [[1]], "with 2 axes"),
        (0, 4, 1, "with 0 axes"),
    ],
)
def test_odd_nodes_are_refused(starts: Any, stops: Any, weights: Any, message: str) -> None:
    with pytest.raises(DomainError, match=message):
        WeightedNodes(Grid(Domain(x=Integer(0, 7)), (4,)), starts, stops, weights)


def test_only_partitions_that_are_counted_and_saved_have_nodes() -> None:
    """A raster can have far too many cells, and merged parts have no order."""
    for leaves in (Raster.of_cells(PLANE), Merged(Grid(PLANE, (2, 1)), np.array([0, 1])), None):
        with pytest.raises(DomainError, match="Leaves must be Boxes, Cuts"):
            WeightedNodes(leaves, np.array([0]), np.array([1]), np.array([1]))  # type: ignore[arg-type]


def test_more_nodes_than_fit_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weighted_nodes, "MAX_NODES", 2)
    with pytest.raises(DomainError, match="Found 3"):
        measurable_from_json(PLANE, halves_before(3))
    assert measurable_from_json(PLANE, halves_before(2)).size == 2


def halves_before(many: int) -> dict[str, Any]:
    one = {name: pack(np.full(many, value)) for name, value in NODE.items()}
    return {"kind": "weighted-nodes", "leaves": Grid(PLANE, (2, 1)).to_json(), "nodes": many, **one}


NODE = {"steps": 0, "widths": 2, "weights": 1}


def test_nobody_writes_to_nodes_later() -> None:
    mine = np.array([1])
    shown = mine.view()
    shown.flags.writeable = False
    asked = WeightedNodes(Grid(PLANE, (2, 1)), np.array([0]), np.array([1]), shown)
    mine[0] = 1000
    assert (asked.cover, asked.sums(np.array([3, 0])).tolist()) == (1, [3])
    for name in ("starts", "stops", "weights"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(asked, name)[0] = 1
