"""Who is protected, and from what difference: the privacy unit and the neighbours.

``"rows"`` protects every row. ``User("user_id", max_rows=10)`` protects every person with all
their rows, of which at most ten are counted. Neighbouring tables differ by one unit, added or
removed (``"add-remove"``) or replaced by another (``"replace-one"``).
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
        """How many rows of one unit are counted at the most."""
        return 1

    def __str__(self) -> str:
        return "rows"

    @property
    def key(self) -> str:
        """How an account remembers it."""
        return "rows"

    def to_json(self) -> str:
        return "rows"


@dataclass(frozen=True)
class User:
    """A person owns all rows with the same value in ``column``; ``max_rows`` of them count.

    The column holds texts, whole numbers, decimals or UUIDs; rows without a value do not count.

    >>> str(User("user_id", max_rows=10))
    'user user_id, at most 10 rows'
    """

    column: str
    max_rows: int

    def __post_init__(self) -> None:
        if not isinstance(self.column, str) or not self.column:
            raise BadInput(f"the user column is a name of the table's, not {self.column!r}.")
        bound = self.max_rows
        if isinstance(bound, bool) or not isinstance(bound, int) or not 1 <= bound <= 10**9:
            raise BadInput(f"max_rows is a whole number from 1 on, not {bound!r}.")

    @property
    def rows(self) -> int:
        return self.max_rows

    def __str__(self) -> str:
        return f"user {self.column}, at most {self.max_rows} rows"

    @property
    def key(self) -> str:
        """The column alone. A release protects a person with all rows they may ever have, whichever
        of them it counts, so that releases with other ``max_rows`` add up in the same account."""
        return f"user:{self.column.replace('%', '%25').replace(':', '%3A')}"

    def to_json(self) -> dict[str, str | int]:
        return {"user": self.column, "max_rows": self.max_rows}


Unit = Rows | User

UnitOption = Literal["rows"] | Unit
"""What stands for a unit in a call."""

NARROW_KEY = re.compile(r"user:(.+):[1-9][0-9]*", re.DOTALL)
"""How accounts were kept at first: one for each ``max_rows``."""


def present_key(key: str) -> str:
    """The key of an account as it is written today.

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
    raise BadInput(f'unit={unit!r} is not known. Use "rows" or User("column", max_rows=…).')


def as_neighbours(neighbours: object) -> Neighbours:
    if neighbours == "add-remove" or neighbours == "replace-one":
        return neighbours
    raise BadInput(f'neighbours={neighbours!r} is not known. Use "add-remove" or "replace-one".')
