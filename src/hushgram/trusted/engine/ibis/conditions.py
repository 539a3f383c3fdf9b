"""Translate a public condition into an engine expression that cannot fail on any value."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from operator import and_, or_

import ibis
import ibis.expr.datatypes as types
from ibis.expr.types import Column, Value

from hushgram.declare.condition import (
    OPERATORS,
    All,
    Compared,
    Condition,
    Missing,
    Not,
    as_moment,
    comparisons,
)
from hushgram.errors import BadInput
from hushgram.trusted.engine.ibis.dialect import Dialect, double
from hushgram.trusted.engine.ibis.quantise import check_present
from hushgram.trusted.engine.ibis.type_names import type_name


def check_condition(schema: ibis.Schema, condition: Condition, *, header: str = "") -> None:
    """Refuse a condition on missing columns or unsuitable types, at no cost."""
    for part in comparisons(condition):
        check_present(schema, part.column, header=header)
    for part in comparisons(condition):
        kind = schema[part.column]
        if isinstance(part, Missing):
            check_plain(part.column, kind)
        elif not comparable(kind, part):
            raise BadInput(
                f"Column {part.column!r} has type {type_name(kind)}, which cannot be compared with "
                f"{part.value!r} using {part.sign}. Compare text and booleans with = or != "
                "only, numbers with numbers, and dates with quoted dates such as "
                "'2024-12-31'."
            )


def check_plain(name: str, kind: types.DataType) -> None:
    """Refuse IS NULL on types that the engine may fail to read: a map with a duplicate key, or a
    time span that is too long, would stop the count of the whole table."""
    plain = kind.is_string() or kind.is_numeric() or kind.is_boolean() or kind.is_uuid()
    if not (plain or kind.is_date() or kind.is_timestamp()):
        raise BadInput(
            f"Column {name!r} has type {type_name(kind)}, which does not support IS NULL. It works "
            "for text, numbers, booleans, dates, times and UUIDs."
        )


def comparable(kind: types.DataType, part: Compared) -> bool:
    if isinstance(part.value, bool):
        return bool(kind.is_boolean()) and part.sign in ("=", "!=")
    if isinstance(part.value, float):
        return bool(kind.is_string() or kind.is_numeric()) and not kind.is_boolean()
    if kind.is_date() or kind.is_timestamp():
        return as_moment(part.value) is not None
    return bool(kind.is_string()) and part.sign in ("=", "!=")


def condition_value(condition: Condition, found: Mapping[str, Column], dialect: Dialect) -> Value:
    """Return whether the condition holds for a row: true, false or NULL."""
    if isinstance(condition, Compared):
        return compare_column(condition, found[condition.column], dialect)
    if isinstance(condition, Missing):
        return missing(found[condition.column])
    if isinstance(condition, Not):
        return ~condition_value(condition.part, found, dialect)
    parts = [condition_value(part, found, dialect) for part in condition.parts]
    return reduce(and_ if isinstance(condition, All) else or_, parts)


def missing(column: Column) -> Value:
    """Return whether a value is missing. NaN is: some engines treat it as NULL, others do not."""
    floating = column.type().is_floating()
    return column.isnull() | column.isnan() if floating else column.isnull()


def compare_column(part: Compared, column: Column, dialect: Dialect) -> Value:
    compare = OPERATORS[part.sign]
    if isinstance(part.value, bool):
        return compare(column, ibis.literal(part.value))
    if isinstance(part.value, float):
        x = dialect.number(column)
        return compare(x.isnan().ifelse(ibis.null(), x), double(part.value))
    if column.type().is_string():
        return compare(dialect.text(column), ibis.literal(part.value))
    return compare(dialect.moment(column), ibis.literal(as_moment(part.value)))
