"""One order for all cells, and the boxes that follow it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hushgram.declare.axis import Integer, Interval
from hushgram.declare.domain import Domain
from hushgram.geometry.measured.curve import Curve
from hushgram.geometry.partition import Halving


@st.composite
def curves(draw: st.DrawFn) -> Curve:
    sides = draw(st.lists(st.integers(1, 9), min_size=2, max_size=3))
    return Curve(Domain({f"x{n}": Integer(0, side - 1) for n, side in enumerate(sides)}))


@given(curves())
@settings(deadline=None)
def test_every_cell_has_a_place_of_its_own(curve: Curve) -> None:
    places = curve.places(np.arange(curve.raster.size))
    assert len(np.unique(places)) == curve.domain.cells
    assert places.min() >= 0
    assert places.max() <= curve.span


@given(curves(), st.lists(st.floats(0, 1), max_size=30))
@settings(deadline=None)
def test_boxes_follow_the_curve(curve: Curve, shares: list[float]) -> None:
    """Each box holds the cells from its first place up to that of the next one along the curve, and
    no more than one position, unless it is a single cell."""
    positions = np.sort(np.array(shares, dtype=np.float64)) * curve.span
    boxes, starts, numbers = curve.boxes_around(positions)
    assert starts[0] == 0
    assert (np.diff(starts) > 0).all()
    assert sorted(numbers.tolist()) == list(range(boxes.size))
    cells = np.arange(curve.raster.size)
    slices = np.stack(np.unravel_index(cells, curve.raster.shape), axis=1)
    along = np.searchsorted(starts, curve.places(cells), side="right") - 1
    assert numbers[along].tolist() == boxes.parts_of_slices(slices).tolist()


@pytest.mark.parametrize("many", [1, 3, 5000])
def test_many_lists_are_divided_as_each_by_itself(many: int) -> None:
    curve = Curve(Domain(x=Integer(0, 12), y=Integer(0, 30)))
    rng = np.random.default_rng(many)
    lists = [np.sort(rng.uniform(0, curve.span, rng.integers(1, 9))) for _ in range(many)]
    found = curve.leaves_around_each(lists)
    axes, cuts = Halving.of(curve.raster, curve.bits).trees(found.places, found.offsets)
    assert len(found.offsets) == many + 1
    for place in range(0, many, max(1, many // 50)):
        alone = curve.boxes_around(lists[place])
        first, last = found.offsets[place : place + 2].tolist()
        assert alone.starts.tolist() == found.starts[first:last].tolist()
        assert alone.numbers.tolist() == found.numbers[first:last].tolist()
        nodes = slice(2 * first - place, 2 * last - place - 1)
        assert alone.boxes.axes.tolist() == axes[nodes].tolist()
        assert alone.boxes.cuts.tolist() == cuts[nodes].tolist()


def test_fine_axes_have_places_of_32_bits() -> None:
    curve = Curve(Domain(x=Interval(0, 1), y=Interval(0, 1)))
    assert curve.raster.slices == (2**16, 2**16)
    assert curve.span == 2**32 - 1
    boxes, starts, _ = curve.boxes_around(np.array([5.0, 5.5, 2.0**31]))
    sides = np.prod(boxes.corners[1] - boxes.corners[0], axis=1)
    assert sides.min() == 1
    assert sides.max() == 2**30
    assert boxes.size == len(starts) == 49


@pytest.mark.parametrize(("axes", "bits"), [(2, 16), (3, 16), (4, 12), (10, 4)])
def test_places_fit_however_many_axes_there_are(axes: int, bits: int) -> None:
    curve = Curve(Domain({f"x{n}": Interval(0, 1) for n in range(axes)}))
    assert curve.bits == bits
    assert curve.span < 2**48
