"""Changes between two releases: differences with margins, and a test of "no change".

The noise of two releases is independent, so variances add up. The effects of unevenly spread rows
on the two counts of a group may be dependent, since the rows may be the same: these widths are
added.

The p-value of a group is the smallest of `STEPS` at which the interval of its difference excludes
0: an upper bound, as reliable as the intervals. Over all groups, p-values are adjusted by Holm's
method, which holds for any dependence between groups. The test of all groups together divides its
error equally between the difference of the totals and the groups (Bonferroni).

Discrete Laplace noise of scale 1/r is at most as spread out as rounded Laplace noise of that scale;
but its variance is below 2/r², and normal tails of that variance would be too short. So the
variance of the Laplace noise is used.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hushgram.answers.answer import Widths
from hushgram.answers.counting.counts import spread_of
from hushgram.answers.counting.intervals import Spread, half_width
from hushgram.answers.tables.olap import spreads, takes_whole_parts
from hushgram.answers.unevenness.base import Uneven
from hushgram.answers.unevenness.evidence import unevenness_of
from hushgram.answers.unevenness.widths import truth_width, uneven_width
from hushgram.declare.axis import Floats
from hushgram.mechanisms.estimate import Estimate

STEPS = (0.5, 0.25, 0.1, 0.05, 0.025, 0.01, 0.005, 0.0025, 0.001, 5e-4, 2.5e-4, 1e-4, 5e-5, 2.5e-5,
         1e-5, 1e-6, 1e-7, 1e-8, 1e-9)  # fmt: skip
"""The possible p-values below 1."""


class GroupCounts(NamedTuple):
    """Counts of groups, with the known properties of their errors."""

    values: Floats
    spread: Spread
    uneven: Uneven

    @classmethod
    def of_groups(cls, estimate: Estimate) -> GroupCounts:
        """The counts of all single parts."""
        from scipy.sparse import eye_array

        values = np.asarray(estimate.values, dtype=np.float64)
        return cls(
            values,
            wider(estimate, spreads(estimate)),
            Uneven.none(len(values))
            if takes_whole_parts(estimate)
            else unevenness_of(estimate).of_weights(eye_array(len(values), format="csr")),
        )

    @classmethod
    def of_total(cls, estimate: Estimate) -> GroupCounts:
        """The count of all parts together."""
        weights = np.ones(len(estimate.values))
        spread = Spread(*(None if one is None else np.array([one])
                          for one in spread_of(estimate, weights)))  # fmt: skip
        return cls(
            np.array([estimate.values.sum(dtype=np.float64)]),
            wider(estimate, spread),
            Uneven.none(1)
            if takes_whole_parts(estimate)
            else unevenness_of(estimate).of_weights(weights[None]),
        )


def wider(estimate: Estimate, spread: Spread) -> Spread:
    """The spread with the variance of Laplace noise instead of discrete noise, and with the
    inference's margin."""
    variances = np.array([one.variance for one in estimate.measurements], dtype=np.float64)
    known = variances[(variances > 1e-12) & (variances < 1e12)]
    rates = 2 * np.arcsinh(1 / np.sqrt(2 * known))
    factor = float(np.max(2 / rates**2 / known, initial=1.0)) * estimate.inference.noise_margin**2
    return spread._replace(variance=np.asarray(spread.variance) * factor)


class Differences(NamedTuple):
    """Counts of the same groups in two releases."""

    before: GroupCounts
    after: GroupCounts

    @property
    def values(self) -> Floats:
        return np.asarray(self.after.values - self.before.values)

    @property
    def spread(self) -> Spread:
        """The noise of the differences: that of independent sums."""
        first, second = self.before.spread, self.after.spread
        variance = np.asarray(first.variance + second.variance)
        if first.kurtosis is None or second.kurtosis is None:
            return Spread(variance, None)
        fourths = first.kurtosis * first.variance**2 + second.kurtosis * second.variance**2
        whole = np.asarray(first.whole, dtype=bool) & np.asarray(second.whole, dtype=bool)
        steps = np.where(
            whole,
            np.maximum(first.largest, second.largest),
            np.asarray(first.largest) + np.asarray(second.largest),
        )
        return Spread(variance, fourths / np.maximum(variance**2, 1e-300), steps, whole)

    def widths(self, confidence: float) -> Widths:
        """Half the widths of the intervals of the differences."""
        noise = half_width(self.spread, confidence)
        uneven = [uneven_width(one.uneven, confidence, one.values) for one in self]
        return Widths(noise, truth_width(noise, uneven[0] + uneven[1]))

    def p_values(self, extra: tuple[float, ...]) -> Floats:
        """The smallest step at which each interval excludes 0."""
        found, distance = np.ones(len(self.values)), np.abs(self.values)
        for step in sorted({*STEPS, *extra}, reverse=True):
            outside = distance > self.widths(1 - step).truth
            if not outside.any():
                break
            found[outside] = step
        return found


def adjust_p_values(p_values: Floats) -> Floats:
    """Holm's adjustment: the probability of any false positive stays below the level.

    >>> adjust_p_values(np.array([0.01, 0.5, 0.02])).tolist()
    [0.03, 0.5, 0.04]
    """
    order, count = np.argsort(p_values, kind="stable"), len(p_values)
    scaled = p_values[order] * np.arange(count, 0, -1)
    found = np.empty(count)
    found[order] = np.minimum(np.maximum.accumulate(scaled), 1)
    return found
