"""Predict the error at an ε by running mechanisms on generated tables and, if there is a release of
similar data, on rows drawn from it.

Real tables differ from generated ones, so a reserve is added. The constants below were chosen with
``benchmarks/least_epsilon.py`` on one half of its tables; the other half confirms that the error
stays within its target in nine of ten settings.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Neighbours, Unit
from hushgram.expect.expected import simulate
from hushgram.expect.plausible import Plausible
from hushgram.expect.questions import AskedBoxes
from hushgram.expect.simulated import SimulatedTable
from hushgram.mechanisms.base import Mechanism
from hushgram.mechanisms.measured import Measuring
from hushgram.release import Release
from hushgram.trusted.engine.remembered import Remembered
from hushgram.trusted.noise import Native
from hushgram.trusted.vault import TableVault

BOXES = 400
"""Boxes per table. With fewer, the mean depends on which ones are drawn."""

NEAR = (0.75, 1.0, 4 / 3)
"""The multiples of an approximate ε at which errors are simulated closely."""

CLOSELY = 4
"""Releases of each generated table at each of these. With fewer, the mean error depends on
chance."""

LIKE_TABLES = 8
"""The number of tables that are drawn from a release."""

LIKE_CLOSELY = 2
"""Releases of each of these tables at each ε close to the approximate one."""

SLOPES = (-2.0, -0.1)
"""The range of the power of ε by which errors fall."""

DEVIATIONS = 1.0
"""The distance of the predicted error from the average over generated tables, in standard
deviations of their logarithms."""

RESERVE = 1.2
"""A factor on this prediction, because real tables differ from all generated ones."""

NEAREST = 1.1
"""The minimum ratio of the predicted to the typical error."""

NOISE_ONLY = ("identity", "hb", "hierarchical", "privelet")
"""Mechanisms that measure the same whatever the rows: on declared cells, their errors are only
noise."""

TRUST = 0.7
"""The weight of tables drawn from a release in a prediction; generated tables get the rest."""

LIKE_RESERVE = 1.2
"""A factor on the combined prediction: a release does not show everything about its rows."""

SMALLEST_ERROR = 0.01
"""Smaller errors, in rows, are treated as this one."""


class Error(NamedTuple):
    """A mean error in rows: typical, and with the reserve."""

    typical: float
    with_reserve: float


Tables = Sequence[tuple[Remembered, AskedBoxes]]
"""Tables, and the boxes to ask each about."""


def tables_like(
    release: Release, domain: Domain, rows: int, shares: Mapping[str, float]
) -> Iterator[tuple[Remembered, AskedBoxes]]:
    """Tables that a release could be of, and what they are asked."""
    plausible = Plausible.of(release.estimate)
    for number in range(LIKE_TABLES):
        rng = np.random.default_rng(number)
        table = SimulatedTable.like(plausible, domain, rows, rng)
        yield Remembered(table), AskedBoxes.draw(table, rng, shares, BOXES)


@dataclass(frozen=True, eq=False)
class Trials:
    """A mechanism, the tables it runs on, and the predicted error at each ε so far."""

    mechanism: Mechanism
    measuring: Measuring
    domain: Domain
    unit: Unit
    neighbours: Neighbours
    generated: Tables
    drawn: Tables = ()
    """Tables drawn from a release, if there is one."""
    found: dict[float, Error] = field(default_factory=dict)

    def predict(self, epsilon: float) -> Error:
        """Predict the mean error at an ε roughly, from one release of each table."""
        if epsilon not in self.found:
            generated, drawn = (
                self.errors_on(tables, epsilon, 1) for tables in (self.generated, self.drawn)
            )
            self.found[epsilon] = self.judge(generated.ravel(), drawn.ravel())
        return self.found[epsilon]

    def predict_closely(self, epsilon: float) -> tuple[Error, float]:
        """Predict the mean error at an ε closely, and the power of ε by which it falls there."""
        near = [
            self.errors_near(epsilon, tables, releases)
            for tables, releases in ((self.generated, CLOSELY), (self.drawn, LIKE_CLOSELY))
        ]
        slope = slope_of(np.concatenate([errors.mean(axis=2) for errors in near]))
        by_slope = np.array(NEAR)[:, None] ** -slope
        generated, drawn = (
            np.concatenate([*(one * by_slope).swapaxes(0, 1)], axis=1) for one in near
        )
        expected = self.judge(generated.mean(axis=1), drawn.mean(axis=1), noise_of(generated))
        return expected, slope

    def judge(self, generated: Floats, drawn: Floats, noise: float = 0.0) -> Error:
        """Predict an error, given those on all tables."""
        if self.is_noise_only:
            return predict_noise([*generated, *drawn])
        return predict(generated, drawn, noise)

    @cached_property
    def is_noise_only(self) -> bool:
        """Whether errors do not depend on the rows."""
        may_run = self.measuring.candidates(self.mechanism, self.domain)
        return not self.domain.continuous and all(one.name in NOISE_ONLY for one in may_run)

    def errors_near(self, epsilon: float, tables: Tables, releases: int) -> Floats:
        """Return mean errors: tables x ε close to the given one x releases."""
        several = [self.errors_on(tables, share * epsilon, releases) for share in NEAR]
        return np.stack(several, axis=1)

    def errors_on(self, tables: Tables, epsilon: float, releases: int) -> Floats:
        """Return the mean errors of boxes: tables x releases."""
        budget = Fraction(epsilon).limit_denominator(10**6)
        found = np.empty((len(tables), releases))
        for place, (table, asked) in enumerate(tables):
            for number in range(releases):
                vault = TableVault(
                    table, self.domain, budget, unit=self.unit, neighbours=self.neighbours,
                    noise=Native(),
                )  # fmt: skip
                seen = simulate(self.mechanism, [vault], asked, self.measuring, intervals=False)
                found[place, number] = seen.errors[0]
        return found


def slope_of(errors: Floats) -> float:
    """Return the power of ε by which mean errors (tables x `NEAR`) fall, one for all tables.

    >>> round(slope_of(np.array([[3 / share for share in NEAR]])), 9)
    -1.0
    """
    places = np.log(NEAR) - np.mean(np.log(NEAR))
    means = np.log(np.maximum(errors, SMALLEST_ERROR)).mean(axis=0)
    return float(np.clip(places @ means / (places @ places), *SLOPES))


def predict(generated: Iterable[float], drawn: Iterable[float] = (), noise: float = 0.0) -> Error:
    """Predict an error, given those on generated tables and on tables drawn from a release, if any.
    ``noise`` is the relative standard error of the former: see `noise_of`.

    >>> predict([10, 10, 10])
    Error(typical=10.0, with_reserve=12.0)
    >>> predict([10, 20, 40]).with_reserve > predict([10, 20, 40], [20, 20]).with_reserve
    True
    """
    logs = logarithms(generated)
    spread = math.sqrt(max(float(logs.var()) - noise**2, 0))
    typical, end = float(np.median(logs)), float(logs.mean()) + DEVIATIONS * spread
    reserved = end + math.log(RESERVE)
    seen = logarithms(drawn)
    if len(seen):
        typical = float(seen.mean())
        reserved = TRUST * typical + (1 - TRUST) * reserved + math.log(LIKE_RESERVE)
    least = typical + math.log(NEAREST)
    return Error(round(math.exp(typical), 9), round(math.exp(max(reserved, least)), 9))


def predict_noise(errors: Iterable[float]) -> Error:
    """From errors that are the same on all tables, but for chance.

    >>> predict_noise([9, 11])
    Error(typical=10.0, with_reserve=11.0)
    """
    typical = max(float(np.mean([*errors])), SMALLEST_ERROR)
    return Error(typical, round(NEAREST * typical, 9))


def logarithms(errors: Iterable[float]) -> Floats:
    return np.log(np.maximum(np.fromiter(errors, dtype=np.float64), SMALLEST_ERROR))


def noise_of(errors: Floats) -> float:
    """Return the root mean square of the relative standard errors of means over releases, given
    errors (tables x releases)."""
    means = np.maximum(errors.mean(axis=1), SMALLEST_ERROR)
    squares = errors.var(axis=1, ddof=1) / (errors.shape[1] * means**2)
    return float(np.sqrt(squares.mean()))
