"""Find the smallest ε that achieves a given error, for boxes of one size.

`trials` predicts the error at an ε; this module searches for the ε at which the prediction meets
the target. Users who know how their rows are distributed can say so: then only generated tables of
that kind are used, and typical ones. A release of similar data, such as last year's, is best: the
tables that it could be of predict the error much better (`plausible`).
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
from hushgram.declare.unit import Neighbours, UnitOption, as_neighbours, as_unit
from hushgram.declare.workload import Workload
from hushgram.errors import BadInput
from hushgram.expect.expected import MOST_ROWS, coarser, fills_cells, generated_tables
from hushgram.expect.places import SCATTERS, TYPICAL_SCATTERS
from hushgram.expect.trials import BOXES, NEAR, Error, Trials, tables_like
from hushgram.mechanisms.base import Mechanism
from hushgram.mechanisms.measured import Measuring
from hushgram.mechanisms.registry import as_mechanism
from hushgram.release import Release

Kind = Literal["unknown", "even", "towns", "streets"]

KINDS: dict[str, tuple[str, ...]] = {
    "unknown": (*SCATTERS, *TYPICAL_SCATTERS),
    "even": ("even",),
    "towns": ("hills", "cascade", "steep_cascade", "addresses", *TYPICAL_SCATTERS),
    "streets": ("heaps", "roads", "streets", *TYPICAL_SCATTERS),
}
"""The generated tables for each kind of distribution."""

SMALLEST = 0.001
"""The smallest ε that is suggested; the search starts here."""

CLOSE = 0.05
"""The relative distance below the target at which the search ends, and closer simulation starts."""

STEPS = 12
"""The maximum number of budgets to try."""

CLOSER_ROUNDS = 3
"""The maximum number of rounds of closer simulation."""


@dataclass(frozen=True)
class LeastEpsilon:
    """The smallest ε that achieves an error, returned by `hushgram.least_epsilon`."""

    epsilon: Fraction
    error: float
    """The requested mean error, in rows."""
    at: str
    """The share of the domain that each box covers."""
    kind: str
    expected: Error
    """The typical mean error, and the error with the reserve."""
    rows: int
    """The number of rows of the table."""

    def to_json(self) -> dict[str, Any]:
        return {
            "epsilon": format_number(self.epsilon),
            "error": self.error,
            "at": self.at,
            "kind": self.kind,
            "rows": self.rows,
            "typical_error": round(self.expected.typical, 2),
            "error_with_reserve": round(self.expected.with_reserve, 2),
        }

    def __str__(self) -> str:
        return (
            f"Least epsilon: {format_number(self.epsilon)}, for a mean error of at most "
            f"{self.error:g} rows in boxes of {self.at}."
        )


def least_epsilon(
    rows: int | None = None,
    domain: Domain | Mapping[str, AxisOption] | None = None,
    *,
    error: float,
    at: str | float = "1%",
    kind: str = "unknown",
    like: Release | None = None,
    mechanism: str | Mechanism = "auto",
    unit: UnitOption = "rows",
    neighbours: Neighbours = "add-remove",
    workload: Workload | None = None,
    measures: Sequence[Measure] | Measure = (),
    share: Number | None = None,
) -> LeastEpsilon:
    """Find the smallest ε that achieves an error. No table is opened, and nothing is spent.

    Parameters
    ----------
    rows, domain
        As for `suggest`. With ``like``, those of the release unless ``rows`` is given.
    error
        The largest acceptable mean error, in rows, of counts of boxes.
    at
        The share of the domain that such a box covers, ``"1%"`` or 0.01; or ``"cell"``.
    kind
        How the rows are distributed: ``"even"``, ``"towns"``, ``"streets"`` (along lines and at
        round numbers), or ``"unknown"``.
    like
        A release of similar data with the same axes, such as last year's. The suggestion is then
        closer to what your table needs. It can also be a pilot: a release of the same table with a
        small ε, which you paid for.
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
    public = as_public(domain, like)
    many = as_rows(rows, like)
    target, covered, scatters = as_error(error), as_share(at), as_scatters(kind)
    recipe = as_mechanism(mechanism, workload)
    recipe.check(public)
    stand_in, shares = coarser(public, fills_cells(recipe)), {share_text(covered): covered}
    trials = Trials(
        recipe,
        Measuring.of(as_measures(measures), share),
        stand_in,
        as_unit(unit),
        as_neighbours(neighbours),
        list(generated_tables(stand_in, many, scatters, shares, BOXES)),
        () if like is None else list(tables_like(like, stand_in, many, shares)),
        math.inf if like is None else float(like.epsilon),
    )
    with watch("simulating"):
        epsilon = search(lambda one: trials.predict(one).with_reserve, target)
        expected = trials.predict(epsilon or float(LARGE))
        if epsilon is not None:
            epsilon, expected = settle(trials, epsilon, target)
    if epsilon is None or epsilon > LARGE:
        raise BadInput(
            f"No epsilon up to {LARGE} reaches a mean error of {target:g} rows for boxes of "
            f"{share_text(covered)}: at {LARGE} it may be {expected.with_reserve:,.3g}. Ask for a "
            "larger error, larger boxes, or fewer cells."
        )
    return LeastEpsilon(round_up(epsilon), target, share_text(covered), kind, expected, many)


def settle(trials: Trials, epsilon: float, target: float) -> tuple[float, Error]:
    """Return the smallest ε, starting from an approximate one, and the errors there."""
    for _ in range(CLOSER_ROUNDS):
        expected, slope = trials.predict_closely(epsilon)
        step = (target / expected.with_reserve) ** (1 / slope)
        found = max(epsilon * step, SMALLEST)
        errors = Error(*(error * (found / epsilon) ** slope for error in expected))
        if found == epsilon or min(NEAR) <= step <= max(NEAR):
            break
        epsilon = min(found, float(LARGE))
    return found, errors


def search(error_at: Any, target: float) -> float | None:
    """Return the smallest ε whose error meets the target, within `CLOSE`; None if there is none.
    Uses the rule of false position on logarithmic scales, because errors fall roughly as a power of
    ε.

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
        if step % 3 == 2:  # bisection is faster where the curve bends
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
    """Round up to three significant digits.

    >>> round_up(0.12345), round_up(2.0), round_up(9.999)
    (Fraction(31, 250), Fraction(2, 1), Fraction(10, 1))
    """
    unit = Fraction(10) ** (math.floor(math.log10(epsilon)) - 2)
    return math.ceil(round(epsilon / float(unit), 6)) * unit


def as_public(domain: Domain | Mapping[str, AxisOption] | None, like: Release | None) -> Domain:
    """Return the declared axes, or those of the release."""
    if domain is None and like is None:
        raise BadInput("Declare the axes, or give a release of similar data: like=RELEASE.")
    if like is None:
        return as_domain(cast(Any, domain))
    if not isinstance(like, Release):
        raise BadInput(
            f"like must be a release. Found {short_repr(like)}. Open one with hushgram.load(PATH)."
        )
    if domain is not None and as_domain(domain) != like.domain:
        raise BadInput(
            "The axes differ from those of the release given as like. Leave them out, or declare "
            f"the same: {', '.join(like.domain)}."
        )
    return like.domain


def as_domain(domain: Domain | Mapping[str, AxisOption]) -> Domain:
    return domain if isinstance(domain, Domain) else Domain(domain)


def as_rows(rows: object, like: Release | None) -> int:
    """Return the number of rows: as given, or as counted by the release."""
    if rows is None and like is not None:
        return max(round(like.count().value), 0)
    whole = isinstance(rows, int | np.integer) and not isinstance(rows, bool)
    if not whole or not 0 <= cast(int, rows) <= MOST_ROWS:
        raise BadInput(
            "rows must be a whole number from 0 to 10^15: the approximate size of the table. Found "
            f"{short_repr(rows)}."
        )
    return int(cast(int, rows))


def as_scatters(kind: str) -> tuple[str, ...]:
    if kind not in KINDS:
        raise BadInput(
            f"Unknown kind of rows {short_repr(kind)}.{did_you_mean(kind, KINDS)} "
            f"Known: {', '.join(KINDS)}."
        )
    return KINDS[kind]


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
