"""Find how many rows of each person should count."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from hushgram.base.exact import Number, format_number
from hushgram.declare.axis import Floats, Variable
from hushgram.declare.domain import AxisOption, Domain
from hushgram.declare.epsilon import as_epsilon
from hushgram.declare.source import Source
from hushgram.declare.unit import Neighbours, User
from hushgram.declare.workload import Workload
from hushgram.errors import BadInput
from hushgram.geometry.partition import Grid
from hushgram.mechanisms.inference.covering import first_and_last_run
from hushgram.queries import Measurement, PartCounts
from hushgram.spending.answer import AnswerTask
from hushgram.spending.charge import Spending
from hushgram.spending.task import charge_and_run

if TYPE_CHECKING:
    from hushgram.trusted.engine.table import Table
    from hushgram.trusted.ledger import Ledger
    from hushgram.trusted.vault.budget_pool import BudgetPool

CHOICES = (1, 2, *(size for power in range(1, 29) for size in (3 << power - 1, 2 << power)))
"""The bounds to choose from: 1, 2, 3, 4, 6, 8, 12, 16, … Consecutive ones differ by at most a
factor of 2, and by at most 1.5 from 2 on."""

ROWS_AXIS = Variable((1, *(choice + 1 for choice in CHOICES)), outside="clamp")
"""The axis of numbers of rows per person. Each bin ends with a choice; larger numbers are in the
last."""

CHANCE = 0.001
"""The probability that noise is mistaken for people with more rows than anybody has."""

ROWS_PER_CELL = 10
"""Rows per cell, in units of the noise scale, of mechanisms that choose their own cells."""


def find_max_rows(
    source: Source,
    user_column: str,
    *,
    release_epsilon: Number,
    epsilon: Number,
    account: str | None = None,
    domain: Domain | Mapping[str, AxisOption] | None = None,
    workload: Workload | None = None,
    neighbours: Neighbours = "add-remove",
    ledger: Ledger | None = None,
    noise: str = "native",
    request: str | None = None,
    cap: Number | None = None,
    allow_large: bool = False,
) -> int:
    """Find a good ``max_rows`` for ``User(user_column, max_rows=…)``, for part of the budget.

    A small bound drops rows of people who have many; a large bound adds more noise to every count.
    This function counts people by how many rows they have, in bins that end at 1, 2, 3, 4, 6, 8,
    12, … (one person changes one bin by one, however many rows they have), and chooses the bound L
    with the smallest estimated error of a count,

        q B(L) + s(L) √(2 q m),

    the sum of the dropped rows and the added noise. B(L) is the number of rows beyond L of people
    who have more, and s(L) = L / release_epsilon is the scale of the noise (twice that for
    replace-one). A range covers a third of the domain on average, q = 1/3; a cell covers one cell,
    q = 1/m. m is the number of cells of the domain, but at most the number of cells with ten times
    s(L) rows each, because a mechanism that chooses its cells would not split further. Small groups
    of people with very many rows are hidden by the noise. They would be cut off anyway: noise for
    one more row per person adds more error than that row removes, unless about 1 / release_epsilon
    people have such a row.

    Parameters
    ----------
    source
        As for `hushgram.publish`; not ``Counts``.
    user_column
        The column that identifies a person.
    release_epsilon
        The epsilon of the release that you plan to publish. It is public, and not spent here.
    domain
        The axes that you plan to publish. Only rows inside them are counted; by default, all rows.
    workload
        What you will query most: ``"ranges"`` (the default) or ``"cells"``, which needs the domain.
    epsilon, account, neighbours, ledger, noise, request, cap, allow_large
        As for `hushgram.publish`. This call costs as much as a release with the same epsilon. It
        charges the same account as releases with any ``max_rows``.

    References
    ----------
    The trade-off between missing rows and noise follows Amin, Kulesza, Muñoz Medina &
    Vassilvitskii, *Bounding user contributions: a bias-variance trade-off in differential privacy*,
    ICML 2019.

    Examples
    --------
    >>> import hushgram as hg
    >>> import pyarrow as pa
    >>> visits = pa.table({"who": [n % 1000 for n in range(4000)]})
    >>> book = hg.Ledger.in_memory()
    >>> rows = hg.find_max_rows(
    ...     visits, "who", release_epsilon=1, epsilon="0.5", account="visits", ledger=book
    ... )
    >>> rows >= 4
    True
    """
    spending = Spending.of(
        epsilon=epsilon,
        unit=User(user_column, max_rows=1),
        neighbours=neighbours,
        account=account,
        ledger=ledger,
        noise=noise,
        request=request,
        cap=cap,
        allow_large=allow_large,
    )
    whole = domain if isinstance(domain, Domain | None) else Domain(domain)
    later = as_epsilon(release_epsilon)
    task = max_rows_task(
        source, user_column, whole, later, check_workload(workload, whole), spending
    )
    found: int = charge_and_run(source, task, spending)
    return found


def max_rows_task(
    source: Source,
    user_column: str,
    domain: Domain | None,
    release_epsilon: Fraction,
    workload: Workload,
    spending: Spending,
) -> AnswerTask:
    """Return the task that counts people by their number of rows, and chooses a bound."""
    from hushgram.trusted.engine.ibis.owners import row_count_column
    from hushgram.trusted.engine.sources.source import open_table

    counted = Domain({row_count_column(user_column): ROWS_AXIS})

    def find(table: Table, budget: BudgetPool) -> int:
        vault = budget.open_vault(table, counted, spending.epsilon)
        counts = vault.ask(PartCounts(Grid.of_cells(counted), spending.epsilon))
        row = (1 if spending.neighbours == "add-remove" else 2) / release_epsilon
        cells = None if domain is None else domain.cells
        return best_choice(people_above_noise(counts), row, cells, workload)

    asked = {
        "answer": "max-rows",
        "release_epsilon": format_number(release_epsilon),
        "domain": None if domain is None else domain.to_json(),
        "workload": workload,
    }
    people = open_table(source).owners(user_column, domain)
    return AnswerTask(people, counted, spending, asked, find)


def people_above_noise(counts: Measurement) -> Floats:
    """Return the number of people in each bin, 0 where noise may explain the count.

    People in the last window are counted in its first bin: they were only detected together, so
    most of the window may be noise, which would be multiplied by large numbers of rows.
    """
    people = np.zeros(len(counts.values))
    found = first_and_last_run(counts, CHANCE)
    if found is not None:
        first, last = found
        people[first.start : last.start] = np.maximum(counts.values[first.start : last.start], 0)
        people[last.start] = counts.values[last.start : last.stop].sum()
    return people


def best_choice(people: Floats, row: Fraction, cells: int | None, workload: str) -> int:
    """Return the choice with the smallest error; ``row`` is the noise scale per row that counts.

    >>> people = np.zeros(len(CHOICES))
    >>> people[CHOICES.index(4)] = 1000
    >>> best_choice(people, Fraction(1), None, "ranges")
    4
    """
    rows = np.array([(first + last - 1) / 2 for first, last in pairwise(ROWS_AXIS.edges)])
    errors = []
    for choice in CHOICES:
        scale = float(row * choice)
        missing = people @ np.maximum(rows - choice, 0)
        kept = people @ np.minimum(rows, choice)
        cut = max(kept / (ROWS_PER_CELL * scale), 1)
        parts = cut if cells is None else min(cut, cells)
        share = 1 / 3 if workload == "ranges" else 1 / parts
        errors.append(share * missing + scale * sqrt(2 * share * parts))
    return CHOICES[int(np.argmin(errors))]


def check_workload(workload: object, domain: Domain | None) -> Workload:
    if workload not in (None, "ranges", "cells"):
        raise BadInput(f'Unknown workload={workload!r}. Use "ranges" or "cells".')
    if workload == "cells" and domain is None:
        raise BadInput('workload="cells" also needs a domain.')
    return workload or "ranges"
