"""The largest and the smallest value of the rows on an axis, with intervals.

One row at the end of an axis is hidden by the noise: that is what privacy means. So a release can
show that there are rows up to some value, but hardly ever that there are none beyond. A cut of the
layout is *passed* if there are more rows beyond it than noise and `unevenness` explain, and *bare*
if there cannot be even one row beyond it. The maximum is beyond the last cut that is passed and
before the first that is bare, which usually is the end of the axis. The value is the end of the
slice after the last cut that is passed at even odds of going too far.

Cuts are tested by bisection. As long as no test is wrong, a bisection tests the cuts beyond the
true maximum in a fixed order, so the error probabilities of its steps are added up.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hushgram.answers.counting.along import Along, OrderedRows, lowest
from hushgram.answers.unevenness.widths import noise_width, truth_width
from hushgram.declare.axis import Floats

EVEN_ODDS = 0.5
"""The probability that the value is beyond all rows."""


@dataclass(frozen=True, eq=False)
class ExtremeRows(OrderedRows):
    """The ends of the rows along one axis: its quantiles 0 and 1."""

    along: Along

    def quantile(self, q: float, confidence: float) -> tuple[float, float, float]:
        upward, last = q == 1, len(self.along.knots) - 1
        miss = (1 - confidence) / 2
        passed, likely = (self._find_passed(upward, chance) for chance in (miss, EVEN_ODDS))
        bare = self._find_bare(upward, miss)
        steps = passed, min(max(passed, likely) + 1, bare, last), bare
        near, value, far = (float(self.along.knots[self._knot(n, upward)]) for n in steps)
        return (near, value, far) if upward else (far, value, near)

    def _knot(self, steps: int, upward: bool) -> int:
        """The knot that is ``steps`` steps from the start of the search."""
        return steps if upward else len(self.along.knots) - 1 - steps

    def _level(self, miss: float) -> float:
        """The confidence of one step of a bisection, if all steps together are wrong in one
        direction with probability ``miss``."""
        return 1 - 2 * miss / max(len(self.along.knots) - 1, 2).bit_length()

    def _find_passed(self, upward: bool, miss: float) -> int:
        """The last cut beyond which there are rows; too far with probability ``miss``."""
        level, last = self._level(miss), len(self.along.knots) - 1
        first = lowest(lambda n: self._beyond(n, upward) <= self._width(n, upward, level), last)
        return max(first - 1, 0)

    def _find_bare(self, upward: bool, miss: float) -> int:
        """The first cut beyond which there are none; not far enough with probability ``miss``."""
        level, last = self._level(miss), len(self.along.knots) - 1
        return lowest(lambda n: self._beyond(n, upward) + self._width(n, upward, level) < 1, last)

    def _beyond(self, steps: int, upward: bool) -> float:
        """The number of rows beyond a cut."""
        below = float(self.along.cumulative[self._knot(steps, upward)])
        return self.along.total - below if upward else below

    def _width(self, steps: int, upward: bool, confidence: float) -> float:
        """The possible error of the number of rows beyond a cut."""
        along, position = self.along, float(self.along.knots[self._knot(steps, upward)])
        below = along.share(position)
        weights = self._everything - below if upward else below
        noise = float(noise_width(along.estimate, along.spread(weights), confidence))
        return float(truth_width(noise, along.uneven_width(position, confidence, above=upward)))

    @cached_property
    def _everything(self) -> Floats:
        return np.asarray(self.along.share(self.along.axis.declared))
