"""Even cells are weighted least squares over one value per leaf."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushgram.axis import Integer
from hushgram.domain import Domain
from hushgram.errors import BadInput
from hushgram.estimate import Measurement
from hushgram.inference.even import Even
from hushgram.inference.kinds import inference_from_json
from hushgram.inference.tree import Tree
from hushgram.partition import Boxes, Grid

from ..strategies import boxes


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


def membership(leaves: Boxes, cells: Grid) -> np.ndarray:
    """Which cells each leaf has, by looking at every cell."""
    slices = np.stack(np.unravel_index(np.arange(cells.size), cells.shape), axis=1)
    lower, upper = leaves.corners
    inside = (slices >= lower[:, None]) & (slices < upper[:, None])
    return inside.all(axis=2).astype(float)


@given(measured())
def test_it_is_the_dense_solution_with_one_value_per_leaf(found: list[Measurement]) -> None:
    even = Even.of(found)
    belongs = membership(even.leaves, even.cells)
    spread = belongs.T  # from a leaf's value to its cells
    design = np.concatenate([belongs @ spread, spread][: len(found)])
    noise = np.concatenate([np.full(m.partition.size, m.variance) for m in found])
    covariance = np.linalg.inv(design.T @ (design / noise[:, None]))
    solve = spread @ covariance @ (design / noise[:, None]).T
    assert np.allclose(even.push(found), solve @ np.concatenate([m.values for m in found]))
    weights = np.random.default_rng(1).normal(size=even.cells.size)
    assert np.allclose(np.concatenate(even.pull(weights)), solve.T @ weights)
    assert np.allclose(even.variances(found), (solve**2 * noise).sum(axis=1))


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
    described = Even.of([whole, fine]).to_json()
    assert isinstance(inference_from_json(described, [whole]), Even)
    assert isinstance(inference_from_json(described, [whole, fine]), Even)
    for odd in ([], [fine], [fine, whole], [whole, other], [whole, fine, fine]):
        with pytest.raises(BadInput):
            inference_from_json(described, odd)
