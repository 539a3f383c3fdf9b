"""The median of a column, for one charge and without a histogram."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING

from hushgram.base.exact import Number
from hushgram.declare.axis import Axis, Date, Integer
from hushgram.declare.domain import AxisOption, Domain
from hushgram.declare.source import Source
from hushgram.declare.unit import Neighbours, UnitOption
from hushgram.queries import SmoothMedian
from hushgram.spending.answer import AnswerTask
from hushgram.spending.charge import Spending
from hushgram.spending.publish import as_domain
from hushgram.spending.task import charge_and_run

if TYPE_CHECKING:
    from hushgram.trusted.engine.table import Table
    from hushgram.trusted.ledger import Ledger
    from hushgram.trusted.vault.budget_pool import BudgetPool

Value = int | float | date
"""A number, a day or a time on the axis."""

Stored = int | float | str
"""The same as JSON, with days and times as text."""


def smooth_median(
    source: Source,
    axis: Domain | Mapping[str, AxisOption] | None = None,
    *,
    epsilon: Number,
    account: str | None = None,
    unit: UnitOption = "rows",
    neighbours: Neighbours = "add-remove",
    ledger: Ledger | None = None,
    noise: str = "native",
    request: str | None = None,
    cap: Number | None = None,
    allow_large: bool = False,
) -> Value:
    """Compute the noisy median of one column, with as little noise as the rows around it allow.

    If many rows are close to the median, one more can hardly move it, and the noise is small: far
    below one if many rows share a whole number. If the median is in a gap, the noise is large.
    The size of the noise would reveal something about the table, so the median comes without a
    variance or an error bar.

    Parameters
    ----------
    source
        As for `hushgram.publish`.
    axis
        The column with its public bounds, such as ``{"age": Integer(0, 120)}``: a number or a date.
        Rows outside are dropped, or moved to the bounds with ``outside="clamp"``. ``Counts``
        already have an axis.
    epsilon, account, unit, neighbours, ledger, noise, request, cap, allow_large
        As for `hushgram.publish`. This call costs as much as a release with the same epsilon.

    Returns
    -------
    float, int or datetime
        A value of the axis. For an `Integer` axis, a whole number or the midpoint of two; for real
        numbers, the centre of a bin or the midpoint of two; for a `Date` axis, the start of a step.

    References
    ----------
    Nissim, Raskhodnikova & Smith, *Smooth sensitivity and sampling in private data analysis*, STOC
    2007; compared in Fang & Chang, *Adaptive differentially private histogram*, §6.3.

    Examples
    --------
    >>> import hushgram as hg
    >>> ages = hg.Counts([0, 1, 10, 100, 400, 100, 10, 1, 0])
    >>> 0 <= hg.smooth_median(ages, epsilon=1) <= 8
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
    return find_median(source, axis, spending)


def find_median(
    source: Source, axis: Domain | Mapping[str, AxisOption] | None, spending: Spending
) -> Value:
    """Charge, then compute the median with its noise."""
    from hushgram.trusted.engine.sources.source import open_table
    from hushgram.trusted.vault.vault import operation_for

    domain = as_domain(source, axis)
    query = SmoothMedian(spending.epsilon)
    operation_for(query).check(query, domain)
    (only,) = domain.axes

    def find(table: Table, budget: BudgetPool) -> Stored:
        place = budget.open_vault(table, domain, query.epsilon).ask(query)
        return to_stored(value_at(only, place))

    asked = {"answer": "smooth-median", "domain": domain.to_json()}
    task = AnswerTask(open_table(source), domain, spending, asked, find, field="value")
    return from_stored(only, charge_and_run(source, task, spending))


def value_at(axis: Axis, place: Fraction) -> Value:
    """Return the value at an index, or midway between two indices.

    >>> value_at(Integer(10, 20), Fraction(3)), value_at(Integer(10, 20), Fraction(7, 2))
    (13, 13.5)
    >>> value_at(Date("2024-01-01", "2024-12-31"), Fraction(7, 2))
    datetime.date(2024, 1, 4)
    """
    below, above = floor(place), ceil(place)
    if isinstance(axis, Date):
        start = axis.edge(below)
        return start.date() if axis.whole_days else start
    if isinstance(axis, Integer):
        return axis.edge(below) if below == above else float(axis.lo + place)
    return centre(axis, below) / 2 + centre(axis, above) / 2


def centre(axis: Axis, index: int) -> float:
    return float(axis.edge(index) / 2 + axis.edge(index + 1) / 2)


def to_stored(value: Value) -> Stored:
    return value.isoformat() if isinstance(value, date) else value


def from_stored(axis: Axis, value: Stored) -> Value:
    """Return the value that the ledger stored."""
    if not isinstance(value, str):
        return value
    whole_days = isinstance(axis, Date) and axis.whole_days
    return date.fromisoformat(value) if whole_days else datetime.fromisoformat(value)
