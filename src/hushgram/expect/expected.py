"""Errors to expect for a table of a given size and shape, from generated tables of that kind.

Nothing private is read. Rows are generated in several ways, from evenly spread to concentrated at a
few places (`places`). The mechanism publishes each table, and its answers are compared with the
truth. If there would be too many cells to fill, neighbouring cells are joined.

Real tables differ from all of these, so the prediction is a range: from the tenth to the ninetieth
percentile of the mean errors on the generated tables, widened by a factor of `MARGIN` on both
sides. The generators, the percentiles and the margin were chosen with ``benchmarks/suggest.py`` on
one half of its tables, so that the range contains nine in ten of the mean errors there. The other
half confirms it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from hushgram.answers.counting.counts import counts_of
from hushgram.base.exact import format_number
from hushgram.base.progress import watch
from hushgram.declare.axis import Axis, Category, Floats, Integer, Interval
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Neighbours, Unit
from hushgram.errors import BadInput, DomainError
from hushgram.expect.places import SCATTERS, TYPICAL_SCATTERS
from hushgram.expect.questions import EACH, AskedBoxes
from hushgram.expect.simulated import SimulatedTable
from hushgram.mechanisms.base import Mechanism
from hushgram.mechanisms.measured import Measuring
from hushgram.trusted.engine.remembered import Remembered
from hushgram.trusted.noise import Native
from hushgram.trusted.vault import TableVault

CELLS = 1 << 17
"""The maximum number of cells of a generated table."""

RUNS = 2
"""Runs on each generated table."""

ENDS = (0.1, 0.9)
"""The quantiles over the generated tables at which a predicted range starts and ends."""

MARGIN = 2
"""The factor by which a range is widened on both sides, because real tables differ."""

MOST_ROWS = 10**15

COUNTS_ONLY = Measuring()

LowHigh = tuple[float, float]


@dataclass(frozen=True)
class Expected:
    """The range of mean errors, in rows, for each size of question at one ε."""

    epsilon: Fraction
    mechanisms: tuple[str, ...]
    """The mechanisms that were chosen, the most frequent first."""
    errors: dict[str, LowHigh]
    half_widths: dict[str, LowHigh]
    """Half the width of the 95 % intervals of the release."""
    joined: int = 1
    """The number of declared cells that were simulated as one; more than 1 if there are too many to
    fill."""

    def to_json(self) -> dict[str, Any]:
        return {
            "epsilon": format_number(self.epsilon),
            "mechanisms": list(self.mechanisms),
            "errors": round_ranges(self.errors),
            "half_widths": round_ranges(self.half_widths),
            "joined_cells": self.joined,
        }


def round_ranges(ranges: dict[str, LowHigh]) -> dict[str, list[float]]:
    return {name: [round(end, 2) for end in ends] for name, ends in ranges.items()}


class Outcome(NamedTuple):
    """The results on one table: means over the questions of each size."""

    mechanisms: list[str]
    """The mechanism that was chosen in each run."""
    errors: Floats
    half_widths: Floats | None
    """From the first run; None if intervals were not computed."""


def expect_errors(
    mechanism: Mechanism,
    domain: Domain,
    rows: int,
    epsilons: Sequence[Fraction],
    unit: Unit,
    neighbours: Neighbours,
    measuring: Measuring = COUNTS_ONLY,
) -> list[Expected]:
    """Simulate the errors of a mechanism at each ε. Measures get their share of it."""
    if not 0 <= rows <= MOST_ROWS:
        raise BadInput(f"The number of rows must be from 0 to 10^15. Found {rows:,}.")
    mechanism.check(domain)
    stand_in = coarser(domain, fills_cells(mechanism))
    tables = list(generated_tables(stand_in, rows))
    steps = list(product(epsilons, enumerate(tables)))
    outcomes: list[Outcome] = []
    with watch("simulating", lambda: len(outcomes) / len(steps)):
        for epsilon, (number, (table, asked)) in steps:
            vaults = [
                TableVault(
                    table, stand_in, epsilon, unit=unit, neighbours=neighbours, noise=Native()
                )
                for _ in range(RUNS)
            ]
            some = number % 2 == 0
            outcomes.append(simulate(mechanism, vaults, asked, measuring, intervals=some))
    joined = max(round(domain.cells / stand_in.cells), 1)
    many, sizes = len(tables), tables[0][1].sizes
    return [
        summarise(epsilon, sizes, outcomes[place * many : (place + 1) * many], joined)
        for place, epsilon in enumerate(epsilons)
    ]


def generated_tables(
    domain: Domain,
    rows: int,
    scatters: Sequence[str] = tuple(SCATTERS),
    shares: Mapping[str, float] | None = None,
    each: int = EACH,
) -> Iterator[tuple[Remembered, AskedBoxes]]:
    """Yield a table with this number of rows for each distribution, and the boxes to ask it
    about."""
    for number, (name, scatter) in enumerate({**SCATTERS, **TYPICAL_SCATTERS}.items()):
        if name in scatters:
            rng = np.random.default_rng(number)
            table = SimulatedTable.generate(domain, rows, scatter, rng)
            yield Remembered(table), AskedBoxes.draw(table, rng, shares, each)


def simulate(
    mechanism: Mechanism,
    vaults: Sequence[TableVault],
    asked: AskedBoxes,
    measuring: Measuring = COUNTS_ONLY,
    *,
    intervals: bool,
) -> Outcome:
    """Make a release from each vault and measure its errors. Intervals take as long as the release,
    so only some boxes of the first release get them."""
    names, errors, half_widths = [], [], None
    for vault in vaults:
        counting = measuring.counting(vault)
        chosen, _ = measuring.settle(mechanism, counting)
        counts = counts_of(chosen.estimate(counting))
        values = counts.of_boxes(asked.starts, asked.stops).values
        names.append(chosen.name)
        errors.append(asked.mean_by_size(np.abs(values - asked.truth)))
        if intervals and half_widths is None:
            few = asked.few()
            answers = counts.of_boxes(few.starts, few.stops)
            half_widths = few.mean_by_size((answers.upper - answers.lower) / 2)
    return Outcome(names, np.mean(errors, axis=0), half_widths)


def summarise(
    epsilon: Fraction, sizes: Sequence[str], outcomes: Sequence[Outcome], joined: int
) -> Expected:
    chosen = Counter(name for one in outcomes for name in one.mechanisms)
    half_widths = [one.half_widths for one in outcomes if one.half_widths is not None]
    return Expected(
        epsilon,
        tuple(name for name, _ in chosen.most_common()),
        predict_ranges(sizes, np.array([one.errors for one in outcomes])),
        predict_ranges(sizes, np.array(half_widths)),
        joined,
    )


def predict_ranges(sizes: Sequence[str], means: Floats) -> dict[str, LowHigh]:
    """Return the predicted range for each size, given the mean errors (tables x sizes)."""
    low, high = np.quantile(means, ENDS, axis=0)
    pairs = zip((low / MARGIN).tolist(), (high * MARGIN).tolist(), strict=True)
    return dict(zip(sizes, pairs, strict=True))


# Stand-ins --------------------------------------------------------------------------------


def fills_cells(mechanism: Mechanism) -> bool:
    """Return whether a mechanism measures all cells of a domain, and so refuses a plane of 2^40
    cells."""
    try:
        mechanism.check(Domain(x=Interval(0, 1), y=Interval(0, 1)))
    except DomainError:
        return True
    return False


def coarser(domain: Domain, all_cells: bool = True) -> Domain:
    """Return a similar domain with few enough cells to fill, without "other" values. If the
    mechanism chooses the parts itself, continuous axes keep their resolution.

    >>> plane = Domain(lon=Interval(-180, 180), lat=Interval(-90, 90))
    >>> coarser(plane).shape, coarser(plane, all_cells=False).shape
    ((256, 512), (1048576, 1048576))
    """
    axes = domain.axes
    sizes = [axis.bins for axis in axes]
    joined = [place for place, axis in enumerate(axes) if all_cells or not axis.continuous]
    while math.prod(sizes[place] for place in joined) > CELLS:
        longest = max(joined, key=sizes.__getitem__)
        sizes[longest] = -(-sizes[longest] // 2)
    return Domain(
        {name: like(axis, size) for (name, axis), size in zip(domain.items(), sizes, strict=True)}
    )


def like(axis: Axis, size: int) -> Axis:
    if axis.continuous:
        return Interval(0, 1, resolution=size)
    if axis.ordered:
        return Integer(0, size - 1)
    return Category(tuple(str(number) for number in range(size)))
