"""Groups of the sorted rows: what the mechanism `sorted` measures. Public, integers only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hushgram.domain import Domain
from hushgram.errors import DomainError
from hushgram.partition import MAX_PARTS, Ints, Measurable
from hushgram.partition.base import too_many

LARGEST = 2**63 - 1
"""What a group's sum, and the number of rows, may come to at most."""


@dataclass(frozen=True)
class SortedGroups(Measurable):
    """The rows' indices in ascending order, in groups of consecutive ones: what is each sum?

    The list has a declared length, ``rows``, whatever the table's: a longer one is cut there, a
    shorter one is padded with the largest index. It is dealt into as few groups of at most
    ``group`` indices as it takes, whose lengths differ by one at most.

    >>> from hushgram.axis import Integer
    >>> groups = SortedGroups(Domain(x=Integer(0, 9)), rows=7, group=3)
    >>> groups.size, groups.ends.tolist(), groups.lengths.tolist()
    (3, [2, 4, 7], [2, 2, 3])
    >>> groups.sums(np.array([1, 0, 2, 0, 0, 1, 0, 0, 0, 0])).tolist()     # 0 2 | 2 5 | 9 9 9
    [2, 7, 27]
    """

    kind = "sorted-groups"
    domain: Domain
    rows: int
    group: int

    def __post_init__(self) -> None:
        check_line(self.domain)
        if not 1 <= self.rows <= LARGEST:
            raise DomainError(f"a sorted list has 1 to 2^63 - 1 rows, not {self.rows}.")
        if self.group < 1:
            raise DomainError(f"a group has one or more rows, not {self.group}.")
        if self.size > MAX_PARTS:
            raise DomainError(too_many(self.size))
        if min(self.group, self.rows) * self.span > LARGEST:
            raise DomainError(
                f"the sum of {self.group:,} indices up to {self.span:,} does not fit in 64 bits. "
                "Choose smaller groups."
            )

    @property
    def span(self) -> int:
        """The largest index; the smallest is 0."""
        return self.domain.cells - 1

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

    def sums(self, cells: Ints) -> Ints:
        """The groups' sums from the counts of all cells: O(cells + groups log cells), exact.

        Prefix sums may exceed 64 bits and wrap, but no group's sum does, so that differences of
        two, which are right modulo 2^64, are right.
        """
        indices = np.arange(self.span + 1, dtype=np.uint64)
        below = np.concatenate([[0], np.cumsum(cells[:-1])])
        before = np.concatenate([[np.uint64(0)], np.cumsum(indices * cells.astype(np.uint64))])
        last = np.searchsorted(below, self.ends) - 1
        reached = before[last] + indices[last] * (self.ends - below[last]).astype(np.uint64)
        found: Ints = np.diff(reached, prepend=np.uint64(0)).astype(np.int64)
        return found

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "rows": self.rows, "group": self.group}

    @classmethod
    def from_json(cls, domain: Domain, data: Mapping[str, Any]) -> SortedGroups:
        if type(data["rows"]) is not int or type(data["group"]) is not int:
            raise DomainError("rows and groups of a sorted list are whole numbers.")
        return cls(domain, data["rows"], data["group"])


def check_line(domain: Domain) -> None:
    """Refuse a domain whose cells are not all in one order."""
    if len(domain) != 1 or not domain.axes[0].ordered:
        raise DomainError(
            f"rows are sorted along one axis with an order, and the domain has {len(domain)} axes. "
            "Publish one axis, or choose another mechanism, for example ahp or hb."
        )
    if domain.axes[0].other:
        raise DomainError(
            f'axis {domain.names[0]!r} keeps "other" values, which have no place in a sorted list. '
            'Declare it with outside="clamp" or outside="drop".'
        )
