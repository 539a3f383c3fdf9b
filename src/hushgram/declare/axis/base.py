"""What all axes share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from inspect import signature
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from hushgram.errors import DomainError

Outside = Literal["drop", "clamp", "other"]
Found = int | Literal["below", "above", "nowhere"]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

OTHER = "other"
"""The policy, and the name of the extra index, of values that do not fit."""

MAX_BINS = 2**26
"""The product of an index and a number of slices stays below 2^52, exact even in doubles."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Axis(ABC):
    """What all axes share: a policy for what does not fit, and integer indices.

    An axis may be a window of another one. Which values its indices stand for is then told by the
    ``whole`` axis, whose indices start ``offset`` before its own.
    """

    kind: ClassVar[str]
    continuous: ClassVar[bool] = False
    ordered: ClassVar[bool] = True

    outside: Outside = "drop"

    @property
    @abstractmethod
    def bins(self) -> int:
        """How many indices the declared values have, "other" not counted."""

    @property
    def size(self) -> int:
        """How many indices there are, "other" included."""
        return self.bins + self.other

    @property
    def other(self) -> bool:
        return self.outside == "other"

    @property
    def whole(self) -> Axis:
        """The axis that quantises values: itself, unless it is a window of another."""
        return self

    @property
    def offset(self) -> int:
        """Where on the whole axis this one starts."""
        return 0

    @property
    def declared(self) -> int:
        """How many indices, the first ones, hold declared values. The rest is "other", which a
        window counts among its bins."""
        return self.bins

    def reads(self, name: str) -> dict[str, Axis]:
        """The columns of a table that an axis of some name reads, and by which axis each: its own
        by itself."""
        return {name: self}

    def index(self, value: Any) -> int | None:
        """The index of one value; None if the row is left out."""
        found = self._find(value)
        if isinstance(found, int):
            return found
        if self.outside == "drop":
            return None
        if self.outside == "other":
            return self.bins
        return self.bins - 1 if found == "above" else 0

    @abstractmethod
    def _find(self, value: Any) -> Found: ...

    @abstractmethod
    def positions(self, values: Any) -> Floats:
        """Where bounds of questions lie, in units of indices; fractions lie inside a bin."""

    @abstractmethod
    def edge(self, index: int) -> Any:
        """The value at the lower end of an index; ``edge(bins)`` is the upper bound."""

    def edges_at(self, indices: Ints) -> Any:
        """The edges of many indices, as an array or a list."""
        return [self.edge(index) for index in indices.tolist()]

    @abstractmethod
    def to_json(self) -> dict[str, Any]: ...

    def __repr__(self) -> str:
        """The call that makes it, without what goes without saying."""
        given = []
        for name, parameter in signature(type(self)).parameters.items():
            value = getattr(self, name)
            if parameter.default is parameter.empty:
                given.append(self._format_value(value))
            elif value != parameter.default:
                given.append(f"{name}={self._format_value(value)}")
        return f"{type(self).__name__}({', '.join(given)})"

    def _format_value(self, value: Any) -> str:
        return repr(list(value) if isinstance(value, tuple) else value)

    def _policy_json(self) -> dict[str, Any]:
        return {} if self.outside == "drop" else {"outside": self.outside}

    def _check_policy(self) -> None:
        if self.outside not in ("drop", "clamp", "other"):
            raise DomainError(
                f"outside={self.outside!r} is not a policy. Allowed: drop, clamp, other."
            )

    def _check_bins(self, bins: int) -> None:
        if isinstance(bins, bool) or not isinstance(bins, int) or not 1 <= bins <= MAX_BINS:
            raise DomainError(f"an axis has 1 to {MAX_BINS:,} bins, not {bins!r}.")
