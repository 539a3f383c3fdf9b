"""Contrasts are a matrix of signs times the cells, whatever the axes."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushgram.declare.axis import Category, Integer
from hushgram.declare.domain import Domain
from hushgram.errors import DomainError
from hushgram.geometry.measured.contrasts import (
    ContrastRows,
    Contrasts,
    haar,
    identity,
    kind_for,
    levels,
)
from hushgram.geometry.measured.reading import measurable_from_json
from tests.strategies import domains, partitions


@st.composite
def contrasts(draw: st.DrawFn, cells: int = 300) -> Contrasts:
    """One to three axes of any length, with "other" or without, of any kind of rows."""
    axes: dict[str, Integer] = {}
    for name in "xyz"[: draw(st.integers(1, 3))]:
        bins = draw(st.integers(1, max(cells // 2, 1)))
        cells //= bins + 1
        axes[name] = Integer(0, bins - 1, outside=draw(st.sampled_from(["drop", "other"])))
    kinds = draw(st.tuples(*(st.sampled_from(["haar", "identity", "flat"]) for _ in axes)))
    return Contrasts(Domain(axes), kinds)


def dense_rows(rows: ContrastRows, indices: int) -> np.ndarray:
    """The matrix of one axis, entry by entry."""
    found = np.zeros((len(rows.starts), indices), dtype=np.int64)
    for row, (start, middle, stop) in enumerate(zip(*rows, strict=True)):
        assert 0 <= start < middle <= stop <= indices
        found[row, start:middle] = 1
        found[row, middle:stop] = -1
    return found


def dense(asked: Contrasts) -> np.ndarray:
    """The whole matrix."""
    return reduce(np.kron, [dense_rows(asked.rows(a), n) for a, n in enumerate(asked.domain.shape)])


@given(contrasts(), st.integers(0, 2**32))
def test_sums_are_the_matrix_times_the_cells(asked: Contrasts, seed: int) -> None:
    cells = np.random.default_rng(seed).integers(0, 1000, asked.domain.cells)
    assert asked.sums(cells).tolist() == (dense(asked) @ cells).tolist()


@given(contrasts())
def test_they_determine_the_cells(asked: Contrasts) -> None:
    """There are as many as cells, but that a flat axis has its total besides."""
    for axis, size in enumerate(asked.domain.shape):
        matrix = dense_rows(asked.rows(axis), size)
        assert matrix.shape == (asked.shape[axis], size)
        assert asked.shape[axis] == size + (asked.kinds[axis] == "flat")
        assert np.linalg.matrix_rank(matrix) == size


@given(st.integers(1, 600))
def test_the_tree_halves_evenly(cells: int) -> None:
    starts, middles, stops = haar(cells)
    assert (starts[0], middles[0], stops[0]) == (0, cells, cells)
    left, right = (middles - starts)[1:], (stops - middles)[1:]
    assert (np.abs(left - right) <= 1).all()
    assert (np.minimum(left, right) >= 1).all()
    covered = np.abs(dense_rows(haar(cells), cells)).sum(axis=0)
    assert covered.max() == 1 + levels(cells) == 1 + int(np.ceil(np.log2(cells)))
    assert covered.min() >= levels(cells)


def test_a_known_transform() -> None:
    """Sums and differences over eight cells, level by level."""
    matrix = dense_rows(haar(8), 8)
    assert matrix[0].tolist() == [1] * 8
    assert matrix[1].tolist() == [1] * 4 + [-1] * 4
    assert matrix[2].tolist() == [1, 1, -1, -1, 0, 0, 0, 0]
    assert matrix[7].tolist() == [0, 0, 0, 0, 0, 0, 1, -1]
    assert dense_rows(identity(4), 4).tolist() == np.eye(4).tolist()


@given(contrasts(), st.integers(0, 2**32))
def test_sums_near_the_end_of_64_bits_are_exact(asked: Contrasts, seed: int) -> None:
    """Steps on the way may wrap; the contrasts, which are no larger than the total, do not."""
    rng = np.random.default_rng(seed)
    cells = rng.integers(0, 100, asked.domain.cells)
    cells[rng.integers(len(cells))] += 2**63 - 1 - int(cells.sum())
    exact = dense(asked).astype(object) @ cells.astype(object)
    assert asked.sums(cells).tolist() == exact.tolist()


def test_kinds_follow_the_axes() -> None:
    domain = Domain(x=Integer(0, 4), sex=Category(["F", "M"]), y=Integer(0, 1, outside="other"))
    asked = Contrasts.wavelets(domain)
    assert asked.kinds == ("haar", "identity", "haar")
    assert asked.shape == (5, 2, 3)
    assert [ends.tolist() for ends in asked.rows(2)] == [[0, 0, 2], [2, 1, 3], [2, 2, 3]]


def test_short_axes_are_left_alone() -> None:
    """By the smaller bound: that of n cells is n, that of wavelets (1 + k)² (2 + k) / 2."""
    assert [kind_for(n, True) for n in (1, 8, 256, 512, 726)] == ["identity"] * 5
    assert [kind_for(n, True) for n in (727, 1024, 4096, 10**6)] == ["haar"] * 4
    assert [kind_for(n, False) for n in (2, 16, 17, 5000)] == ["identity"] * 2 + ["flat"] * 2
    many = Category(list(range(20)), outside="other")
    domain = Domain(x=Integer(0, 4095), state=many, y=Integer(0, 9))
    asked = Contrasts.long_wavelets(domain)
    assert asked.kinds == ("haar", "flat", "identity")
    assert asked.shape == (4096, 22, 10)
    assert [ends.tolist()[::20] for ends in asked.rows(1)] == [[0, 19], [20, 20], [20, 20]]


@pytest.mark.parametrize("cells", [5, 64, 300, 1000])
def test_the_bound_of_wavelets_holds(cells: int) -> None:
    """No range has more variance than the bound that decides; the worst has some half of it."""
    inverse = np.linalg.inv(dense_rows(haar(cells), cells))
    before = np.concatenate([np.zeros((1, cells)), np.cumsum(inverse, axis=0)])
    starts = np.random.default_rng(1).integers(0, cells, 300)
    worst = max(float(((before - before[start]) ** 2).sum(axis=1).max()) for start in starts)
    assert worst <= (2 + levels(cells)) / 2


@given(contrasts())
def test_descriptions_are_short_and_read_back(asked: Contrasts) -> None:
    data = asked.to_json()
    assert data == {"kind": "contrasts", "rows": list(asked.kinds)}
    assert measurable_from_json(asked.domain, data) == asked


@given(domains().flatmap(partitions))
def test_partitions_are_measurable_too(partition: Any) -> None:
    again = measurable_from_json(partition.domain, partition.to_json())
    assert type(again) is type(partition)
    assert again.to_json() == partition.to_json()


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"kind": "contrasts"},
        {"kind": "contrasts", "rows": []},
        {"kind": "contrasts", "rows": "h"},
        {"kind": "contrasts", "rows": ["haar", "haar"]},
        {"kind": "contrasts", "rows": ["fourier"]},
        {"kind": "contrasts", "rows": [["haar"]]},
        {"kind": "contrasts", "rows": 3},
        {"kind": "wishes"},
        {"kind": ["contrasts"]},
    ],
)
def test_what_makes_no_sense_is_refused(data: Any) -> None:
    with pytest.raises(DomainError):
        measurable_from_json(Domain(x=Integer(0, 4)), data)


def test_too_many_cells_are_refused() -> None:
    with pytest.raises(DomainError, match="too many"):
        Contrasts.wavelets(Domain(x=Integer(0, 10**5), y=Integer(0, 10**5)))
