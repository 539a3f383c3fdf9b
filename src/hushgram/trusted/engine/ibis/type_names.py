"""The names of column types, for people to read."""

from __future__ import annotations

import ibis.expr.datatypes as types


def type_name(kind: types.DataType) -> str:
    """Return the name of a type without its fields and digits: a program that made a table from
    objects may have named the fields of a struct after values in the rows, and given decimals as
    many digits as the longest one.

    >>> type_name(types.dtype("!int64")), type_name(types.dtype("struct<zoe: int64>"))
    ('int64', 'struct')
    >>> type_name(types.dtype("decimal(11, 2)"))
    'decimal'
    """
    if kind.is_decimal():
        return "decimal"
    if kind.is_nested() or kind.is_unknown():
        return type(kind).__name__.lower()
    return str(kind).removeprefix("!")
