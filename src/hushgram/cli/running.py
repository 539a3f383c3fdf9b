"""Run the program: bad input gives one line and exit code 2, never a traceback."""

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
"""Typer only exports this subclass, and newer versions bring their own copy of Click."""

ADVICE = re.compile(r"\bhushgram (?=(?:keys|ledger|publish)\b)")
"""How the library's messages refer to commands."""

EXAMPLE = re.compile(r"(?<=^  )hushgram ", re.MULTILINE)


def run(app: typer.Typer, words: list[str], program: str) -> NoReturn:
    """Run a command line, and exit with a code."""
    as_json = "--json" in words
    try:
        code = app(args=words or ["--help"], prog_name=program, standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except HushgramError as error:
        report(type(error).__name__, name_program(str(error)), as_json=as_json)
    except UsageError as error:
        report("BadInput", usage(error, program), as_json=as_json)
    except (KeyboardInterrupt, typer.Abort):
        sys.stderr.write("Stopped.\n")
        sys.exit(130)
    sys.exit(2)


def name_program(message: str, program: str = PROGRAM) -> str:
    """Replace the program's name in a message of the library by the one the user typed.

    >>> name_program("Check it: hushgram ledger verify", "./hush")
    'Check it: ./hush ledger verify'
    """
    return ADVICE.sub(f"{program} ", message)


def name_program_in_help(app: typer.Typer, program: str = PROGRAM) -> None:
    """Do the same for examples in the help."""
    root: list[Any] = [app.registered_callback] if app.registered_callback else []
    for command in (*root, *app.registered_commands):
        command.help = EXAMPLE.sub(f"{program} ", inspect.getdoc(command.callback) or "")
    for group in app.registered_groups:
        if group.typer_instance is not None:
            info = group.typer_instance.info
            info.help = EXAMPLE.sub(f"{program} ", str(info.help))
            name_program_in_help(group.typer_instance, program)


def usage(error: Any, program: str) -> str:
    """Describe what is wrong with a command line, and how to get help on the command."""
    command = error.ctx.command_path if error.ctx else program
    message = error.format_message().rstrip(".")
    return f"{message}{'' if message.endswith('?') else '.'} See: {command} --help"


def report(kind: str, message: str, *, as_json: bool) -> None:
    """Print an error as one line, even if it quotes long text."""
    message = one_line(message)
    if as_json:
        message = json.dumps({"error": kind, "message": message}, ensure_ascii=False)
    else:
        message = f"hushgram: {message}"
    sys.stderr.write(message + "\n")
