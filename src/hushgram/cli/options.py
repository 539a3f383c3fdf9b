"""Options shared by the commands that spend budget, grouped in records: what to read, who is
protected, which account pays, where to write."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

import typer

from hushgram.cli.output import PROGRAM
from hushgram.cli.records import Shared
from hushgram.errors import BadInput

if TYPE_CHECKING:
    from hushgram.declare.about import About
    from hushgram.declare.source import Source
    from hushgram.declare.unit import Neighbours, UnitOption

Epsilon = Annotated[
    str, typer.Option("--epsilon", "-e", help="Privacy budget, e.g. 1, 0.1 or 1/3.")
]
Outside = Annotated[
    list[str] | None,
    typer.Option(
        "--outside", help="What to do with values outside: NAME=drop, NAME=clamp or NAME=other."
    ),
]
WorkloadText = Annotated[
    str | None, typer.Option("--workload", help="What you will query most: ranges or cells.")
]
MECHANISM_HELP = f"Mechanism, e.g. hb or quadtree:height=5. See: {PROGRAM} mechanisms."
NeighboursText = Annotated[str, typer.Option("--neighbours", help="add-remove or replace-one.")]


TEXT_OPTIONS = ("separator", "decimal", "encoding", "date_format", "line_breaks")
"""How the text of a table is formatted: options of `hushgram.Text`."""


@dataclass(frozen=True)
class TableOptions(Shared):
    """The table to read, or some of its rows."""

    source: Annotated[
        str, typer.Argument(help=f"Table: a file, glob, folder or URL. See: {PROGRAM} help tables.")
    ]
    where: Annotated[
        str | None, typer.Option("--where", help="Only include rows where this holds: 'age >= 18'.")
    ] = None
    separator: Annotated[
        str | None, typer.Option("--separator", help="CSV field separator: ';', '|' or tab.")
    ] = None
    decimal: Annotated[
        str | None, typer.Option("--decimal", help="Decimal mark in text columns: . or ,")
    ] = None
    encoding: Annotated[
        str | None, typer.Option("--encoding", help="CSV encoding, e.g. latin-1.")
    ] = None
    date_format: Annotated[
        str | None,
        typer.Option("--date-format", help="Date format in text columns, e.g. %d.%m.%Y."),
    ] = None
    line_breaks: Annotated[
        str | None,
        typer.Option("--line-breaks", help="Line breaks inside CSV values: never or quoted."),
    ] = None

    def as_source(self) -> Source:
        """Return the source as in the Python API. Nothing is opened yet."""
        from hushgram.declare.read import read

        formats = {name: getattr(self, name) for name in TEXT_OPTIONS}
        return read(self.source, where=self.where, **formats)


@dataclass(frozen=True)
class UnitOptions(Shared):
    """Who is protected."""

    person: Annotated[
        str | None,
        typer.Option(
            "--unit",
            help="Column that identifies the person, if people are protected rather than rows.",
        ),
    ] = None
    max_rows: Annotated[
        int | None,
        typer.Option(
            "--max-rows", help="Maximum number of rows to count per person. Needs --unit."
        ),
    ] = None
    difference: NeighboursText = "add-remove"

    @property
    def unit(self) -> UnitOption:
        from hushgram.declare.unit import User

        if self.person is None and self.max_rows is None:
            return "rows"
        if self.person is None or self.max_rows is None:
            raise BadInput(
                "--unit and --max-rows must be used together: --unit COLUMN --max-rows N."
            )
        return User(self.person, self.max_rows)

    @property
    def neighbours(self) -> Neighbours:
        from hushgram.declare.unit import as_neighbours

        return as_neighbours(self.difference)


class Payment(TypedDict):
    """`PaymentOptions` as keywords for the Python functions that spend budget."""

    account: str
    noise: str
    request: str | None
    cap: str | None
    allow_large: bool


@dataclass(frozen=True)
class PaymentOptions(Shared):
    """Which account pays, and how."""

    account: Annotated[str, typer.Option("--account", help="Account to charge.")]
    noise: Annotated[
        str, typer.Option("--noise", help="Noise implementation: native or opendp.")
    ] = "native"
    request: Annotated[
        str | None,
        typer.Option(
            "--request", help="Request ID. Repeating it returns the stored answer at no cost."
        ),
    ] = None
    cap: Annotated[
        str | None,
        typer.Option(
            "--cap", help="Cap of the account, if it is new. Default: 1, or epsilon if larger."
        ),
    ] = None
    allow_large: Annotated[
        bool, typer.Option("--allow-large", help="Allow an epsilon or a cap above 10.")
    ] = False

    def keywords(self) -> Payment:
        return {
            "account": self.account,
            "noise": self.noise,
            "request": self.request,
            "cap": self.cap,
            "allow_large": self.allow_large,
        }

    def with_request(self) -> PaymentOptions:
        """Add a request ID, so that the release can be fetched again if writing it fails, and check
        that the account's name is valid in a file name."""
        from hushgram.trusted.ledger.account import check_name

        request = self.request or secrets.token_hex(8)
        return replace(self, account=check_name(self.account), request=request)


@dataclass(frozen=True)
class AboutOptions(Shared):
    """Who publishes a release, and from which data. This text is public."""

    publisher: Annotated[
        str | None,
        typer.Option("--publisher", help="Who publishes the release. Stored as public text."),
    ] = None
    data_source: Annotated[
        str | None,
        typer.Option("--source", help="Data source, in your own words. Stored as public text."),
    ] = None
    contact: Annotated[
        str | None,
        typer.Option("--contact", help="Address or web page for questions. Stored as public text."),
    ] = None
    licence: Annotated[
        str | None,
        typer.Option("--licence", help="Licence, e.g. CC BY 4.0. Stored as public text."),
    ] = None
    date: Annotated[
        str | None, typer.Option("--date", help="Date of the data: YYYY-MM-DD, YYYY-MM or YYYY.")
    ] = None

    def as_about(self) -> About:
        from hushgram.declare.about import as_about

        return as_about(
            {
                "publisher": self.publisher,
                "source": self.data_source,
                "contact": self.contact,
                "licence": self.licence,
                "date": self.date,
            }
        )


@dataclass(frozen=True)
class OutputOptions(Shared):
    """Where releases are written, and whether they are signed."""

    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Release file to write. Default: ACCOUNT.hush.parquet. With --plan, a folder. "
            "Default: ACCOUNT.",
        ),
    ] = None
    sign: Annotated[
        Path | None, typer.Option("--sign", help="Sign with the private key in this file.")
    ] = None
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing files.")] = False

    def open_key(self) -> Any:
        """Return the private key to sign with, if any."""
        from hushgram.cli.keys import open_key

        return None if self.sign is None else open_key(self.sign)
