"""Help topics and shell completion."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from hushgram.cli.app import app
from hushgram.cli.layout import SECTIONS, VALUE_NAMES
from hushgram.cli.topics import ABOUT, read_topic
from hushgram.declare.grammar import parse_domain
from tests.surface.conftest import Run

ROOT = Path(__file__).parents[2]


def test_help_lists_its_topics(run: Run) -> None:
    result = run("help")
    assert (result.code, result.err) == (0, "")
    assert all(f"  {name} " in result.out for name in ABOUT)


@pytest.mark.parametrize("topic", ABOUT)
def test_a_topic_is_explained(run: Run, topic: str) -> None:
    result = run("help", topic)
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith(f"{topic.upper()}\n\n")
    assert max(map(len, result.out.splitlines())) <= 100


@pytest.mark.parametrize("topic", ABOUT)
def test_a_topic_names_commands_that_exist(topic: str) -> None:
    known = {str(command.name) for command in app.registered_commands}
    known |= {str(group.name) for group in app.registered_groups}
    named = re.findall(r"hushgram ([a-z][a-z-]*)", read_topic(topic))
    assert {*named} <= known | {*ABOUT, "lab"}


def test_the_axes_of_the_topic_can_be_declared() -> None:
    text = read_topic("axes")
    axes = re.findall(r"--axis (\S+)", text)
    assert len(axes) == 6
    for axis in axes:
        assert parse_domain([axis], []).names == (axis.partition("=")[0],)


def test_the_help_of_a_command_is_its_own(run: Run) -> None:
    assert run("help", "ledger", "show").out == run("ledger", "show", "--help").out
    assert run("help", "publish").out == run("publish", "--help").out


def test_the_help_lists_every_command_in_one_section() -> None:
    listed = [name for names in SECTIONS.values() for name in names]
    known = [str(command.name) for command in app.registered_commands]
    known += [str(group.name) for group in app.registered_groups]
    assert sorted(listed) == sorted(known)


def test_the_options_that_have_words_of_their_own_exist() -> None:
    text = "".join(map(help_of, walk(get_command(app))))
    names = set(VALUE_NAMES.values())
    assert {one for one in names if not re.search(rf"-[-a-z]+ {one}\b", text)} == set()


def test_help_speaks_of_values_in_plain_words() -> None:
    for command in walk(get_command(app)):
        text = help_of(command)
        assert not re.search(r"<(?:str|int|float|path|list)|\{", text), text
        assert len(command.get_short_help_str(200)) <= 90, command.name


def walk(command: Any) -> Iterator[Any]:
    """A command, and those in it."""
    yield command
    for inner in getattr(command, "commands", {}).values():
        yield from walk(inner)


def help_of(command: Any) -> str:
    return str(command.get_help(command.make_context("hushgram", [], resilient_parsing=True)))


def test_an_unknown_topic_is_refused(run: Run) -> None:
    result = run("help", "axs")
    assert result.code == 2
    assert "No topic or command is called 'axs'. Did you mean 'axes'? See: hushgram help" in (
        result.err
    )


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_gets_its_script(run: Run, shell: str) -> None:
    result = run("completion", shell)
    assert result.code == 0
    assert f"_HUSHGRAM_COMPLETE=complete_{shell}" in result.out


def test_an_unknown_shell_is_refused(run: Run) -> None:
    assert "Unknown shell 'tcsh'. Use bash, zsh, fish." in run("completion", "tcsh").err


def test_words_are_completed() -> None:
    asked = {"COMP_WORDS": "hushgram pub", "COMP_CWORD": "1", "_HUSHGRAM_COMPLETE": "complete_bash"}
    done = subprocess.run(
        [sys.executable, "-m", "hushgram"], env={**os.environ, **asked}, capture_output=True,
        text=True, check=True,
    )  # fmt: skip
    assert done.stdout.split() == ["publish"]


def test_the_clone_s_program_passes_topics_on(monkeypatch: pytest.MonkeyPatch) -> None:
    loader = SourceFileLoader("hush", str(ROOT / "hush"))
    hush = module_from_spec(spec_from_loader("hush", loader))  # type: ignore[arg-type]
    loader.exec_module(hush)
    ran: list[list[str]] = []
    monkeypatch.setattr(hush, "prepare", lambda kind: "python")
    monkeypatch.setattr(hush, "run", ran.append)
    hush.main(["help", "axes"])
    assert ran == [["python", "-m", "hushgram", "help", "axes"]]
    assert hush.main(["help"]) == 0  # its own
    assert len(ran) == 1
