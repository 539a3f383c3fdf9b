"""Table + axis + ledger → the median: one answer, bought without a histogram."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date, datetime
from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING, Any

from hushgram.base.exact import format_number
from hushgram.declare.axis import Axis, Date, Integer
from hushgram.declare.domain import Domain
from hushgram.declare.epsilon import as_epsilon
from hushgram.declare.unit import as_neighbours, as_unit
from hushgram.queries import SmoothMedian
from hushgram.spending.publish import Job, buy, public_domain

if TYPE_CHECKING:
    from hushgram.trusted.ledger import Ledger

Value = int | float | date
"""A number, or a day or time, on the axis."""


def smooth_median(
    source: Any,
    axis: Domain | Mapping[str, Any] | None = None,
    *,
    epsilon: Any,
    account: str | None = None,
    unit: Any = "rows",
    neighbours: str = "add-remove",
    ledger: Ledger | None = None,
    noise: str = "native",
    request: str | None = None,
    cap: Any = None,
    allow_large: bool = False,
) -> Value:
    """The median of one column, with noise that is as small as the rows around it allow.

    Where many rows lie close to the middle, one more can hardly move it, and the noise is small;
    where the middle lies in a gap, it is large. How large it was cannot be told without telling
    about the table, so the median comes alone: no variance, no error bar.

    Parameters
    ----------
    source
        As for `hushgram.publish`.
    axis
        The column and its public bounds, such as ``{"age": Integer(0, 120)}``: a number or a date.
        Rows that do not fit are left out, or moved to the bounds with ``outside="clamp"``.
        ``Counts`` bring their own.
    epsilon, account, unit, neighbours, ledger, noise, request, cap, allow_large
        As for `hushgram.publish`; it costs as much as a release of this epsilon.

    Returns
    -------
    A value of the axis: a whole number, or one and a half, of an `Integer` axis; the middle of a
    bin of real numbers, or between two of them; the day or time at which a `Date` axis's step
    starts.

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
    from hushgram.trusted.vault.vault import operation_for

    job = Job(
        public_domain(source, axis), as_epsilon(epsilon), as_unit(unit), as_neighbours(neighbours)
    )
    query = SmoothMedian(job.epsilon)
    operation_for(query).check(query, job.domain)
    sale = buy(
        source,
        job,
        {"answer": "smooth-median"},
        lambda stage: stage(job.domain).ask(query),
        noise=noise,
        account=account,
        ledger=ledger,
        request=request,
        cap=cap,
        allow_large=allow_large,
    )
    if isinstance(sale, bytes):
        return read(job.domain.axes[0], sale)
    value = value_at(job.domain.axes[0], sale.vault.ask(query))
    sale.keep(written(value, job, sale.receipt))
    return value


def value_at(axis: Axis, place: Fraction) -> Value:
    """What an index, or the middle between two, stands for.

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


def written(value: Value, job: Job, receipt: Mapping[str, str] | None) -> bytes:
    """What the ledger keeps: the answer, and what it is an answer to."""
    return json.dumps(
        {
            "answer": "smooth-median",
            "value": value.isoformat() if isinstance(value, date) else value,
            "domain": job.domain.to_json(),
            "epsilon": format_number(job.epsilon),
            "unit": job.unit.to_json(),
            "neighbours": job.neighbours,
            "receipt": receipt,
        }
    ).encode()


def read(axis: Axis, kept: bytes) -> Value:
    """The answer that the ledger kept."""
    value = json.loads(kept)["value"]
    if not isinstance(axis, Date):
        return value  # type: ignore[no-any-return]
    return date.fromisoformat(value) if axis.whole_days else datetime.fromisoformat(value)
