"""The tree of halves, against its definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hushgram.declare.axis import Integer, Interval
from hushgram.declare.domain import Domain
from hushgram.errors import DomainError
from hushgram.geometry.partition import Halving, Raster


@st.composite
def rasters(draw: st.DrawFn) -> Raster:
    axes = {}
    for n in range(draw(st.integers(1, 3))):
        outside = draw(st.sampled_from(["drop", "other"]))
        axes[f"x{n}"] = Integer(0, draw(st.integers(0, 8)), outside=outside)
    return Raster.of_cells(Domain(axes))


@given(rasters())
@settings(deadline=None)
def test_places_are_the_order_of_the_tree(raster: Raster) -> None:
    """Halved to the end, every leaf is a cell, and leaves come as the cells' places do."""
    halving = Halving(raster)
    places = halving.places(np.arange(raster.size))
    assert len(np.unique(places)) == raster.size
    nodes = halving.nodes_at(100)
    assert nodes.single.all()
    assert len(nodes) == halving.max_nodes(100) == raster.size
    assert halving.starts(nodes).tolist() == sorted(places.tolist())
    cells = halving.leaves(np.sort(places))
    lower, upper = cells.corners
    assert (upper - lower == 1).all()
    order = np.argsort(places)
    assert np.ravel_multi_index(tuple(lower.T), raster.shape).tolist() == order.tolist()


@given(rasters(), st.integers(0, 4))
@settings(deadline=None)
def test_nodes_are_stretches_of_places(raster: Raster, depth: int) -> None:
    """Each cell's place lies in the stretch of the box that holds it."""
    halving = Halving(raster)
    nodes = halving.nodes_at(depth)
    starts, stops = halving.starts(nodes), halving.stops(nodes)
    assert (starts < stops).all()
    assert (stops[:-1] <= starts[1:]).all()
    boxes = halving.leaves(starts)
    assert boxes.size == len(nodes) == halving.max_nodes(depth)
    slices = np.stack(np.unravel_index(np.arange(raster.size), raster.shape), axis=1)
    parts = boxes.parts_of_slices(slices)
    places = halving.places(np.arange(raster.size))
    assert ((starts[parts] <= places) & (places < stops[parts])).all()
    held = np.bincount(parts, minlength=len(nodes))
    assert ((held == 1) == nodes.single).all()
    widths = boxes.corners[1] - boxes.corners[0]
    for axis, slices_of in enumerate(raster.slices):
        inner = widths[boxes.corners[0][:, axis] < slices_of, axis]
        assert inner.max() - inner.min() <= 1


def test_a_fine_raster_of_powers_of_two_is_cut_by_bits() -> None:
    halving = Halving(Raster(Domain(x=Interval(0, 1), y=Interval(0, 1)), (2**16, 2**16)))
    cell = 0b1010_0000_0000_0001 << 16 | 0b0110_0000_0000_0000
    assert halving.places(np.array([cell])).tolist() == [0b10011100 << 24 | 0b10]
    assert (halving.length, halving.fan_out(0), halving.fan_out(16)) == (32, 4, 2)


def test_what_is_no_tree_is_refused() -> None:
    halving = Halving(Raster.of_cells(Domain(x=Integer(0, 3), y=Integer(0, 3))))
    with pytest.raises(DomainError, match="cannot start"):
        halving.leaves(np.array([3, 3]))


@pytest.mark.parametrize(
    "raster",
    [
        Raster.of_cells(Domain({f"x{n}": Integer(0, 1) for n in range(11)})),
        Raster.of_cells(Domain({f"x{n}": Integer(0, 36, outside="other") for n in range(9)})),
    ],
)
def test_too_many_halves_are_refused(raster: Raster) -> None:
    with pytest.raises(DomainError, match=r"at once|too deep"):
        Halving(raster)
