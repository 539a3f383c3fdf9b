"""From what people ask to how much of each slice of an axis they mean."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from hushgram.axis import Axis, Date, Floats, Window, axis_from_json
from hushgram.axis.date import EPOCH, to_moment
from hushgram.axis.text import axis_text
from hushgram.domain import Domain
from hushgram.errors import QuestionError
from hushgram.partition import Ints

OTHER = "other"


def check_names(domain: Domain, names: Any) -> None:
    for name in names:
        if name not in domain:
            raise QuestionError(
                f"the release has no axis {name!r}. It has {', '.join(map(repr, domain))}."
            )


def covers(
    domain: Domain, lower: Iterable[Ints], upper: Iterable[Ints], question: Mapping[str, Any]
) -> list[Floats]:
    """Per axis, the share of each slice that the question covers, from 0 to 1. Slices lie between
    the lower and the upper indices."""
    check_names(domain, question)
    return [
        cover(axis, low, high, name, question[name]) if name in question else np.ones(len(low))
        for (name, axis), low, high in zip(domain.items(), lower, upper, strict=True)
    ]


def cover(axis: Axis, lower: Ints, upper: Ints, name: str, asked: Any) -> Floats:
    """The shares of one axis's slices, for a range, a value or a list of values."""
    if isinstance(asked, tuple) and axis.ordered:
        return cover_range(axis, lower, upper, name, asked)
    many = as_list(asked)
    if axis.continuous and not all(isinstance(value, str) and value == OTHER for value in many):
        raise QuestionError(f"{name!r} is continuous: ask for a range, {name}=(lo, hi).")
    indices = sorted({place_of(axis, name, value) for value in many})
    first, last = (np.searchsorted(indices, side) for side in (lower, upper))
    return np.asarray((last - first) / (upper - lower))


def as_list(asked: Any) -> list[Any]:
    """One value, or each value of a list or array."""
    if is_array(asked):
        return list(np.atleast_1d(asked))
    return [asked] if isinstance(asked, str) or not isinstance(asked, Iterable) else list(asked)


def is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray | np.generic) or hasattr(value, "__array__")


def place_of(axis: Axis, name: str, value: Any) -> int:
    """The index of a value that somebody asks for."""
    found = found_at(axis, value)
    if found is not None:
        return found
    raise QuestionError(
        f"{shortened(repr(value))} does not lie on the axis {name!r}, "
        f"which has {shortened(axis_text(axis))}."
    )


def found_at(axis: Axis, value: Any) -> int | None:
    """The index of a value that lies on an axis, or of "other"."""
    if isinstance(axis, Window):
        whole = found_at(axis.axis, value)
        if whole is None or not axis.start <= whole < axis.stop:
            return None
        return whole - axis.start
    found = strict(axis).index(value)
    is_other = axis.other and isinstance(value, str) and value == OTHER
    return axis.bins if found is None and is_other else found


def strict(axis: Axis) -> Axis:
    """The axis without its policy: what a table's row may be clamped to, nobody asked for."""
    if axis.outside == "drop":
        return axis
    return axis_from_json({**axis.to_json(), "outside": "drop"})


def shortened(text: str, width: int = 200) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"


def cover_range(axis: Axis, lower: Ints, upper: Ints, name: str, asked: tuple[Any, ...]) -> Floats:
    if len(asked) != 2:
        raise QuestionError(f"a range has two ends, {name}=(lo, hi), not {shortened(repr(asked))}.")
    start, stop = ends(axis, name, [asked[0]], [asked[1]])
    inside = np.minimum(upper, stop[0]) - np.maximum(lower, start[0])
    return np.asarray(np.clip(inside / (upper - lower), 0.0, 1.0))


def ends(axis: Axis, name: str, lows: Any, highs: Any) -> tuple[Floats, Floats]:
    """Where ranges start and stop, in units of indices. An open end is None.

    Ranges are half-open, like slices; the axis's upper bound belongs to its last bin. None
    reaches into an "other" index, which lies after that.
    """
    lows, highs = opened(lows, -np.inf), opened(highs, np.inf)
    start, stop = axis.positions(lows), axis.positions(highs)
    # Positions stop at the axis's bounds, so the order is seen from the bounds themselves.
    backwards = np.flatnonzero(ordered(axis, lows) > ordered(axis, highs))
    if len(backwards):
        low, high = lows[backwards[0]], highs[backwards[0]]
        raise QuestionError(f"the range {name}=({low}, {high}) ends before it starts.")
    return start, stop


def opened(bounds: Any, end: float) -> Any:
    """Bounds with an infinity where they are left open; an array of numbers as it is."""
    values = np.asarray(bounds) if is_array(bounds) else bounds
    if isinstance(values, np.ndarray):
        if values.dtype.kind in "iuf":
            return values
        if values.dtype.kind == "M":
            if np.isnat(values).any():
                raise QuestionError("a range cannot end at NaT; None leaves an end open.")
            values = values.astype("datetime64[us]")
        values = values.tolist()
    if any(isinstance(value, Iterable) and not isinstance(value, str) for value in values):
        raise QuestionError("each end of a range is one number or date.")
    if any(value is not None and value != value for value in values):
        raise QuestionError("a range cannot end at NaN; None leaves an end open.")
    return [end if value is None else value for value in values]


def ordered(axis: Axis, bounds: Any) -> Floats:
    """Bounds that have positions, as numbers: dates are seconds."""
    whole = axis.axis if isinstance(axis, Window) else axis
    if not isinstance(whole, Date):
        return np.asarray(bounds, dtype=np.float64)
    return np.array([seconds(bound) for bound in bounds])


def seconds(bound: Any) -> float:
    moment = to_moment(bound)
    return float(bound) if moment is None else (moment - EPOCH).total_seconds()
