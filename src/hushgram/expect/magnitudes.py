"""The margins to expect for sums and means, simulated like those of counts.

They depend only on the number of rows in a range, on how the mechanism measures it, and on how far
its mean is from the centre. Rows are generated evenly, so a range's share of the rows equals its
share of the domain, and all rows have the same value. That value is a public guess.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import median
from typing import Any

import numpy as np

from hushgram.answers.counting.question import Question
from hushgram.answers.tables.magnitudes import mean_measured, sum_measured
from hushgram.base.exact import format_number
from hushgram.declare.axis import Axis, Category, Floats, Integer
from hushgram.declare.domain import Domain
from hushgram.declare.measure import Sum
from hushgram.declare.unit import Neighbours, Unit
from hushgram.errors import NotAnswerable
from hushgram.expect.expected import coarser, fills_cells
from hushgram.expect.places import even
from hushgram.expect.questions import AskedBoxes
from hushgram.expect.simulated import SimulatedTable
from hushgram.mechanisms.base import Mechanism
from hushgram.mechanisms.measured import Measuring
from hushgram.release.release import Release
from hushgram.trusted.engine.remembered import Remembered
from hushgram.trusted.engine.table import MOST_ROWS
from hushgram.trusted.noise import Native
from hushgram.trusted.vault import TableVault


@dataclass(frozen=True)
class ExpectedMagnitude:
    """Half the width of the 95 % intervals of means and sums, by the share that a range covers."""

    epsilon: Fraction
    measure: Sum
    means: dict[str, float]
    sums: dict[str, float]

    def to_json(self) -> dict[str, Any]:
        return {
            "epsilon": format_number(self.epsilon),
            "measure": str(self.measure),
            "means": {size: float(f"{width:.3g}") for size, width in self.means.items()},
            "sums": {size: float(f"{width:.3g}") for size, width in self.sums.items()},
        }


def expect_magnitudes(
    mechanism: Mechanism,
    domain: Domain,
    rows: int,
    epsilons: Sequence[Fraction],
    measuring: Measuring,
    spread: float | None,
    unit: Unit,
    neighbours: Neighbours,
) -> Iterator[ExpectedMagnitude]:
    """Simulate the margins of each measure at each ε. ``spread`` is the distance of the means of
    ranges from the middle of the bounds, by default a quarter of the distance between the
    bounds."""
    if not measuring.measures:
        return
    stand_in, rng = coarser(domain, fills_cells(mechanism)), np.random.default_rng(0)
    table = SimulatedTable.generate(stand_in, min(rows, MOST_ROWS - 1), even, rng)
    asked = AskedBoxes.draw(table, rng).few()
    amounts = {one.amount: steps_of(one, spread) for one in measuring.measures}
    measured_table = Remembered(table.with_amounts(amounts))
    for epsilon in epsilons:
        vault = TableVault(
            measured_table, stand_in, epsilon, unit=unit, neighbours=neighbours, noise=Native()
        )
        counting = measuring.counting(vault)
        chosen, _ = measuring.settle(mechanism, counting)
        counts = chosen.estimate(counting)
        measured = measuring.measure(vault, counts)
        release = Release(
            counts, mechanism=chosen.name, parameters={}, epsilon=epsilon, unit=unit,
            neighbours=neighbours, measured=measured,
        )  # fmt: skip
        for one in measuring.measures:
            yield ExpectedMagnitude(epsilon, one, *margins(release, one, asked))


def steps_of(measure: Sum, spread: float | None) -> int:
    """Return the amount of every row, in steps."""
    amount = measure.amount
    apart = (amount.high - amount.low) / 4 if spread is None else spread / float(amount.step)
    return min(amount.middle + round(apart), amount.high)


def margins(
    release: Release, measure: Sum, asked: AskedBoxes
) -> tuple[dict[str, float], dict[str, float]]:
    """Return the margins of means and of sums for a typical range of each size."""
    amount, means, sums = measure.amount, [], []
    for start, stop in zip(asked.starts, asked.stops, strict=True):
        question = question_of(release.domain, start, stop)
        sums.append(sum_measured(release, measure.column, question).half_width)
        try:
            means.append(mean_measured(release, measure.column, question).half_width)
        except NotAnswerable:  # too few rows: the mean is anywhere between the bounds
            means.append(float(amount.step) * (amount.high - amount.low) / 2)
    each = len(sums) // len(asked.sizes)
    by_size = [
        {size: median(all_of[n * each :][:each]) for n, size in enumerate(asked.sizes)}
        for all_of in (means, sums)
    ]
    return by_size[0], by_size[1]


def question_of(domain: Domain, start: Floats, stop: Floats) -> Question:
    """Return the question about a box that is given in units of indices."""
    sides = zip(domain.items(), start, stop, strict=True)
    return {name: side_of(axis, first, last) for (name, axis), first, last in sides}


def side_of(axis: Axis, first: float, last: float) -> Any:
    if isinstance(axis, Category):
        return list(axis.values[round(first) : round(last)])
    scale = 1 if isinstance(axis, Integer) else axis.bins
    return float(first / scale), float(last / scale)
