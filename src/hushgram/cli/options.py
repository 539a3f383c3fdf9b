"""The options of commands that spend: what they are called, and what their help says."""

from __future__ import annotations

from typing import Annotated

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
