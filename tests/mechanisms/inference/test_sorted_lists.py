"""Lists that are worked out together are what each is by itself, to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hushgram.geometry.partition import Grid, same_parts
from hushgram.mechanisms.inference.isotonic import isotonic
from hushgram.mechanisms.inference.sorted_lists_kernels import group_ends, pool
from hushgram.mechanisms.inference.sorted_sequence import SortedSequence
from hushgram.mechanisms.inference.zoomed import Zoomed
from tests.mechanisms.inference.test_zoomed import GRIDS, measured, rows_in


@given(st.sampled_from(GRIDS), st.integers(0, 2**32 - 1), st.integers(1, 60), st.booleans())
def test_lists_are_those_by_themselves(grid: Grid, seed: int, group: int, noisy: bool) -> None:
    measurements = measured(grid, rows_in(grid, 400, seed), group, 3 * noisy, seed)
    zoomed = Zoomed.of(measurements)
    values, variances = zoomed.push(measurements), zoomed.variances(measurements)
    lists = zoomed.lists
    for place, number in enumerate(zoomed.cells.zoomed):
        known = zoomed.sequence(place)
        alone = SortedSequence.of(known.measurements)
        assert same_parts(known.layout, alone.layout)
        together = lists.curves.curve(place)
        assert together.positions.tolist() == alone.curve.positions.tolist()
        assert together.ranks.tolist() == alone.curve.ranks.tolist()
        own = slice(*lists.parts.offsets[place : place + 2].tolist())
        assert lists.parts.starts[own].tolist() == alone.parts.starts.tolist()
        assert lists.parts.numbers[own].tolist() == alone.parts.numbers.tolist()
        parts = slice(*zoomed.offsets[number : number + 2].tolist())
        assert values[parts].tolist() == alone.push(alone.measurements).tolist()
        assert variances[parts].tolist() == alone.variances(alone.measurements).tolist()


NUMBERS = st.floats(-1e6, 1e6)


@given(st.lists(st.tuples(NUMBERS, st.integers(1, 9)), min_size=1, max_size=40), st.integers(0, 3))
def test_pools_are_those_of_scipy(pairs: Any, digits: int) -> None:
    values, weights = np.array(pairs, dtype=np.float64).T.copy()
    values = np.round(values, digits - 6)  # many are the same
    expected = isotonic(values, weights)
    pool(values, weights)
    assert values.tolist() == expected.tolist()


@given(st.integers(1, 10**6), st.integers(1, 1000))
def test_rows_are_dealt_into_groups(rows: int, groups: int) -> None:
    ends = group_ends(rows, min(rows, groups))
    assert (ends[0], ends[-1]) == (0, rows)
    assert np.ptp(np.diff(ends)) <= 1
