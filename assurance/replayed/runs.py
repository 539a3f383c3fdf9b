"""Run the program and capture everything that is visible from outside. NONPRIVATE."""

from __future__ import annotations

import hashlib
import io
import itertools
import logging
import shutil
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

from assurance.replayed.cells import Row
from assurance.replayed.pairs import FilePair
from hushgram.lab.replay import RecordingVault, ReplayingVault, Transcript
from hushgram.trusted.ledger import Ledger

MOMENT = datetime(2024, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class RunOutput:
    """What an outsider can see of a run."""

    exit_code: int
    printed: str
    errors: str
    warned: tuple[str, ...]
    logged: tuple[str, ...]
    files: dict[str, bytes]
    ledger: tuple[tuple[str, str, str], ...]

    def differs(self, other: RunOutput) -> list[str]:
        """Return the names of the outputs that differ."""
        names = (field.name for field in fields(self))
        return [name for name in names if getattr(self, name) != getattr(other, name)]


class LogLines(logging.Handler):
    """Collects log lines, except the compiler's: kernels are compiled once, whatever the table."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.name.partition(".")[0] != "numba":
            self.lines.append(f"{record.name} {record.levelname} {record.getMessage()}")


def both(pair: FilePair, folder: Path) -> tuple[RunOutput, RunOutput, Transcript, Transcript]:
    """Run and record the first file, and replay the answers on the second."""
    recorded, repeated = Transcript(), Transcript()
    recorder = type("Recorder", (RecordingVault,), {"transcript": recorded})
    first = run(pair, pair.first, folder, recorder)
    replayer = type("Replayer", (ReplayingVault,), {"transcript": repeated, "recording": recorded})
    second = run(pair, pair.second, folder, replayer)
    return first, second, recorded, repeated


def run(pair: FilePair, rows: Sequence[Row | bytes], folder: Path, vault: type[Any]) -> RunOutput:
    """Publish the rows in an empty folder with an empty ledger."""
    shutil.rmtree(folder, ignore_errors=True)
    output = folder / "out"
    output.mkdir(parents=True)
    words = ["publish", str(pair.form.write(rows, folder)), "--account", "people", "--request", "r"]
    if pair.plan:
        (folder / "plan.toml").write_text(pair.plan)
        words += ["--plan", str(folder / "plan.toml"), "--output", str(output)]
    else:
        words += ["--output", str(output / "one.hush.parquet")]
    ledger = folder / "ledger.db"
    printed, errors, logged = io.StringIO(), io.StringIO(), LogLines()
    with (
        repeatable(ledger, vault),
        warnings.catch_warnings(record=True) as warned,
        listening(logged),
        redirect_stdout(printed),
        redirect_stderr(errors),
    ):
        warnings.simplefilter("always")
        code = program([*words, *pair.words])
    return RunOutput(
        code,
        printed.getvalue(),
        errors.getvalue(),
        tuple(f"{one.category.__name__} {one.message}" for one in warned),
        tuple(logged.lines),
        {str(file.relative_to(output)): file.read_bytes() for file in sorted(output.rglob("*"))},
        book(ledger),
    )


@cache
def command() -> Any:
    """Return the program's commands, built once: Typer would build them for each call."""
    from typer.main import get_command

    from hushgram.cli.app import app

    return get_command(app)


def program(words: list[str]) -> int:
    from hushgram.cli import app

    try:
        with patch.object(app, "app", command()):
            app.main(words)
    except SystemExit as stop:
        return int(stop.code or 0)


@contextmanager
def repeatable(ledger: Path, vault: type[Any]) -> Iterator[None]:
    """Make random tokens and times the same in every run. Noise is not affected: the vault draws or
    replays it."""
    numbers = itertools.count()

    def token(size: int = 32) -> str:
        return hashlib.shake_256(str(next(numbers)).encode()).hexdigest(size)

    with ExitStack() as patches:
        for target in (
            "hushgram.trusted.vault.TableVault",
            "hushgram.trusted.vault.budget_pool.TableVault",
        ):
            patches.enter_context(patch(target, vault))
        patches.enter_context(patch("hushgram.spending.rehearsal._rehearsed", set()))
        patches.enter_context(patch("secrets.token_hex", token))
        clock = patches.enter_context(patch("hushgram.trusted.ledger.chain.datetime"))
        clock.now.return_value = MOMENT
        patches.enter_context(patch.dict("os.environ", HUSHGRAM_LEDGER=str(ledger)))
        yield


@contextmanager
def listening(handler: logging.Handler) -> Iterator[None]:
    """Capture the log lines of all loggers."""
    root = logging.getLogger()
    before = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        yield
    finally:
        root.setLevel(before)
        root.removeHandler(handler)


def book(ledger: Path) -> tuple[tuple[str, str, str], ...]:
    if not ledger.exists():
        return ()
    return tuple((one.kind, one.payload, one.hash) for one in Ledger.open(ledger).entries())
