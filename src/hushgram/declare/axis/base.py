"""The base class of all axes."""

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
"""The policy that counts values that do not fit, and the name of their extra bin."""

MAX_BINS = 2**26
"""With this limit, the product of an index and a number of slices stays below 2^52, which is exact
even in floating point."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Axis(ABC):
    """The base class of all axes: integer indices, and a policy for values that do not fit.

    An axis can be a window of another one. Then the ``whole`` axis determines which values its
    indices stand for; the indices of the window start ``offset`` later.
    """

    kind: ClassVar[str]
    continuous: ClassVar[bool] = False
    ordered: ClassVar[bool] = True

    outside: Outside = "drop"

    @property
    @abstractmethod
    def bins(self) -> int:
        """The number of indices of declared values, without "other"."""

    @property
    def size(self) -> int:
        """The number of indices, including "other"."""
        return self.bins + self.other

    @property
    def other(self) -> bool:
        return self.outside == "other"

    @property
    def whole(self) -> Axis:
        """The axis that converts values to indices: itself, unless it is a window of another."""
        return self

    @property
    def offset(self) -> int:
        """The index of the whole axis where this one starts."""
        return 0

    @property
    def declared(self) -> int:
        """The number of indices of declared values, which come first. A window counts "other" among
        its bins."""
        return self.bins

    def reads(self, name: str) -> dict[str, Axis]:
        """The columns that the axis reads, each with the axis that converts it. By default, the
        column with the axis's own name."""
        return {name: self}

    def index(self, value: Any) -> int | None:
        """The index of one value, or None if the row is left out."""
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
        """The positions of the bounds of a query, in units of indices. Fractions are inside a
        bin."""

    @abstractmethod
    def edge(self, index: int) -> Any:
        """The lower edge of a bin. ``edge(bins)`` is the upper bound of the axis."""

    def edges_at(self, indices: Ints) -> Any:
        """The edges of many indices, as an array or a list."""
        return [self.edge(index) for index in indices.tolist()]

    @abstractmethod
    def to_json(self) -> dict[str, Any]: ...

    def __repr__(self) -> str:
        """The call that creates the axis, without default values."""
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
            raise DomainError(f"Unknown policy outside={self.outside!r}. Use drop, clamp or other.")

    def _check_bins(self, bins: int) -> None:
        if isinstance(bins, bool) or not isinstance(bins, int) or not 1 <= bins <= MAX_BINS:
            raise DomainError(f"An axis can have 1 to {MAX_BINS:,} bins. Found {bins!r}.")
