"""SQL queries on a release.

The view ``release`` has one row for each part:

- the name of each axis: the value of the part, the middle of its range, or the text of a category,
- ``<axis>_lo`` and ``<axis>_hi`` for ranges, which exclude ``hi``,
- ``count``, the noisy number of rows in it, which may be negative,
- ``variance``, the variance of its noise,
- ``sum_<column>`` for each measured column, its sum over the rows of the part, and
  ``sum_<column>_variance``: ``sum(sum_earnings) / sum(count)`` is the mean of earnings,
- ``uneven``, a measure of how unevenly its rows may be spread, and more columns if cells share one
  value or the release is a view that cuts parts: see `part_columns` for the resulting errors.

So a row of the view represents ``count`` rows of the table, all of them in the middle of the part:
``sum(count)`` is the number of rows, ``sum(age * count) / sum(count)`` their average age, and
``count(*)`` only the number of parts. A ``WHERE`` selects whole parts by their middles, unlike
`Release.count`, which uses the share that a range covers. Variances add up if each part was
measured independently, but not if parts were combined; for error bars of any range, use
`Release.count` and `Release.group_by`.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import numpy as np

from hushgram.answers.tables.magnitudes import measured_columns
from hushgram.answers.tables.middles import sides_of
from hushgram.answers.tables.part_columns import part_columns
from hushgram.answers.tables.units import places
from hushgram.base.text import shorten
from hushgram.declare.axis import Date, Floats, Integer
from hushgram.declare.axis.date import EPOCH
from hushgram.errors import QuestionError
from hushgram.geometry.partition import Boxed, Lattice, Partition

if TYPE_CHECKING:
    from hushgram.release import Release

CLOSED = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
    "temp_directory": "",
}
"""Without files, the network and variables of the program, a query can only read the release."""


def ask(release: Release, query: str) -> Any:
    """The answer to one ``SELECT``, as an Arrow table."""
    import duckdb

    if not isinstance(query, str):
        raise QuestionError(f"A query must be SQL text. Found {shorten(repr(query))}.")
    rows = rows_of(release)
    with duckdb.connect(":memory:", config=CLOSED) as database:
        database.register("release", rows)
        database.execute("SET lock_configuration = true")
        try:
            check_select(query, duckdb)
            return database.sql(query).to_arrow_table()
        except duckdb.Error as error:
            reason = str(error).strip().splitlines()[0]
            raise QuestionError(
                f"Cannot run the query: {shorten(reason.rstrip('.!'))}. The view release "
                f"has the columns {', '.join(rows.column_names)}."
            ) from None


def check_select(query: str, duckdb: Any) -> None:
    """Raise unless the query is a single ``SELECT``."""
    kinds = [statement.type for statement in duckdb.extract_statements(query)]
    if kinds != [duckdb.StatementType.SELECT]:
        raise QuestionError("Only a single SELECT is allowed: a release cannot be changed.")


def rows_of(release: Release) -> Any:
    """The view as an Arrow table: the table of the release, plus the middles of ranges."""
    import pyarrow as pa

    from hushgram.geometry.labels import axis_labels, free_name

    layout = release.estimate.partition
    columns: dict[str, Any] = {}
    for place, labels in enumerate(axis_labels(layout)):
        name = layout.domain.names[place]
        middles = {name: middles_of(layout, place)} if len(labels) > 1 else {}
        for column, values in {**middles, **labels}.items():
            columns[free_name(column, columns)] = values
    own = part_columns(release.estimate)
    own["count"] = np.asarray(own["count"], dtype=np.float64)
    own |= measured_columns(release)
    return pa.table({**columns, **own})


def middles_of(layout: Partition, place: int) -> Any:
    """The middle of each part on one axis; a day for a single day, NULL for "other"."""
    import pyarrow as pa

    assert isinstance(layout, Boxed)
    lower, upper = (side[place] for side in sides_of(layout))
    axis = layout.domain.axes[place]
    other = lower >= axis.declared
    low, high = (places(axis, np.where(other, 0, side)) for side in (lower, upper))
    middle = (low + high - isinstance(axis.whole, Integer)) / 2
    if isinstance(axis.whole, Date):
        single = axis.whole.whole_days and (other | (high - low == 1)).all()
        found = pa.array(moments(middle, days=single), mask=other)
    else:
        found = pa.array(middle, mask=other)
    if isinstance(layout, Lattice):
        slices = np.unravel_index(np.arange(layout.size), layout.shape)[place]
        found = found.take(pa.array(slices))
    return found


def moments(places: Floats, *, days: bool) -> list[Any]:
    found = [EPOCH + timedelta(days=float(place)) for place in places]
    return [moment.date() for moment in found] if days else found
