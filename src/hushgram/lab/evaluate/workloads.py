"""Workloads: many questions at once, possibly in groups by size.

The same name and shape always give the same questions.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.random import Generator

from hushgram.answers.counting.quantiles import quantiles
from hushgram.declare.axis import Floats
from hushgram.errors import BadInput
from hushgram.geometry.partition import Ints
from hushgram.lab.evaluate.patterns import Shape
from hushgram.lab.evaluate.random_boxes import random_boxes, sums
from hushgram.release import Release

SEED = 20
QUESTIONS = 2000

STEPS = 6
LARGEST = 0.6
"""The side of the largest boxes of paper 002, as a share of the axis: they cover a third."""

MOST = 1 << 16
"""The maximum number of cells or prefixes in a workload; if there are more, a sample is used."""

SHARES = (0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99)


@dataclass(frozen=True, eq=False, kw_only=True)
class Questions(ABC):
    """Questions with a number as the answer. ``groups`` contains the group of each, if there are
    groups."""

    name: str
    groups: tuple[str, ...] = ()
    counts_rows = True
    """Whether answers are numbers of rows."""

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def true(self, counts: Ints) -> Floats:
        """Return the true answers. NONPRIVATE."""

    @abstractmethod
    def ask(self, release: Release, cells: Floats) -> Floats:
        """Return a release's answers; ``cells`` are its counts of all cells."""

    @abstractmethod
    def intervals(self, release: Release, places: Ints) -> tuple[Floats, Floats]:
        """Return the ends of a release's intervals for some of the questions."""

    @abstractmethod
    def _identity(self) -> bytes: ...

    @cached_property
    def digest(self) -> str:
        """Return a hash that identifies these questions."""
        text = f"{type(self).__name__} {self.groups}".encode() + self._identity()
        return hashlib.sha256(text).hexdigest()[:16]

    @cached_property
    def members(self) -> dict[str, Ints]:
        """Return the places of each group's questions, in the order of the groups."""
        labels = np.array(self.groups)
        return {one: np.flatnonzero(labels == one) for one in dict.fromkeys(self.groups)}


@dataclass(frozen=True, eq=False, kw_only=True)
class BoxQuestions(Questions):
    """The number of rows in each box of cells. ``starts`` and ``stops`` are boxes x axes."""

    starts: Ints
    stops: Ints

    def __len__(self) -> int:
        return len(self.starts)

    def true(self, counts: Ints) -> Floats:
        return sums(counts, self.starts, self.stops)

    def ask(self, release: Release, cells: Floats) -> Floats:
        return sums(cells, self.starts, self.stops)

    def intervals(self, release: Release, places: Ints) -> tuple[Floats, Floats]:
        table: dict[str, Any] = {}
        for axis, name in enumerate(release.domain):
            table[f"{name}_lo"] = self.starts[places, axis]
            table[f"{name}_hi"] = self.stops[places, axis]
        found = release.count(table)
        return found.lower, found.upper

    def _identity(self) -> bytes:
        return self.starts.astype("<i8").tobytes() + self.stops.astype("<i8").tobytes()


@dataclass(frozen=True, eq=False, kw_only=True)
class Quantiles(Questions):
    """Quantiles of axes, as cells. Answers are positions on the axis."""

    counts_rows = False
    asked: tuple[tuple[int, float], ...]
    """Pairs of the number of an axis and a share."""

    def __len__(self) -> int:
        return len(self.asked)

    def true(self, counts: Ints) -> Floats:
        return np.array([true_quantile(counts, axis, q) for axis, q in self.asked], dtype=float)

    def ask(self, release: Release, cells: Floats) -> Floats:
        return np.array(
            [one.value for one in self._release_quantiles(release, self.asked)], dtype=float
        )

    def intervals(self, release: Release, places: Ints) -> tuple[Floats, Floats]:
        found = self._release_quantiles(release, [self.asked[place] for place in places])
        low, high = np.array([one.interval for one in found], dtype=float).T
        return low, high

    def _release_quantiles(self, release: Release, asked: Sequence[tuple[int, float]]) -> list[Any]:
        """Return the release's quantiles, computed together for each axis."""
        found: dict[tuple[int, float], Any] = {}
        for axis, name in enumerate(release.domain.names):
            mine = [one for one in asked if one[0] == axis]
            answers = quantiles(release.estimate, name, [q for _, q in mine]) if mine else []
            found.update(zip(mine, answers, strict=True))
        return [found[one] for one in asked]

    def _identity(self) -> bytes:
        return repr(self.asked).encode()


def true_quantile(counts: Ints, axis: int, q: float) -> int:
    """Return the first index up to which there is a share q of the rows."""
    along = counts.sum(axis=tuple(a for a in range(counts.ndim) if a != axis)).cumsum()
    return min(int(np.searchsorted(along, q * along[-1])), len(along) - 1)


Maker = Callable[[str, Shape, Generator], Questions]


def ranges(name: str, shape: Shape, rng: Generator) -> Questions:
    """Random ranges: on each axis any length, then any position where it fits (DPBench)."""
    sides = np.array(shape)
    lengths = rng.integers(1, sides + 1, (QUESTIONS, len(shape)))
    starts = rng.integers(0, sides - lengths + 1)
    return BoxQuestions(name=name, starts=starts, stops=starts + lengths)


def boxes(name: str, shape: Shape, rng: Generator) -> Questions:
    """Random boxes: two random ends on each axis (paper 004)."""
    return between_ends(name, shape, rng, None)


def small_boxes(name: str, shape: Shape, rng: Generator) -> Questions:
    """Such boxes of few cells: at most 62 on one axis, 500 on two, 4,000 on three (paper 004)."""
    return between_ends(name, shape, rng, int(500 * 8.0 ** (len(shape) - 2)))


def between_ends(name: str, shape: Shape, rng: Generator, cells: int | None) -> BoxQuestions:
    found = np.empty((0, 2, len(shape)), dtype=np.int64)
    while len(found) < QUESTIONS:
        ends = np.sort(rng.integers(0, np.array(shape) + 1, (8 * QUESTIONS, 2, len(shape))), axis=1)
        sizes = (ends[:, 1] - ends[:, 0]).prod(axis=1)
        fit = (sizes >= 1) & (sizes <= (cells or np.inf))
        found = np.concatenate([found, ends[fit]])
    return BoxQuestions(name=name, starts=found[:QUESTIONS, 0], stops=found[:QUESTIONS, 1])


def sizes(name: str, shape: Shape, rng: Generator) -> Questions:
    """Random ranges by size: sides of 1, 2, 4, … cells, 200 of each size (paper 003)."""
    steps = int(np.log2(max(shape))) + 1
    return by_size(name, shape, rng, {str(2**k): np.full(len(shape), 2**k) for k in range(steps)})


def ladder(name: str, shape: Shape, rng: Generator) -> Questions:
    """Boxes of six sizes, q1 to q6: each has twice the sides of the previous one, 200 of each
    (002)."""
    largest = LARGEST * np.array(shape)
    steps = {f"q{k}": np.rint(largest / 2 ** (STEPS - k)) for k in range(1, STEPS + 1)}
    return by_size(name, shape, rng, {label: side.astype(int) for label, side in steps.items()})


def by_size(name: str, shape: Shape, rng: Generator, sides: dict[str, Any]) -> BoxQuestions:
    starts, stops, labels = random_boxes(shape, rng, sides)
    return BoxQuestions(name=name, groups=tuple(labels), starts=starts, stops=stops)


def prefixes(name: str, shape: Shape, rng: Generator) -> Questions:
    """All prefixes, from the first cell to every other; a sample if there are more than 65,536."""
    last = some_cells(shape, rng)
    return BoxQuestions(name=name, starts=np.zeros_like(last), stops=last + 1)


def cells(name: str, shape: Shape, rng: Generator) -> Questions:
    """Every single cell; a sample if there are more than 65,536."""
    found = some_cells(shape, rng)
    return BoxQuestions(name=name, starts=found, stops=found + 1)


def some_cells(shape: Shape, rng: Generator) -> Ints:
    many = int(np.prod(shape))
    chosen = np.arange(many) if many <= MOST else np.sort(rng.choice(many, MOST, replace=False))
    return np.stack(np.unravel_index(chosen, shape), axis=1)


def marginals(name: str, shape: Shape, rng: Generator) -> Questions:
    """The cells of all marginals of one and two axes."""
    axes = range(len(shape))
    kept = [one for k in (1, 2) for one in combinations(axes, k) if k < len(shape)] or [(0,)]
    starts, stops, groups = [], [], []
    for chosen in kept:
        inner = some_cells(tuple(shape[axis] for axis in chosen), rng)
        low, high = np.zeros((len(inner), len(shape)), np.int64), np.tile(shape, (len(inner), 1))
        low[:, chosen], high[:, chosen] = inner, inner + 1
        starts.append(low)
        stops.append(high)
        groups += [",".join(f"x{axis}" for axis in chosen)] * len(inner)
    both = np.concatenate(starts), np.concatenate(stops)
    return BoxQuestions(name=name, groups=tuple(groups), starts=both[0], stops=both[1])


def quantile_shares(name: str, shape: Shape, rng: Generator) -> Questions:
    """Quantiles from 1 % to 99 % along every axis, with errors in cells."""
    asked = tuple((axis, q) for axis in range(len(shape)) for q in SHARES)
    return Quantiles(name=name, groups=tuple(str(q) for _, q in asked), asked=asked)


WORKLOADS: dict[str, Maker] = {
    "ranges": ranges,
    "sizes": sizes,
    "prefixes": prefixes,
    "boxes": boxes,
    "small-boxes": small_boxes,
    "ladder": ladder,
    "cells": cells,
    "marginals": marginals,
    "quantiles": quantile_shares,
}


def questions(name: str, shape: Shape, seed: int = SEED) -> Questions:
    """Return the questions with this name for this shape.

    >>> len(questions("ladder", (64, 64)))
    1200
    """
    check_workloads([name])
    return WORKLOADS[name](name, shape, np.random.default_rng(seed))


def check_workloads(names: Iterable[str]) -> None:
    for name in names:
        if name not in WORKLOADS:
            raise BadInput(f"Unknown workload {name!r}. Use {', '.join(WORKLOADS)}.")
