"""What is published about each part besides the number of rows: sums, means, weighted counts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Literal

from hushgram.base.exact import Number, format_number
from hushgram.declare.amount import FURTHEST, Amount, Kept, exact_bound
from hushgram.errors import BadInput, DomainError

OPTIONS = ("step", "outside", "missing", "per_person")
"""What may follow the bounds, where it is written."""

FINE = 2**16
"""The minimum number of steps between the bounds if no step is declared."""

FINEST = 2**25
"""Steps between the bounds, at most, where nobody declares a step."""


@dataclass(frozen=True)
class Count:
    """The number of rows. Every release has it, so it need not be listed.

    Examples
    --------
    >>> Count().kind
    'count'
    """

    kind: ClassVar[str] = "count"


@dataclass(frozen=True)
class Sum:
    """The sum of a column, between public bounds.

    Values are rounded to the nearest multiple of ``step``. By default that is a power of two, at
    most 1, with 65,536 steps or more between the bounds, so that whole numbers stay exact.

    Parameters
    ----------
    column
        A column of numbers.
    lo, hi
        The bounds, declared and not read from the table. One row can change a sum by this much, so
        tight bounds mean little noise.
    step
        The step to round values to, such as 0.01 for cents. Public.
    outside
        ``"clamp"``: a value outside counts as the nearest bound. ``"drop"``: its row is left out.
    missing
        The value for rows without a number (NULL, NaN, text that cannot be parsed), or
        ``"drop"``: such rows are left out of the release, like rows without a value on an axis.
    per_person
        The maximum that all rows of one person may add up to, regardless of signs, if people are
        protected (``unit=User(…)``); anything beyond is cut off. Public. It reduces the noise if it
        is well below ``max_rows`` times the larger bound.

    Examples
    --------
    >>> Sum("earnings", 0, 200_000).amount.step, Sum("share", 0, 1).amount.step
    (Fraction(1, 1), Fraction(1, 65536))
    >>> Sum("cents", 0, 5, step=0.01).amount.high
    500
    """

    kind: ClassVar[str] = "sum"

    column: str
    lo: Number
    hi: Number
    step: Number | None = None
    outside: Kept = "clamp"
    missing: Number | Literal["drop"] = "drop"
    per_person: Number | None = None

    def __post_init__(self) -> None:
        self.amount  # noqa: B018 - what cannot be measured is refused here

    @cached_property
    def amount(self) -> Amount:
        """What the vault adds up. Bounds are rounded to whole steps like all values, so that one
        beyond them is off by half a step at most, as any other is."""
        lo, hi = self._bounds
        if not lo < hi:
            first, last = format_number(lo), format_number(hi)
            hint = f" Did you mean {last}:{first}?" if lo > hi else ""
            raise DomainError(
                f"Measured column {self.column!r}: the lower bound must be below the upper one. "
                f"Found {first}:{last}.{hint}"
            )
        step = usual_step(lo, hi) if self.step is None else exact_bound(self.step, "step")
        if step <= 0:
            raise DomainError(f"step must be positive. Found {format_number(step)}.")
        missing = None
        if self.missing != "drop":
            value = exact_bound(self.missing, "missing")
            if not lo <= value <= hi:
                raise DomainError(
                    f"missing={format_number(value)} is outside the bounds of {self.column!r}."
                )
            missing = nearest(value / step)
        low, high = nearest(lo / step), nearest(hi / step)
        if low == high:
            raise DomainError(
                f"step={format_number(step)} is too large for the bounds of {self.column!r}: both "
                "are rounded to the same value. Declare a smaller step."
            )
        person = None
        if self.per_person is not None:
            person = nearest(exact_bound(self.per_person, "per_person") / step)
        return Amount(self.column, low, high, step, self.outside, missing, person)

    @property
    def _bounds(self) -> tuple[Fraction, Fraction]:
        return exact_bound(self.lo, "lo"), exact_bound(self.hi, "hi")

    @property
    def keeps_whole_numbers(self) -> bool:
        """Whether nothing is rounded in a column of whole numbers: they, and whatever takes the
        place of one, are multiples of the step.

        >>> [Sum("age", 0, hi).keeps_whole_numbers for hi in (99, "99.5", "0.3")]
        [True, True, False]
        """
        written = (1, self.lo, self.hi, 0 if self.missing == "drop" else self.missing)
        values = [exact_bound(value, "value") for value in (*written, self.per_person or 0)]
        return all((value / self.amount.step).denominator == 1 for value in values)

    def ends(self, *, exact: bool) -> tuple[float, float]:
        """Between which numbers all values are that are added up, before they are rounded."""
        if self.outside == "clamp" or exact:
            lo, hi = self._bounds
            return float(lo), float(hi)
        return self.amount.axis.lo, self.amount.axis.hi  # what is rounded to a bound is kept

    def __str__(self) -> str:
        said = {name: text for name, text in self.to_json().items() if name in OPTIONS}
        lo, hi = (format_number(exact_bound(end, "bound")) for end in (self.lo, self.hi))
        options = "".join(f" {name}={text}" for name, text in said.items())
        return f"{self.kind} {self.column} {lo}:{hi}{options}"

    @property
    def described(self) -> str:
        """The same with the step, if nobody declared one.

        >>> Mean("pay", 0, 100).described, Mean("pay", 0, 100, step=0.01).described
        ('mean pay 0:100, in steps of 1/1024', 'mean pay 0:100 step=0.01')
        """
        return str(self) if self.step is not None else f"{self}, in steps of {self.amount.step}"

    def to_json(self) -> dict[str, Any]:
        found = {"kind": self.kind, "column": self.column}
        for name in ("lo", "hi", "step", "per_person"):
            value = getattr(self, name)
            if value is not None:
                found[name] = format_number(exact_bound(value, name))
        if self.outside != "clamp":
            found["outside"] = self.outside
        if self.missing != "drop":
            found["missing"] = format_number(exact_bound(self.missing, "missing"))
        return found


class Mean(Sum):
    """The mean of a column, between public bounds. See `Sum` for the parameters.

    It is measured as a sum around the middle of the bounds, which has half the noise.

    >>> str(Mean("hours", 0, 80))
    'mean hours 0:80'
    """

    kind: ClassVar[str] = "mean"


class Weighted(Sum):
    """The weighted number of rows: the sum of a column of weights. See `Sum` for the parameters.

    >>> str(Weighted("weight", 0, 5_000))
    'weighted-count weight 0:5000'
    """

    kind: ClassVar[str] = "weighted-count"


Measure = Count | Sum
"""`Mean` and `Weighted` are sums that are shown in another way."""

KINDS: dict[str, type[Sum]] = {kind.kind: kind for kind in (Sum, Mean, Weighted)}


def nearest(steps: Fraction) -> int:
    """The nearest whole number; the upper of two, as for all values."""
    return math.floor(steps + Fraction(1, 2))


def usual_step(lo: Fraction, hi: Fraction) -> Fraction:
    """A power of two, at most 1 unless that is too fine, with `FINE` steps between the bounds or
    more.

    >>> [str(usual_step(Fraction(0), Fraction(hi))) for hi in (100, 10**6, 10**12)]
    ['1/1024', '1', '32768']
    """
    step = Fraction(1)
    while (hi - lo) / step < FINE:
        step /= 2
    while (hi - lo) / step > FINEST or max(abs(lo), abs(hi)) / step > FURTHEST:
        step *= 2
    return step


def finest_step(lo: Number, hi: Number) -> Fraction:
    """A power of two, of which as many as possible lie between the bounds.

    >>> finest_step(0, 128)
    Fraction(1, 262144)
    """
    low, high = exact_bound(lo, "lo"), exact_bound(hi, "hi")
    step = Fraction(1)
    while (high - low) / step < FINEST:
        step /= 2
    while (high - low) / step > FINEST or max(abs(low), abs(high)) / step > FURTHEST:
        step *= 2
    return step


def measure_from_json(data: Mapping[str, Any]) -> Sum:
    """What `Sum.to_json` described."""
    kind = KINDS.get(data.get("kind", ""))
    if kind is None:
        raise BadInput(f"Unknown measure {data.get('kind')!r}. Use one of {', '.join(KINDS)}.")
    return kind(**{name: value for name, value in data.items() if name != "kind"})


def as_measures(measures: Sequence[Measure] | Measure | None) -> tuple[Sum, ...]:
    """What is measured in addition to the number of rows, each column once."""
    listed = [measures] if isinstance(measures, Count | Sum | str) else list(measures or ())
    found = []
    for one in listed:
        if isinstance(one, Sum) and type(one) in KINDS.values():
            found.append(one)
        elif not isinstance(one, Count):
            raise BadInput(
                f"{one!r} is not a measure. Use Count(), Sum(…), Mean(…) or Weighted(…)."
            )
    columns = [one.column for one in found]
    twice = next((name for name in columns if columns.count(name) > 1), None)
    if twice is not None:
        raise BadInput(
            f"Column {twice!r} is measured twice. Use one measure: it gives both the sum and the "
            "mean."
        )
    return tuple(found)
