"""Histograms that were counted elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hushgram.declare.axis import Integer
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows, User
from hushgram.errors import SourceError
from hushgram.geometry.partition import Grid
from hushgram.trusted.engine.sources.counted import CountedTable, Counts
from tests import reference
from tests.strategies import partitions


@given(st.data())
@settings(max_examples=50)
def test_every_partition(data: st.DataObject) -> None:
    shape = data.draw(st.lists(st.integers(1, 6), min_size=1, max_size=3))
    values = data.draw(st.lists(st.integers(0, 9), min_size=216, max_size=216))
    counts = Counts(np.array(values[: int(np.prod(shape))]).reshape(shape))
    domain, table = counts.domain, CountedTable(counts)
    ranges = [
        (start, data.draw(st.integers(start + 1, size)))
        for size in shape
        for start in [data.draw(st.integers(0, size - 1))]
    ]
    for part in (domain, domain.box(ranges)):
        partition = data.draw(partitions(part))
        rows = [i for i in np.ndindex(*shape) for _ in range(int(counts.array[i]))]
        assert table.count(partition).tolist() == reference.count(partition, rows)


@pytest.mark.parametrize(
    "array",
    [5, [], [[]], [1.5], [-1], [np.nan], [np.inf], ["a"], [True], [None], [[1], [2, 3]], [1j],
     [2**63], [2**62, 2**62], np.array([2**64 - 1], np.uint64), [1e300], None],
)  # fmt: skip
def test_what_are_no_counts(array: Any) -> None:
    with pytest.raises(SourceError):
        Counts(array)


@pytest.mark.parametrize(
    "array", [[3, 0, 5], [3.0, 0.0, 5.0], np.array([3, 0, 5], np.uint8), (3, 0, 5)]
)
def test_whole_numbers_of_any_type(array: Any) -> None:
    counts = Counts(array)
    assert counts.array.tolist() == [3, 0, 5]
    assert counts.domain == Domain(x0=Integer(0, 2))


def test_large_counts_stay_exact() -> None:
    counts = Counts([2**62, 2**62 - 1])
    assert CountedTable(counts).count(Grid(counts.domain, (1,))).tolist() == [2**63 - 1]


def test_counts_do_not_change() -> None:
    array = np.array([1, 2])
    counts = Counts(array)
    array[0] = 9
    assert counts.array.tolist() == [1, 2]
    with pytest.raises(ValueError, match="read-only"):
        counts.array[0] = 9
    assert repr(counts) == "Counts(shape=(2,))"


def test_what_can_be_asked_of_counts() -> None:
    counts = Counts([1, 2])
    table = CountedTable(counts)
    table.check(counts.domain, Rows())
    with pytest.raises(SourceError, match="no users"):
        table.check(counts.domain, User("u", 1))
    with pytest.raises(SourceError, match="already have a domain"):
        table.check(Domain(x=Integer(0, 1)), Rows())
    assert not table.loses_rows(counts.domain)
    assert table.loses_rows(counts.domain.box([(0, 1)]))


def test_rows_can_leave_a_box_that_is_cut_on_any_axis() -> None:
    """Then their number is no public one, not even where rows are replaced."""
    counts = Counts([[1, 2, 3], [4, 5, 6]])
    table, whole = CountedTable(counts), counts.domain
    assert not table.loses_rows(whole)
    for sides in ([(0, 1), (0, 3)], [(0, 2), (1, 3)], [(1, 2), (0, 2)]):
        assert table.loses_rows(whole.box(sides))
