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
from typing import NamedTuple

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Neighbours, Unit
from hushgram.expect.expected import simulate
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

RUNS = 2
"""The number of releases of each generated table."""

LIKE_RUNS = 8
"""The number of tables that are drawn from a release."""

DEVIATIONS = 1.5
"""The distance of the predicted error from the average over generated tables, in standard
deviations of their logarithms."""

RESERVE = 0.95
"""A factor that reduces this prediction: few errors are that far above the average."""

NEAREST = 1.1
"""The minimum ratio of the predicted to the typical error, for tables that hardly differ."""

TRUST = 0.65
"""The weight of tables drawn from a release in a prediction; generated tables get the rest."""

LIKE_RESERVE = 1.17
"""The factor by which an error can exceed that on tables drawn from a release."""

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
    """Yield tables of rows drawn from a release, and the boxes to ask each about."""
    for number in range(LIKE_RUNS):
        rng = np.random.default_rng(number)
        table = SimulatedTable.like(release, domain, rows, rng)
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
        """Return the predicted mean error at an ε."""
        if epsilon not in self.found:
            generated = [self.error_on(*one, epsilon, RUNS) for one in self.generated]
            drawn = [self.error_on(*one, epsilon, 1) for one in self.drawn]
            self.found[epsilon] = predict(generated, drawn)
        return self.found[epsilon]

    def error_on(self, table: Remembered, asked: AskedBoxes, epsilon: float, runs: int) -> float:
        """Return the mean error of the boxes on one table."""
        budget = Fraction(epsilon).limit_denominator(10**6)
        vaults = [
            TableVault(
                table, self.domain, budget, unit=self.unit, neighbours=self.neighbours,
                noise=Native(),
            )
            for _ in range(runs)
        ]  # fmt: skip
        found = simulate(self.mechanism, vaults, asked, self.measuring, intervals=False)
        return float(found.errors[0])


def predict(generated: Iterable[float], drawn: Iterable[float] = ()) -> Error:
    """Predict an error, given those on generated tables and on tables drawn from a release, if any.

    >>> predict([10, 10, 10])
    Error(typical=10.0, with_reserve=11.0)
    >>> predict([10, 20, 40]).with_reserve > predict([10, 20, 40], [20, 20]).with_reserve
    True
    """
    logs = logarithms(generated)
    typical, end = float(np.median(logs)), logs.mean() + DEVIATIONS * logs.std()
    reserved = end + math.log(RESERVE)
    seen = logarithms(drawn)
    if len(seen):
        typical = float(seen.mean())
        reserved = TRUST * typical + (1 - TRUST) * reserved + math.log(LIKE_RESERVE)
    least = typical + math.log(NEAREST)
    return Error(round(math.exp(typical), 9), round(math.exp(max(reserved, least)), 9))


def logarithms(errors: Iterable[float]) -> Floats:
    return np.log(np.maximum(np.fromiter(errors, dtype=np.float64), SMALLEST_ERROR))


def noise_of(errors: Floats) -> float:
    """How far the means over releases (tables x releases) are from what many releases would give,
    as a share of them: the root mean square of their relative standard errors."""
    means = np.maximum(errors.mean(axis=1), SMALLEST_ERROR)
    squares = errors.var(axis=1, ddof=1) / (errors.shape[1] * means**2)
    return float(np.sqrt(squares.mean()))
