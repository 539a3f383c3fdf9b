"""Groups of the sorted rows: what the mechanism `sorted` measures. Public, integers only."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from hushgram.declare.domain import Domain
from hushgram.errors import DomainError
from hushgram.geometry.measured.curve import Curve
from hushgram.geometry.partition import MAX_PARTS, Ints, Measurable, whole_number
from hushgram.geometry.partition.base import too_many

LARGEST = 2**63 - 1
"""The largest sum of a group, and the largest number of rows."""

MAX_PROFILE = 1000
"""The largest number of entries of a profile."""


@dataclass(frozen=True)
class SortedGroups(Measurable):
    """Sort the rows' places and divide them into groups: what is the sum of each group?

    A place is an index on the only axis, or a position on a curve through several: see `Curve`. The
    list has the declared length ``rows``, whatever the table's: a longer one is cut, a shorter one
    is padded with the last place. It is divided into as few groups of at most ``group`` places as
    possible, whose lengths differ by at most one.

    A ``profile`` makes groups unequal: the list is first divided into one run per entry, and groups
    of a run have at most ``entry * group`` places.

    >>> from hushgram.declare.axis import Integer
    >>> groups = SortedGroups(Domain(x=Integer(0, 9)), rows=7, group=3)
    >>> groups.size, groups.ends.tolist(), groups.lengths.tolist()
    (3, [2, 4, 7], [2, 2, 3])
    >>> groups.sums(np.array([0, 2, 5]), np.array([1, 2, 1])).tolist()     # 0 2 | 2 5 | 9 9 9
    [2, 7, 27]
    >>> SortedGroups(groups.domain, rows=12, group=1, profile=(4, 1, 2)).lengths.tolist()
    [4, 1, 1, 1, 1, 2, 2]
    """

    kind = "sorted-groups"
    domain: Domain
    rows: int
    group: int
    profile: tuple[int, ...] = (1,)

    def __post_init__(self) -> None:
        self.curve  # noqa: B018 - raises for a domain without an order
        for name in ("rows", "group"):  # numpy's integers would be cut to 64 bits below
            object.__setattr__(self, name, operator.index(getattr(self, name)))
        if not 1 <= self.rows <= LARGEST:
            raise DomainError(f"A sorted list must have 1 to 2^63 - 1 rows. Found {self.rows}.")
        if self.group < 1:
            raise DomainError(f"A group must have at least one row. Found {self.group}.")
        if not self.profile or min(self.profile) < 1 or len(self.profile) > MAX_PROFILE:
            raise DomainError(
                f"A profile must be 1 to {MAX_PROFILE:,} positive whole numbers. Found "
                f"{self.profile}."
            )
        if self.size > MAX_PARTS:
            raise DomainError(too_many(self.size))
        largest = self.group * max(self.profile)
        if min(largest, self.rows) * self.span > LARGEST:
            raise DomainError(
                f"The sum of {largest:,} positions up to {self.span:,} does not fit in 64 "
                "bits. Choose smaller groups."
            )

    @cached_property
    def curve(self) -> Curve:
        """The order in which rows are sorted."""
        return Curve.of(self.domain)

    @cached_property
    def span(self) -> int:
        """The last place; the first is 0."""
        return self.curve.span

    @cached_property
    def runs(self) -> list[tuple[int, int, int]]:
        """The start, the number of places and the number of groups of each run of the profile."""
        runs = len(self.profile)
        starts = [self.rows * run // runs for run in range(runs + 1)]
        lengths = [end - start for start, end in pairwise(starts)]
        largest = [self.group * times for times in self.profile]
        groups = [-(-rows // most) for rows, most in zip(lengths, largest, strict=True)]
        return [run for run in zip(starts[:-1], lengths, groups, strict=True) if run[1]]

    @property
    def size(self) -> int:
        return sum(groups for _, _, groups in self.runs)

    @cached_property
    def ends(self) -> Ints:
        """The number of rows in each group and all groups before it."""
        return np.concatenate([start + deal(rows, groups) for start, rows, groups in self.runs])

    @cached_property
    def lengths(self) -> Ints:
        found = self.ends.copy()
        found[1:] -= self.ends[:-1]
        return found

    @property
    def outer_shares(self) -> tuple[float, float]:
        """How far the first and the last group reach beyond their middles, as shares of the
        distance to the next group's middle: a half if all groups are equal."""
        lengths = self.lengths
        if self.profile == (1,) or len(lengths) == 1:
            return 0.5, 0.5
        return (
            float(lengths[0] / (lengths[0] + lengths[1])),
            float(lengths[-1] / (lengths[-1] + lengths[-2])),
        )

    def sums(self, places: Ints, rows: Ints) -> Ints:
        """The exact sum of each group, from the occupied places in order and the rows at each:
        O(places + groups log places).

        Prefix sums may exceed 64 bits and wrap around. The sum of a group cannot, so the difference
        of two prefix sums, which is correct modulo 2^64, is correct.
        """
        padded = np.append(places, self.span).astype(np.uint64)
        below = np.concatenate([[0], np.cumsum(rows)])
        added = padded[:-1] * rows.astype(np.uint64)
        before = np.concatenate([[np.uint64(0)], np.cumsum(added)])
        last = np.searchsorted(below, self.ends) - 1
        reached = before[last] + padded[last] * (self.ends - below[last]).astype(np.uint64)
        found: Ints = np.diff(reached, prepend=np.uint64(0)).astype(np.int64)
        return found

    def to_json(self) -> dict[str, Any]:
        data = {"kind": self.kind, "rows": self.rows, "group": self.group}
        return data if self.profile == (1,) else {**data, "profile": list(self.profile)}

    @classmethod
    def from_json(cls, domain: Domain, data: Mapping[str, Any]) -> SortedGroups:
        profile = tuple(map(whole_number, data.get("profile", [1])))
        return cls(domain, whole_number(data["rows"]), whole_number(data["group"]), profile)


def deal(rows: int, groups: int) -> Ints:
    """Where ``groups`` groups of nearly equal length end.

    >>> deal(7, 3).tolist()
    [2, 4, 7]
    """
    whole, rest = divmod(rows, groups)
    places = np.arange(1, groups + 1, dtype=np.int64)
    return places * whole + places * rest // groups
