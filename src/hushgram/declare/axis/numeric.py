"""Axes for numbers."""

from __future__ import annotations

import bisect
import math
import re
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hushgram.base.exact import short_repr
from hushgram.declare.axis.base import Axis, Floats, Found, Ints, Outside
from hushgram.errors import DomainError, QuestionError

RESOLUTION = 2**20
"""Bins of a continuous axis: fine enough for every grid, coarse enough for exact integers."""

NUMBER = r"^[ \t]*[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]+)?[ \t]*$"
"""Text that counts as a number, the same on every engine."""

LONGEST_NUMBER = 1000
"""The most characters of such text. Longer numbers exceed the decimal types of some engines."""


class _Numeric(Axis):
    """Axes for numbers."""

    @abstractmethod
    def _locate(self, x: float) -> int:
        """The index of a number inside the bounds."""

    def _find(self, value: Any) -> Found:
        x = to_float(value)
        if x is None or math.isnan(x):
            return "nowhere"
        if x < self.edge(0):
            return "below"
        if x > self.edge(self.bins):
            return "above"
        return self._locate(x)


@dataclass(frozen=True, repr=False)
class Even(_Numeric):
    """Equal bins between two bounds, with ``edge(i) = lo + (i * span) / bins`` in floating point.

    This formula reproduces the decimals that people expect (the edges of ten bins on [0, 1] are
    0.1, 0.2, 0.3, …) and only needs operations that every engine rounds in the same way. The index
    is estimated by one multiplication that is slightly too small on purpose, so that comparing with
    a single edge corrects it; see `guess`.
    """

    lo: float
    hi: float

    def __post_init__(self) -> None:
        self._check_policy()
        self._check_bins(self.bins)
        lo, hi = as_bound(self.lo, "lo"), as_bound(self.hi, "hi")
        object.__setattr__(self, "lo", lo)
        object.__setattr__(self, "hi", hi)
        if not lo < hi:
            raise DomainError(
                f"The lower bound must be below the upper bound. Found {lo!r} and {hi!r}."
                + (f" Did you mean {hi!r} to {lo!r}?" if hi < lo else "")
            )
        if not math.isfinite(self.span * self.bins) or not math.isfinite(self.bins / self.span):
            raise DomainError(
                f"The bounds {lo!r} and {hi!r} are too far apart or too close together for "
                "floating-point numbers."
            )
        if self.span / self.bins < 32 * self._ulp:
            raise DomainError(
                f"{self.bins} bins between {lo!r} and {hi!r} are too narrow for "
                "floating-point numbers. Use fewer bins, or subtract an offset from the "
                "column."
            )

    @property
    def span(self) -> float:
        return self.hi - self.lo

    @property
    def _ulp(self) -> float:
        return math.ulp(max(abs(self.lo), abs(self.hi)))

    @property
    def guess(self) -> tuple[float, float]:
        """``(base, rate)`` for which ``floor((x - base) * rate)`` is the index or one below it.

        Rounding moves an edge or a product by at most 8 units in the last place of the larger
        bound; the base is 16 of these units above ``lo``, and every bin is at least 32 wide.
        """
        return self.lo + 16 * self._ulp, self.bins / self.span

    @property
    def doubt(self) -> float:
        """The distance below an edge, in units of the value, from which the guess is correct
        without comparing with the edge: more than the base and all rounding together can move
        it."""
        return 64 * self._ulp

    @property
    def clear(self) -> float:
        """The fraction of an unrounded guess up to which rounding it down gives the index."""
        return 1 - self.doubt * self.guess[1]

    def edge(self, index: int) -> float:
        return self.hi if index == self.bins else self.lo + (index * self.span) / self.bins

    def edges_at(self, indices: Ints) -> Floats:
        edges = np.asarray(indices * self.span)  # from here in place: a release has millions
        edges /= self.bins
        edges += self.lo
        edges[indices == self.bins] = self.hi
        return edges

    def _locate(self, x: float) -> int:
        base, rate = self.guess
        below = math.floor((x - base) * rate)
        return min(below + (x >= self.lo + ((below + 1) * self.span) / self.bins), self.bins - 1)

    def positions(self, values: Any) -> Floats:
        x = np.clip(as_numbers(values), self.lo, self.hi)
        base, rate = self.guess
        below = np.floor((x - base) * rate)
        upper = self.lo + ((below + 1) * self.span) / self.bins
        index = np.minimum(below + (x >= upper), self.bins - 1)
        start = self.lo + (index * self.span) / self.bins
        stop = self.lo + ((index + 1) * self.span) / self.bins
        stop = np.where(index == self.bins - 1, self.hi, stop)
        return np.asarray(index + (x - start) / (stop - start))


@dataclass(frozen=True, repr=False)
class Interval(Even):
    """Real numbers from ``lo`` to ``hi``, in bins that the mechanism chooses.

    >>> Interval(-180, 180).index(0.0) == RESOLUTION // 2
    True
    >>> Interval(0, 1).index(1.5) is None, Interval(0, 1, outside="clamp").index(1.5)
    (True, 1048575)
    """

    kind = "interval"
    continuous = True
    resolution: int = RESOLUTION

    @property
    def bins(self) -> int:
        return self.resolution

    def to_json(self) -> dict[str, Any]:
        fine = {} if self.resolution == RESOLUTION else {"resolution": self.resolution}
        return {"kind": self.kind, "lo": self.lo, "hi": self.hi, **fine, **self._policy_json()}


@dataclass(frozen=True, repr=False)
class Regular(Even):
    """Real numbers in bins of equal width. The last bin includes the upper bound, as in numpy.

    >>> axis = Regular(10, 0, 1)
    >>> [axis.edge(i) for i in range(4)]
    [0.0, 0.1, 0.2, 0.3]
    >>> axis.index(0.3), axis.index(0.29999999999999993), axis.index(1), axis.index("0.95")
    (3, 2, 9, 9)
    """

    kind = "regular"
    lo: float
    hi: float
    count: int

    def __init__(self, bins: int, lo: float, hi: float, *, outside: Outside = "drop") -> None:
        for name, value in {"count": bins, "lo": lo, "hi": hi, "outside": outside}.items():
            object.__setattr__(self, name, value)
        self.__post_init__()

    @property
    def bins(self) -> int:
        return self.count

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind, "bins": self.count, "lo": self.lo, "hi": self.hi,
            **self._policy_json(),
        }  # fmt: skip


@dataclass(frozen=True, repr=False)
class Variable(_Numeric):
    """Real numbers in bins with given edges.

    >>> axis = Variable([0, 18, 65, 120])
    >>> axis.index(17.9), axis.index(18), axis.index(120)
    (0, 1, 2)
    """

    kind = "variable"
    edges: tuple[float, ...]

    if TYPE_CHECKING:  # accepts any sequence of numbers, and stores a tuple

        def __init__(
            self, edges: Sequence[float] | npt.NDArray[Any], *, outside: Outside = "drop"
        ) -> None: ...

    def __post_init__(self) -> None:
        self._check_policy()
        if not isinstance(self.edges, Sequence | np.ndarray):
            raise DomainError(f"Edges must be a list of numbers. Found {self.edges!r}.")
        edges = tuple(as_bound(edge, "edge") for edge in self.edges)
        object.__setattr__(self, "edges", edges)
        if len(edges) < 2:
            raise DomainError(f"At least two edges are needed. Found {len(edges)}.")
        self._check_bins(self.bins)
        for left, right in pairwise(edges):
            if not left < right:
                raise DomainError(f"Edges must increase, but {right:g} follows {left:g}.")
        if not math.isfinite(edges[-1] - edges[0]):
            raise DomainError(
                f"The edges {edges[0]!r} and {edges[-1]!r} are too far apart for "
                "floating-point numbers."
            )

    @property
    def bins(self) -> int:
        return len(self.edges) - 1

    def edge(self, index: int) -> float:
        return self.edges[index]

    def _locate(self, x: float) -> int:
        return min(bisect.bisect_right(self.edges, x) - 1, self.bins - 1)

    def positions(self, values: Any) -> Floats:
        edges = np.array(self.edges)
        x = np.clip(as_numbers(values), edges[0], edges[-1])
        index = np.minimum(np.searchsorted(edges, x, side="right") - 1, self.bins - 1)
        start, stop = edges[index], edges[index + 1]
        return np.asarray(index + (x - start) / (stop - start))

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "edges": list(self.edges), **self._policy_json()}


@dataclass(frozen=True, repr=False)
class Integer(Axis):
    """Whole numbers from ``lo`` to ``hi``, both included, one bin each. Fractions are rounded down.

    >>> age = Integer(17, 90)
    >>> age.bins, age.index(17), age.index(90.9), age.index(91)
    (74, 0, 73, None)
    """

    kind = "integer"
    lo: int
    hi: int

    def __post_init__(self) -> None:
        self._check_policy()
        for name in ("lo", "hi"):
            object.__setattr__(self, name, as_whole_bound(getattr(self, name), name))
        if self.lo > self.hi:
            raise DomainError(
                f"The lower bound must not be above the upper bound. Found {self.lo} and "
                f"{self.hi}. Did you mean {self.hi} to {self.lo}?"
            )
        self._check_bins(self.bins)

    @property
    def bins(self) -> int:
        return self.hi - self.lo + 1

    def edge(self, index: int) -> int:
        return self.lo + index

    def edges_at(self, indices: Ints) -> Ints:
        return self.lo + indices

    def _find(self, value: Any) -> Found:
        x = to_float(value)
        if x is None or math.isnan(x):
            return "nowhere"
        if x < self.lo:
            return "below"
        return "above" if x >= self.hi + 1 else math.floor(x) - self.lo

    def positions(self, values: Any) -> Floats:
        whole = np.ceil(as_numbers(values)) - self.lo
        return np.asarray(np.clip(whole, 0, self.bins))

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "lo": self.lo, "hi": self.hi, **self._policy_json()}


def as_bound(value: Any, name: str) -> float:
    """A declared bound as a double."""
    if isinstance(value, bool | str) or not isinstance(value, int | float | np.number):
        raise DomainError(f"{name}={value!r} is not a number.")
    bound = to_float(value)
    if bound is None or not math.isfinite(bound):
        raise DomainError(
            f"{name} is not a finite number. Declare the range that you want to publish."
        )
    return bound


def as_whole_bound(value: Any, name: str) -> int:
    """A declared bound as an integer that doubles can distinguish from the next one."""
    if not isinstance(value, int | np.integer):
        bound = as_bound(value, name)
        if not bound.is_integer():
            raise DomainError(f"An integer axis needs whole bounds. Found {name}={value!r}.")
    if isinstance(value, bool):
        raise DomainError(f"An integer axis needs whole bounds. Found {name}={value!r}.")
    if abs(int(value)) >= 2**53:
        raise DomainError(f"{name} is beyond 2^53, where floating-point numbers skip integers.")
    return int(value)


def as_numbers(values: Any) -> Floats:
    """The bounds of a query as doubles."""
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        found = ", ".join(map(short_repr, list(values)[:3]))
        raise QuestionError(f"Ranges on this axis need numbers as bounds. Found {found}.") from None
    if np.isnan(numbers).any():
        raise QuestionError("A range cannot end at NaN.")
    return numbers


def to_float(value: Any) -> float | None:
    """A value of a table as a double; None if it is not a number."""
    if isinstance(value, str):
        readable = len(value) <= LONGEST_NUMBER and re.fullmatch(NUMBER, value)
        return float(value) if readable else None
    if isinstance(value, bool) or not isinstance(value, Real | Decimal):
        return None
    number: Any = value
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf
    except ValueError:  # a signalling NaN
        return None
