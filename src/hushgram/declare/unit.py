"""Who is protected: the privacy unit and the neighbouring relation.

``"rows"`` protects every row. ``User("user_id", max_rows=10)`` protects every person with all
their rows, of which at most ten are counted. Neighbouring tables differ by one unit, which is
added or removed (``"add-remove"``), or replaced by another (``"replace-one"``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from hushgram.errors import BadInput

Neighbours = Literal["add-remove", "replace-one"]


@dataclass(frozen=True)
class Rows:
    """Each row is one person."""

    @property
    def rows(self) -> int:
        """The largest number of rows of one unit that are counted."""
        return 1

    def __str__(self) -> str:
        return "rows"

    @property
    def key(self) -> str:
        """The text by which an account stores the unit."""
        return "rows"

    def to_json(self) -> str:
        return "rows"


@dataclass(frozen=True)
class User:
    """Protect people with several rows: all rows with the same value in ``column`` are one person.

    At most ``max_rows`` rows of each person are counted. The column holds text, whole numbers,
    decimals or UUIDs. Rows without a value are not counted.

    >>> str(User("user_id", max_rows=10))
    'user user_id, at most 10 rows'
    """

    column: str
    max_rows: int

    def __post_init__(self) -> None:
        if not isinstance(self.column, str) or not self.column:
            raise BadInput(f"The user column must be the name of a column. Found {self.column!r}.")
        bound = self.max_rows
        if isinstance(bound, bool) or not isinstance(bound, int) or not 1 <= bound <= 10**9:
            raise BadInput(f"max_rows must be a positive whole number. Found {bound!r}.")

    @property
    def rows(self) -> int:
        return self.max_rows

    def __str__(self) -> str:
        return f"user {self.column}, at most {self.max_rows} rows"

    @property
    def key(self) -> str:
        """The column only. A release protects a person with all their rows, however many it counts,
        so releases with different ``max_rows`` can share an account."""
        return f"user:{self.column.replace('%', '%25').replace(':', '%3A')}"

    def to_json(self) -> dict[str, str | int]:
        return {"user": self.column, "max_rows": self.max_rows}


Unit = Rows | User

UnitOption = Literal["rows"] | Unit
"""What functions accept as a unit."""

NARROW_KEY = re.compile(r"user:(.+):[1-9][0-9]*", re.DOTALL)
"""The first format of account keys: one for each ``max_rows``."""


def present_key(key: str) -> str:
    """The key of an account in the present format.

    >>> present_key("user:user_id:10"), present_key("user:user_id"), present_key("rows")
    ('user:user_id', 'user:user_id', 'rows')
    """
    narrow = NARROW_KEY.fullmatch(key)
    return User(narrow[1], 1).key if narrow else key


def as_unit(unit: object) -> Unit:
    """``"rows"`` or a `User`, as given or as JSON."""
    if isinstance(unit, Rows | User):
        return unit
    if unit == "rows":
        return Rows()
    if isinstance(unit, dict) and set(unit) == {"user", "max_rows"}:
        return User(unit["user"], unit["max_rows"])
    raise BadInput(f'Unknown unit={unit!r}. Use "rows" or User("column", max_rows=…).')


def as_neighbours(neighbours: object) -> Neighbours:
    if neighbours == "add-remove" or neighbours == "replace-one":
        return neighbours
    raise BadInput(f'Unknown neighbours={neighbours!r}. Use "add-remove" or "replace-one".')
