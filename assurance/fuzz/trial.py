"""One trial: run a command as a user would, and check everything that is visible."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import sys
import time
import traceback
from contextlib import closing, nullcontext, suppress
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any
from unittest.mock import patch

from typer.main import get_command

import hushgram.errors
from assurance.fuzz.seeds import MARKS
from assurance.fuzz.target import Input, Step, StepResult, Target
from hushgram.cli import app, running

HOME = str(Path(hushgram.errors.__file__).parent)
LEDGER = Path("ledger/ledger.db")

LONGEST_MESSAGE = 2000
MOST_MEMORY = 1024
"""The maximum additional memory of a trial in megabytes."""


@dataclass(frozen=True)
class TrialOutcome:
    """The results of a trial."""

    signature: str
    """Equal for trials that end in the same way: exit codes, errors, and where they were raised."""
    findings: list[str]
    seconds: float
    peak: int
    lines: list[str] = field(default_factory=list)
    """Lines of Hushgram that no trial reached before."""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


class LineTracer:
    """Records which lines of Hushgram run."""

    def __init__(self, known: set[tuple[str, int]]) -> None:
        self.known = known
        self.new: set[tuple[str, int]] = set()

    def __enter__(self) -> LineTracer:
        sys.settrace(self._call)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)
        self.known |= self.new

    def _call(self, frame: FrameType, event: str, arg: Any) -> Any:
        return self._line if frame.f_code.co_filename.startswith(HOME) else None

    def _line(self, frame: FrameType, event: str, arg: Any) -> Any:
        place = frame.f_code.co_filename, frame.f_lineno
        if place not in self.known:
            self.new.add(place)
        return self._line


def run_trial(
    target: Target, given: Input, folder: Path, known: set[tuple[str, int]] | None = None
) -> TrialOutcome:
    """Run an input in an empty folder, with its own ledger.

    Lines are traced if the known ones are given, which doubles the time.
    """
    empty_folder(folder)
    steps = target.steps(given, folder)
    begin = time.monotonic()
    signature, findings, peak = [given.way], [], 0
    lines = LineTracer(set() if known is None else known)
    with nullcontext() if known is None else lines:
        seens = [seen_of(step) for step in steps]
    seconds = time.monotonic() - begin
    for step, seen in zip(steps, seens, strict=True):
        signature.append(signature_of(seen))
        peak = max(peak, seen.peak)
        wrong = target.wrong(given, seen)
        findings += [*general(step, seen), *([wrong] if wrong else [])]
    fresh = sorted(f"{Path(file).relative_to(HOME)}:{line}" for file, line in lines.new)
    return TrialOutcome(" | ".join(signature), findings, round(seconds, 3), peak, fresh)


def empty_folder(folder: Path) -> None:
    for path in folder.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def seen_of(step: Step) -> StepResult:
    """Run a step, and capture everything that is written to the output streams of the process."""
    seen, before = StepResult(), count_ledger()
    start = memory(reset=True)
    with Streams() as streams:
        if isinstance(step, list):
            run_words(step, seen)
        else:
            run_call(step, seen)
    seen.out, seen.err = streams.texts
    seen.peak = max(memory() - start, 0)
    after = count_ledger()
    seen.charges, seen.kept = after[0] - before[0], after[1] - before[1]
    seen.left = [path for path in Path().rglob("*") if path.is_file()]
    return seen


def run_words(words: list[str], seen: StepResult) -> None:
    report = running.report

    def note(kind: str, message: str, *, as_json: bool) -> None:
        seen.error, seen.place = kind, place_of(sys.exc_info()[1])
        report(kind, message, as_json=as_json)

    with patch.object(running, "report", note), patch.object(app, "app", program()):
        try:
            app.main(words)
        except SystemExit as stop:
            seen.code = stop.code if isinstance(stop.code, int) else 1
        except BaseException as error:
            seen.code, seen.fault = 1, fault_of(error)


@cache
def program() -> Any:
    """Return the program's commands, built once."""
    return get_command(app.app)


def run_call(call: Any, seen: StepResult) -> None:
    try:
        call()
    except hushgram.errors.HushgramError as error:
        seen.code, seen.error, seen.place = 2, type(error).__name__, place_of(error)
        running.report(seen.error, str(error), as_json=False)
    except BaseException as error:
        seen.code, seen.fault = 1, fault_of(error)


class Streams:
    """Captures both standard streams at the level of file descriptors."""

    def __init__(self) -> None:
        self.texts = ("", "")

    def __enter__(self) -> Streams:
        sys.stdout.flush()
        sys.stderr.flush()
        self._kept = [os.dup(1), os.dup(2)]
        self._files = [os.memfd_create("out"), os.memfd_create("err")]
        for number, file in enumerate(self._files, start=1):
            os.dup2(file, number)
        return self

    def __exit__(self, *_: object) -> None:
        for stream in (sys.stdout, sys.stderr):
            with suppress(UnicodeError):
                stream.flush()
        texts = []
        for number, (file, kept) in enumerate(zip(self._files, self._kept, strict=True), start=1):
            os.dup2(kept, number)
            os.lseek(file, 0, os.SEEK_SET)
            texts.append(os.read(file, 1 << 22).decode("utf-8", "replace"))
            os.close(file)
            os.close(kept)
        self.texts = (texts[0], texts[1])


def place_of(error: BaseException | None) -> str:
    """Return the innermost line of Hushgram in a traceback."""
    frames = traceback.extract_tb(error.__traceback__) if error else []
    ours = [
        frame
        for frame in frames
        if frame.filename.startswith(HOME) and not is_fuzzer(frame.filename)
    ]
    if not ours:
        return "elsewhere"
    return f"{Path(ours[-1].filename).relative_to(HOME)}:{ours[-1].name}"


def is_fuzzer(file: str) -> bool:
    return file.startswith(str(Path(__file__).parent))


def fault_of(error: BaseException) -> str:
    return f"{type(error).__name__} at {place_of(error)}: {str(error)[:200]}"


def signature_of(seen: StepResult) -> str:
    message = re.sub(r"'[^']*'|\"[^\"]*\"|[0-9]+", "#", seen.err.partition("\n")[0])
    return f"{seen.code} {seen.error} {seen.place} {message[:80]} {seen.fault.partition(':')[0]}"


def general(step: Step, seen: StepResult) -> list[str]:
    """Return what is wrong for any kind of input."""
    found = []
    if seen.fault:
        found.append(f"exception: {seen.fault}")
    elif seen.code not in (0, 2):
        found.append(f"exit code {seen.code}")
    if "Traceback" in seen.err + seen.out:
        found.append("a traceback was printed")
    if "Warning" in seen.err:
        found.append(f"a warning was printed: {seen.err[:200]}")
    lines = [line for line in seen.err.splitlines() if not line.startswith("New account ")]
    if seen.code == 2 and (len(lines) != 1 or seen.out):
        found.append(f"a refusal is not one line: {seen.err[:200]!r}")
    if any(sign in seen.out + seen.err for sign in "\x1b\x9b\x07\u202e"):
        found.append("a terminal control character was printed")
    if len(seen.err) > LONGEST_MESSAGE:
        found.append(f"a message of {len(seen.err)} characters: {seen.err[:80]!r}")
    if seen.code and is_overcharged(seen):
        found.append(f"refused, but charged: {seen.error} at {seen.place}")
    if seen.peak > MOST_MEMORY:
        found.append(f"memory: {seen.peak} MB")
    return found + leaks(step, seen)


def is_overcharged(seen: StepResult) -> bool:
    """Return whether something was charged that should have been refused before the charge.

    An engine that fails while counting forfeits its charge, and a stored answer is paid for, even
    if it says that nothing was found. But an output file that cannot be written is bad input.
    """
    if seen.error == "EngineFailed":
        return False
    return seen.charges > seen.kept or bool(seen.charges and seen.error == "OutputError")


def leaks(step: Step, seen: StepResult) -> list[str]:
    """Return marks of private cells in outputs and files."""
    shown = {"the output": seen.out, "a message": seen.err}
    for path in seen.left:
        if path.name.endswith((".hush.parquet", ".html", ".svg")):
            shown[path.name] = path.read_bytes().decode("latin-1")
    words = step if isinstance(step, list) else []
    return [
        f"a private value is in {where}"
        for where, text in shown.items()
        for mark in MARKS
        if mark in text and mark not in str(words) and not is_paid_answer(words, seen, mark)
    ]


def is_paid_answer(words: list[str], seen: StepResult, mark: str) -> bool:
    """Return whether a number from the table is a paid answer: if nearly all rows contain it, a
    median may be close to it."""
    return not seen.code and words[:1] in (["median"], ["find-bounds"]) and mark == MARKS[0]


def count_ledger() -> tuple[int, int]:
    """Return the numbers of charges and commits in the ledger; 0 if it cannot be read."""
    if not LEDGER.exists():
        return 0, 0
    try:
        with closing(sqlite3.connect(f"{LEDGER.absolute().as_uri()}?mode=ro", uri=True)) as book:
            kinds = [kind for (kind,) in book.execute("SELECT kind FROM entries")]
            return kinds.count("charge"), kinds.count("commit")
    except (sqlite3.Error, OverflowError, ValueError):
        return 0, 0


def memory(*, reset: bool = False) -> int:
    """Return the megabytes in use, or the peak since the last reset."""
    if reset:
        with suppress(OSError):
            Path("/proc/self/clear_refs").write_text("5")
    try:
        status = Path("/proc/self/status").read_text()
        return int(re.findall(r"VmHWM:\s+([0-9]+)", status)[0]) >> 10
    except (OSError, IndexError):
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
