"""Table + question → one noisy number, paid for by itself: the interactive way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

from hushgram.answers.answer import format_confidence, format_digits
from hushgram.answers.counting.intervals import as_confidence
from hushgram.base.exact import Number
from hushgram.declare.axis import Axis, Category, Date, Integer
from hushgram.declare.condition import Where, columns, parse
from hushgram.declare.domain import AxisOption, Domain
from hushgram.declare.source import Source
from hushgram.declare.unit import Neighbours, Unit, UnitOption
from hushgram.errors import BadInput, DomainError, SourceError
from hushgram.queries import Total
from hushgram.spending.answer import AnswerAsk
from hushgram.spending.ask import charge_and_look
from hushgram.spending.charge import Spending
from hushgram.spending.direct_sum import add_rows, summed_axis
from hushgram.spending.identity import filter_text
from hushgram.spending.median import Value, find_median
from hushgram.spending.noisy_number import NoiseTerm, NoisyNumber
from hushgram.spending.publish import as_domain

if TYPE_CHECKING:
    from hushgram.queries import Vault
    from hushgram.trusted.engine.table import Table
    from hushgram.trusted.ledger import Ledger
    from hushgram.trusted.vault.budget_pool import BudgetPool

EVERY_ROW: tuple[Axis, ...] = (
    Integer(0, 0, outside="other"),
    Category(["-"], outside="other"),
    Date("2000-01-01", "2000-01-01", outside="other"),
)
"""Axes on which every row has a place, by the types of columns that they fit."""


@dataclass(frozen=True)
class DirectAnswer:
    """One number that was paid for by itself."""

    aggregate: str
    value: Value
    interval: tuple[float, float] | None
    """It holds the truth with the stated confidence; None for a median, whose noise fits the table,
    so that its size would tell about it."""
    confidence: float

    def __str__(self) -> str:
        if self.interval is None or isinstance(self.value, date):
            return str(self.value)
        width = (self.interval[1] - self.interval[0]) / 2
        value = f"{self.value:,}" if isinstance(self.value, int) else format_digits(self.value, 6)
        return f"{value} ± {format_digits(width, 3)} ({format_confidence(self.confidence)})"


def ask(
    source: Source,
    aggregate: str = "count",
    axis: Domain | Mapping[str, AxisOption] | None = None,
    *,
    epsilon: Number,
    where: str | None = None,
    account: str | None = None,
    confidence: float = 0.95,
    unit: UnitOption = "rows",
    neighbours: Neighbours = "add-remove",
    ledger: Ledger | None = None,
    noise: str = "native",
    request: str | None = None,
    cap: Number | None = None,
    allow_large: bool = False,
) -> DirectAnswer:
    """One count, sum or median of the rows that a condition chooses, with noise of its own.

    Every question is paid for, and a question that is asked again is paid for again, unless it
    has the same request id. For a single number this is the most accurate way; for many, publish
    a release, which answers any number of questions for one price.

    Parameters
    ----------
    source
        As for `hushgram.publish`.
    aggregate
        ``"count"``: how many rows. ``"sum"``: what a column adds up to between public bounds.
        ``"median"``: as `hushgram.smooth_median`, without an interval.
    axis
        For a sum or a median, the column and its public bounds, such as
        ``{"age": Integer(0, 120)}``. For a count it can be left out if there is a condition; else
        the rows that fit these axes are counted.
    where
        A public condition on rows, such as ``"age >= 18 AND sex = 'F'"``: see `hushgram.Where`.
    confidence
        How often the interval holds the truth.
    epsilon, account, unit, neighbours, ledger, noise, request, cap, allow_large
        As for `hushgram.publish`; it costs as much as a release of this epsilon.

    References
    ----------
    Dwork, McSherry, Nissim & Smith, *Calibrating noise to sensitivity in private data analysis*,
    TCC 2006: the interactive model that Xiao et al., *DPCube*, compare with.

    Examples
    --------
    >>> import hushgram as hg, pyarrow as pa
    >>> people = pa.table({"age": [10, 20, 30, 40] * 100})
    >>> book = hg.Ledger.in_memory()
    >>> adults = hg.ask(people, where="age >= 18", epsilon=1, account="people", ledger=book)
    >>> abs(adults.value - 300) < 30, adults.interval[1] - adults.interval[0]
    (True, 6.0)
    """
    level = as_confidence(confidence)
    question = question_of(aggregate)
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
    rows = source if where is None else Where(source, where)
    value, interval = question(rows, axis, spending, level)
    return DirectAnswer(aggregate, value, interval, level)


Axes = Domain | Mapping[str, AxisOption] | None
Ends = tuple[float, float] | None
Question = Callable[[Source, Axes, Spending, float], tuple[Value, Ends]]
"""From rows, axes, what may be spent and a confidence to a value and its interval."""


def ask_count(
    source: Source, axes: Axes, spending: Spending, confidence: float
) -> tuple[Value, Ends]:
    from hushgram.trusted.engine.sources.source import open_table

    table = open_table(source)
    domain = rows_domain(source, table, spending.unit) if axes is None else as_domain(source, axes)
    return ask_number("count", source, table, domain, spending, confidence, count_rows)


def ask_sum(
    source: Source, axes: Axes, spending: Spending, confidence: float
) -> tuple[Value, Ends]:
    from hushgram.trusted.engine.sources.source import open_table

    domain = as_domain(source, axes)
    summed_axis(domain)
    return ask_number("sum", source, open_table(source), domain, spending, confidence, add_rows)


def ask_median(
    source: Source, axes: Axes, spending: Spending, confidence: float
) -> tuple[Value, Ends]:
    return find_median(source, axes, spending), None


QUESTIONS: dict[str, Question] = {"count": ask_count, "sum": ask_sum, "median": ask_median}


def question_of(aggregate: object) -> Question:
    if isinstance(aggregate, str) and aggregate in QUESTIONS:
        return QUESTIONS[aggregate]
    raise BadInput(f"Unknown aggregate {aggregate!r}. Use one of {', '.join(QUESTIONS)}.")


def ask_number(
    aggregate: str,
    source: Source,
    table: Table,
    domain: Domain,
    spending: Spending,
    confidence: float,
    measure: Callable[[Vault], NoisyNumber],
) -> tuple[int | float, Ends]:
    """Charge, then look, then add noise; the interval follows from what is kept."""

    def find(table: Table, budget: BudgetPool) -> dict[str, Any]:
        return measure(budget.open_vault(table, domain, spending.epsilon)).to_json()

    asked = {"answer": aggregate, "domain": domain.to_json(), "where": filter_text(source)}
    found = charge_and_look(source, AnswerAsk(table, domain, spending, asked, find), spending)
    number = NoisyNumber.from_json(found)
    return number.value, number.interval(confidence)


def count_rows(vault: Vault) -> NoisyNumber:
    """The number of rows in the domain, for the whole budget."""
    rows = vault.ask(Total(vault.remaining))
    return NoisyNumber(rows.value, (NoiseTerm(1, rows.variance),))


def rows_domain(source: Source, table: Table, unit: Unit) -> Domain:
    """A domain on which every row has its place: an axis of a column that the condition looks at.
    Counts bring their own."""
    own = getattr(source, "domain", None)
    if isinstance(own, Domain):
        return own
    condition = filter_text(source)
    if not condition:
        raise DomainError(
            "Say which rows to count: where=\"age >= 18\", or axes such as {'age': (0, 120)}."
        )
    column = next(columns(parse(condition)))
    for axis in EVERY_ROW:
        domain = Domain({column: axis})
        try:
            table.check(domain, unit)
        except SourceError as error:
            refused = error
        else:
            return domain
    raise refused
