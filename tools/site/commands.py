"""Generate the reference of every command: its help text, and examples with their output."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from hushgram.cli.topics import ABOUT, read_topic
from tools.site.examples import run_examples

FOLDER = "reference/commands"
SHOWN = 3
"""The maximum number of examples of a command."""


def pages(examples: Mapping[str, Iterable[tuple[str, str]]] | None = None) -> dict[str, str]:
    """Return Markdown by page. Examples are run unless they are given."""
    import typer

    from hushgram.cli.app import app

    os.environ.setdefault("COLUMNS", "82")
    program = typer.main.get_command(app)
    context = program.make_context("hushgram", ["help"])
    top = dict(sorted(getattr(program, "commands").items()))  # noqa: B009
    made = {f"{FOLDER}/index.md": contents(top)}
    examples = run_examples() if examples is None else examples
    for name, command in top.items():
        sections = [section(words, text) for words, text in helps(command, context, name)]
        sections += output_section(examples.get(name, ()))
        made[f"{FOLDER}/{name}.md"] = "\n".join([f"# hushgram {name}", "", *sections])
    made[f"{FOLDER}/topics.md"] = topics()
    return made


def helps(command: Any, parent: Any, name: str) -> Iterator[tuple[str, str]]:
    """Yield a command's help, and those of its subcommands."""
    context = type(parent)(command, info_name=name, parent=parent, max_content_width=78)
    yield context.command_path, command.get_help(context)
    for inner, one in getattr(command, "commands", {}).items():
        yield from helps(one, context, inner)


def section(words: str, text: str) -> str:
    inner = words.count(" ") > 1
    return "\n".join([f"## {words}\n" if inner else "", "```text", text.rstrip(), "```", ""])


def output_section(examples: Iterable[tuple[str, str]]) -> list[str]:
    """Return the section with the output of some calls."""
    shown = [f"```console\n$ hushgram {line}\n{text}\n```\n" for line, text in examples]
    return ["## What it prints\n", *shown[:SHOWN]] if shown else []


def contents(commands: dict[str, Any]) -> str:
    lines = [
        "# Command line", "",
        "`hushgram COMMAND --help` prints these pages. In a clone, write `./hush` for `hushgram`.",
        "Every command takes `--json`. Exit code 2 means that the command was refused.", "",
        "| command | |", "|---|---|",
    ]  # fmt: skip
    for name, command in commands.items():
        lines.append(f"| [`{name}`]({name}.md) | {command.get_short_help_str(120)} |")
    return "\n".join([*lines, "", "[Help topics](topics.md)", ""])


def topics() -> str:
    lines = ["# Help topics", "", "What `hushgram help TOPIC` prints.", ""]
    for name in ABOUT:
        text = read_topic(name).partition("\n")[2].strip()
        lines += [f"## {name}", "", "```text", text, "```", ""]
    return "\n".join(lines)
