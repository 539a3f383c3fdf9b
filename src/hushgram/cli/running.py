"""Running a program: bad input is one sentence and exit code 2, never a traceback."""

from __future__ import annotations

import inspect
import json
import re
import sys
from typing import Any, NoReturn

import typer

from hushgram.cli.output import PROGRAM, one_line
from hushgram.errors import HushgramError

UsageError: Any = typer.BadParameter.__base__
"""Typer names only this child of it, and newer ones bring their own copy of Click."""

ADVICE = re.compile(r"\bhushgram (?=(?:keys|ledger|publish)\b)")
"""How the library's messages name commands."""

EXAMPLE = re.compile(r"(?<=^  )hushgram ", re.MULTILINE)


def run(app: typer.Typer, words: list[str], program: str) -> NoReturn:
    """Run the words of a command line, and exit with a code."""
    as_json = "--json" in words
    try:
        code = app(args=words or ["--help"], prog_name=program, standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except HushgramError as error:
        report(type(error).__name__, name_program(str(error)), as_json=as_json)
    except UsageError as error:
        report("BadInput", usage(error, program), as_json=as_json)
    except (KeyboardInterrupt, typer.Abort):
        sys.stderr.write("stopped.\n")
        sys.exit(130)
    sys.exit(2)


def name_program(message: str, program: str = PROGRAM) -> str:
    """A message of the library, whose advice to run a command says how this program was called.

    >>> name_program("Check it: hushgram ledger verify", "./hush")
    'Check it: ./hush ledger verify'
    """
    return ADVICE.sub(f"{program} ", message)


def name_program_in_help(app: typer.Typer, program: str = PROGRAM) -> None:
    """Examples in the help, likewise."""
    root: list[Any] = [app.registered_callback] if app.registered_callback else []
    for command in (*root, *app.registered_commands):
        command.help = EXAMPLE.sub(f"{program} ", inspect.getdoc(command.callback) or "")
    for group in app.registered_groups:
        if group.typer_instance is not None:
            info = group.typer_instance.info
            info.help = EXAMPLE.sub(f"{program} ", str(info.help))
            name_program_in_help(group.typer_instance, program)


def usage(error: Any, program: str) -> str:
    """What is wrong with the words of a command, and where to read how it goes."""
    command = error.ctx.command_path if error.ctx else program
    said = error.format_message().rstrip(".")
    return f"{said}{'' if said.endswith('?') else '.'} See: {command} --help"


def report(kind: str, message: str, *, as_json: bool) -> None:
    """One line, whatever the words that a message repeats."""
    message = one_line(message)
    if as_json:
        message = json.dumps({"error": kind, "message": message}, ensure_ascii=False)
    else:
        message = f"hushgram: {message}"
    sys.stderr.write(message + "\n")
