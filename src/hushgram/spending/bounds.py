"""Find the bounds of a column that are not known in advance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from hushgram.base.exact import Number
from hushgram.declare.axis import (
    Axis,
    Date,
    Floats,
    Integer,
    Interval,
    Regular,
    Variable,
    axis_from_json,
)
from hushgram.declare.axis.base import MAX_BINS
from hushgram.declare.domain import Domain
from hushgram.declare.source import Source
from hushgram.declare.unit import Neighbours, UnitOption
from hushgram.errors import BadInput, NothingFound, SourceError
from hushgram.geometry.partition import Grid
from hushgram.mechanisms.inference.covering import covering_run, narrowest_run
from hushgram.queries import PartCounts, Vault
from hushgram.spending.answer import AnswerTask
from hushgram.spending.charge import Spending
from hushgram.spending.task import charge_and_run

if TYPE_CHECKING:
    from hushgram.trusted.engine.table import Table
    from hushgram.trusted.ledger import Ledger
    from hushgram.trusted.vault.budget_pool import BudgetPool

COARSE = Fraction(1, 3)
"""The share of epsilon for the first count. Its bins are wide and hold many rows. The second count
gets more, because noise hides rows at the ends."""

FINE = 128
"""Bins of the second count. More bins would give narrower bounds for large tables, but lose more
rows at the ends of small ones."""

Kind = Literal["interval", "integer", "date"]

CHANCE = 0.001
"""The probability that bounds include empty bins at the ends, for both counts together."""


def find_bounds(
    source: Source,
    column: str,
    *,
    epsilon: Number,
    account: str | None = None,
    kind: Kind = "interval",
    coverage: float = 1,
    unit: UnitOption = "rows",
    neighbours: Neighbours = "add-remove",
    ledger: Ledger | None = None,
    noise: str = "native",
    request: str | None = None,
    cap: Number | None = None,
    allow_large: bool = False,
) -> Interval | Integer | Date:
    """Find bounds that contain nearly all values of a column, for part of the budget.

    Bounds must be public. If you know them from a code book or from common sense, declare them
    instead: that costs nothing. This function finds bounds from noisy counts. A third of epsilon is
    spent on counting the column over powers of two. The range of bins with more rows than noise can
    explain is split into 128 equal bins, and the rest of epsilon is spent on counting those, to
    narrow down the range. With a probability of 99.9 %, the bounds include no empty bins at the
    ends.

    A few extreme rows are missed, which is unavoidable: about ``20 / epsilon`` rows at either end
    can be lost. With ``1000 / epsilon`` rows in total, that is one or two in a hundred.

    Parameters
    ----------
    source
        As for `hushgram.publish`.
    column
        A column of numbers, or of days or times.
    kind
        The kind of axis: ``"interval"`` (real numbers), ``"integer"`` or ``"date"`` (days).
        Numbers smaller than 2^-64 are treated as zero, and those beyond 2^64 are ignored (integers:
        beyond 2^52; days: outside the years 1000 to 2999).
    coverage
        The share of the rows that the bounds should contain, at least 0.5. Less than 1 gives
        narrower bounds if a few values are far above the others, such as incomes.
    epsilon, account, unit, neighbours, ledger, noise, request, cap, allow_large
        As for `hushgram.publish`. This call costs as much as a release with the same epsilon.

    Returns
    -------
    Interval, Integer or Date
        An axis to use in a domain. Integers that span more than 2^26 give an `Interval`, because
        an axis cannot have more bins.

    Raises
    ------
    NothingFound
        If no bin has more rows than noise can explain. The epsilon is spent nevertheless.

    References
    ----------
    Bounds from counts in exponential buckets: Wilson et al., *Differentially private SQL with
    bounded user contribution*, PoPETs 2020.

    Examples
    --------
    >>> import hushgram as hg
    >>> import pyarrow as pa
    >>> years = pa.table({"year": [1990 + n % 31 for n in range(5000)]})
    >>> book = hg.Ledger.in_memory()
    >>> axis = hg.find_bounds(years, "year", epsilon=1, account="films", ledger=book)
    >>> axis.lo < 1993 and axis.hi > 2018
    True
    """
    spending = Spending.of(
        epsilon=epsilon,
        unit=unit,
        neighbours=neighbours,
        account=account,
        ledger=ledger,
        noise=noise,
        request=request,
        cap=cap,
        allow_large=allow_large,
    )
    task = bounds_task(source, column, kind, check_coverage(coverage), spending)
    found = charge_and_run(source, task, spending)
    if found is None:
        raise NothingFound(
            f"Found no bounds for column {column!r}: there are too few rows for this "
            f"epsilon, or the values are not of kind {kind!r}. The epsilon was spent. "
            "Declare bounds that you know, or try again with a larger epsilon."
        )
    axis = axis_from_json(found)
    assert isinstance(axis, Interval | Integer | Date)
    return axis


def bounds_task(
    source: Source, column: str, kind: Kind, coverage: float, spending: Spending
) -> AnswerTask:
    """Return the task that searches for bounds."""
    from hushgram.trusted.engine.sources.source import open_table

    ladder = ladder_for(kind)
    if isinstance(getattr(source, "domain", None), Domain):
        raise SourceError("Counts already have bounds, so there is nothing to find.")

    def find(table: Table, budget: BudgetPool) -> dict[str, Any] | None:
        def open_vault(axis: Axis, part: Fraction) -> Vault:
            return budget.open_vault(table, Domain({column: axis}), part)

        axis = search(open_vault, spending.epsilon, ladder, coverage)
        return None if axis is None else axis.to_json()

    asked = {"answer": "bounds", "column": column, "kind": kind, "coverage": coverage}
    return AnswerTask(open_table(source), Domain({column: ladder.coarse}), spending, asked, find)


@dataclass(frozen=True)
class Ladder:
    """How to search for values of one kind, from coarse to fine."""

    coarse: Axis
    """Bins for all possible values."""

    fine: Callable[[Any, Any], Axis]
    """Equal bins between two edges of the coarse axis."""

    found: Callable[[Any, Any], Axis]
    """The axis to return, between two edges."""

    edges: Callable[[Any, Any], tuple[Any, Any]] = lambda lo, hi: (lo, hi)
    """The edges between which to continue, given those found on the coarse axis."""


def powers(first: int, last: int) -> Variable:
    """Return edges at 0 and at the powers of two with these exponents, positive and negative."""
    sizes = [2.0**exponent for exponent in range(first, last + 1)]
    return Variable((*(-size for size in reversed(sizes)), 0.0, *sizes))


def towards_zero(lo: float, hi: float) -> tuple[float, float]:
    """Extend bounds that start near zero to zero, where bins at powers of two are so narrow that
    hardly any row falls into one.

    >>> towards_zero(16, 128), towards_zero(1024, 2048), towards_zero(-8, -1)
    ((0.0, 128), (1024, 2048), (-8, 0.0))
    """
    if 0 < 4 * lo <= hi:
        return 0.0, hi
    return (lo, 0.0) if lo <= 4 * hi < 0 else (lo, hi)


def whole_bins(lo: float, hi: float) -> Variable:
    """Return about `FINE` bins with the same number of whole numbers each."""
    step = ceil((hi - lo) / FINE)
    return Variable((*range(int(lo), int(hi), step), hi))


def whole_numbers(lo: float, hi: float) -> Integer | Interval:
    """Return an axis of whole numbers from ``lo`` to below ``hi``; an interval if there are too
    many for bins."""
    return Integer(int(lo), int(hi) - 1) if hi - lo <= MAX_BINS else Interval(lo, hi)


def day_bins(start: datetime, stop: datetime) -> Date:
    days = (stop - start).days
    return Date(start, stop - timedelta(days=1), f"{ceil(days / FINE)}d")


def days(start: datetime, stop: datetime) -> Date:
    return Date(start, stop - timedelta(days=1), "1d")


LADDERS = {
    "interval": Ladder(
        powers(-64, 64), lambda lo, hi: Regular(FINE, lo, hi), Interval, towards_zero
    ),
    "integer": Ladder(powers(0, 52), whole_bins, whole_numbers, towards_zero),
    "date": Ladder(Date(datetime(1000, 1, 1), datetime(2999, 12, 31), "1y"), day_bins, days),
}


def search(
    open_vault: Callable[[Axis, Fraction], Vault],
    epsilon: Fraction,
    ladder: Ladder,
    coverage: float,
) -> Axis | None:
    """Count coarse bins, then fine bins where rows were found. Each step may leave out half of the
    rows that may be left out."""
    share = (1 + coverage) / 2
    coarse = covered_range(open_vault(ladder.coarse, epsilon * COARSE), share, reach=False)
    if coarse is None:
        return None
    between = ladder.edges(*coarse)
    rest = epsilon - epsilon * COARSE
    fine = covered_range(open_vault(ladder.fine(*between), rest), share, reach=True)
    return ladder.found(*(fine or between))


def covered_range(vault: Vault, coverage: float, *, reach: bool) -> tuple[Any, Any] | None:
    """Return the edges between which a noisy count of all bins finds rows."""
    counts = vault.ask(PartCounts(Grid.of_cells(vault.domain), vault.epsilon))
    run = covering_run(counts, CHANCE / 2, reach=reach)
    if run is None:
        return None
    (axis,) = vault.domain.axes
    if coverage < 1:
        run = narrowest_run(counts, run, widths(axis), coverage)
    return axis.edge(run.start), axis.edge(run.stop)


def widths(axis: Axis) -> Floats:
    edges = [axis.edge(index) for index in range(axis.bins + 1)]
    if isinstance(axis, Date):
        edges = [edge.toordinal() for edge in edges]
    return np.diff(np.array(edges, dtype=np.float64))


def ladder_for(kind: object) -> Ladder:
    if not isinstance(kind, str) or kind not in LADDERS:
        raise BadInput(f"Unknown kind of bounds {kind!r}. Use one of {', '.join(LADDERS)}.")
    return LADDERS[kind]


def check_coverage(coverage: Any) -> float:
    number = isinstance(coverage, int | float | np.number) and not isinstance(coverage, bool)
    if not number or not 0.5 <= coverage <= 1:
        raise BadInput(f"coverage must be a number from 0.5 to 1. Found {coverage!r}.")
    return float(coverage)
