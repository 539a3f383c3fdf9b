"""What a table of some size and shape can expect, before it is opened: errors on generated data.

Nothing private is read. Rows are drawn from patterns that data often have, in the declared cells or
in fine slices of continuous axes; where there would be too many cells, neighbours are joined.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from hushgram.base.exact import format_number
from hushgram.base.progress import watch
from hushgram.declare.axis import Axis, Category, Floats, Integer, Interval
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Neighbours, Unit
from hushgram.errors import BadInput
from hushgram.geometry.partition import Ints
from hushgram.mechanisms.base import Mechanism
from hushgram.mechanisms.estimate import Estimate
from hushgram.suggest.patterns import (
    Pattern,
    Shape,
    gaussians,
    normal,
    spiky,
    towns,
    zipf,
)
from hushgram.suggest.questions import random_boxes, sums
from hushgram.trusted.engine.remembered import Remembered
from hushgram.trusted.engine.sources.counted import Counts, StandIn
from hushgram.trusted.noise import Native
from hushgram.trusted.vault import TableVault

CELLS = 1 << 17
"""Cells of generated data, at the most."""

RUNS = 3
"""Runs on each pattern."""

MOST_ROWS = 10**15


@dataclass(frozen=True)
class Expected:
    """The mean error of each kind of question, in rows, at one ε: the least and the largest over
    the patterns."""

    epsilon: Fraction
    mechanisms: tuple[str, ...]
    """Those that were chosen, the most frequent first."""
    errors: dict[str, tuple[float, float]]

    def to_json(self) -> dict[str, Any]:
        errors = {name: [round(end, 2) for end in ends] for name, ends in self.errors.items()}
        return {
            "epsilon": format_number(self.epsilon),
            "mechanisms": list(self.mechanisms),
            "errors": errors,
        }


def expect_errors(
    mechanism: Mechanism,
    domain: Domain,
    rows: int,
    epsilons: Sequence[Fraction],
    unit: Unit,
    neighbours: Neighbours,
) -> list[Expected]:
    """What to expect of a mechanism at each ε."""
    if not 0 <= rows <= MOST_ROWS:
        raise BadInput(f"a table has 0 to 10^15 rows, not {rows:,}.")
    mechanism.check(domain)
    stand_in = coarser(domain)
    tables = list(surrogates(stand_in, rows))
    steps = list(product(epsilons, tables, range(RUNS)))
    found: list[tuple[str, dict[str, float]]] = []
    with watch("simulating", lambda: len(found) / len(steps)):
        for epsilon, counts, _ in steps:
            vault = TableVault(
                Remembered(StandIn(Counts(counts))),
                stand_in,
                epsilon,
                unit=unit,
                neighbours=neighbours,
                noise=Native(),
            )
            found.append(outcome(mechanism, vault, counts))
    each = len(tables) * RUNS
    return [
        together(epsilon, found[place * each : (place + 1) * each])
        for place, epsilon in enumerate(epsilons)
    ]


def together(epsilon: Fraction, found: Sequence[tuple[str, dict[str, float]]]) -> Expected:
    chosen = Counter(name for name, _ in found)
    patterns = [found[k : k + RUNS] for k in range(0, len(found), RUNS)]
    errors = {}
    for question in found[0][1]:
        means = [float(np.mean([run[question] for _, run in runs])) for runs in patterns]
        errors[question] = min(means), max(means)
    return Expected(epsilon, tuple(name for name, _ in chosen.most_common()), errors)


def outcome(mechanism: Mechanism, vault: TableVault, counts: Ints) -> tuple[str, dict[str, float]]:
    """The mechanism that was run, and its mean error on each kind of question."""
    chosen, _ = mechanism.settle(vault)
    cells = cells_of(chosen.estimate(vault), counts.shape)
    shares = question_shares(vault.domain)
    sides = {name: side_of(counts.shape, share) for name, share in shares.items()}
    starts, stops, labels = random_boxes(counts.shape, np.random.default_rng(20), sides)
    errors = np.abs(sums(cells - counts, starts, stops)).reshape(len(sides), -1).mean(axis=1)
    return chosen.name, dict(zip(dict.fromkeys(labels), errors.tolist(), strict=True))


def question_shares(domain: Domain) -> dict[str, float]:
    """Kinds of questions, and which share of the domain they cover."""
    smallest = {"0.01 %": 1e-4} if domain.continuous else {"a cell": 0.0}
    shares = {**smallest, "1 %": 0.01, "10 %": 0.1, "half": 0.5, "all": 1.0}
    least = 1 / domain.cells
    return {name: share for name, share in shares.items() if share == 0 or share >= least}


def side_of(shape: Shape, share: float) -> Ints:
    """Cells per side of a box that covers such a share."""
    sides = np.rint(np.array(shape) * share ** (1 / len(shape)))
    return np.asarray(np.maximum(sides, 1), dtype=np.int64)


def cells_of(estimate: Estimate, shape: Shape) -> Floats:
    """The value of every cell: its part's, shared evenly."""
    indices = np.indices(shape).reshape(len(shape), -1)
    parts = estimate.partition.parts(list(indices))
    found = (estimate.values / np.bincount(parts, minlength=estimate.partition.size))[parts]
    return np.asarray(found, dtype=np.float64).reshape(shape)


# Stand-ins --------------------------------------------------------------------------------


def coarser(domain: Domain) -> Domain:
    """A domain like this one whose cells can all be filled; "other" values are left out.

    >>> coarser(Domain(lon=Interval(-180, 180), lat=Interval(-90, 90))).shape
    (256, 512)
    """
    sizes = [axis.bins for axis in domain.axes]
    while math.prod(sizes) > CELLS:
        longest = max(range(len(sizes)), key=sizes.__getitem__)
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


def surrogates(domain: Domain, rows: int) -> Iterator[Ints]:
    """Tables of so many rows, one for each pattern."""
    patterns: list[Pattern] = [gaussians, zipf, towns if len(domain) == 2 else spiky]
    for number, pattern in enumerate(patterns):
        rng = np.random.default_rng(number)
        shares = normal(pattern(domain.shape, rng)).reshape(-1)
        yield rng.multinomial(rows, shares).reshape(domain.shape)
