"""Amounts of rows in whole steps: the exact integers that vaults add up.

A value x becomes the integer nearest to x / step, between two public integers. The rule is that of
an axis (`hushgram.declare.axis.numeric.Even`) whose bin i stands for ``low + i``. It only needs
operations that every engine rounds in the same way, so the integers are the same everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

from hushgram.base.exact import from_text, parse_number, short_repr, to_text
from hushgram.declare.axis import Interval
from hushgram.declare.axis.base import MAX_BINS
from hushgram.declare.domain import check_name
from hushgram.errors import DomainError

Kept = Literal["clamp", "drop"]
"""What happens to a row with a value outside the bounds."""

HALF = Fraction(1, 2)

FURTHEST = 2**46
"""The largest distance of a bound from 0, in steps: doubles can distinguish all steps, with room
for rounding."""


@dataclass(frozen=True)
class Amount:
    """How the values of a column are converted to steps, from ``low`` to ``high``. Public.

    >>> hours = Amount("hours", 0, 160, Fraction(1, 2))
    >>> [hours.steps(x) for x in (0, 7.7, 100, -3, None)]
    [0, 15, 160, 0, None]
    >>> hours.reach(0), hours.reach(80)
    (160, 80)
    """

    column: str
    low: int
    high: int
    step: Fraction
    outside: Kept = "clamp"
    missing: int | None = None
    """What a row without a number counts as, in steps; None if it is left out."""
    person: int | None = None
    """The largest sum of absolute values of one person's rows, in steps; None if only their number
    is bounded."""

    def __post_init__(self) -> None:
        check_name(self.column)
        ends = [self.low, self.high, *([] if self.missing is None else [self.missing])]
        if any(type(end) is not int for end in ends) or type(self.step) is not Fraction:
            raise DomainError(
                f"The bounds of column {self.column!r} must be whole numbers of steps."
            )
        if self.outside not in ("clamp", "drop"):
            raise DomainError(f"Unknown policy outside={self.outside!r}. Use clamp or drop.")
        if self.step <= 0 or self.low >= self.high:
            raise DomainError(
                f"Column {self.column!r} needs a positive step, and a lower bound below the upper "
                "one."
            )
        if self.high - self.low >= MAX_BINS:
            raise DomainError(
                f"{self.high - self.low:,} steps between the bounds of {self.column!r} are too "
                f"many: at most {MAX_BINS - 1:,}. Declare a larger step or closer bounds."
            )
        if max(abs(self.low), abs(self.high)) > FURTHEST:
            raise DomainError(
                f"The bounds of {self.column!r} are more than {FURTHEST:,} steps from 0. Declare a "
                "larger step, or subtract an offset from the column."
            )
        if self.person is not None:
            self._check_person(self.person)
        if self.missing is not None and not self.low <= self.missing <= self.high:
            raise DomainError(f"The value for a missing {self.column!r} is outside the bounds.")
        self.axis  # noqa: B018 - raises if the steps are too fine for doubles

    def _check_person(self, person: int) -> None:
        if type(person) is not int or person < 1:
            raise DomainError(
                f"The bound per person on {self.column!r} must be at least one step of "
                f"{float(self.step):g} or more."
            )
        if not self.low <= 0 <= self.high or max(abs(self.low), abs(self.high)) > MAX_BINS:
            raise DomainError(
                f"A bound per person needs 0 between the bounds of {self.column!r}, and at most "
                f"{MAX_BINS:,} steps to either side."
            )

    @cached_property
    def axis(self) -> Interval:
        """The axis with one bin around each whole number of steps."""
        return Interval(
            float((self.low - HALF) * self.step),
            float((self.high + HALF) * self.step),
            resolution=self.high - self.low + 1,
            outside=self.outside,
        )

    @property
    def filled(self) -> float | None:
        """The value used for a row without a number."""
        return None if self.missing is None else float(self.missing * self.step)

    @property
    def drops(self) -> bool:
        """Whether a row can be left out because of its value."""
        return self.outside == "drop" or self.missing is None

    def reach(self, centre: int) -> int:
        """The largest distance of one row from the centre."""
        return max(abs(self.low - centre), abs(self.high - centre))

    def reach_of(self, rows: int, centre: int) -> int:
        """The largest total distance of ``rows`` rows of one person from the centre.

        >>> pay = Amount("pay", 0, 100, Fraction(1), person=150)
        >>> pay.reach_of(5, 0), pay.reach_of(5, 50), pay.reach_of(1, 0)
        (150, 250, 100)
        """
        total = rows * self.reach(centre)
        return total if self.person is None else min(total, self.person + rows * abs(centre))

    @property
    def middle(self) -> int:
        """The centre with the smallest reach; the lower one if there are two."""
        return (self.low + self.high) // 2

    def steps(self, value: Any) -> int | None:
        """The number of steps that a value is converted to; None if its row is left out."""
        from hushgram.declare.axis.numeric import to_float

        number = to_float(value)
        if number is None or number != number:
            return self.missing
        index = self.axis.index(number)
        return None if index is None else self.low + index

    def to_json(self) -> dict[str, Any]:
        return {
            "column": self.column, "low": self.low, "high": self.high, "step": to_text(self.step),
            "outside": self.outside, "missing": self.missing,
            **({} if self.person is None else {"person": self.person}),
        }  # fmt: skip

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Amount:
        return cls(**{**data, "step": from_text(data["step"])})


def exact_bound(value: object, name: str) -> Fraction:
    """A declared number, exactly as written."""
    found = parse_number(value)
    if found is None:
        raise DomainError(
            f"{name} must be a finite number with at most 100 digits and an exponent of at most "
            f"two digits. Found {short_repr(value)}."
        )
    return found
