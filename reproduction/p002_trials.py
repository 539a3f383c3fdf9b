"""Paper 002's methods on its sets of points, each tried once for all figures. NONPRIVATE."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

import hushgram as hg
from hushgram.declare.axis import Floats
from hushgram.mechanisms.adaptive_grid import AdaptiveGrid
from hushgram.mechanisms.grid_sizing import slices_per_axis
from hushgram.mechanisms.privelet import Privelet
from hushgram.mechanisms.uniform_grid import UniformGrid
from reproduction.judged import Runs
from reproduction.points import SETS, AskedPoints

EPSILONS = ("0.1", "1")

FEW, FEW_TIMES = 50_000, 5
"""Sets with fewer points are noisier and faster, so they get more runs by this factor."""

LADDER = (4, 6, 10, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024)
"""Sizes of grids, most of which are in the paper."""

WIDE_SIZES, NARROW_SIZES = 4, 2
"""The largest ratio of the sizes that are tried to the suggested one, for UG and AG."""

C = 10.0
"""The paper's constant c."""


@dataclass(frozen=True, eq=False)
class Trials:
    """Measurements on one set of points, by method and ε: absolute errors, runs x sizes x queries.
    Each method is run once, however many figures show it."""

    asked: AskedPoints
    runs: int
    _found: dict[tuple[str, str], Floats] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.asked.points.name

    def absolute(self, label: str, mechanism: Any, epsilon: str, domain: Any = None) -> Floats:
        key = (label, epsilon)
        if key not in self._found:
            self._found[key] = self.asked.absolute_errors(mechanism, epsilon, self.runs, domain)
        return self._found[key]

    def relative(self, label: str, mechanism: Any, epsilon: str, domain: Any = None) -> Floats:
        return self.asked.to_relative(self.absolute(label, mechanism, epsilon, domain))

    def suggested_size(self, epsilon: str) -> int:
        """Return the size by Guideline 1, for the actual number of points."""
        ratio = len(self.asked.rows) * float(epsilon) / C
        return slices_per_axis(self.asked.points.domain, ratio)[0]

    def suggested_first(self, epsilon: str) -> int:
        """Return the suggested m₁ of AG."""
        ratio = len(self.asked.rows) * float(epsilon) / C / 16
        return slices_per_axis(self.asked.points.domain, ratio)[0]

    def uniform(self, epsilon: str) -> dict[int, Floats]:
        """Return the errors of U_m, by m."""
        sizes = sizes_around(self.suggested_size(epsilon), WIDE_SIZES)
        return {m: self.relative(f"U{m}", UniformGrid(m=m), epsilon) for m in sizes}

    def adaptive(self, epsilon: str) -> dict[int, Floats]:
        """Return the errors of A_{m1,5}, by m₁."""
        sizes = sizes_around(self.suggested_first(epsilon), NARROW_SIZES)
        return {m: self.relative(f"A{m}", AdaptiveGrid(m1=m), epsilon) for m in sizes}

    def wavelet(self, m: int, epsilon: str) -> Floats:
        """Return the errors of W_m."""
        return self.relative(f"W{m}", Privelet(axes="ordered"), epsilon, self.cells(m))

    def cells(self, m: int) -> hg.Domain:
        """Return the set's box with m x m declared cells."""
        points = self.asked.points
        return hg.Domain(x=hg.Regular(m, *points.x), y=hg.Regular(m, *points.y))


@cache
def trials(name: str, runs: int) -> Trials:
    """Return the measurements on a set of points."""
    asked = AskedPoints.of(SETS[name])
    return Trials(asked, runs * (FEW_TIMES if len(asked.rows) < FEW else 1))


def sizes_around(size: int, factor: int) -> list[int]:
    """Return the size, and those of the ladder within a factor of it.

    >>> sizes_around(30, 2)
    [16, 24, 30, 32, 48]
    """
    near = [one for one in LADDER if size / factor <= one <= size * factor]
    return sorted({size, *near})


def best_of(found: dict[int, Floats]) -> int:
    """Return the size with the smallest observed mean error, as in the paper."""
    return min(found, key=lambda size: float(found[size].mean()))


def by_run(errors: Floats) -> Runs:
    """Return the mean error of all queries, for each run."""
    return [float(one) for one in errors.mean(axis=(1, 2))]


def by_size(errors: Floats) -> list[float]:
    """Return the mean error of the queries of each size."""
    return [float(one) for one in errors.mean(axis=(0, 2))]


def runs_of_size(errors: Floats, size: int) -> Runs:
    """Return the mean error of the queries of one size, for each run."""
    return [float(one) for one in errors[:, size].mean(axis=1)]


def quantiles(errors: Floats) -> Sequence[float]:
    """Return the quantiles of a candlestick: the quartiles and the 95 % quantile."""
    return [float(one) for one in np.quantile(errors, (0.25, 0.5, 0.75, 0.95))]
