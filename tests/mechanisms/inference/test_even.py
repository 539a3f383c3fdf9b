"""Even cells are weighted least squares over one value per leaf."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushgram.declare.axis import Integer
from hushgram.declare.domain import Domain
from hushgram.errors import BadInput
from hushgram.geometry.partition import Boxes, Grid, Raster
from hushgram.geometry.partition.cutting import keep_inner
from hushgram.mechanisms.inference.even import EvenLeaves
from hushgram.mechanisms.inference.kinds import inference_from_json
from hushgram.mechanisms.inference.tree import Tree
from hushgram.queries import Measurement
from tests.strategies import boxes


@st.composite
def measured(draw: st.DrawFn) -> list[Measurement]:
    """Boxes of one to three axes, with "other" or without, and perhaps their cells."""
    axes = {
        name: Integer(0, draw(st.integers(0, 5)), outside=draw(st.sampled_from(["drop", "other"])))
        for name in "xyz"[: draw(st.integers(1, 3))]
    }
    leaves = draw(boxes(Domain(axes)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    cells = Grid(leaves.domain, leaves.raster.slices)
    found = [
        Measurement(part, rng.integers(-50, 50, part.size), draw(st.floats(0.1, 10)), Fraction(1))
        for part in (leaves, cells)
    ]
    return found[: draw(st.integers(1, 2))]


@st.composite
def in_pieces(draw: st.DrawFn) -> tuple[list[Measurement], Boxes]:
    """Boxes that were counted, and leaves with some of their cuts undone."""
    found = draw(measured())
    counted = found[0].partition
    assert isinstance(counted, Boxes)
    inner = counted.axes >= 0
    inner[draw(st.lists(st.integers(0, len(inner) - 1), max_size=3))] = False
    axes, cuts = np.empty((2, len(inner)), dtype=np.int64)
    size = keep_inner(counted.axes, counted.cuts, inner, axes, cuts)
    return found, Boxes(counted.raster, axes[:size], cuts[:size])


def membership(leaves: Boxes, cells: Grid) -> np.ndarray:
    """Which cells each leaf has, by looking at every cell."""
    slices = np.stack(np.unravel_index(np.arange(cells.size), cells.shape), axis=1)
    lower, upper = leaves.corners
    inside = (slices >= lower[:, None]) & (slices < upper[:, None])
    return inside.all(axis=2).astype(float)


@given(in_pieces())
def test_it_is_the_dense_solution_with_one_value_per_leaf(
    pieces: tuple[list[Measurement], Boxes],
) -> None:
    found, leaves = pieces
    is_dense_solution(found, EvenLeaves.of(found, leaves))


@given(measured())
def test_leaves_may_be_what_was_counted(found: list[Measurement]) -> None:
    is_dense_solution(found, EvenLeaves.of(found))


def is_dense_solution(found: list[Measurement], even: EvenLeaves) -> None:
    counted = found[0].partition
    assert isinstance(counted, Boxes)
    spread = membership(even.leaves, even.cells).T  # from a leaf's value to its cells
    design = np.concatenate([membership(counted, even.cells) @ spread, spread][: len(found)])
    noise = np.concatenate([np.full(m.partition.size, m.variance) for m in found])
    covariance = np.linalg.inv(design.T @ (design / noise[:, None]))
    solve = spread @ covariance @ (design / noise[:, None]).T
    assert np.allclose(even.push(found), solve @ np.concatenate([m.values for m in found]))
    weights = np.random.default_rng(1).normal(size=even.cells.size)
    assert np.allclose(np.concatenate(even.pull(weights)), solve.T @ weights)
    assert np.allclose(even.variances(found), (solve**2 * noise).sum(axis=1))
    assert np.allclose(even.precision, 1 / np.diag(covariance) / even.sizes**2)


@given(measured())
def test_the_tree_solves_cells_and_leaves(found: list[Measurement]) -> None:
    """Weighted least squares over boxes and their cells is the dense solution too."""
    if len(found) == 1:
        return
    leaves, cells = (m.partition for m in found)
    assert isinstance(leaves, Boxes)
    assert isinstance(cells, Grid)
    design = np.concatenate([membership(leaves, cells), np.eye(cells.size)])
    noise = np.concatenate([np.full(m.partition.size, m.variance) for m in found])
    weighted = design / noise[:, None]
    values = np.concatenate([m.values for m in found])
    expected = np.linalg.solve(design.T @ weighted, weighted.T @ values)
    tree = Tree.of(found)
    assert np.allclose(tree.push(found), expected)
    assert np.allclose(tree.variances(found), np.diag(np.linalg.inv(design.T @ weighted)))


def test_it_reads_back_from_its_measurements_only() -> None:
    domain = Domain(x=Integer(0, 4))
    cells = Grid.of_cells(domain)
    leaves = Boxes.whole(cells)
    whole = Measurement(leaves, np.array([7]), 1.0, Fraction(1))
    fine = Measurement(cells, np.arange(5), 2.0, Fraction(1))
    other = Measurement(Grid(domain, (3,)), np.arange(3), 2.0, Fraction(1))
    described = EvenLeaves.of([whole, fine]).to_json()
    assert isinstance(inference_from_json(described, [whole]), EvenLeaves)
    assert isinstance(inference_from_json(described, [whole, fine]), EvenLeaves)
    for odd in ([], [fine], [fine, whole], [whole, other], [whole, fine, fine]):
        with pytest.raises(BadInput):
            inference_from_json(described, odd)


@given(in_pieces())
def test_leaves_of_several_pieces_are_read_back(
    pieces: tuple[list[Measurement], Boxes],
) -> None:
    found, leaves = pieces
    even = EvenLeaves.of(found, leaves)
    again = inference_from_json(json.loads(json.dumps(even.to_json())), found)
    assert isinstance(again, EvenLeaves)
    assert again.leaves.axes.tolist() == leaves.axes.tolist()
    assert again.leaves.cuts.tolist() == leaves.cuts.tolist()
    assert np.array_equal(again.push(found), even.push(found))


def test_leaves_that_what_was_counted_has_no_pieces_of_are_refused() -> None:
    domain = Domain(x=Integer(0, 4), y=Integer(0, 2))
    raster = Raster.of_cells(domain)
    counted = Boxes(raster, np.array([0, -1, -1]), np.array([2, 0, 0]))
    found = [Measurement(counted, np.array([7, 3]), 1.0, Fraction(1))]
    crossing = Boxes(raster, np.array([1, -1, -1]), np.array([1, 0, 0]))
    coarser = Boxes.whole(Raster(domain, (5, 1)))
    for leaves in (crossing, coarser):
        with pytest.raises(BadInput, match="pieces"):
            EvenLeaves.of(found, leaves)
    with pytest.raises(BadInput, match="boxes"):
        inference_from_json({"kind": "even", "leaves": Grid(domain, (5, 3)).to_json()}, found)
