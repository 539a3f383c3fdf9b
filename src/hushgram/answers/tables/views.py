"""Views: releases over fewer, restricted or coarser axes, which are free and have correct errors.

Each axis of a view is described by `Chosen`: the new axis, and the stretches of the old axis's
indices that make up its slices. A release with slices keeps them; one with boxes at arbitrary
positions is divided into slices, since boxes have no order along an axis.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hushgram.answers.counting.question import (
    Question,
    Value,
    check_names,
    ends,
    place_of,
    values_of,
)
from hushgram.base.text import shorten
from hushgram.declare.axis import OTHER, Areas, Axis, Category, Date, Integer, Window
from hushgram.declare.domain import Domain
from hushgram.errors import NotAnswerable, QuestionError
from hushgram.geometry.partition import Boxed, Cuts, Grid, Ints, Lattice
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.inference.stretches import Stretches
from hushgram.mechanisms.inference.summed import Summed

if TYPE_CHECKING:
    from hushgram.release import Release

Bins = int | Mapping[str, int] | None
"""The most slices of an ordered axis: one number for all axes, or by name."""

Names = Sequence[str | Sequence[str]]

Slicing = float | str | Collection[Value] | Mapping[str, Value | Collection[Value]]
"""Coarser slices of an axis: a width or step, edges, or the values of named groups."""

FEW = 256
"""The default number of slices of an axis when boxes are divided on several axes."""

MAX_CELLS = 4096
"""An axis with at most this many declared cells keeps them all."""

MAX_PIECES = 1 << 22
"""The most pieces into which boxes are cut; with more, every other cut is omitted."""

NEARLY = 1e-6
"""The largest distance of a bound from an index, in indices, that counts as a rounding error."""


class Chosen(NamedTuple):
    """The form of an axis in a view."""

    axis: Axis | None
    """The new axis; None if it is removed by adding everything up."""
    side: Stretches
    starts: Ints
    """The starts of the view's slices, in its own indices, without "other"."""


def project(release: Release, axes: Names, bins: Bins = None) -> Release:
    """A view of some axes, in the given order; the others are added up."""
    names = names_of(axes)
    check_names(release.domain, names)
    if not names or len(set(names)) < len(names):
        raise QuestionError(
            "Name each axis to keep once. Axes: " + ", ".join(map(repr, release.domain)) + "."
        )
    chosen = {name: sum_out(axis) for name, axis in release.domain.items()}
    layout = boxed_layout(release)
    for name in names:
        chosen[name] = keep_axis(layout, name, bins, alone=len(names) == 1)
    return view(release, chosen, names)


def names_of(axes: Names) -> list[str]:
    """Names of axes, given separately or in one list."""
    listed = axes[0] if len(axes) == 1 and isinstance(axes[0], list | tuple) else axes
    if not all(isinstance(name, str) for name in listed):
        raise QuestionError(f"Axes must be named by strings. Found {shorten(repr(tuple(listed)))}.")
    return [str(name) for name in listed]


def cut(release: Release, ranges: Question, bins: Bins = None) -> Release:
    """A view of a part of the domain that cuts no declared cell; rows outside are left out."""
    check_names(release.domain, ranges)
    layout = boxed_layout(release)
    alone = len(release.domain) == 1
    chosen = {}
    for name, axis in release.domain.items():
        whole = keep_axis(layout, name, bins, alone=alone)
        asked = indices_of(axis, name, ranges[name]) if name in ranges else np.arange(axis.size)
        chosen[name] = within(whole, axis, name, asked)
    return view(release, chosen, release.domain.names)


def roll_up(release: Release, wanted: Mapping[str, Slicing], bins: Bins = None) -> Release:
    """A view with coarser slices of some axes: of equal width, between edges, or groups of
    values."""
    check_names(release.domain, wanted)
    layout = boxed_layout(release)
    alone = len(release.domain) == 1
    chosen = {
        name: coarser(axis, name, wanted[name])
        if name in wanted
        else keep_axis(layout, name, bins, alone=alone)
        for name, axis in release.domain.items()
    }
    return view(release, chosen, release.domain.names)


def view(release: Release, chosen: Mapping[str, Chosen], names: Sequence[str]) -> Release:
    """The view with these axes, in the order of the names."""
    places = {name: place for place, name in enumerate(chosen)}
    domain = Domain({name: axis for name in names if (axis := chosen[name].axis) is not None})
    layout = lattice(domain, tuple(chosen[name].starts for name in names))

    def see(estimate: Estimate) -> Estimate:
        summed = Summed(
            estimate.inference,
            boxed_layout(release),
            tuple(one.side for one in chosen.values()),
            tuple(places[name] for name in names),
        )
        values = summed.view.add_up(estimate.values)
        return replace(estimate, partition=layout, values=values, inference=summed)

    measured = tuple(replace(one, estimate=see(one.estimate)) for one in release.measured)
    return replace(release, estimate=see(release.estimate), measured=measured)


def boxed_layout(release: Release) -> Boxed:
    layout = release.estimate.partition
    if isinstance(layout, Boxed):
        return layout
    raise NotAnswerable(f"A {layout.kind} layout does not support views.")


def lattice(domain: Domain, starts: tuple[Ints, ...]) -> Lattice:
    """The lattice of slices with these starts: a grid if they are equal, else cuts."""
    cuts = Cuts(domain, starts)
    grid = Grid(domain, cuts.slices)
    even = all(np.array_equal(grid.cuts(n), cuts.cuts(n)) for n in range(len(domain)))
    return grid if even else cuts


def sum_out(axis: Axis) -> Chosen:
    """An axis that is removed by adding everything up."""
    return Chosen(None, Stretches.between(np.array([0, axis.size])), np.array([0]))


def between(axis: Axis, cuts: Ints) -> Chosen:
    """All of an axis, in slices between cuts from 0 to its size."""
    return Chosen(axis, Stretches.between(cuts), cuts[: -1 - axis.other])


def keep_axis(layout: Boxed, name: str, bins: Bins, *, alone: bool) -> Chosen:
    """All of an axis, with the slices of a lattice, or new slices for boxes."""
    axis, place = layout.domain[name], layout.domain.names.index(name)
    most = bins_of(bins, name)
    if most is not None and axis.ordered and most < axis.bins:
        return between(axis, even_cuts(axis, most))
    if isinstance(layout, Lattice):
        return between(axis, layout.cuts(place))
    if axis.ordered and alone:
        return between(axis, all_cuts(layout, place))
    is_long = axis.ordered and (axis.continuous or axis.bins > MAX_CELLS)
    return between(axis, even_cuts(axis, FEW if is_long else axis.bins))


def bins_of(bins: Bins, name: str) -> int | None:
    wanted = bins.get(name) if isinstance(bins, Mapping) else bins
    if wanted is not None and (
        isinstance(wanted, bool) or not isinstance(wanted, int | np.integer) or wanted < 1
    ):
        raise QuestionError(f"bins must be a positive whole number. Found {shorten(repr(wanted))}.")
    return wanted


def even_cuts(axis: Axis, slices: int) -> Ints:
    """The cuts of equal slices, with "other" separate."""
    cells = axis.declared
    slices = max(min(slices, cells), 1)
    starts = -(-np.arange(slices + 1, dtype=np.int64) * cells // slices)
    return np.union1d(starts, [axis.size])


def all_cuts(layout: Boxed, place: int) -> Ints:
    """Every start and stop of a box, unless that gives too many pieces."""
    lower, upper = (corner[:, place] for corner in layout.boxes())
    axis = layout.domain.axes[place]
    ends = (0, axis.declared, axis.size)
    cuts = np.unique(np.concatenate([lower, upper, ends]))
    most = max(MAX_PIECES, 4 * len(lower))
    while Stretches.between(cuts).overlaps(lower, upper).counts.sum() > most:
        cuts = np.union1d(cuts[::2], ends)
    return cuts


def indices_of(axis: Axis, name: str, asked: Any) -> Ints:
    """The indices of a range, a value or a list of values, without cutting any."""
    if isinstance(asked, tuple) and axis.ordered:
        if len(asked) != 2:
            raise QuestionError(
                f"A range needs two ends, {name}=(lo, hi). Found {shorten(repr(asked))}."
            )
        start, stop = ends(axis, name, [asked[0]], [asked[1]])
        first, last = on_edges(axis, name, np.concatenate([start, stop]))
        found = np.arange(first, last)
    else:
        values = values_of(axis, asked)
        if axis.continuous and any(not is_other(value) for value in values):
            raise QuestionError(f"Axis {name!r} is continuous. Ask for a range, {name}=(lo, hi).")
        found = np.array(sorted({place_of(axis, name, value) for value in values}), dtype=np.int64)
    if not len(found):
        raise QuestionError(f"{name}={shorten(repr(asked))} contains nothing. Use a larger range.")
    return found


def is_other(value: Any) -> bool:
    return isinstance(value, str) and value == OTHER


def on_edges(axis: Axis, name: str, places: Any) -> Ints:
    """Positions in units of indices, as indices: on a declared axis they must be edges of bins, on
    a continuous one they are rounded to the nearest of a million indices."""
    nearest: Ints = np.rint(places).astype(np.int64)
    off = np.flatnonzero(np.abs(places - nearest) > NEARLY)
    if len(off) and not axis.continuous:
        below = int(places[off[0]])
        raise QuestionError(
            f"A view cannot split a declared bin of {name!r}. Use {axis.edge(below)} or "
            f"{axis.edge(below + 1)} as the bound. count() accepts bounds in between."
        )
    return nearest


def within(whole: Chosen, axis: Axis, name: str, indices: Ints) -> Chosen:
    """The slices of a kept axis, or the parts of them, that contain some of its indices."""
    start, stop = int(indices[0]), int(indices[-1]) + 1
    if len(indices) == axis.size:
        return whole
    if len(indices) < stop - start:
        return some_of(axis, name, indices)
    side = whole.side
    inside = (side.upper > start) & (side.lower < stop)
    lower, upper = np.maximum(side.lower[inside], start), np.minimum(side.upper[inside], stop)
    cuts = np.append(lower, upper[-1])
    return Chosen(Window(axis, start, stop), Stretches.between(cuts), lower - start)


def some_of(axis: Axis, name: str, indices: Ints) -> Chosen:
    """An axis of some categories that are not adjacent."""
    whole = axis.whole
    if not isinstance(whole, Category):
        raise QuestionError(
            f"{name!r} can only be restricted to one range, {name}=(lo, hi), not to several."
        )
    places = indices + axis.offset
    values = tuple(whole.values[place] for place in places.tolist() if place < whole.bins)
    chosen = Category(values, outside="other" if places[-1] == whole.bins else "drop")
    return group_indices(chosen, indices, np.arange(len(indices)))


def group_indices(axis: Category, indices: Ints, slices: Ints) -> Chosen:
    """A new axis with the slice for each index of an old axis, in order."""
    side = Stretches(indices, indices + 1, slices, axis.size)
    return Chosen(axis, side, np.arange(axis.bins))


def coarser(axis: Axis, name: str, wanted: Any) -> Chosen:
    """An axis with the coarser slices that were requested."""
    if isinstance(axis.whole, Areas) and isinstance(wanted, str):
        wanted = axis.whole.groups(wanted)
    if isinstance(wanted, Mapping):
        return join_categories(axis, name, wanted)
    if not axis.ordered:
        raise QuestionError(
            f"{name!r} has no order. Name its groups: {name}={{'north': [values], …}}."
        )
    places = on_edges(axis, name, edges_of(axis, name, wanted))
    return between(axis, np.unique(np.concatenate([[0], places, [axis.declared, axis.size]])))


def edges_of(axis: Axis, name: str, wanted: Any) -> Any:
    """The cuts, in units of indices, between slices of equal width or at the listed edges."""
    if isinstance(wanted, Iterable) and not isinstance(wanted, str):
        return axis.positions(list(wanted))
    if isinstance(axis.whole, Date):
        return axis.positions(steps_of(axis, name, wanted))
    width = wanted
    if isinstance(width, bool) or not isinstance(width, int | float | np.number) or not width > 0:
        raise QuestionError(f"The width of {name!r} must be a positive number. Found {wanted!r}.")
    if isinstance(axis.whole, Integer):
        if width != int(width):
            raise QuestionError(
                f"Axis {name!r} has whole numbers, so its width must be one, too. Found {width}."
            )
        return np.arange(0, axis.declared, int(width))
    low, high = axis.edge(0), axis.edge(axis.declared)
    return axis.positions(low + np.arange(min(int((high - low) / width), axis.bins) + 1) * width)


def steps_of(axis: Axis, name: str, step: Any) -> list[Any]:
    """The dates between steps such as ``1mo``."""
    if not isinstance(step, str):
        raise QuestionError(
            f"The width of {name!r} must be a step such as '1w' or '1mo'. Found {step!r}."
        )
    last = axis.edge(axis.declared) - timedelta(microseconds=1)
    steps = Date(axis.edge(0), last, step)
    return [steps.edge(index) for index in range(steps.bins)]


def join_categories(axis: Axis, name: str, groups: Mapping[str, Any]) -> Chosen:
    """Groups of categories; those in no group are "other"."""
    if axis.ordered:
        raise QuestionError(
            f"{name!r} has an order. Give a width, {name}=10, or edges, {name}=[0, 18, 65]."
        )
    labels = np.full(axis.size, len(groups), dtype=np.int64)
    for number, values in enumerate(groups.values()):
        for value in values_of(axis, values):
            place = place_of(axis, name, value)
            if labels[place] < len(groups):
                raise QuestionError(
                    f"{value!r} of {name!r} is in two groups, or twice in one. List it once."
                )
            labels[place] = number
    empty = [key for number, key in enumerate(groups) if number not in labels]
    if empty or not groups:
        raise QuestionError(
            f"These groups of {name!r} are empty: {', '.join(map(repr, empty))}. Add values to "
            "each."
        )
    rest = (labels == len(groups)).any()
    made = Category(tuple(map(str, groups)), outside="other" if rest else "drop")
    return group_indices(made, np.arange(axis.size), labels)
