"""The layout of ``--help``: commands grouped by task, and plain names for values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

SECTIONS = {
    "Before you publish": ("columns", "suggest", "mechanisms", "find-bounds", "find-max-rows"),
    "Publish and ask": ("publish", "ask", "median", "ledger"),
    "Query a release": (
        *("count", "quantile", "marginal", "sum", "mean", "areas", "compare", "sql", "points"),
    ),
    "Show a release": ("show", "explain", "plot", "report", "explore"),
    "Share a release": ("export", "sample", "blocks", "sign", "keys"),
    "More": ("studio", "lab", "demo", "help", "completion"),
}
"""All commands of the program, grouped by task."""

ARGUMENTS = {
    "axes": "AXIS",
    "key": "KEYFILE",
    "mechanisms": "MECHANISM",
    "ranges": "RANGE",
    "releases": "RELEASE",
    "shares": "Q",
    "user_column": "COLUMN",
}
"""Names of arguments in the help, if not their own."""

VALUES = {
    "FILE": "output key sign plan like compare plot signer other_signer",
    "FOLDER": "folder page",
    "NUMBER": "epsilon release_epsilon cap confidence coverage error margin per spread share",
    "N": "bins jobs max_rows port questions releases repeat runs seed top",
    "NAME": "account by half kind line_breaks mechanism name neighbours difference noise table "
    "workload best_of encoding",
    "COLUMN": "person unit population mean add_up sum",
    "CONDITION": "where",
    "AXES": "on",
    "NAME=BOUNDS": "axis",
    "NAME=POLICY": "outside",
    "ID": "request",
    "W,S,E,N": "bbox",
}
"""Names of the values of options; TEXT for others."""

VALUE_NAMES = {option: word for word, options in VALUES.items() for option in options.split()}


class PlainCommand(TyperCommand):
    """A command whose help uses plain names for values."""

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        for parameter in self.params:
            if parameter.metavar is None:
                parameter.metavar = value_name(parameter)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        arguments = (one for one in self.get_params(ctx) if is_argument(one))
        return [str(self.options_metavar), *map(placeholder, arguments)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        rows: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for one in self.get_params(ctx):
            name, about = one.get_help_record(ctx) or ("", "")
            if is_argument(one):
                rows["Arguments"].append((placeholder(one), about))
            elif name:
                rows["Options"].append((name, about))
        for title, found in rows.items():
            if found:
                with formatter.section(title):
                    formatter.write_dl(found)


class PlainGroup(TyperGroup):
    """A group whose help describes each command in a whole sentence."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        for title, names in self.sections():
            with formatter.section(title):
                formatter.write_dl([(name, self.about(ctx, name)) for name in names])

    def sections(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        yield "Commands", tuple(self.commands)

    def about(self, ctx: Any, name: str) -> str:
        command: Any = self.get_command(ctx, name)
        return str(command.get_short_help_str(200))


class Program(PlainGroup):
    """The program itself, whose help groups commands by task."""

    def sections(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        yield from SECTIONS.items()


def lay_out(app: typer.Typer) -> None:
    """Use these classes for all commands of a program."""
    for command in app.registered_commands:
        command.cls = PlainCommand
    for group in app.registered_groups:
        if group.typer_instance is not None:
            group.cls = PlainGroup
            lay_out(group.typer_instance)


def is_argument(parameter: Any) -> bool:
    return str(parameter.param_type_name) == "argument"


def value_name(parameter: Any) -> str | None:
    """Return the name of the value of an argument or option; None for a switch."""
    if is_argument(parameter):
        return ARGUMENTS.get(parameter.name) or str(parameter.name).upper()
    return None if parameter.is_flag else VALUE_NAMES.get(parameter.name, "TEXT")


def placeholder(argument: Any) -> str:
    """Return an argument as in the usage line, such as ``RELEASE`` or ``[RANGE]...``."""
    name = argument.metavar if argument.required else f"[{argument.metavar}]"
    return str(name) + ("..." if argument.nargs != 1 else "")
