"""The curve passes through every cell once, in steps of one, and back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushgram.errors import BadInput
from hushgram.geometry.hilbert import BLOCK, bits_for, cells, places

CURVES = [(axes, bits) for axes in range(1, 7) for bits in range(1, 13) if axes * bits <= 12]


@pytest.mark.parametrize(("axes", "bits"), CURVES)
def test_every_cell_once_and_in_steps_of_one(axes: int, bits: int) -> None:
    line = np.arange(2 ** (axes * bits))
    found = cells(line, axes, bits)
    assert (found >= 0).all()
    assert (found < 2**bits).all()
    assert (np.abs(np.diff(found, axis=0)).sum(axis=1) == 1).all()
    assert np.array_equal(places(found, bits), line)
    assert not found[0].any()


@given(st.integers(1, 6), st.data())
def test_long_curves_and_back(axes: int, data: st.DataObject) -> None:
    bits = data.draw(st.integers(1, 62 // axes))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    some = rng.integers(0, 2**bits, (data.draw(st.integers(0, 2 * BLOCK + 1)), axes))
    line = places(some, bits)
    assert np.array_equal(cells(line, axes, bits), some)
    assert not len(line) or 0 <= line.min() <= line.max() < 2 ** (axes * bits)


def test_the_first_bits_are_the_place_of_the_coarser_cell() -> None:
    """A sub-cube is one piece of the curve: tree leaves are stretches of it."""
    fine = np.random.default_rng(2).integers(0, 2**7, (500, 3))
    coarse = places(fine, 7) >> 3 * 4
    order = np.argsort(coarse, kind="stable")
    blocks = (fine >> 4)[order]
    changes = (np.diff(blocks, axis=0) != 0).any(axis=1)
    assert np.array_equal(changes, np.diff(coarse[order]) != 0)


def test_bits_for_a_shape() -> None:
    assert [bits_for(shape) for shape in ((1,), (2, 2), (3, 1), (256, 256), (257, 3))] == [
        1, 1, 2, 8, 9,
    ]  # fmt: skip


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: places(np.array([[4, 0]]), 2),
        lambda: places(np.array([[-1, 0]]), 2),
        lambda: places(np.array([1, 2]), 2),
        lambda: places(np.zeros((1, 7), dtype=np.int64), 9),
        lambda: cells(np.array([16]), 2, 2),
        lambda: cells(np.array([-1]), 2, 2),
        lambda: cells(np.array([0]), 0, 2),
    ],
)
def test_what_lies_on_no_curve_is_refused(wrong: object) -> None:
    with pytest.raises(BadInput):
        wrong()  # type: ignore[operator]
