"""Axes for scikit-hep's Unified Histogram Interface."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hushgram.geometry.labels import slice_labels
from hushgram.geometry.partition import Lattice


@dataclass(frozen=True)
class Traits:
    circular: bool = False
    discrete: bool = False


@dataclass(frozen=True)
class PlottableAxis:
    """A sequence of bins: pairs of bounds, or values on a discrete axis."""

    name: str
    bins: tuple[Any, ...]
    traits: Traits

    @property
    def label(self) -> str:
        return self.name

    def __len__(self) -> int:
        return len(self.bins)

    def __getitem__(self, place: int) -> Any:
        return self.bins[place]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.bins)


def plottable(grid: Lattice, place: int) -> PlottableAxis:
    name, axis = grid.domain.names[place], grid.domain.axes[place]
    if axis.ordered and not axis.declared:
        return PlottableAxis(name, ("other",), Traits(discrete=True))
    cuts = grid.cuts(place)
    labels = slice_labels(name, axis, cuts[:-1], cuts[1:])
    if len(labels) == 1:
        return PlottableAxis(name, after_last(labels[name].to_pylist()), Traits(discrete=True))
    lows, highs = (values.to_pylist() for values in labels.values())
    pairs = list(zip(lows, highs, strict=True))
    if pairs[-1] == (None, None):
        low, high = pairs[-2]
        pairs[-1] = (high, high + (high - low))
    return PlottableAxis(name, tuple(pairs), Traits())


def after_last(values: list[Any]) -> tuple[Any, ...]:
    """The values of an axis, where an "other" bin gets the integer after the last one."""
    return (*values[:-1], values[-2] + 1) if values[-1] is None else tuple(values)
