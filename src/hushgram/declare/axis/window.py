"""One side of a box: some of the indices of another axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hushgram.declare.axis.base import Axis, Floats, Found
from hushgram.errors import DomainError


@dataclass(frozen=True, repr=False)
class Window(Axis):
    """The indices ``start`` to ``stop`` of another axis: one side of a box.

    Values are quantised by the whole axis first, so a window's edges are the axis's edges.

    >>> from hushgram.declare.axis import Integer
    >>> Window(Integer(0, 9), 2, 5).index(3), Window(Integer(0, 9), 2, 5).index(7)
    (1, None)
    """

    kind = "window"
    axis: Axis
    start: int
    stop: int

    def __post_init__(self) -> None:
        if not isinstance(self.axis, Axis):
            raise DomainError(f"A window must be a window of an axis. Found {self.axis!r}.")
        if self.outside != "drop":
            raise DomainError("A window always drops values outside. It has no other policy.")
        for side in (self.start, self.stop):
            if isinstance(side, bool) or not isinstance(side, int):
                raise DomainError(f"A window must start and stop at an index. Found {side!r}.")
        if not 0 <= self.start < self.stop <= self.axis.size:
            raise DomainError(
                f"The window from {self.start} to {self.stop} exceeds its axis of {self.axis.size}."
            )
        if isinstance(self.axis, Window):  # a window of a window is a window
            inner = self.axis
            object.__setattr__(self, "axis", inner.axis)
            object.__setattr__(self, "start", inner.start + self.start)
            object.__setattr__(self, "stop", inner.start + self.stop)

    @property
    def continuous(self) -> bool:  # type: ignore[override]
        return self.axis.continuous

    @property
    def ordered(self) -> bool:  # type: ignore[override]
        return self.axis.ordered

    @property
    def bins(self) -> int:
        return self.stop - self.start

    @property
    def whole(self) -> Axis:
        return self.axis

    @property
    def offset(self) -> int:
        return self.start

    @property
    def declared(self) -> int:
        return min(self.stop, self.axis.bins) - self.start

    def reads(self, name: str) -> dict[str, Axis]:
        return {name: self} if self.axis.reads(name) == {name: self.axis} else self.axis.reads(name)

    def _find(self, value: Any) -> Found:
        whole = self.axis.index(value)
        if whole is None or not self.start <= whole < self.stop:
            return "nowhere"
        return whole - self.start

    def positions(self, values: Any) -> Floats:
        return np.asarray(np.clip(self.axis.positions(values) - self.start, 0, self.bins))

    def edge(self, index: int) -> Any:
        return self.axis.edge(self.start + index)

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind, "axis": self.axis.to_json(), "start": self.start, "stop": self.stop
        }  # fmt: skip
