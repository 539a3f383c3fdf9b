"""Groups of the sorted rows against a sorted list."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushgram.declare.axis import Category, Integer
from hushgram.declare.domain import Domain
from hushgram.errors import DomainError
from hushgram.geometry.measured.reading import measurable_from_json
from hushgram.geometry.measured.sorted_groups import SortedGroups


def dense_sums(groups: SortedGroups, counts: list[int]) -> Any:
    cells = np.array(counts)
    filled = np.flatnonzero(cells)
    return groups.sums(filled, cells[filled])


def listed(counts: list[int], groups: SortedGroups) -> list[int]:
    """The sums by hand: sort, cut or pad, deal out."""
    rows = [index for index, count in enumerate(counts) for _ in range(count)]
    rows = (rows + [len(counts) - 1] * groups.rows)[: groups.rows]
    ends = [place * groups.rows // groups.size for place in range(groups.size + 1)]
    return [sum(rows[a:b]) for a, b in pairwise(ends)]


@given(st.lists(st.integers(0, 6), min_size=1, max_size=9), st.integers(1, 40), st.integers(1, 12))
def test_sums_are_those_of_the_sorted_list(counts: list[int], rows: int, group: int) -> None:
    groups = SortedGroups(Domain(x=Integer(0, len(counts) - 1)), rows, group)
    assert dense_sums(groups, counts).tolist() == listed(counts, groups)
    assert groups.lengths.sum() == rows
    assert groups.lengths.min() >= 1
    assert groups.lengths.max() <= group
    assert np.ptp(groups.lengths) <= 1
    assert measurable_from_json(groups.domain, groups.to_json()) == groups


@given(
    st.lists(st.integers(0, 6), min_size=1, max_size=9),
    st.integers(1, 40),
    st.integers(1, 5),
    st.lists(st.integers(1, 9), min_size=1, max_size=5),
)
def test_unequal_groups_are_those_of_the_sorted_list(
    counts: list[int], rows: int, group: int, profile: list[int]
) -> None:
    groups = SortedGroups(Domain(x=Integer(0, len(counts) - 1)), rows, group, tuple(profile))
    places = [index for index, count in enumerate(counts) for _ in range(count)]
    places = (places + [len(counts) - 1] * rows)[:rows]
    by_hand, runs = [], len(profile)
    for run, times in enumerate(profile):
        first, last = rows * run // runs, rows * (run + 1) // runs
        many = -(-(last - first) // (group * times))
        ends = [first + place * (last - first) // many for place in range(many + 1)] if many else []
        by_hand += [places[a:b] for a, b in pairwise(ends)]
    assert groups.lengths.tolist() == [len(one) for one in by_hand]
    assert dense_sums(groups, counts).tolist() == [sum(one) for one in by_hand]
    assert groups.size == len(by_hand)
    assert measurable_from_json(groups.domain, groups.to_json()) == groups


@pytest.mark.parametrize("profile", [(), (0,), (1, -2), (1,) * 1001, (2**62,)])
def test_odd_profiles_are_refused(profile: tuple[int, ...]) -> None:
    with pytest.raises(DomainError, match=r"A profile must be|does not fit"):
        SortedGroups(LINE, 2**62, 2**40, profile)


@given(
    st.lists(st.integers(0, 2**61), min_size=2, max_size=4),
    st.integers(1, 2**63 - 1),
    st.integers(1, 50),
)
def test_huge_counts_do_not_wrap(counts: list[int], rows: int, parts: int) -> None:
    group = min(-(-rows // parts), (2**63 - 1) // (len(counts) - 1))
    groups = SortedGroups(Domain(x=Integer(0, len(counts) - 1)), rows, group)
    assert dense_sums(groups, counts).tolist() == prefixed(counts, groups)


def prefixed(counts: list[int], groups: SortedGroups) -> list[int]:
    """The sums in integers of any size."""
    counts = [*counts[:-1], max(groups.rows - sum(counts[:-1]), 0)]

    def reached(rank: int) -> int:
        found = 0
        for index, count in enumerate(counts):
            found += index * min(rank, count)
            rank -= min(rank, count)
        return found

    ends = [place * groups.rows // groups.size for place in range(groups.size + 1)]
    return [reached(b) - reached(a) for a, b in pairwise(ends)]


LINE = Domain(x=Integer(0, 9))


@pytest.mark.parametrize(
    ("domain", "rows", "group", "reason"),
    [
        (Domain(x=Integer(0, 9, outside="other")), 5, 2, 'outside="clamp" or outside="drop"'),
        (Domain(x=Integer(0, 9), y=Integer(0, 9, outside="other")), 5, 2, 'outside="clamp"'),
        (Domain({f"x{n}": Integer(0, 1) for n in range(11)}), 5, 2, "at once"),
        (Domain(x=Category(("a", "b"))), 5, 2, "one axis with an order"),
        (LINE, 0, 2, "1 to 2.63 - 1 rows. Found 0"),
        (LINE, 2**63, 2**50, "1 to 2.63 - 1 rows"),
        (LINE, 5, 0, "at least one row. Found 0"),
        (LINE, 10**9, 1, "too many"),
        (LINE, 2**63 - 1, 2**62, "does not fit in 64 bits"),
    ],
)
def test_what_cannot_be_sorted_is_refused(domain: Any, rows: int, group: int, reason: str) -> None:
    with pytest.raises(DomainError, match=reason):
        SortedGroups(domain, rows, group)


@pytest.mark.parametrize("odd", [{"rows": 5.0}, {"rows": True}, {"group": "2"}, {"group": None}])
def test_a_forged_description_is_refused(odd: dict[str, Any]) -> None:
    data = {**SortedGroups(LINE, 5, 2).to_json(), **odd}
    with pytest.raises(DomainError):
        measurable_from_json(LINE, data)


@pytest.mark.parametrize(
    "profile", ["", 5, [], [0], [1.5], ["a"], None, [1] * 2000, {"a": 1}, [[1]], [-1, 2]], ids=str
)
def test_forged_profiles_are_refused(profile: Any) -> None:
    told = {"kind": "sorted-groups", "rows": 5, "group": 2, "profile": profile}
    with pytest.raises(DomainError):
        measurable_from_json(LINE, told)
