"""Predict the error at an ε by running mechanisms on generated tables and, if there is a release of
similar data, on tables that this release could be of.

Generated tables differ, and so does a real one from all of them. What they say about the logarithm
of an error is taken as a normal distribution: it has the mean over the tables, and their variance
plus what real tables differ by where all generated ones agree (`GENERATED_SD`). Tables drawn from a
release usually give a narrower one (`LIKE_SD`). Both together are weighted by their precision. The
error with the reserve is `DEVIATIONS` standard deviations above the mean.

The constants were chosen with ``benchmarks/least_epsilon.py`` on one half of its tables, where
slightly more than 90 % of errors are within their target; the other half shows how often they are
elsewhere.
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

CLOSELY = 2
"""Releases of each generated table at each of these. With fewer, the mean error depends on
chance."""

LIKE_TABLES = 8
"""The number of tables that are drawn from a release."""

LIKE_CLOSELY = 2
"""Releases of each of these tables at each ε close to the approximate one."""

SLOPES = (-2.0, -0.1)
"""The range of the power of ε by which errors fall."""

DEVIATIONS = 1.25
"""The distance of the predicted error from its mean, in standard deviations: with a normal
distribution, 89 % of errors are below it. Real ones are below it slightly more often."""

GENERATED_SD = 0.15
"""The standard deviation by which the logarithm of a real table's error differs from those on
generated tables where all of these agree."""

LIKE_MORE = 1.08
"""Errors are larger by this factor than on tables that are drawn from a release, because these are
exactly as mechanisms assume that tables are."""

LIKE_SD = 0.15
"""As `GENERATED_SD`, for tables that are drawn from a release with the same or a larger ε."""

LIKE_SD_FINER = 0.5
"""What is added to `LIKE_SD` for each factor of ten by which ε is larger than the release's: the
smaller the release's ε, the less it says about small parts."""

NEAREST = 1.1
"""The ratio of the predicted to the typical error, where errors are nothing but noise."""

NOISE_ONLY = ("identity", "hb", "hierarchical", "privelet")
"""Mechanisms that measure the same whatever the rows: on declared cells, their errors are only
noise."""

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
    like_epsilon: float = math.inf
    """The ε of that release."""
    found: dict[float, Error] = field(default_factory=dict)

    def predict(self, epsilon: float) -> Error:
        """Predict the mean error at an ε roughly, from one release of each table."""
        if epsilon not in self.found:
            generated, drawn = (
                self.errors_on(tables, epsilon, 1) for tables in (self.generated, self.drawn)
            )
            self.found[epsilon] = self.judge(epsilon, generated, drawn)
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
        return self.judge(epsilon, generated, drawn), slope

    def judge(self, epsilon: float, generated: Floats, drawn: Floats) -> Error:
        """Predict the error at an ε, given errors (tables x releases)."""
        if self.is_noise_only:
            return predict_noise([*generated.mean(axis=1), *drawn.mean(axis=1)])
        beliefs = [Belief.of_generated(*spread_of(generated))]
        if len(drawn):
            beliefs.append(Belief.of_like(*spread_of(drawn), epsilon / self.like_epsilon))
        return predict(beliefs)

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


class Belief(NamedTuple):
    """What some tables say about the logarithm of an error: a normal distribution."""

    mean: float
    variance: float

    @classmethod
    def of_generated(cls, mean: float, spread: float) -> Belief:
        """From the mean and the standard deviation over generated tables."""
        return cls(mean, spread**2 + GENERATED_SD**2)

    @classmethod
    def of_like(cls, mean: float, spread: float, ratio: float) -> Belief:
        """From those over tables drawn from a release, at ``ratio`` times its ε."""
        return cls(mean + math.log(LIKE_MORE), spread**2 + like_sd(ratio) ** 2)


def like_sd(ratio: float) -> float:
    """Return the standard deviation by which the logarithm of an error differs from those on tables
    drawn from a release, at ``ratio`` times its ε.

    >>> like_sd(0.1), like_sd(10)
    (0.15, 0.65)
    """
    return float(LIKE_SD + LIKE_SD_FINER * math.log10(max(ratio, 1.0)))


def predict(beliefs: Iterable[Belief]) -> Error:
    """Predict an error from independent beliefs, each weighted by its precision.

    >>> alone = predict([Belief(math.log(10), 0.09)])
    >>> alone.typical, round(alone.with_reserve / 10, 2)
    (10.0, 1.45)
    >>> predict([Belief(math.log(10), 0.09), Belief(math.log(10), 0.04)]).with_reserve < 13
    True
    """
    means, variances = np.array([*beliefs]).T
    total = float((1 / variances).sum())
    mean = float((means / variances).sum()) / total
    reserved = mean + DEVIATIONS / math.sqrt(total)
    return Error(round(math.exp(mean), 9), round(math.exp(reserved), 9))


def predict_noise(errors: Iterable[float]) -> Error:
    """From errors that are the same on all tables, but for chance.

    >>> predict_noise([9, 11])
    Error(typical=10.0, with_reserve=11.0)
    """
    typical = max(float(np.mean([*errors])), SMALLEST_ERROR)
    return Error(typical, round(NEAREST * typical, 9))


def logarithms(errors: Iterable[float]) -> Floats:
    return np.log(np.maximum(np.fromiter(errors, dtype=np.float64), SMALLEST_ERROR))


def spread_of(errors: Floats) -> tuple[float, float]:
    """Return the mean of the logarithms of tables' mean errors, and their standard deviation
    without what is due to chance, given errors (tables x releases).

    >>> spread_of(np.array([[8.0, 12.0], [9.0, 11.0], [10.0, 10.0]]))
    (2.302585092994046, 0.0)
    """
    logs = logarithms(errors.mean(axis=1))
    return float(logs.mean()), math.sqrt(max(float(logs.var()) - chance_of(errors), 0.0))


def chance_of(errors: Floats) -> float:
    """Return the mean of the squared relative standard errors of tables' means over releases; 0 if
    there is only one release of each table."""
    releases = errors.shape[1]
    if releases == 1:
        return 0.0
    means = np.maximum(errors.mean(axis=1), SMALLEST_ERROR)
    squares = errors.var(axis=1, ddof=1) / (releases * means**2)
    return float(squares.mean())
