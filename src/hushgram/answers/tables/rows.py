"""Conversion of rows of values to the indices of a domain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hushgram.answers.tables.tables import ArrowColumns, Columns, Frame, as_columns
from hushgram.declare.axis import Axis
from hushgram.declare.domain import Domain
from hushgram.errors import QuestionError
from hushgram.geometry.partition import Ints

RowTable = Columns | Frame | ArrowColumns | npt.NDArray[Any] | list[Any] | tuple[Any, ...]
"""Rows: columns by name, or an array or a list of rows in the order of the names."""


def row_indices(domain: Domain, names: Sequence[str], rows: RowTable) -> list[Ints]:
    """The indices of each row on the named axes, -1 for values that are left out.

    Rows are a table with columns of these names, or an array with a column for each of them.

    >>> from hushgram.declare.axis import Category
    >>> row_indices(Domain(sex=Category(["F", "M"])), ["sex"], {"sex": ["M", "?", None]})
    [array([ 1, -1, -1])]
    """
    columns = columns_of(rows, names)
    return [column_indices(domain[name], columns[name]) for name in names]


def column_indices(axis: Axis, values: list[Any]) -> Ints:
    known = {value: axis.index(value) for value in dict.fromkeys(values)}
    found = (known[value] for value in values)
    return np.array([-1 if index is None else index for index in found], dtype=np.int64)


def columns_of(rows: RowTable, names: Sequence[str]) -> dict[str, list[Any]]:
    """The named columns: by name from a table, by position from an array."""
    if isinstance(rows, list | tuple | np.ndarray):
        array = np.asarray(rows, dtype=object)
        if array.ndim != 2 or array.shape[1] != len(names):
            raise QuestionError(
                f"Rows need {len(names)} columns: {', '.join(names)}. Found an array of "
                f"shape {array.shape}."
            )
        return {name: plain(column) for name, column in zip(names, array.T, strict=True)}
    columns = as_columns(rows)
    missing = [name for name in names if name not in columns]
    if missing:
        raise QuestionError(f"The table of rows has no column {missing[0]!r}.")
    return {name: plain(columns[name]) for name in names}


def plain(column: Any) -> list[Any]:
    """The values of a column as Python objects, with None for missing ones."""
    if getattr(getattr(column, "dtype", None), "kind", "") == "M":
        column = np.asarray(column).astype("datetime64[us]")
    values = column.tolist() if hasattr(column, "tolist") else list(column)
    return [value if value == value else None for value in values]
