"""The positions of an axis's values in a picture, and the labels along its side."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from hushgram.answers.tables.units import check_moderate
from hushgram.base.text import shorten
from hushgram.declare.axis import OTHER, Axis, Category, Date, Floats, Integer, Variable
from hushgram.errors import NotAnswerable
from hushgram.geometry.partition import Ints
from hushgram.show.charts.canvas import numbers, plain

YEAR_1, YEAR_9999 = -719_162.0, 2_932_896.0
"""The first and the last possible day, counted from 1970."""

MAX_INTEGER = 2**50
"""Up to here, doubles can represent the halves between integers, where bars start and end."""

DAY = timedelta(days=1)

LETTER = 0.09
"""The width of a letter in inches."""

LINE = 0.16
"""The height of a line in inches."""

MAX_LENGTH = 24
"""The most letters of a bin's name."""

HIGH = 1.7
"""The ratio of the numbers that fit above each other to those that fit next to each other."""

FEW = 24
"""The most bins of very different widths that are drawn with equal widths and labelled bounds."""

UNEVEN = 20
"""The ratio of the widest to the narrowest bin from which on widths are very different."""

STRIP = 25
"""Rows outside an axis are drawn as a strip beyond it, one bin or 1 / STRIP of the axis wide."""


@dataclass(frozen=True)
class Side:
    """One axis of a release along one side of a picture."""

    name: str
    axis: Axis

    def __post_init__(self) -> None:
        check_moderate(self.axis.whole, self.name)
        if isinstance(self.whole, Integer) and max(-self.whole.lo, self.whole.hi) > MAX_INTEGER:
            raise NotAnswerable(
                f"Axis {self.name!r} has whole numbers beyond 2^50, which pictures cannot "
                "show exactly. Use count() or to_pandas()."
            )

    @property
    def whole(self) -> Axis:
        return self.axis.whole

    @cached_property
    def texts(self) -> list[str] | None:
        """The names of bins that are drawn with equal widths, or None if bins have positions."""
        if isinstance(self.whole, Category):
            names = [*map(str, self.whole.values), OTHER]
        elif isinstance(self.whole, Variable) and is_uneven(self.whole):
            edges = numbers(self.whole.edges)
            names = [f"{a}–{b}" for a, b in pairwise(edges)] + [OTHER]
        else:
            return None
        return names[self.axis.offset : self.axis.offset + self.axis.size]

    @cached_property
    def ends(self) -> tuple[float, float]:
        """The start and end of the declared values of the whole axis."""
        first, last = self.edges(np.array([0, self.whole.bins]))
        return float(first), float(last)

    @property
    def shown(self) -> tuple[float, float]:
        """The start and end of the axis, which may be a window of another."""
        first, last = self.at(np.array([0, self.axis.size]))
        return float(first), float(last)

    def at(self, indices: Ints) -> Floats:
        """The positions where indices start. "Other" is a strip beyond the upper end."""
        if self.texts is not None:
            return np.asarray(indices - 0.5)
        places = indices + self.axis.offset
        first, last = self.ends
        strip = (last - first) / min(self.whole.bins, STRIP)
        edges = self.edges(np.minimum(places, self.whole.bins))
        return np.asarray(edges + (places > self.whole.bins) * strip)

    def edges(self, indices: Ints) -> Floats:
        """Edges as numbers: days since 1970; integers are in the middle of their bins."""
        if isinstance(self.whole, Date):
            from matplotlib.dates import date2num

            return np.asarray(date2num(self.whole.edges_at(indices)), dtype=np.float64)
        edges = np.asarray(self.whole.edges_at(indices), dtype=np.float64)
        return np.asarray(edges - 0.5 if isinstance(self.whole, Integer) else edges)

    @property
    def title(self) -> str:
        """The title of the axis in pictures.

        >>> Side("fare_amount", Integer(0, 9)).title
        'fare amount'
        """
        return shorten(self.name.replace("_", " ").strip() or self.name, 40)

    @property
    def unit(self) -> str:
        """The unit of length, as text."""
        units = {Category: "value", Integer: "whole number", Date: "day"}
        kind = units.get(type(self.whole), "unit" if self.texts is None else "bin")
        return f"{kind} of {self.title}"

    def names(self, cuts: Ints) -> list[str]:
        """The names of the slices between cuts: values, or the bounds of a range."""
        found = []
        for low, high in pairwise(cuts.tolist()):
            if self.axis.offset + low >= self.whole.bins:
                found.append(OTHER)
            elif self.texts is not None:
                found.append(", ".join(self.texts[low:high]))
            else:
                found.append(self.range_text(low, high))
        return found

    def range_text(self, low: int, high: int) -> str:
        """The range of the indices from ``low`` up to ``high``, as text."""
        if isinstance(self.whole, Date):
            first, end = self.axis.edge(low), self.axis.edge(high)
            days = self.whole.whole_days and end - first == DAY
            return str(first.date()) if days else f"{date_text(first)}–{date_text(end)}"
        if isinstance(self.whole, Integer):
            first, last = self.axis.edge(low), self.axis.edge(high - 1)
            return f"{first}" if first == last else f"{first}–{last}"
        return "–".join(numbers([float(self.axis.edge(end)) for end in (low, high)]))

    def write(self, side: Any, room: float, ticks: Ticks | None = None) -> None:
        """Write the axis's title and ticks along a side of ``room`` inches, by default for the
        whole axis."""
        wide = room if side.axis_name == "x" else HIGH * room
        if ticks is None:
            ticks = self.ticks(wide) if self.texts is None else name_ticks(self.texts, room)
        side.set_ticks(ticks.places, ticks.texts)
        side.set_label_text(plain(self.title) + ticks.more)
        if side.axis_name == "x" and sum(len(text) + 2 for text in ticks.texts) * LETTER > room:
            turn(side, len(ticks.texts))

    def ticks(self, room: float, span: tuple[float, float] | None = None) -> Ticks:
        """Ticks at round values of the axis or a span of it, and "other" in the middle of its
        strip."""
        low, high = self.shown if span is None else span
        end = min(high, self.ends[1])
        if high <= end:
            return self.values(low, end, room)
        middle, near = (max(end, low) + high) / 2, (high - low) * 0.55 / max(room, 1)
        found = self.values(low, end, room) if low < end else Ticks([], [], "")
        kept = [n for n, place in enumerate(found.places) if abs(place - middle) > near]
        places, texts = [found.places[n] for n in kept], [found.texts[n] for n in kept]
        return Ticks([*places, middle], [*texts, OTHER], found.more)

    def values(self, low: float, high: float, room: float) -> Ticks:
        """Ticks at round values between two positions."""
        if isinstance(self.whole, Date):
            return dates(low, high, room)
        return rounds(low, high, room, whole=isinstance(self.whole, Integer))


def date_text(moment: datetime) -> str:
    """A day, or a time to the minute, as text."""
    return f"{moment:%Y-%m-%d}" if moment.time() == time() else f"{moment:%Y-%m-%d %H:%M}"


class Ticks(NamedTuple):
    places: list[float]
    texts: list[str]
    more: str
    """Text after the axis's title."""


def turn(side: Any, texts: int) -> None:
    """Rotate long labels below a picture: slanted if they are few, else vertical."""
    few = texts <= 12
    for label in side.get_ticklabels():
        label.set(rotation=40 if few else 90, ha="right" if few else "center",
                  rotation_mode="anchor" if few else "default")  # fmt: skip


def is_uneven(axis: Variable) -> bool:
    widths = np.diff(axis.edges)
    return axis.bins <= FEW and float(widths.max()) > UNEVEN * float(widths.min())


def ticks_in(room: float) -> int:
    """The number of ticks with numbers or dates that fit along ``room`` inches."""
    return max(int(room / 0.75), 3)


def rounds(low: float, high: float, room: float, *, whole: bool = False) -> Ticks:
    from matplotlib.ticker import MaxNLocator

    most = ticks_in(room)
    for count in range(most, most + 5):  # ends that are not round may leave one tick, or none
        found = MaxNLocator(count, steps=[1, 2, 5, 10], integer=whole, min_n_ticks=1)
        inside = [float(x) for x in found.tick_values(low, high) if low <= x <= high]
        if len(inside) > 1:
            break
    return Ticks(inside, numbers(inside), "")


def dates(low: float, high: float, room: float) -> Ticks:
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter, num2date

    most = ticks_in(room)
    # Margins may extend beyond all possible dates.
    low, high = (min(max(end, YEAR_1), YEAR_9999) for end in (low, high))
    locator = AutoDateLocator(minticks=min(most, 4), maxticks=most)
    with warnings.catch_warnings():  # it warns of too few or too many ticks for some spans
        warnings.simplefilter("ignore")
        found = locator.tick_values(num2date(low), num2date(high))
    inside = [x for x in found if low <= x <= high]
    formatter = ConciseDateFormatter(locator)
    texts = formatter.format_ticks(inside)
    offset = formatter.get_offset()
    return Ticks([float(x) for x in inside], texts, f" ({offset})" if offset else "")


def name_ticks(texts: list[str], room: float) -> Ticks:
    """Ticks with the names of bins, or as many of them as there is room for."""
    every = math.ceil(len(texts) * LINE / room)
    places = range(0, len(texts), every)
    named = [plain(shorten(texts[place], MAX_LENGTH)) for place in places]
    more = "" if every == 1 else f" (one in {every} of {len(texts):,} is labelled)"
    return Ticks([float(place) for place in places], named, more)
