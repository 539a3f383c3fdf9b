"""Counts of nodes say what the occupied cells say, and spare a pass over the rows."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hushgram as hg
from hushgram.geometry.partition import Boxes, Grid, Halving, Raster
from hushgram.trusted.engine.compiled import arrow, place_tally
from hushgram.trusted.engine.compiled.place_tally import PlaceTally
from hushgram.trusted.engine.compiled.places import PlacePieces
from hushgram.trusted.engine.remembered import Remembered
from tests.trusted.engine.test_places import rasters, table_of
from tests.trusted.interpreted import interpret

PLANE = hg.Domain(x=hg.Interval(0, 1), y=hg.Interval(0, 1))
WHOLE = Grid(PLANE, (1, 1))
FINE = Raster(PLANE, (65_536, 65_536))


def random_leaves(raster: Raster, rng: np.random.Generator, splits: int) -> Boxes:
    """Nodes of the tree of halves, of which some at random are halved further."""
    halving = Halving.of(raster)
    found, nodes = [], halving.nodes_at(0)
    while len(nodes):
        split = ~nodes.single & (rng.random(len(nodes)) < splits / len(nodes))
        found.append(halving.starts(nodes)[~split])
        nodes = halving.children(nodes.subset(split))
    return halving.leaves(np.sort(np.concatenate(found)))


@given(
    rasters() | st.just(FINE), st.integers(0, 300), st.integers(0, 2**32 - 1), st.integers(0, 20),
    st.sampled_from([0, 1, 3, 20]), st.sampled_from([0, 1 << 24]), st.booleans(),
)  # fmt: skip
@settings(deadline=None, max_examples=150)
def test_boxes_have_the_rows_of_their_cells(
    raster: Raster, rows: int, seed: int, splits: int, bits: int, finer: int, kept: bool
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(place_tally, "NODE_BITS", bits)
        patch.setattr(place_tally, "MOST_FINER", finer)
        patch.setattr(arrow, "KEPT", 1 << 28 if kept else -1)
        table, rng = table_of(raster.domain, rows, seed), np.random.default_rng(seed)
        tally = table.place_tally(raster)
        assert tally is not None
        whole = Grid(raster.domain, (1,) * len(raster.domain))
        assert tally.sum_roots().tolist() == table.count(whole).tolist()
        boxes = random_leaves(raster, rng, splits)
        found = tally.sum_boxes(boxes)
        if kept:
            assert found is not None
        if found is not None:
            known = table.occupied_cells(raster).sum_boxes(boxes)
            assert found.tolist() == known.tolist()


@pytest.mark.parametrize("finer", [1 << 24, 0])
def test_interpreted_loops_count_the_same(monkeypatch: pytest.MonkeyPatch, finer: int) -> None:
    """And they look at no entry outside of their tables."""
    monkeypatch.setattr(place_tally, "NODE_BITS", 3)
    monkeypatch.setattr(place_tally, "MOST_FINER", finer)
    table, rng = table_of(PLANE, 400, 5), np.random.default_rng(5)
    boxes = random_leaves(FINE, rng, 40)
    known = table.occupied_cells(FINE).sum_boxes(boxes)
    for name in ("place_kernels", "kernels"):
        module = interpret(monkeypatch, f"hushgram.trusted.engine.compiled.{name}")
        assert isinstance(module, ModuleType)
    with np.errstate(over="ignore"):  # a full byte begins anew
        tally = table.place_tally(FINE)
        assert tally is not None
        found = tally.sum_boxes(boxes)
    assert found is not None
    assert found.tolist() == known.tolist()


def test_boxes_that_are_no_stretches_are_left_to_the_cells() -> None:
    boxes = Boxes(FINE, np.array([1, -1, -1]), np.array([9, 0, 0]))
    tally = table_of(PLANE, 100, 1).place_tally(FINE)
    assert tally is not None
    assert tally.sum_boxes(boxes) is None


def test_what_too_many_rows_leave_is_counted_by_another_pass(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nodes are there, and the rows are read again for boxes inside them."""
    monkeypatch.setattr(arrow, "KEPT", 400)
    monkeypatch.setattr(place_tally, "NODE_BITS", 4)
    boxes = random_leaves(FINE, np.random.default_rng(3), 30)
    for rows, is_kept in ((90, True), (500, False)):
        table = table_of(PLANE, rows, 4)
        remembered = Remembered(table, raster=FINE)
        assert remembered.count(WHOLE).tolist() == table.count(WHOLE).tolist()
        tally = remembered._tallied[FINE]
        assert tally is not None
        assert (tally.places is not None) == is_kept
        assert (tally.sum_boxes(boxes) is not None) == is_kept
        known = table.occupied_cells(FINE).sum_boxes(boxes)
        assert remembered.count(boxes).tolist() == known.tolist()


@pytest.mark.parametrize("with_places", [False, True])
def test_foreseen_boxes_are_counted_in_one_pass(
    monkeypatch: pytest.MonkeyPatch, with_places: bool
) -> None:
    table = table_of(PLANE, 5_000, 2)
    leaves = [random_leaves(FINE, np.random.default_rng(seed), 200) for seed in (1, 2)]
    rows = table.count(WHOLE)
    known = [table.occupied_cells(FINE).sum_boxes(boxes).tolist() for boxes in leaves]
    remembered = Remembered(table, raster=FINE)
    assert remembered.count(WHOLE).tolist() == rows.tolist()
    with monkeypatch.context() as patch:
        patch.setattr(table, "tasks", None)
        patch.setattr(table, "_kept", {})
        if with_places:  # as a decomposition asks for them
            assert remembered.row_places(FINE) is not None
        assert [remembered.count(boxes).tolist() for boxes in leaves] == known
        assert isinstance(remembered._tallied.get(FINE), PlaceTally) != with_places
    remembered.forget()
    assert not remembered._tallied
    assert not remembered._placed


def test_other_questions_are_counted_as_ever() -> None:
    """Another domain, finer grids, and few cells."""
    table = table_of(PLANE, 500, 3)
    remembered, part = Remembered(table, raster=FINE), PLANE.box([(0, 5000), (7, 2**19)])
    for grid in (Grid(part, (1, 1)), Grid(PLANE, (3, 1))):
        assert remembered.count(grid).tolist() == table.count(grid).tolist()
    assert not remembered._tallied
    small = Raster(PLANE, (8, 8))
    remembered = Remembered(table, raster=small)
    assert remembered.count(WHOLE).tolist() == table.count(WHOLE).tolist()
    assert not remembered._tallied


def test_of_declared_cells_the_slices_are_counted_without_another_reading(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As lines on a map are looked for."""
    domain = hg.Domain(x=hg.Regular(3000, 0, 1), y=hg.Regular(3000, 0, 1))
    table, whole, slices = table_of(domain, 300, 6), Grid(domain, (1, 1)), Grid(domain, (3000, 1))
    known = [table.count(grid).tolist() for grid in (whole, slices)]
    fresh = table_of(domain, 300, 6)
    remembered = Remembered(fresh, raster=Raster.of_cells(domain))
    assert remembered.count(whole).tolist() == known[0]
    monkeypatch.setattr(fresh, "tasks", None)
    assert remembered.count(slices).tolist() == known[1]


def test_pieces_that_are_too_many_are_not_kept() -> None:
    """What counts is the memory behind them."""
    places, four = PlacePieces(48), np.arange(4, dtype=np.uint32)
    for piece in (four, four[:2], four[:1]):
        places.add(piece)
    assert [piece.tolist() for piece in places.kept or []] == [[0, 1, 2, 3], [0, 1], [0]]
    places.add(four[:3])
    assert places.kept is None
    places.add(four[:0])
    assert places.kept is None
