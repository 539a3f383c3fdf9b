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
"""Sets of fewer points are noisier, and quicker: they have that many times the runs."""

LADDER = (4, 6, 10, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024)
"""Sizes of grids, most of which the paper tries."""

WIDE_SIZES, NARROW_SIZES = 4, 2
"""How far from the suggested size other sizes are tried: UG's and AG's, as factors."""

C = 10.0
"""The paper's constant."""


@dataclass(frozen=True, eq=False)
class Trials:
    """What was measured on one set of points, by method and ε: absolute errors, runs x sizes x
    queries. Each method is tried once, however many figures show it."""

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
        """Guideline 1's, for the number of points there are."""
        ratio = len(self.asked.rows) * float(epsilon) / C
        return slices_per_axis(self.asked.points.domain, ratio)[0]

    def suggested_first(self, epsilon: str) -> int:
        """AG's m₁."""
        ratio = len(self.asked.rows) * float(epsilon) / C / 16
        return slices_per_axis(self.asked.points.domain, ratio)[0]

    def uniform(self, epsilon: str) -> dict[int, Floats]:
        """U_m, by m."""
        sizes = sizes_around(self.suggested_size(epsilon), WIDE_SIZES)
        return {m: self.relative(f"U{m}", UniformGrid(m=m), epsilon) for m in sizes}

    def adaptive(self, epsilon: str) -> dict[int, Floats]:
        """A_{m1,5}, by m₁."""
        sizes = sizes_around(self.suggested_first(epsilon), NARROW_SIZES)
        return {m: self.relative(f"A{m}", AdaptiveGrid(m1=m), epsilon) for m in sizes}

    def wavelet(self, m: int, epsilon: str) -> Floats:
        """W_m."""
        return self.relative(f"W{m}", Privelet(axes="ordered"), epsilon, self.cells(m))

    def cells(self, m: int) -> hg.Domain:
        """The set's box in m x m declared cells."""
        points = self.asked.points
        return hg.Domain(x=hg.Regular(m, *points.x), y=hg.Regular(m, *points.y))


@cache
def trials(name: str, runs: int) -> Trials:
    """All that is tried on a set of points."""
    asked = AskedPoints.of(SETS[name])
    return Trials(asked, runs * (FEW_TIMES if len(asked.rows) < FEW else 1))


def sizes_around(size: int, factor: int) -> list[int]:
    """The size, and those of the ladder that are up to a factor away.

    >>> sizes_around(30, 2)
    [16, 24, 30, 32, 48]
    """
    near = [one for one in LADDER if size / factor <= one <= size * factor]
    return sorted({size, *near})


def best_of(found: dict[int, Floats]) -> int:
    """The size with the smallest observed mean error, as in the paper."""
    return min(found, key=lambda size: float(found[size].mean()))


def by_run(errors: Floats) -> Runs:
    """The mean error of all queries, run by run."""
    return [float(one) for one in errors.mean(axis=(1, 2))]


def by_size(errors: Floats) -> list[float]:
    """The mean error of the queries of each size."""
    return [float(one) for one in errors.mean(axis=(0, 2))]


def runs_of_size(errors: Floats, size: int) -> Runs:
    """The mean error of the queries of one size, run by run."""
    return [float(one) for one in errors[:, size].mean(axis=1)]


def quantiles(errors: Floats) -> Sequence[float]:
    """The candlestick: a quarter, the median, three quarters and 95 %."""
    return [float(one) for one in np.quantile(errors, (0.25, 0.5, 0.75, 0.95))]
