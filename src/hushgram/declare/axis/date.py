"""The axis for days or times."""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from hushgram.declare.axis.base import Axis, Floats, Found, Outside
from hushgram.errors import DomainError, QuestionError

STEP = re.compile(r"([1-9][0-9]{0,8})?(s|min|h|d|w|mo|y)")
SECONDS = {"s": 1, "min": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
MONTHS = {"mo": 1, "y": 12}
DAY = SECONDS["d"] * 1_000_000
EPOCH = dt.datetime(1970, 1, 1)
MICROSECOND = dt.timedelta(microseconds=1)


@dataclass(frozen=True, repr=False)
class Date(Axis):
    """Dates or times from ``start`` to ``stop``, in bins of equal steps.

    Steps are written as ``30min``, ``1h``, ``1d``, ``1w``, ``1mo`` or ``1y``. The last bin contains
    ``stop``; if that is a day, all of the day. Times with a time zone are converted to UTC.

    >>> year = Date("2024-01-01", "2024-12-31", "1mo")
    >>> year.bins, year.index(dt.date(2024, 2, 29)), year.edge(12)
    (12, 1, datetime.datetime(2025, 1, 1, 0, 0))
    """

    kind = "date"
    start: dt.datetime
    stop: dt.datetime
    step: str = "1d"

    if TYPE_CHECKING:  # accepts days and text, too, and stores times

        def __init__(
            self,
            start: str | dt.date,
            stop: str | dt.date,
            step: str = "1d",
            *,
            outside: Outside = "drop",
        ) -> None: ...

    def __post_init__(self) -> None:
        self._check_policy()
        whole_day = is_day(self.stop)
        for name in ("start", "stop"):
            moment = to_moment(getattr(self, name))
            if moment is None:
                raise DomainError(
                    f"{name}={getattr(self, name)!r} is not a date. Write it like 2024-12-31."
                )
            object.__setattr__(self, name, moment)
        if not isinstance(self.step, str) or STEP.fullmatch(self.step) is None:
            raise DomainError(
                f"Cannot read step={self.step!r}. Write a number and a unit: s, min, h, d, "
                "w, mo or y."
            )
        if whole_day and not self.monthly and self.microseconds % DAY:
            object.__setattr__(self, "stop", self.stop + DAY * MICROSECOND - MICROSECOND)
        if self.start.microsecond:
            raise DomainError(f"The axis must start on a whole second. Found {self.start}.")
        if self.start > self.stop:
            raise DomainError(f"The start {self.start} is after the stop {self.stop}. Swap them.")
        if self.monthly and self.start != dt.datetime(self.start.year, self.start.month, 1):
            raise DomainError(
                f"With steps of {self.step}, the axis must start on the first of a month."
            )
        self._check_bins(self.bins)
        try:
            self.edge(self.bins)
        except (OverflowError, ValueError):
            raise DomainError("The last step ends after the year 9999.") from None

    @cached_property
    def _step(self) -> tuple[int, str]:
        match = STEP.fullmatch(self.step)
        assert match is not None
        return int(match[1] or 1), match[2]

    @property
    def monthly(self) -> bool:
        """Whether steps are months or years, which have no fixed length."""
        return self._step[1] in MONTHS

    @property
    def whole_days(self) -> bool:
        """Whether every step starts at midnight."""
        midnight = self.start.time() == dt.time()
        return midnight and (self.monthly or self.microseconds % DAY == 0)

    @property
    def months(self) -> int:
        """The length of a step in months, if it is monthly."""
        return self._step[0] * MONTHS[self._step[1]]

    @property
    def microseconds(self) -> int:
        """The length of a step in microseconds, if it is fixed."""
        return self._step[0] * SECONDS[self._step[1]] * 1_000_000

    @property
    def first(self) -> int:
        """The start: its month number, or its microsecond since 1970."""
        return month_number(self.start) if self.monthly else (self.start - EPOCH) // MICROSECOND

    @cached_property
    def bins(self) -> int:
        return self._steps(self.stop) + 1

    def _steps(self, moment: dt.datetime) -> int:
        if self.monthly:
            return (month_number(moment) - self.first) // self.months
        return ((moment - EPOCH) // MICROSECOND - self.first) // self.microseconds

    def _find(self, value: Any) -> Found:
        moment = to_moment(value)
        if moment is None:
            return "nowhere"
        step = self._steps(moment)
        return "below" if step < 0 else "above" if step >= self.bins else step

    def edge(self, index: int) -> dt.datetime:
        if self.monthly:
            months = self.first + index * self.months
            return dt.datetime(months // 12, months % 12 + 1, 1)
        return EPOCH + (self.first + index * self.microseconds) * MICROSECOND

    def moment(self, index: int) -> int:
        """An edge in microseconds since 1970."""
        return (self.edge(index) - EPOCH) // MICROSECOND

    def positions(self, values: Any) -> Floats:
        listed = values if isinstance(values, Sequence | np.ndarray) else list(values)
        return np.array([self._position(value) for value in np.asarray(listed, dtype=object).flat])

    def _position(self, value: Any) -> float:
        if value in (math.inf, -math.inf):
            return self.bins if value > 0 else 0
        moment = to_moment(value)
        if moment is None:
            raise QuestionError(f"{value!r} is not a date. Write it like 2024-12-31.")
        step = self._steps(moment)
        if not 0 <= step < self.bins:
            return min(max(step, 0), self.bins)
        return step + (moment - self.edge(step)) / (self.edge(step + 1) - self.edge(step))

    def _format_value(self, value: Any) -> str:
        if not isinstance(value, dt.datetime):
            return super()._format_value(value)
        day = value.time() == dt.time() and (self.monthly or self.microseconds % DAY == 0)
        return repr(value.date().isoformat() if day else value.isoformat())

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind, "start": self.start.isoformat(), "stop": self.stop.isoformat(),
            "step": self.step, **self._policy_json(),
        }  # fmt: skip


MOMENT = (
    r"^[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6})?)?)?$"
)
"""Text that counts as a date or time, the same on every engine. Only some accept 24:00."""


def to_moment(value: Any) -> dt.datetime | None:
    """A date or time as a time without a zone; None for other values."""
    if isinstance(value, str):
        if not re.fullmatch(MOMENT, value):
            return None
        try:
            return dt.datetime.fromisoformat(value)
        except ValueError:
            return None
    if isinstance(value, np.datetime64):
        value = value.astype("datetime64[us]").item()
    try:
        if isinstance(value, dt.datetime):
            return plain_time(value)
        if isinstance(value, dt.date):
            return dt.datetime(value.year, value.month, value.day)
    except (OverflowError, TypeError, ValueError):  # pandas's NaT; UTC before the year 1
        return None
    return None


def plain_time(value: dt.datetime) -> dt.datetime:
    """A time without a zone, as the standard library's type. That of pandas has nanoseconds."""
    if value.tzinfo is not None:
        value = value.astimezone(dt.UTC)
    return dt.datetime(
        value.year, value.month, value.day,
        value.hour, value.minute, value.second, value.microsecond,
    )  # fmt: skip


def month_number(moment: dt.datetime) -> int:
    """Months since the year 0."""
    return moment.year * 12 + moment.month - 1


def is_day(value: Any) -> bool:
    """Whether a date was given without a time of day."""
    if isinstance(value, str):
        return len(value) == len("2024-12-31")
    return isinstance(value, dt.date) and not isinstance(value, dt.datetime)
