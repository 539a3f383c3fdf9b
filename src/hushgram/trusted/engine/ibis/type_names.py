"""How the type of a column is written for people."""

from __future__ import annotations

import ibis.expr.datatypes as types


def type_name(kind: types.DataType) -> str:
    """The name of a type, without what is inside of it: a program that made a table from objects
    named the fields of a struct after what it found in the rows, and gave decimals as many digits
    as the longest one has.

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
