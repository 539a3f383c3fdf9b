"""Areas within larger areas: districts within cities within regions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hushgram.declare.axis.base import Ints
from hushgram.declare.axis.category import to_text
from hushgram.errors import DomainError


@dataclass(frozen=True)
class Level:
    """The larger areas that contain the areas: the name of the level, and one name per area."""

    name: str
    groups: tuple[str, ...]

    @property
    def starts(self) -> Ints:
        """The position of the first area in each larger area, if the areas are in order."""
        new = [place for place, group in enumerate(self.groups)
               if place == 0 or group != self.groups[place - 1]]  # fmt: skip
        return np.array(new, dtype=np.int64)

    @cached_property
    def members(self) -> dict[str, list[int]]:
        """The areas in each larger area."""
        found: dict[str, list[int]] = {}
        for place, group in enumerate(self.groups):
            found.setdefault(group, []).append(place)
        return found

    def to_json(self) -> dict[str, Any]:
        return {"name": self.name, "groups": list(self.groups)}


def in_order(levels: Sequence[Level], areas: int) -> list[int]:
    """An order of areas in which those of a larger area follow each other.

    >>> in_order([Level("city", ("A", "B", "A"))], 3)
    [0, 2, 1]
    """
    seen = [{group: place for place, group in reversed(list(enumerate(level.groups)))}
            for level in levels]  # fmt: skip

    def key(area: int) -> tuple[int, ...]:
        coarse_first = reversed(list(zip(levels, seen, strict=True)))
        return *(first[level.groups[area]] for level, first in coarse_first), area

    return sorted(range(areas), key=key)


def check_levels(values: Sequence[str], levels: Sequence[Level]) -> None:
    """Refuse levels that do not nest, and ambiguous names."""
    known = {value: frozenset([place]) for place, value in enumerate(values)}
    for finer, level in zip([None, *levels], levels, strict=False):
        check_groups(level, len(values))
        if finer is not None:
            check_nested(finer, level)
        for group, members in level.members.items():
            if known.setdefault(group, frozenset(members)) != frozenset(members):
                raise DomainError(
                    f"The name {group!r} is used for a {level.name} and for another area. "
                    "Rename one of them."
                )


def check_groups(level: Level, areas: int) -> None:
    texts = all(isinstance(group, str) and to_text(group) for group in level.groups)
    if not texts or len(level.groups) != areas:
        raise DomainError(f"Every area needs the name of its {level.name}.")


def check_nested(finer: Level, coarser: Level) -> None:
    above: dict[str, str] = {}
    for group, larger in zip(finer.groups, coarser.groups, strict=True):
        if above.setdefault(group, larger) != larger:
            raise DomainError(
                f"The {finer.name} {group!r} is in two areas of {coarser.name}: "
                f"{above[group]!r} and {larger!r}. It must be in exactly one."
            )


def levels_from_json(data: Any) -> tuple[Level, ...]:
    if not isinstance(data, list) or not all(isinstance(one, Mapping) for one in data):
        raise DomainError("Levels of areas in JSON must be a list of objects.")
    found = tuple(Level(one.get("name", ""), tuple(one.get("groups", ()))) for one in data)
    if not all(isinstance(level.name, str) and level.name for level in found):
        raise DomainError("Every level of areas needs a name.")
    return found
