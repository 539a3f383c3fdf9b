"""What a table of some size and shape can expect, before it is opened: errors on generated tables.

Nothing private is read. Rows are generated in several ways, from evenly spread to heaped at few
places (`places`); the mechanism publishes each table, and its answers are compared with the truth.
Where there would be too many cells to fill, neighbours are joined.

A real table is none of these. What is predicted is a range: from the tenth to the ninetieth
percentile of the mean errors on the generated tables, divided and multiplied by `MARGIN`. The ways
to generate, the percentiles and the margin were chosen with ``benchmarks/suggest.py`` on one half
of its tables, so that nine in ten of the mean errors seen there lie inside; the other half confirms
it.
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
from hushgram.expect.places import SCATTERS
from hushgram.expect.questions import EACH, AskedBoxes
from hushgram.expect.simulated import SimulatedTable
from hushgram.mechanisms.base import Mechanism
from hushgram.mechanisms.measured import Measuring
from hushgram.trusted.engine.remembered import Remembered
from hushgram.trusted.noise import Native
from hushgram.trusted.vault import TableVault

CELLS = 1 << 17
"""The maximum number of cells of a generated table that are filled."""

RUNS = 2
"""Runs on each generated table."""

ENDS = (0.1, 0.9)
"""The quantiles over the generated tables at which a range starts and ends."""

MARGIN = 2
"""How much farther a range reaches on both sides: real tables are like none of the generated."""

MOST_ROWS = 10**15

COUNTS_ALONE = Measuring()

LowHigh = tuple[float, float]


@dataclass(frozen=True)
class Expected:
    """The mean error of each kind of question, in rows, at one ε, from low to high."""

    epsilon: Fraction
    mechanisms: tuple[str, ...]
    """Those that were chosen, the most frequent first."""
    errors: dict[str, LowHigh]
    half_widths: dict[str, LowHigh]
    """Half the width of the 95 % intervals that the release will state."""
    joined: int = 1
    """How many declared cells were simulated as one, since there are too many to fill."""

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
    """What was seen on one table: means over the questions of each size."""

    mechanisms: list[str]
    """Which one was chosen in each run."""
    errors: Floats
    half_widths: Floats | None
    """Those of the first run, unless they were not asked for."""


def expect_errors(
    mechanism: Mechanism,
    domain: Domain,
    rows: int,
    epsilons: Sequence[Fraction],
    unit: Unit,
    neighbours: Neighbours,
    measuring: Measuring = COUNTS_ALONE,
) -> list[Expected]:
    """What to expect of a mechanism at each ε, of which measures get their share."""
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
    """A table of that many rows for each way that they can lie, and what it is asked."""
    for number, (name, scatter) in enumerate(SCATTERS.items()):
        if name in scatters:
            rng = np.random.default_rng(number)
            table = SimulatedTable.generate(domain, rows, scatter, rng)
            yield Remembered(table), AskedBoxes.draw(table, rng, shares, each)


def simulate(
    mechanism: Mechanism,
    vaults: Sequence[TableVault],
    asked: AskedBoxes,
    measuring: Measuring = COUNTS_ALONE,
    *,
    intervals: bool,
) -> Outcome:
    """A release from each vault, and how far off they are. Intervals take as long as the release:
    some of the first one's must do."""
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
    """From the means of each table (tables x sizes) to a range for each size."""
    low, high = np.quantile(means, ENDS, axis=0)
    pairs = zip((low / MARGIN).tolist(), (high * MARGIN).tolist(), strict=True)
    return dict(zip(sizes, pairs, strict=True))


# Stand-ins --------------------------------------------------------------------------------


def fills_cells(mechanism: Mechanism) -> bool:
    """Whether it measures all cells of a domain, so that it refuses a plane of 2^40 cells."""
    try:
        mechanism.check(Domain(x=Interval(0, 1), y=Interval(0, 1)))
    except DomainError:
        return True
    return False


def coarser(domain: Domain, all_cells: bool = True) -> Domain:
    """A domain like this one whose cells can all be filled; "other" values are left out. Where a
    mechanism chooses the parts itself, continuous axes stay as fine as they are.

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
