"""Groups of the sorted rows: what the mechanism `sorted` measures. Public, integers only."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hushgram.declare.domain import Domain
from hushgram.errors import DomainError
from hushgram.geometry.measured.curve import Curve
from hushgram.geometry.partition import MAX_PARTS, Ints, Measurable, whole_number
from hushgram.geometry.partition.base import too_many

LARGEST = 2**63 - 1
"""What a group's sum, and the number of rows, may come to at most."""


@dataclass(frozen=True)
class SortedGroups(Measurable):
    """The rows' places in ascending order, in groups of consecutive ones: what is each sum?

    A place is an index on the only axis, or lies on a curve through several: see `Curve`. The list
    has a declared length, ``rows``, whatever the table's: a longer one is cut there, a shorter one
    is padded with the last place. It is dealt into as few groups of at most ``group`` places as it
    takes, whose lengths differ by one at most.

    >>> from hushgram.declare.axis import Integer
    >>> groups = SortedGroups(Domain(x=Integer(0, 9)), rows=7, group=3)
    >>> groups.size, groups.ends.tolist(), groups.lengths.tolist()
    (3, [2, 4, 7], [2, 2, 3])
    >>> groups.sums(np.array([0, 2, 5]), np.array([1, 2, 1])).tolist()     # 0 2 | 2 5 | 9 9 9
    [2, 7, 27]
    """

    kind = "sorted-groups"
    domain: Domain
    rows: int
    group: int

    def __post_init__(self) -> None:
        self.curve  # noqa: B018 - a domain without an order is refused here
        for name in ("rows", "group"):  # numpy's integers would be cut to 64 bits below
            object.__setattr__(self, name, operator.index(getattr(self, name)))
        if not 1 <= self.rows <= LARGEST:
            raise DomainError(f"a sorted list has 1 to 2^63 - 1 rows, not {self.rows}.")
        if self.group < 1:
            raise DomainError(f"a group has one or more rows, not {self.group}.")
        if self.size > MAX_PARTS:
            raise DomainError(too_many(self.size))
        if min(self.group, self.rows) * self.span > LARGEST:
            raise DomainError(
                f"the sum of {self.group:,} places up to {self.span:,} does not fit in 64 bits. "
                "Choose smaller groups."
            )

    @cached_property
    def curve(self) -> Curve:
        """The order in which rows are sorted."""
        return Curve(self.domain)

    @cached_property
    def span(self) -> int:
        """The last place; the first is 0."""
        return self.curve.span

    @property
    def size(self) -> int:
        return -(-self.rows // self.group)

    @cached_property
    def ends(self) -> Ints:
        """How many rows lie in each group and all before it."""
        whole, rest = divmod(self.rows, self.size)
        places = np.arange(1, self.size + 1, dtype=np.int64)
        return places * whole + places * rest // self.size

    @property
    def lengths(self) -> Ints:
        return np.diff(self.ends, prepend=0)

    def sums(self, places: Ints, rows: Ints) -> Ints:
        """The groups' sums from the occupied places, in order, and how many rows lie at each:
        O(places + groups log places), exact.

        Prefix sums may exceed 64 bits and wrap, but no group's sum does, so that differences of
        two, which are right modulo 2^64, are right.
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
        return {"kind": self.kind, "rows": self.rows, "group": self.group}

    @classmethod
    def from_json(cls, domain: Domain, data: Mapping[str, Any]) -> SortedGroups:
        return cls(domain, whole_number(data["rows"]), whole_number(data["group"]))
