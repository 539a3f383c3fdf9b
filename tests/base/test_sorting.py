from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hushgram.base.sorting import lexsort_digits, sort_digits


@given(
    st.lists(st.integers(-(2**63), 2**63 - 1), max_size=30), st.integers(0, 63), st.integers(0, 40)
)
def test_numbers_are_in_the_order_of_their_bits(numbers: Any, shift: int, bits: int) -> None:
    given_, carried = np.array(numbers, dtype=np.int64), np.arange(len(numbers))
    bits = min(bits, 64 - shift)
    expected = sorted(carried.tolist(), key=lambda k: (numbers[k] >> shift) % 2**bits)
    found, order = sort_digits(given_, carried, shift, bits)
    assert order.tolist() == expected
    assert found.tolist() == [numbers[k] for k in expected]
    alone, none = sort_digits(given_, carried[:0], shift, bits)
    assert (alone.tolist(), none.tolist()) == (found.tolist(), [])
    assert given_.tolist() == numbers


@given(
    st.lists(st.tuples(*(st.integers(0, 2**bits - 1) for bits in (3, 40, 17, 63, 2))), max_size=30)
)
def test_keys_are_sorted_as_by_numpy(rows: Any) -> None:
    """Some fit into one number together, some do not."""
    keys = list(np.array(rows, dtype=np.int64).reshape(-1, 5).T)
    assert lexsort_digits(keys).tolist() == np.lexsort(keys).tolist()
