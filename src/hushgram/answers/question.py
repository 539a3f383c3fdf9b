"""From what people ask to how much of each slice of a grid they mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hushgram.axis import Axis, Floats
from hushgram.domain import Domain
from hushgram.errors import QuestionError
from hushgram.partition import Grid, Ints

OTHER = "other"


def check_names(domain: Domain, names: Any) -> None:
    for name in names:
        if name not in domain:
            raise QuestionError(
                f"the release has no axis {name!r}. It has {', '.join(map(repr, domain))}."
            )


def weights(grid: Grid, question: Mapping[str, Any]) -> list[Floats]:
    """Per axis, the share of each slice that the question covers, from 0 to 1."""
    check_names(grid.domain, question)
    return [
        cover(axis, grid.cuts(place), name, question[name])
        if name in question
        else np.ones(grid.shape[place])
        for place, (name, axis) in enumerate(grid.domain.items())
    ]


def cover(axis: Axis, cuts: Ints, name: str, asked: Any) -> Floats:
    """The shares of one axis's slices, for a range, a value or a list of values."""
    if isinstance(asked, tuple) and axis.ordered:
        return cover_range(axis, cuts, name, asked)
    many = (
        list(asked) if isinstance(asked, list | tuple | set | frozenset | np.ndarray) else [asked]
    )
    if axis.continuous and many != [OTHER]:
        raise QuestionError(f"{name!r} is continuous: ask for a range, {name}=(lo, hi).")
    shares = np.zeros(len(cuts) - 1)
    for index in sorted({place_of(axis, name, value) for value in many}):
        slice_ = int(np.searchsorted(cuts, index, side="right")) - 1
        shares[slice_] += 1 / (cuts[slice_ + 1] - cuts[slice_])
    return np.minimum(shares, 1.0)  # a sum of thirds may exceed one by a rounding


def place_of(axis: Axis, name: str, value: Any) -> int:
    """The index of a value that somebody asks for."""
    if axis.other and value == OTHER:
        return axis.bins
    found = axis.index(value)
    if found is None or (axis.other and found == axis.bins):
        raise QuestionError(f"{value!r} does not lie on the axis {name!r}, which is {axis!r}.")
    return found


def cover_range(axis: Axis, cuts: Ints, name: str, asked: tuple[Any, ...]) -> Floats:
    if len(asked) != 2:
        raise QuestionError(f"a range has two ends, {name}=(lo, hi), not {asked!r}.")
    start, stop = ends(axis, [asked[0]], [asked[1]])
    if start[0] > stop[0]:
        raise QuestionError(f"the range {name}={asked!r} ends before it starts.")
    inside = np.minimum(cuts[1:], stop[0]) - np.maximum(cuts[:-1], start[0])
    shares: Floats = np.clip(inside / np.diff(cuts), 0.0, 1.0)
    if axis.other:
        shares[-1] = 0.0
    return shares


def ends(axis: Axis, lows: Any, highs: Any) -> tuple[Floats, Floats]:
    """Where ranges start and stop, in units of indices. An open end is None.

    Ranges are half-open, like slices; the axis's upper bound belongs to its last bin.
    """
    lows = [-np.inf if low is None else low for low in lows] if isinstance(lows, list) else lows
    highs = (
        [np.inf if high is None else high for high in highs] if isinstance(highs, list) else highs
    )
    return axis.positions(lows), axis.positions(highs)
