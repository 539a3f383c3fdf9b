"""Many ranges at once, from any kind of table."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Protocol

import numpy as np

from hushgram.answers.counting.question import check_names, ends
from hushgram.declare.axis import Floats
from hushgram.declare.domain import Domain
from hushgram.errors import QuestionError


class Frame(Protocol):
    """A data frame of pandas or Polars."""

    @property
    def columns(self) -> Any: ...

    def to_numpy(self) -> Any: ...

    def __getitem__(self, name: Any, /) -> Any: ...


class ArrowColumns(Protocol):
    """A table of Arrow."""

    @property
    def column_names(self) -> list[str]: ...

    def __getitem__(self, name: Any, /) -> Any: ...


Columns = Mapping[str, Collection[Any]]

RangeTable = Columns | Frame | ArrowColumns
"""Many ranges: columns such as ``age_lo`` and ``age_hi``, or ``age`` with pairs."""


def boxes_of(table: RangeTable, domain: Domain) -> tuple[Floats, Floats]:
    """The start and stop of each row's box on every axis, in units of indices."""
    columns = as_columns(table)
    check_names(domain, unknown(columns, domain))
    ranges = {name: bounds_of(columns, name, domain) for name in domain}
    starts, stops = np.empty((2, rows_of(ranges), len(ranges)))
    for place, (name, axis) in enumerate(domain.items()):
        pair = ranges[name]
        sides = (0.0, float(axis.size)) if pair is None else ends(axis, name, *pair)
        starts[:, place], stops[:, place] = sides
    return starts, stops


def as_columns(table: RangeTable) -> dict[str, Any]:
    """Columns by name from a mapping, or a pandas, Polars or Arrow table."""
    if isinstance(table, Mapping):
        return {str(name): table[name] for name in table}
    if hasattr(table, "column_names"):
        return {name: arrow_column(table[name]) for name in table.column_names}
    if hasattr(table, "columns") and hasattr(table, "to_numpy"):
        return {str(name): frame_column(table[name]) for name in table.columns}
    raise QuestionError(
        f"A table of ranges must be a mapping or a data frame. Found {type(table).__name__}."
    )


def arrow_column(column: Any) -> Any:
    """An Arrow column as a list if it has NULLs (open ends), which arrays of numbers cannot
    distinguish from NaN; else as an array."""
    return column.to_pylist() if column.null_count else column.to_numpy(zero_copy_only=False)


def frame_column(column: Any) -> Any:
    """A column of pandas or Polars, as a list if it has NULLs that differ from NaN."""
    nulls = getattr(column, "null_count", lambda: 0)()
    return column.to_list() if nulls else column.to_numpy()


def bounds_of(columns: Mapping[str, Any], name: str, names: Any) -> tuple[Any, Any] | None:
    """The bounds of one axis: columns ``name_lo`` and ``name_hi``, or pairs in one column.

    A missing column is an open end. A column with the name of another axis belongs to that axis.
    """
    low, high = (
        columns.get(key) if key not in names else None for key in (f"{name}_lo", f"{name}_hi")
    )
    if name in columns:
        if low is not None or high is not None:
            raise QuestionError(f"Give either {name!r}, or {name}_lo and {name}_hi, not both.")
        return split_pairs(columns[name], name)
    if low is None and high is None:
        return None
    given = [bounds for bounds in (low, high) if bounds is not None]
    if any(np.ndim(bounds) != 1 for bounds in given):
        raise QuestionError(f"{name}_lo and {name}_hi must be lists with one bound per row.")
    open_ends = [None] * len(given[0])
    return open_ends if low is None else low, open_ends if high is None else high


def split_pairs(pairs: Any, name: str) -> tuple[Any, Any]:
    """The lows and the highs of a column of pairs, or of a tuple of two columns."""
    if isinstance(pairs, tuple) and len(pairs) == 2:
        return np.atleast_1d(pairs[0]), np.atleast_1d(pairs[1])
    if isinstance(pairs, np.ndarray) and pairs.ndim == 2 and pairs.shape[1] == 2:
        return pairs[:, 0], pairs[:, 1]
    found = [tuple(pair) for pair in pairs if np.ndim(pair) == 1 and len(pair) == 2]
    if len(found) != len(pairs):
        raise QuestionError(
            f"The column {name!r} of a table of ranges must contain pairs (lo, hi). For "
            f"single values, ask one question at a time: count({name}=…)."
        )
    return [pair[0] for pair in found], [pair[1] for pair in found]


def rows_of(ranges: Mapping[str, tuple[Any, Any] | None]) -> int:
    """The number of rows in a table of ranges."""
    lengths = {len(bounds) for pair in ranges.values() if pair for bounds in pair}
    if not lengths:
        some = next(iter(ranges))
        raise QuestionError(
            f"A table of ranges needs columns such as {some}_lo and {some}_hi for at least "
            "one axis."
        )
    if len(lengths) > 1:
        listed = " and ".join(map(str, sorted(lengths)))
        raise QuestionError(
            f"The columns of a table of ranges must have the same length. Found {listed} rows."
        )
    return lengths.pop()


def unknown(columns: Mapping[str, Any], names: Any) -> list[str]:
    """The columns that do not belong to any axis."""
    known = {f"{name}{end}" for name in names for end in ("", "_lo", "_hi")}
    return [str(column) for column in columns if str(column) not in known]
