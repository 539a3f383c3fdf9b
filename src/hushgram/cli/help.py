"""``hushgram help`` and ``hushgram completion``."""

from __future__ import annotations

import os
from typing import Annotated, Any

import typer
import typer.completion

from hushgram.base.text import did_you_mean
from hushgram.cli.output import PROGRAM
from hushgram.cli.topics import ABOUT, read_topic
from hushgram.errors import BadInput

COMPLETION: Any = typer.completion
"""These functions are documented, but not typed as exported."""

SHELLS = ("bash", "zsh", "fish")
VARIABLE = "_HUSHGRAM_COMPLETE"
"""Set by the completion script when a shell asks for completions."""


def add_to(app: typer.Typer) -> None:
    app.command("help")(help_command)
    app.command("completion")(completion)


def help_command(
    context: typer.Context,
    topic: Annotated[
        list[str] | None,
        typer.Argument(help="A topic or a command. Without one, lists the topics."),
    ] = None,
) -> None:
    """Show help on a topic or a command.

    The topics are axes, tables, budget, privacy, releases and environment.

    \b
    Example:
      hushgram help axes
      hushgram help ledger show
    """
    words = topic or []
    if not words:
        typer.echo(list_topics())
    elif len(words) == 1 and words[0] in ABOUT:
        typer.echo(read_topic(words[0]).rstrip().replace("  hushgram ", f"  {PROGRAM} "))
    else:
        typer.echo(command_help(context.find_root(), words))


def list_topics() -> str:
    width = max(map(len, ABOUT))
    lines = [f"  {name.ljust(width)}  {about}" for name, about in ABOUT.items()]
    usage = f"{PROGRAM} help TOPIC, {PROGRAM} help COMMAND, {PROGRAM} --help"
    return "\n".join(["Topics:", *lines, "", f"See: {usage}"])


def command_help(root: Any, words: list[str]) -> str:
    """Return the help of a command or of a group of commands."""
    context, command = root, root.command
    for word in words:
        inner = getattr(command, "commands", {})
        if word not in inner:
            known = [*ABOUT, *inner] if context is root else [*inner]
            raise BadInput(
                "No topic or command is called "
                f"{' '.join(words)!r}.{did_you_mean(word, known)} See: {PROGRAM} help"
            )
        command = inner[word]
        context = type(root)(command, info_name=word, parent=context)
    return str(command.get_help(context))


def offer_completions() -> None:
    """Let Typer answer a shell that asks for completions."""
    if VARIABLE in os.environ:
        COMPLETION.completion_init()


def completion(
    shell: Annotated[str, typer.Argument(help="bash, zsh or fish.")],
) -> None:
    """Print a script for shell completion.

    It completes commands and options in bash, zsh or fish.

    \b
    Example:
      hushgram completion bash >> ~/.bashrc
      hushgram completion zsh >> ~/.zshrc
      hushgram completion fish > ~/.config/fish/completions/hushgram.fish
    """
    if shell not in SHELLS:
        raise BadInput(f"Unknown shell {shell!r}. Use {', '.join(SHELLS)}.")
    names = {"prog_name": "hushgram", "complete_var": VARIABLE, "shell": shell}
    typer.echo(COMPLETION.get_completion_script(**names))
