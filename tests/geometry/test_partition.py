"""Partitions: every index in exactly one part, boxes and parts of one mind."""

from __future__ import annotations

import itertools
import json
import time
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from assurance.fuzz.forging import any_partition
from hushgram.declare.axis import Integer, Interval
from hushgram.declare.domain import Domain
from hushgram.errors import DomainError
from hushgram.geometry.partition import (
    MAX_PARTS,
    Boxed,
    Cuts,
    Grid,
    Merged,
    Partition,
    Refined,
    is_nested,
    pack,
    partition_from_json,
    same_parts,
    unpack,
)
from tests.reference import row_part
from tests.strategies import domains, grids, partitions, refined

SQUARE = Domain(x=Integer(0, 9, outside="other"), y=Integer(0, 4))


def all_indices(domain: Domain) -> list[np.ndarray]:
    return [axis.ravel() for axis in np.indices(domain.shape, dtype=np.int64)]


@given(st.data())
@settings(max_examples=60)
def test_every_index_has_the_part_of_first_principles(data: st.DataObject) -> None:
    domain = data.draw(domains(max_axes=2))
    assume(domain.cells < 2000)
    partition = data.draw(partitions(domain))
    indices = all_indices(domain)
    found = partition.parts(indices)
    assert found.tolist() == [row_part(partition, row) for row in zip(*indices, strict=True)]
    assert set(found.tolist()) == set(range(partition.size))


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_parts_are_sums_of_the_base(data: st.DataObject) -> None:
    """Every part of the base lies in one part, and every row is in both: what engines count is
    added up to what is asked. Of a grid's parts and those of a refined one, from the cells too."""
    domain = data.draw(domains(max_axes=2))
    assume(domain.cells < 2000)
    partition, indices = data.draw(partitions(domain)), all_indices(domain)
    cells = np.random.default_rng(domain.cells).integers(0, 9, domain.cells)
    base = partition.base
    known, counts = np.zeros(partition.size, dtype=int), np.zeros(base.size, dtype=int)
    np.add.at(known, partition.parts(indices), cells)
    np.add.at(counts, base.parts(indices), cells)
    assert partition.sums(counts).tolist() == known.tolist()
    assert base.base is base
    assert base.sum_cells(cells).tolist() == counts.tolist()
    wider = base.with_axis(1, "more", Integer(7, 7))
    assert wider.domain.names[1] == "more"
    more = [*indices[:1], np.zeros(domain.cells, dtype=int), *indices[1:]]
    assert wider.parts(more).tolist() == base.parts(indices).tolist()


@given(st.data())
@settings(max_examples=60)
def test_boxes_and_parts_agree(data: st.DataObject) -> None:
    domain = data.draw(domains(max_axes=2))
    assume(domain.cells < 2000)
    partition = data.draw(st.one_of(grids(domain), refined(domain)))
    lower, upper = partition.boxes()
    assert lower.shape == upper.shape == (partition.size, len(domain))
    assert (lower < upper).all()
    seen = np.zeros(domain.shape, dtype=int)
    for part, (start, stop) in enumerate(zip(lower.tolist(), upper.tolist(), strict=True)):
        box = list(itertools.product(*map(range, start, stop)))
        inside = partition.parts([np.array(side) for side in zip(*box, strict=True)])
        assert (inside == part).all()
        seen[tuple(map(slice, start, stop))] += 1
    assert (seen == 1).all()


@given(st.data())
def test_cuts_are_where_the_slice_changes(data: st.DataObject) -> None:
    domain = data.draw(domains(max_axes=1))
    assume(domain.cells < 5000)
    grid = data.draw(grids(domain))
    slices = grid.slice_of(0, np.arange(domain.shape[0]))
    starts = np.flatnonzero(np.diff(slices, prepend=-1))
    assert grid.cuts(0).tolist() == [*starts.tolist(), domain.shape[0]]


@given(st.data())
def test_json_and_back(data: st.DataObject) -> None:
    domain = data.draw(domains(max_axes=2))
    partition = data.draw(partitions(domain))
    back = partition_from_json(domain, json.loads(json.dumps(partition.to_json())))
    assert type(back) is type(partition)
    assert back.size == partition.size
    assert back.to_json() == partition.to_json()


@given(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=50))
def test_packed_integers(values: list[int]) -> None:
    assert unpack(pack(np.array(values, dtype=np.int64)), len(values)).tolist() == values
    for wrong in (len(values) + 1, len(values) - 1):
        if wrong >= 0:
            with pytest.raises(DomainError):
                unpack(pack(np.array(values, dtype=np.int64)), wrong)


def test_a_packed_bomb_is_not_unpacked() -> None:
    bomb = pack(np.zeros(10**7, dtype=np.int64))
    with pytest.raises(DomainError):
        unpack(bomb, 3)


@pytest.mark.parametrize(
    "data",
    [
        None, [], "grid", {}, {"kind": "grid"}, {"kind": "hexagons", "grid": {"slices": [1, 1]}},
        {"kind": "grid", "slices": 5}, {"kind": "grid", "slices": [1]}, {"kind": "grid",
        "slices": [0, 1]},
        {"kind": "grid", "slices": [1.5, 1]}, {"kind": "grid", "slices": ["1", "1"]},
        {"kind": "grid", "slices": [float("inf"), 1]}, {"kind": "grid", "slices": [11, 5]},
        {"kind": "refined"}, {"kind": "refined", "grid": {"slices": [2, 1]}},
        {"kind": "refined", "grid": {"slices": [2, 1]}, "sizes": 7},
        {"kind": "refined", "grid": {"slices": [2, 1]}, "sizes": "ä"},
        {"kind": "refined", "grid": {"slices": [2, 1]}, "sizes": "abcde"},
        {"kind": "refined", "grid": {"slices": [2, 1]}, "sizes": pack(np.ones(5, dtype=np.int64))},
        {"kind": "refined", "grid": {"slices": [2, 1]}, "sizes": pack(np.zeros(6, dtype=np.int64))},
        {"kind": "refined", "grid": {"slices": [2, 1]}, "sizes": pack(np.full(6, 2**62))},
        {"kind": "merged", "grid": {"slices": [2, 1]}, "labels": pack(np.array([0, 2, 3]))},
        {"kind": "merged", "grid": {"slices": [2, 1]}, "labels": pack(np.array([-1, 0, 1]))},
        {"kind": "merged", "grid": 5, "labels": ""}, {"kind": [], "grid": {"slices": [2, 1]}},
    ],
)  # fmt: skip
def test_malformed_json(data: Any) -> None:
    with pytest.raises(DomainError):
        partition_from_json(SQUARE, data)


def quick(build: Any) -> None:
    started = time.perf_counter()
    with pytest.raises(DomainError, match="too many"):
        build()
    assert time.perf_counter() - started < 1


def test_too_many_parts_are_refused_at_once() -> None:
    plane = Domain(x=Interval(0, 1), y=Interval(0, 1))
    quick(lambda: Grid(plane, (2**20, 2**20)))
    quick(lambda: Grid(plane, (10**4, 10**4 + 1)))
    grid = Grid(plane, (4, 4))
    quick(lambda: Refined(grid, np.full((16, 2), 2**18)))
    quick(lambda: Refined(grid, np.full((16, 2), 2501)))
    deep = Domain({f"x{i}": Interval(0, 1) for i in range(9)})
    quick(lambda: Refined(Grid(deep, (1,) * 9), np.full((1, 9), 2**20)))
    assert Grid(plane, (10**4, 10**4)).size == MAX_PARTS


@pytest.mark.parametrize(
    "build",
    [
        lambda: Grid(SQUARE, (3,)), lambda: Grid(SQUARE, (0, 1)), lambda: Grid(SQUARE, (11, 1)),
        lambda: Grid(SQUARE, (2.5, 1)), lambda: Grid(SQUARE, 5),
        lambda: Refined(Grid(SQUARE, (1, 1)), np.ones((2, 1))),
        lambda: Refined(Grid(SQUARE, (1, 1)), np.zeros((2, 2))),
        lambda: Refined(Grid(SQUARE, (1, 1)), [[1, 1], [2, 1]]),  # "other" cannot be cut
        lambda: Merged(Grid(SQUARE, (1, 1)), [0]), lambda: Merged(Grid(SQUARE, (1, 1)), [0, 2]),
        lambda: Merged(Grid(SQUARE, (1, 1)), [-1, 0]),
        lambda: Cuts(SQUARE, ([0],)), lambda: Cuts(SQUARE, ([1], [0])),
        lambda: Cuts(SQUARE, ([0, 0], [0])), lambda: Cuts(SQUARE, ([], [0])),
        lambda: Cuts(SQUARE, ([0, 10**9], [0])),
    ],
)  # fmt: skip
def test_what_is_no_partition(build: Any) -> None:
    with pytest.raises(DomainError):
        build()


def test_partitions_do_not_change() -> None:
    sizes, labels = np.ones((2, 2), dtype=np.int64), np.array([0, 1])
    cut, joined = Refined(Grid(SQUARE, (1, 1)), sizes), Merged(Grid(SQUARE, (1, 1)), labels)
    sizes[:] = 5
    labels[:] = 0
    assert (cut.size, joined.size) == (2, 2)
    with pytest.raises(ValueError, match="read-only"):
        cut.sizes[0, 0] = 2
    with pytest.raises(ValueError, match="read-only"):
        joined.labels[0] = 1


def test_grids_are_values() -> None:
    grid: Partition = Grid(SQUARE, (np.int64(2), 1))
    assert grid == Grid(SQUARE, (2, 1))
    assert hash(grid) == hash(Grid(SQUARE, (2, 1)))
    assert grid != Grid(SQUARE, (1, 1))


@st.composite
def boxed_partitions(draw: Any, domain: Domain) -> Any:
    """Any partition into boxes, of any kind."""
    chance = draw(st.randoms(use_true_random=False))
    found = any_partition(domain, chance)
    return found if isinstance(found, Boxed) else found.grid  # type: ignore[attr-defined]


@given(st.data())
def test_partitions_nest_if_every_part_lies_in_one_other(data: Any) -> None:
    domain = Domain(x=Integer(0, 6), y=Integer(0, 4, outside="other"))
    below, above = (data.draw(boxed_partitions(domain)) for _ in range(2))
    indices = [np.asarray(i).ravel() for i in np.indices(domain.shape)]
    parts, parents = below.parts(indices), above.parts(indices)
    brute = all(len(set(parents[parts == part])) == 1 for part in range(below.size))
    assert is_nested(below, above) == brute
    assert is_nested(below, below)


@given(st.data())
def test_partitions_are_the_same_if_they_are_written_alike(data: Any) -> None:
    domain = Domain(x=Integer(0, 3), y=Integer(0, 1))
    chance = data.draw(st.randoms(use_true_random=False))
    one, other = any_partition(domain, chance), any_partition(domain, chance)
    assert same_parts(one, other) == (one.to_json() == other.to_json())
    assert same_parts(one, partition_from_json(domain, one.to_json()))


def test_partitions_of_other_domains_neither_nest_nor_are_the_same() -> None:
    one, other = (Grid.of_cells(Domain(x=Integer(0, high))) for high in (3, 4))
    assert not is_nested(one, other)
    assert not same_parts(one, other)
