"""The domain: the named axes to publish. It is public, declared and immutable."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hushgram.declare.axis import Axis, Interval, Window, axis_from_json
from hushgram.declare.axis.category import to_text
from hushgram.errors import DomainError

AxisOption = Axis | tuple[float, float]
"""What functions accept as an axis: an axis, or a pair of bounds for an interval."""


class Domain(Mapping[str, Axis]):
    """The axes of a histogram, by name.

    >>> from hushgram.declare.axis import Category, Regular
    >>> domain = Domain(age=Regular(10, 0, 100), sex=Category(["F", "M"]))
    >>> domain.names, domain.shape, domain.cells
    (('age', 'sex'), (10, 2), 20)
    >>> Domain.from_json(domain.to_json()) == domain
    True

    For names that are not Python identifiers, pass a mapping:
    ``Domain({"odd name": Regular(2, 0, 1)})``. A pair of numbers stands for an interval:
    ``Domain(lon=(-180, 180))``.
    """

    __slots__ = ("_axes",)
    _axes: dict[str, Axis]

    def __init__(self, axes: Mapping[str, AxisOption] | None = None, /, **more: AxisOption) -> None:
        if not isinstance(axes, Mapping | None):
            raise DomainError(f"A domain must be built from named axes. Found {axes!r}.")
        named = {**(axes or {}), **more}
        if not named:
            raise DomainError(
                "A domain needs at least one axis, such as Domain(age=Integer(0, 120))."
            )
        object.__setattr__(
            self, "_axes", {check_name(name): as_axis(name, axis) for name, axis in named.items()}
        )

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("A domain cannot be changed. Create a new one.")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("A domain cannot be changed. Create a new one.")

    def __reduce__(self) -> tuple[type[Domain], tuple[dict[str, Axis]]]:
        return type(self), (dict(self._axes),)

    def __getitem__(self, name: str) -> Axis:
        return self._axes[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._axes)

    def __len__(self) -> int:
        return len(self._axes)

    def __hash__(self) -> int:
        return hash(tuple(self._axes.items()))

    def __eq__(self, other: object) -> bool:
        """Whether names, axes and their order are equal. The order determines that of the cells."""
        if not isinstance(other, Domain):
            return NotImplemented
        return list(self._axes.items()) == list(other._axes.items())

    def __repr__(self) -> str:
        if all(name.isidentifier() for name in self):
            return "Domain(" + ", ".join(f"{name}={axis!r}" for name, axis in self.items()) + ")"
        return f"Domain({self._axes!r})"

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._axes)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the table that the axes read: one per axis, two for areas."""
        return tuple(column for column, _ in self.columns_read)

    @property
    def columns_read(self) -> list[tuple[str, Axis]]:
        """The columns that the axes read, each with the axis that reads it."""
        return [read for name, axis in self.items() for read in axis.reads(name).items()]

    @property
    def axes(self) -> tuple[Axis, ...]:
        return tuple(self._axes.values())

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of indices of each axis, including "other"."""
        return tuple(axis.size for axis in self.axes)

    @property
    def cells(self) -> int:
        """The number of cells, as a Python integer of any size."""
        return math.prod(self.shape)

    @property
    def continuous(self) -> tuple[str, ...]:
        """The axes whose cells are chosen by the mechanism."""
        return tuple(name for name, axis in self.items() if axis.continuous)

    @property
    def loses_rows(self) -> bool:
        """Whether rows can be dropped, so that even the number of rows kept is private."""
        return any(axis.outside == "drop" for axis in self.axes)

    def box(self, ranges: Sequence[tuple[int, int]]) -> Domain:
        """The part of this domain inside a box of indices.

        >>> from hushgram.declare.axis import Integer
        >>> Domain(x=Integer(0, 9)).box([(2, 5)]).shape
        (3,)
        """
        return Domain(
            {
                name: axis if (start, stop) == (0, axis.size) else Window(axis, start, stop)
                for (name, axis), (start, stop) in zip(self.items(), ranges, strict=True)
            }
        )

    def ranges_of(self, box: Domain) -> list[tuple[int, int]] | None:
        """The ranges for which `box` returns the given domain, or None if there are none.

        >>> from hushgram.declare.axis import Integer
        >>> whole = Domain(x=Integer(0, 9), y=Integer(0, 3))
        >>> whole.ranges_of(whole.box([(2, 5), (0, 4)]))
        [(2, 5), (0, 4)]
        """
        if box.names != self.names:
            return None
        found = []
        for outer, inner in zip(self.axes, box.axes, strict=True):
            start = inner.offset - outer.offset
            if inner.whole != outer.whole or not 0 <= start <= start + inner.size <= outer.size:
                return None
            found.append((start, start + inner.size))
        return found

    def to_json(self) -> list[dict[str, Any]]:
        return [{"name": name, **axis.to_json()} for name, axis in self.items()]

    @classmethod
    def from_json(cls, data: Any) -> Domain:
        if not isinstance(data, list) or not all(
            isinstance(d, dict) and isinstance(d.get("name"), str) for d in data
        ):
            raise DomainError(
                "A domain in JSON must be a list of axes, each an object with a name."
            )
        named = {d["name"]: axis_from_json({k: d[k] for k in d if k != "name"}) for d in data}
        if len(named) < len(data):
            raise DomainError("Two axes have the same name.")
        return cls(named)


def check_name(name: object) -> str:
    if not isinstance(name, str) or not name:
        raise DomainError(f"An axis must be named after a column of the table. Found {name!r}.")
    if to_text(name) is None:
        raise DomainError(f"The name {name!r} is not valid Unicode text.")
    return name


def as_axis(name: str, axis: object) -> Axis:
    """Convert a pair of numbers to an interval."""
    if isinstance(axis, Axis):
        return axis
    if isinstance(axis, tuple) and len(axis) == 2:
        return Interval(*axis)
    raise DomainError(
        f"Axis {name}: {axis!r} is not an axis. Declare one, such as {name}=Interval(lo, "
        f"hi) or {name}=Category([...]). If you do not know the bounds, find_bounds can "
        "estimate them, for part of the budget."
    )
