"""The options of commands that spend: what they are called, and what their help says."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

import typer

Source = Annotated[
    str, typer.Argument(help="A CSV or Parquet file, a glob, a folder, or a server's URL.")
]
Epsilon = Annotated[str, typer.Option("--epsilon", "-e", help="Budget: 1, 0.1 or 1/3.")]
Account = Annotated[str, typer.Option("--account", help="The account that pays.")]
Where = Annotated[
    str | None, typer.Option("--where", help="Rows that are meant, e.g. 'age >= 18'.")
]
Person = Annotated[
    str | None, typer.Option("--unit", help="The column that names the person, if not rows.")
]
MaxRows = Annotated[
    int | None, typer.Option("--max-rows", help="Rows counted per person, with --unit.")
]
Neighbours = Annotated[str, typer.Option("--neighbours", help="add-remove or replace-one.")]
Noise = Annotated[str, typer.Option("--noise", help="native or opendp.")]
Request = Annotated[str | None, typer.Option("--request", help="An id; asked again, it is free.")]
Cap = Annotated[
    str | None,
    typer.Option(
        "--cap", help="The account's cap, if it is new. Default: 1, or epsilon if that is more."
    ),
]
Large = Annotated[bool, typer.Option("--allow-large", help="Allow an epsilon or a cap above 10.")]

TEXT_OPTIONS: dict[str, Any] = {
    "separator": Annotated[
        str | None, typer.Option("--separator", help="CSV field separator: ';', '|' or tab.")
    ],
    "decimal": Annotated[
        str | None, typer.Option("--decimal", help="Decimal mark in text columns: . or ,")
    ],
    "encoding": Annotated[
        str | None, typer.Option("--encoding", help="CSV encoding, e.g. latin-1.")
    ],
    "date_format": Annotated[
        str | None, typer.Option("--date-format", help="Dates in text columns, e.g. %d.%m.%Y.")
    ],
    "line_breaks": Annotated[
        str | None,
        typer.Option("--line-breaks", help="Line breaks inside CSV values: never or quoted."),
    ],
}
"""How a table's texts are written; every command that reads a table has these."""

TextOptions = dict[str, str]
"""Those of `TEXT_OPTIONS` that were given."""


def reads_texts(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command all of `TEXT_OPTIONS`, which it gets together as ``text``."""
    own = inspect.signature(command, eval_str=True)
    kept = [option for name, option in own.parameters.items() if name != "text"]
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)
        for name, kind in TEXT_OPTIONS.items()
    ]

    @wraps(command)
    def run(**given: Any) -> None:
        text = {name: given.pop(name) for name in TEXT_OPTIONS}
        command(**given, text={name: value for name, value in text.items() if value is not None})

    options = [*kept, *added]
    run.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    run.__annotations__ = {option.name: option.annotation for option in options}
    return run


def chosen(source: str, where: str | None, text: TextOptions) -> Any:
    """The rows of a source that are meant, and how their texts are written."""
    from hushgram.declare.condition import Where as Chosen
    from hushgram.declare.text_format import Text

    table = Text(source, **text) if text else source
    return table if where is None else Chosen(table, where)
