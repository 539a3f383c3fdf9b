"""Table + user column + ledger → how many rows of each person should count."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from hushgram.base.exact import format_number
from hushgram.declare.axis import Floats, Variable
from hushgram.declare.domain import Domain
from hushgram.declare.epsilon import as_epsilon
from hushgram.declare.unit import User, as_neighbours
from hushgram.errors import BadInput
from hushgram.geometry.partition import Grid
from hushgram.mechanisms.inference.covering import ends
from hushgram.queries import Measurement, PartCounts
from hushgram.spending.ask import bought

if TYPE_CHECKING:
    from hushgram.trusted.engine.table import Table
    from hushgram.trusted.ledger import Ledger
    from hushgram.trusted.vault.purse import Purse

CHOICES = (1, 2, *(size for power in range(1, 29) for size in (3 << power - 1, 2 << power)))
"""What may be chosen: 1, 2, 3, 4, 6, 8, 12, 16, …, which leaves nobody more than a half beside
the best."""

OWNED = Variable((1, *(choice + 1 for choice in CHOICES)), outside="clamp")
"""Numbers of rows, each bin ending with a choice; who has more is in the last."""

CHANCE = 0.001
"""The chance that people are taken to own more rows than anybody does."""

ROWS_PER_CELL = 10
"""A mechanism that cuts the domain itself makes cells that hold so many times the noise's scale."""


def find_max_rows(
    source: Any,
    user_column: str,
    *,
    release_epsilon: Any,
    epsilon: Any,
    account: str | None = None,
    domain: Domain | Mapping[str, Any] | None = None,
    workload: str | None = None,
    neighbours: str = "add-remove",
    ledger: Ledger | None = None,
    noise: str = "native",
    request: str | None = None,
    cap: Any = None,
    allow_large: bool = False,
) -> int:
    """A good ``max_rows`` for ``User(user_column, max_rows=…)``, for part of the budget.

    With a small bound, rows of people who own many are missing in the release; with a large one,
    everybody's noise grows with it. This counts people by the number of rows that they own, in
    bins that end at 1, 2, 3, 4, 6, 8, 12, …, which one person moves by one whatever they own, and
    chooses the bound L with the smallest estimated error of a count,

        q B(L) + s(L) √(2 q m),

    the rows that are missing and the noise that is added. B(L) are the rows beyond L of people
    who own more, and s(L) = L / release_epsilon is the noise's scale (twice that for replace-one).
    A count of ranges covers a third of the domain on average, q = 1/3; one of cells one of them,
    q = 1/m. The domain has m cells, but no more than there are ten times s(L) rows for each: a
    mechanism that chooses its cells would not cut finer. People so few that they drown in the noise
    are not seen. They would be cut in any case: the noise for one person's next row is dearer than
    that row, unless some 1 / release_epsilon people own one.

    Parameters
    ----------
    source
        As for `hushgram.publish`; not ``Counts``.
    user_column
        The column that names people.
    release_epsilon
        The epsilon of the later release, as it will be asked for. It is public and not spent here.
    domain
        What will be published. Only rows inside it are counted; without it all rows are.
    workload
        What will be asked most: ``"ranges"`` (also None) or ``"cells"``, which needs the domain.
    epsilon, account, neighbours, ledger, noise, request, cap, allow_large
        As for `hushgram.publish`; it costs as much as a release of this epsilon. The account is the
        same that pays for releases of any ``max_rows``.

    References
    ----------
    The exchange of missing rows for noise is that of Amin, Kulesza, Muñoz Medina & Vassilvitskii,
    *Bounding user contributions: a bias-variance trade-off in differential privacy*, ICML 2019.

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
    from hushgram.trusted.engine.ibis.owners import owned_by, owners
    from hushgram.trusted.engine.sources.source import open_table

    who, what = User(user_column, max_rows=1), as_neighbours(neighbours)
    later, budget = as_epsilon(release_epsilon), as_epsilon(epsilon)
    whole = domain if isinstance(domain, Domain | None) else Domain(domain)
    asked = checked_workload(workload, whole)
    people = owners(open_table(source), user_column, whole)
    counted = Domain({owned_by(user_column): OWNED})
    people.check(counted, who)

    def look(table: Table, purse: Purse) -> int:
        vault = purse.vault(table, counted, budget)
        counts = vault.ask(PartCounts(Grid.of_cells(counted), budget))
        row = (1 if what == "add-remove" else 2) / later
        return best_choice(seen(counts), row, None if whole is None else whole.cells, asked)

    found: int = bought(
        source,
        people,
        {
            "answer": "max-rows",
            "release_epsilon": format_number(later),
            "domain": None if whole is None else whole.to_json(),
            "workload": asked,
        },
        look,
        epsilon=budget,
        unit=who,
        neighbours=what,
        account=account,
        ledger=ledger,
        noise=noise,
        request=request,
        cap=cap,
        allow_large=allow_large,
    )
    return found


def seen(counts: Measurement) -> Floats:
    """The people in each bin, as far as noise does not explain them.

    Those of the last window are taken to own what its first bin says: where they are seen only
    together, most of the window may be noise, and noise would weigh by the rows it stands for.
    """
    people = np.zeros(len(counts.values))
    found = ends(counts, CHANCE)
    if found is not None:
        first, last = found
        people[first.start : last.start] = np.maximum(counts.values[first.start : last.start], 0)
        people[last.start] = counts.values[last.start : last.stop].sum()
    return people


def best_choice(people: Floats, row: Fraction, cells: int | None, workload: str) -> int:
    """The choice with the smallest error, ``row`` being the noise's scale for each row that counts.

    >>> people = np.zeros(len(CHOICES))
    >>> people[CHOICES.index(4)] = 1000
    >>> best_choice(people, Fraction(1), None, "ranges")
    4
    """
    rows = np.array([(first + last - 1) / 2 for first, last in pairwise(OWNED.edges)])
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


def checked_workload(workload: Any, domain: Domain | None) -> str:
    if workload not in (None, "ranges", "cells"):
        raise BadInput(f'workload={workload!r} is not known. Use "ranges" or "cells".')
    if workload == "cells" and domain is None:
        raise BadInput('workload="cells" needs the domain whose cells will be asked for.')
    return workload or "ranges"
