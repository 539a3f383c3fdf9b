"""Ask a table for a single noisy number, without a release."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from hushgram.answers.counting.intervals import as_confidence
from hushgram.base.exact import Number
from hushgram.declare.condition import Where
from hushgram.declare.domain import AxisOption, Domain
from hushgram.declare.measure import KINDS, Mean, Sum
from hushgram.declare.source import Source
from hushgram.declare.unit import Neighbours, UnitOption
from hushgram.errors import BadInput, DomainError, NothingFound, SourceError
from hushgram.queries import Total
from hushgram.spending.answer import AnswerTask
from hushgram.spending.charge import Spending
from hushgram.spending.clamped import add_clamped
from hushgram.spending.direct_answer import DirectAnswer
from hushgram.spending.direct_sum import add_carried, add_rows, measure_of, summed_axis
from hushgram.spending.every_row import domain_of_column, rows_domain
from hushgram.spending.identity import filter_text
from hushgram.spending.median import Value, find_median
from hushgram.spending.noisy_amount import NoisyAmount
from hushgram.spending.noisy_number import NoiseTerm, NoisyNumber
from hushgram.spending.publish import as_domain, whole_columns
from hushgram.spending.task import charge_and_run

if TYPE_CHECKING:
    from hushgram.queries import Vault
    from hushgram.trusted.engine.table import Table
    from hushgram.trusted.ledger import Ledger
    from hushgram.trusted.vault.budget_pool import BudgetPool


def ask(
    source: Source,
    aggregate: str | Sum = "count",
    axis: Domain | Mapping[str, AxisOption] | str | None = None,
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
    """Compute a single noisy count, sum, mean or median of the rows that fit a condition.

    Every call spends budget, even if it repeats an earlier question, unless it has the same request
    id. This is the most accurate way to get a single number. For many numbers, publish a release,
    which answers any number of queries for one price.

    Parameters
    ----------
    source
        As for `hushgram.publish`.
    aggregate
        ``"count"``: how many rows. ``"sum"`` and ``"mean"``: the sum of a column between bounds,
        and its mean. ``"median"``: as `hushgram.smooth_median`, without an interval. Or a
        measure, such as ``Mean("age", 0, 120)``, instead of an axis.
    axis
        For a sum, mean or median, the column and its public bounds, such as ``{"age": Integer(0,
        120)}``. If nobody knows the bounds for a sum or mean, give only the column's name: a
        quarter of epsilon finds bounds, as `hushgram.find_bounds` does. Values beyond the bounds
        count as the nearest bound. Their number is counted, too, and the interval allows for the
        effect of clamping if, on average, they are at most twice as far beyond the bounds as the
        bounds are apart. For a count, axes can be left out if there is a condition; otherwise the
        rows that fit the axes are counted.
    where
        A public condition on rows, such as ``"age >= 18 AND sex = 'F'"``: see `hushgram.Where`.
    confidence
        The confidence level of the interval.
    epsilon, account, unit, neighbours, ledger, noise, request, cap, allow_large
        As for `hushgram.publish`. This call costs as much as a release with the same epsilon.

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
    question = question_of(aggregate, axis)
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
    found = question(rows, spending, level)
    name = aggregate if isinstance(aggregate, str) else aggregate.kind
    return DirectAnswer(name, found.value, found.interval, level, found.bounds, found.beyond)


Axes = Domain | Mapping[str, AxisOption] | str | None
Ends = tuple[float, float] | None


class Outcome(NamedTuple):
    """The parts of an answer that depend on the table."""

    value: Value
    interval: Ends = None
    bounds: Ends = None
    beyond: int = 0


Question = Callable[[Source, Spending, float], Outcome]
"""Computes an answer from a source, the budget and a confidence level."""


def question_of(aggregate: object, axis: Axes) -> Question:
    """Return the function that computes an aggregate, given by name or as a measure."""
    if isinstance(aggregate, Sum):
        if axis is not None:
            raise BadInput("A measure already names its column and bounds. Leave the axis out.")
        return partial(ask_measure, aggregate)
    if isinstance(aggregate, str) and aggregate in ("sum", "mean"):
        if isinstance(axis, str):
            return partial(ask_clamped, KINDS[aggregate], axis)
        return partial(ask_axis, KINDS[aggregate], axis)
    if isinstance(axis, str):
        raise BadInput(
            f"A {aggregate} needs the bounds of {axis!r}. Declare them, {{{axis!r}: (0, 100)}}, or "
            "find them with find_bounds."
        )
    if aggregate == "count":
        return partial(ask_count, axis)
    if aggregate == "median":
        return partial(ask_median, axis)
    known = "count, sum, mean, median"
    raise BadInput(f"Unknown aggregate {aggregate!r}. Use one of {known}, or a measure.")


def ask_count(
    axes: Domain | Mapping[str, AxisOption] | None,
    source: Source,
    spending: Spending,
    confidence: float,
) -> Outcome:
    from hushgram.trusted.engine.sources.source import open_table

    table = open_table(source)
    domain = rows_domain(source, table, spending.unit) if axes is None else as_domain(source, axes)
    asked = {"answer": "count", "domain": domain.to_json()}

    def find(table: Table, budget: BudgetPool) -> dict[str, Any]:
        return count_rows(budget.open_vault(table, domain, spending.epsilon)).to_json()

    found = ask_rows(source, table, domain, spending, asked, find)
    number = NoisyNumber.from_json(found)
    return Outcome(number.value, number.interval(confidence))


def ask_axis(
    kind: type[Sum],
    axes: Domain | Mapping[str, AxisOption] | None,
    source: Source,
    spending: Spending,
    confidence: float,
) -> Outcome:
    """Compute a sum or mean of an axis. Counts already have axes."""
    is_table = not isinstance(getattr(source, "domain", None), Domain)
    if axes is None and is_table:
        raise DomainError(
            f"A {kind.kind} needs a column and its public bounds, such as "
            f"'{kind.kind} earnings 0:200000'. In Python: "
            f'{kind.__name__}("earnings", 0, 200_000).'
        )
    domain = as_domain(source, axes)
    axis = summed_axis(domain)
    from hushgram.trusted.engine.sources.source import open_table

    if is_table and axis.bins > 1:
        whole = bool(open_table(source).whole_columns(domain.names))
        measure = measure_of(kind, domain, whole=whole)
        return ask_measure(measure, source, spending, confidence)

    def find(table: Table, budget: BudgetPool) -> dict[str, Any]:
        return add_rows(budget.open_vault(table, domain, spending.epsilon)).to_json()

    asked = {"answer": kind.kind, "domain": domain.to_json()}
    found = ask_rows(source, open_table(source), domain, spending, asked, find)
    return as_outcome(kind, NoisyAmount.from_json(found), confidence)


def ask_measure(measure: Sum, source: Source, spending: Spending, confidence: float) -> Outcome:
    """Compute a sum or mean between declared bounds."""
    from hushgram.trusted.engine.sources.source import open_table

    table = open_table(source).carrying([measure.amount])
    domain = domain_of_column(table, measure.column, spending.unit)
    exact = is_exact(table, measure)

    def find(table: Table, budget: BudgetPool) -> dict[str, Any]:
        vault = budget.open_vault(table, domain, spending.epsilon)
        return add_carried(vault, measure, exact=exact, rows=spending.unit.rows).to_json()

    asked = {"answer": measure.kind, "measure": measure.to_json()}
    found = ask_rows(source, table, domain, spending, asked, find)
    return as_outcome(type(measure), NoisyAmount.from_json(found), confidence)


def ask_clamped(
    kind: type[Sum], column: str, source: Source, spending: Spending, confidence: float
) -> Outcome:
    """Find bounds, then compute a sum or mean between them."""
    from hushgram.trusted.engine.sources.source import open_table

    if isinstance(getattr(source, "domain", None), Domain):
        raise SourceError("Counts already have axes. Leave the axis out.")
    table = open_table(source)
    domain = domain_of_column(table, column, spending.unit)

    def find(table: Table, budget: BudgetPool) -> dict[str, Any] | None:
        found = add_clamped(table, budget, domain, kind, spending)
        return None if found is None else found.to_json()

    asked = {"answer": kind.kind, "column": column}
    found = ask_rows(source, table, domain, spending, asked, find)
    if found is None:
        raise NothingFound(
            f"Found no bounds for column {column!r}: for this epsilon there are too few rows, or "
            "too few values other than 0. The epsilon was spent. Declare bounds that you know, or "
            "try again with a larger epsilon."
        )
    number = NoisyAmount.from_json(found)
    answer = as_outcome(kind, number, confidence)
    assert number.beyond is not None
    beyond = int(sum(number.beyond.most(confidence)))
    return answer._replace(bounds=(number.low, number.high), beyond=beyond)


def as_outcome(kind: type[Sum], number: NoisyAmount, confidence: float) -> Outcome:
    return Outcome(*(number.mean if kind is Mean else number.sum)(confidence))


def is_exact(table: Table, measure: Sum) -> bool:
    """Return whether, by their type, values are whole numbers of steps."""
    return bool(whole_columns(table, [measure])) and measure.keeps_whole_numbers


def ask_median(
    axes: Domain | Mapping[str, AxisOption] | None,
    source: Source,
    spending: Spending,
    confidence: float,
) -> Outcome:
    return Outcome(find_median(source, axes, spending))


def ask_rows(
    source: Source,
    table: Table,
    domain: Domain,
    spending: Spending,
    asked: Mapping[str, object],
    find: Callable[[Table, BudgetPool], Any],
) -> Any:
    """Charge, then count, then add noise. Intervals follow from what the ledger stores."""
    asked = {**asked, "where": filter_text(source)}
    return charge_and_run(source, AnswerTask(table, domain, spending, asked, find), spending)


def count_rows(vault: Vault) -> NoisyNumber:
    """Count the rows in the domain, for the whole budget."""
    rows = vault.ask(Total(vault.remaining))
    return NoisyNumber(rows.value, (NoiseTerm(1, rows.variance),))
