"""Commands that take their options in records, so that several commands can share a record.

A record is a frozen dataclass. Its fields are Typer options or further records.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from typing import Any, get_type_hints

LAST = ("force", "signer", "as_json")
"""Options of many commands, which the help lists last."""


class Shared:
    """A record that several commands share. The help lists its options after a command's own."""


def with_records(command: Callable[..., None]) -> Callable[..., None]:
    """Turn a command whose parameters include records into one that Typer understands.

    The help lists required options first, then the command's own, then those it shares.
    """
    hints = {one.name: one for one in inspect.signature(command, eval_str=True).parameters.values()}
    records = {name: one.annotation for name, one in hints.items() if is_dataclass(one.annotation)}
    ranked = [
        found
        for name, one in hints.items()
        for found in (options_of(one.annotation) if name in records else [(rank(one), one)])
    ]
    options = [
        option.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for _, option in sorted(ranked, key=lambda pair: pair[0])
    ]

    @wraps(command)
    def run(**given: Any) -> None:
        for name, record in records.items():
            given[name] = fill_record(record, given)
        command(**given)

    run.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    run.__annotations__ = {option.name: option.annotation for option in options}
    return run


def options_of(record: Any) -> Iterator[tuple[int, inspect.Parameter]]:
    """Yield the options of a record, and of the records in it, each with its rank."""
    kinds = get_type_hints(record, include_extras=True)
    for field in fields(record):
        if is_dataclass(kinds[field.name]):
            yield from options_of(kinds[field.name])
        else:
            option = inspect.Parameter(
                field.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=inspect.Parameter.empty if field.default is MISSING else field.default,
                annotation=kinds[field.name],
            )
            yield rank(option, shared=issubclass(record, Shared)), option


def rank(option: inspect.Parameter, *, shared: bool = False) -> int:
    """Return the rank of an option in the help. Options of one rank stay in order."""
    if option.default is inspect.Parameter.empty:
        return 0
    if option.name in LAST:
        return 3
    return 2 if shared else 1


def fill_record(record: Any, given: dict[str, Any]) -> Any:
    """Create a record from the options in ``given``, and remove them from there."""
    kinds = get_type_hints(record)
    values = {
        field.name: fill_record(kinds[field.name], given)
        if is_dataclass(kinds[field.name])
        else given.pop(field.name)
        for field in fields(record)
    }
    return record(**values)
