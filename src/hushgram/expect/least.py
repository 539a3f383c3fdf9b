"""The other way round: the least ε that reaches an error, for boxes of one size.

Generated tables are published at several ε until the error is what was asked for. A real table is
like none of them, so there is a reserve: the error is `RESERVE` times the 90th percentile over the
generated tables. With that, ``benchmarks/least_epsilon.py`` finds the error within its target in
nine of ten settings, on tables that the reserve was not chosen on. Who knows how the rows lie says
so, and fewer tables are compared.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, cast

import numpy as np

from hushgram.base.exact import Number, format_number, short_repr
from hushgram.base.progress import watch
from hushgram.base.text import did_you_mean
from hushgram.declare.domain import AxisOption, Domain
from hushgram.declare.epsilon import LARGE
from hushgram.declare.measure import Measure, as_measures
from hushgram.declare.unit import Neighbours, Unit, UnitOption, as_neighbours, as_unit
from hushgram.declare.workload import Workload
from hushgram.errors import BadInput
from hushgram.expect.expected import MOST_ROWS, coarser, fills_cells, simulate
from hushgram.expect.places import SCATTERS
from hushgram.expect.questions import AskedBoxes, draw_boxes, rows_in
from hushgram.expect.simulated import SimulatedTable
from hushgram.mechanisms.base import Mechanism
from hushgram.mechanisms.measured import Measuring
from hushgram.mechanisms.registry import as_mechanism
from hushgram.trusted.engine.remembered import Remembered
from hushgram.trusted.noise import Native
from hushgram.trusted.vault import TableVault

Kind = Literal["unknown", "even", "towns", "streets"]

KINDS: dict[str, tuple[str, ...]] = {
    "unknown": tuple(SCATTERS),
    "even": ("even",),
    "towns": ("hills", "cascade", "steep_cascade", "addresses"),
    "streets": ("heaps", "roads", "streets"),
}
"""How rows can lie, and the generated tables that are like it."""

QUANTILE = 0.9
"""Over the generated tables."""

RESERVE = 1.4
"""How many times as large errors are taken to be."""

SMALLEST = 0.001
"""The least ε that is suggested, and where the search begins."""

CLOSE = 0.05
"""How far below the target an error may stay."""

STEPS = 12
"""Budgets that are tried, at the most."""


@dataclass(frozen=True)
class LeastEpsilon:
    """The least ε that reaches an error: made by `hushgram.least_epsilon`."""

    epsilon: Fraction
    error: float
    """The mean error that was asked for, in rows."""
    at: str
    """Which share of the domain boxes cover."""
    kind: str
    expected: tuple[float, float]
    """The mean error on a typical generated table, and with the reserve."""

    def to_json(self) -> dict[str, Any]:
        return {
            "epsilon": format_number(self.epsilon),
            "error": self.error,
            "at": self.at,
            "kind": self.kind,
            "typical_error": round(self.expected[0], 2),
            "error_with_reserve": round(self.expected[1], 2),
        }

    def __str__(self) -> str:
        return (
            f"Least epsilon: {format_number(self.epsilon)}, for a mean error of at most "
            f"{self.error:g} rows in boxes of {self.at}."
        )


def least_epsilon(
    rows: int,
    domain: Domain | Mapping[str, AxisOption],
    *,
    error: float,
    at: str | float = "1%",
    kind: str = "unknown",
    mechanism: str | Mechanism = "auto",
    unit: UnitOption = "rows",
    neighbours: Neighbours = "add-remove",
    workload: Workload | None = None,
    measures: Sequence[Measure] | Measure = (),
    share: Number | None = None,
) -> LeastEpsilon:
    """The least ε that reaches an error. Nothing is opened, and nothing is spent.

    Parameters
    ----------
    rows, domain
        As for `suggest`.
    error
        The mean error, in rows, that counts of boxes may have.
    at
        Which share of the domain such a box covers, ``"1%"`` or 0.01; or ``"cell"``.
    kind
        How the rows lie: ``"even"``, ``"towns"``, ``"streets"`` (along lines and at round numbers),
        or ``"unknown"``.
    mechanism, unit, neighbours, workload, measures, share
        As for `publish`.

    Examples
    --------
    >>> import hushgram as hg
    >>> found = hg.least_epsilon(5_000, {"sex": hg.Category(["F", "M"])}, error=10, at="cell",
    ...                          mechanism="identity", kind="even")
    >>> 0.05 < found.epsilon < 0.5
    True
    """
    if (
        isinstance(rows, bool)
        or not isinstance(rows, int | np.integer)
        or not (0 <= rows <= MOST_ROWS)
    ):
        raise BadInput(
            f"rows must be a whole number from 0 to 10^15: about how many the table has. Found "
            f"{short_repr(rows)}."
        )
    target, covered = as_error(error), as_share(at)
    if kind not in KINDS:
        raise BadInput(
            f"Unknown kind of rows {short_repr(kind)}.{did_you_mean(kind, KINDS)} "
            f"Known: {', '.join(KINDS)}."
        )
    public = domain if isinstance(domain, Domain) else Domain(domain)
    recipe = as_mechanism(mechanism, workload)
    recipe.check(public)
    measuring = Measuring.of(as_measures(measures), share)
    trials = GeneratedTrials.prepare(
        recipe, measuring, public, int(rows), covered, KINDS[kind], as_unit(unit),
        as_neighbours(neighbours),
    )  # fmt: skip
    with watch("simulating"):
        epsilon = search(trials.error_at, target)
    if epsilon is None:
        most = trials.error_at(float(LARGE))
        raise BadInput(
            f"No epsilon up to {LARGE} reaches a mean error of {target:g} rows for boxes of "
            f"{share_text(covered)}: at {LARGE} it may be {most:,.3g}. Ask for a "
            "larger error, larger boxes, or fewer cells."
        )
    rounded = round_up(epsilon)
    typical, reserved = trials.describe(epsilon)
    return LeastEpsilon(rounded, target, share_text(covered), kind, (typical, reserved))


@dataclass(frozen=True, eq=False)
class GeneratedTrials:
    """Generated tables, what they are asked, and the errors that were found."""

    mechanism: Mechanism
    measuring: Measuring
    domain: Domain
    tables: Sequence[tuple[Remembered, AskedBoxes]]
    unit: Unit
    neighbours: Neighbours
    found: dict[float, Any]

    @classmethod
    def prepare(
        cls, mechanism: Mechanism, measuring: Measuring, domain: Domain, rows: int, share: float,
        scatters: Sequence[str], unit: Unit, neighbours: Neighbours,
    ) -> GeneratedTrials:  # fmt: skip
        stand_in = coarser(domain, fills_cells(mechanism))
        tables = []
        for number, name in enumerate(SCATTERS):
            if name not in scatters:
                continue
            rng = np.random.default_rng(number)
            table = SimulatedTable.generate(stand_in, rows, SCATTERS[name], rng)
            starts, stops = draw_boxes(table, share, rng)
            asked = AskedBoxes((share_text(share),), starts, stops, rows_in(table, starts, stops))
            tables.append((Remembered(table), asked))
        return cls(mechanism, measuring, stand_in, tables, unit, neighbours, {})

    def error_at(self, epsilon: float) -> float:
        """What the mean error may be at an ε."""
        return self.describe(epsilon)[1]

    def describe(self, epsilon: float) -> tuple[float, float]:
        """The mean error on a typical table, and what it may be."""
        if epsilon not in self.found:
            self.found[epsilon] = [
                self._error(table, asked, epsilon) for table, asked in self.tables
            ]
        errors = self.found[epsilon]
        return float(np.median(errors)), float(RESERVE * np.quantile(errors, QUANTILE))

    def _error(self, table: Remembered, asked: AskedBoxes, epsilon: float) -> float:
        vaults = [
            TableVault(
                table, self.domain, Fraction(epsilon).limit_denominator(10**6), unit=self.unit,
                neighbours=self.neighbours, noise=Native(),
            )
            for _ in range(2)
        ]  # fmt: skip
        found = simulate(self.mechanism, vaults, asked, self.measuring, intervals=False)
        return float(found.errors[0])


def search(error_at: Any, target: float) -> float | None:
    """The least ε whose error is within the target, and hardly below it: by the rule of false
    position, on logarithmic scales, since errors fall about as a power of ε.

    >>> round(search(lambda epsilon: 2 / epsilon, 20), 3)
    0.1
    """
    low, high = SMALLEST, float(LARGE)
    if error_at(low) <= target:
        return low
    if error_at(high) > target:
        return None
    for step in range(STEPS):
        above, below = (math.log(max(error_at(end), 1e-9) / target) for end in (low, high))
        share = above / (above - below) if above > below else 0.5
        if step % 3 == 2:  # where the curve bends, halves are quicker
            share = 0.5
        middle = low * (high / low) ** min(max(share, 0.05), 0.95)
        error = error_at(middle)
        if error <= target:
            high = middle
            if error > (1 - CLOSE) * target:
                break
        else:
            low = middle
        if high / low < 1 + CLOSE / 2:
            break
    return high


def round_up(epsilon: float) -> Fraction:
    """Two digits, upwards.

    >>> round_up(0.12345), round_up(2.0), round_up(9.99)
    (Fraction(13, 100), Fraction(2, 1), Fraction(10, 1))
    """
    unit = Fraction(10) ** (math.floor(math.log10(epsilon)) - 1)
    return math.ceil(round(epsilon / float(unit), 6)) * unit


def as_error(error: object) -> float:
    number = isinstance(error, int | float | np.number) and not isinstance(error, bool)
    if not number or not 0 < cast(float, error) < math.inf:
        raise BadInput(f"error must be a number of rows above 0. Found {short_repr(error)}.")
    return float(cast(float, error))


def as_share(at: object) -> float:
    """
    >>> as_share("1%"), as_share("0.5 %"), as_share(0.1), as_share("cell")
    (0.01, 0.005, 0.1, 0.0)
    """
    if at == "cell":
        return 0.0
    share: object = at
    if isinstance(at, str):
        text = at.strip()
        try:
            share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
        except ValueError:
            share = None
    number = isinstance(share, int | float) and not isinstance(share, bool)
    if not number or not 0 < cast(float, share) <= 1:
        raise BadInput(
            f"at is the share of the domain that a box covers: 1%, 0.01 or cell. Found "
            f"{short_repr(at)}."
        )
    return float(cast(float, share))


def share_text(share: float) -> str:
    return "one cell" if share == 0 else f"{100 * share:g} %"
