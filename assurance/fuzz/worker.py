"""A forked process that runs trials, and is replaced when it hangs, dies or has done enough."""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import struct
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from assurance.fuzz.target import Input, Target
from assurance.fuzz.trial import TrialOutcome, run_trial

LONGEST = 60.0
"""Seconds after which a trial counts as hanging."""

ADDRESSES = 4 << 30
"""Additional address space of a process, in bytes."""

Known = set[tuple[str, int]]


class Worker:
    """Runs one process at a time. Its CPU time is counted when it ends."""

    def __init__(self, target: Target, known: Known) -> None:
        self.target = target
        self.known = known
        self.cpu = 0.0
        self.process = 0

    def run(self, given: Input, *, traced: bool = False) -> TrialOutcome:
        if not self.process:
            self._start()
        begin = time.monotonic()
        try:
            send(self.into, {"data": given.data.hex(), "way": given.way, "traced": traced})
            answer = receive(self.out, LONGEST)
        except BrokenPipeError:
            answer = None
        if answer is not None:
            return TrialOutcome(**answer)
        seconds = time.monotonic() - begin
        ended = self.stop(kill=seconds >= LONGEST)
        found = "hang" if seconds >= LONGEST else f"the process died ({ended})"
        return TrialOutcome(f"{given.way} | {found}", [found], round(seconds, 1), 0)

    def stop(self, *, kill: bool = False) -> str:
        """End the process, count its time, and return how it ended."""
        if not self.process:
            return ""
        if kill:
            os.kill(self.process, signal.SIGKILL)
        os.close(self.into)
        _, status, usage = os.wait4(self.process, 0)
        os.close(self.out)
        shutil.rmtree(self.home, ignore_errors=True)
        self.cpu += usage.ru_utime + usage.ru_stime
        self.process = 0
        if os.WIFSIGNALED(status):
            return signal.Signals(os.WTERMSIG(status)).name
        return f"code {os.WEXITSTATUS(status)}"

    def _start(self) -> None:
        theirs, self.into = os.pipe()
        self.out, answers = os.pipe()
        self.home = tempfile.mkdtemp(prefix="hushgram-fuzz-")
        sys.stdout.flush()
        sys.stderr.flush()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # other threads only wait
            self.process = os.fork()
        if self.process == 0:
            os.close(self.into)
            os.close(self.out)
            serve(self.target, theirs, answers, Path(self.home), self.known)
        os.close(theirs)
        os.close(answers)


def serve(target: Target, inputs: int, answers: int, home: Path, known: Known) -> NoReturn:
    """Run trials in the worker process until there is no more input."""
    code = 1
    try:
        settle(home)
        while (asked := receive(inputs, None)) is not None:
            given = Input(bytes.fromhex(asked["data"]), asked["way"])
            lines = known if asked["traced"] else None
            send(answers, answer_input(target, given, home / "trial", lines).to_json())
        code = 0
    finally:
        os._exit(code)


def answer_input(target: Target, given: Input, folder: Path, known: Known | None) -> TrialOutcome:
    try:
        return run_trial(target, given, folder, known)
    except Exception:
        failed = f"the fuzzer itself failed: {traceback.format_exc()}"
        return TrialOutcome("failed", [failed], 0.0, 0)


def settle(home: Path) -> None:
    """Set up the worker: no terminal, its own folder and ledger, and resource limits."""
    import resource

    os.setsid()
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    folder = home / "trial"
    folder.mkdir()
    os.chdir(folder)
    os.environ["HUSHGRAM_LEDGER"] = str(folder / "ledger" / "ledger.db")
    pages = int(Path("/proc/self/statm").read_text().split()[0]) if Path("/proc").exists() else 0
    most = pages * resource.getpagesize() + ADDRESSES
    if pages:
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    sys.addaudithook(keep_inside)


WRITES = {"os.rename", "os.mkdir", "os.link", "os.remove", "os.rmdir", "os.symlink", "os.truncate"}


def keep_inside(event: str, given: tuple[Any, ...]) -> None:
    """Refuse access outside the trial's folder: a mutated path must not harm the system."""
    if event == "open":
        path, writes = given[0], given[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        if not writes or not isinstance(path, str | bytes):
            return
    elif event in WRITES:
        path = given[1] if event in ("os.rename", "os.link", "os.symlink") else given[0]
    else:
        return
    place = os.path.abspath(os.fsdecode(path))  # noqa: PTH100
    inside = (tempfile.gettempdir(), "/dev/null", "/proc/self", "/dev/shm")
    if not place.startswith(inside) and "__pycache__" not in place:
        raise PermissionError(13, "outside of the folder of the trial")


def send(pipe: int, message: Any) -> None:
    data = json.dumps(message).encode()
    data = struct.pack("<I", len(data)) + data
    while data:
        data = data[os.write(pipe, data) :]


def receive(pipe: int, patience: float | None) -> Any:
    """Receive a message; None if the other side is gone or takes too long."""
    deadline = None if patience is None else time.monotonic() + patience
    size = exactly(pipe, 4, deadline)
    if size is None:
        return None
    data = exactly(pipe, struct.unpack("<I", size)[0], deadline)
    return None if data is None else json.loads(data)


def exactly(pipe: int, size: int, deadline: float | None) -> bytes | None:
    found = b""
    while len(found) < size:
        left = None if deadline is None else max(deadline - time.monotonic(), 0)
        if not select.select([pipe], [], [], left)[0]:
            return None
        piece = os.read(pipe, size - len(found))
        if not piece:
            return None
        found += piece
    return found


def survive_forks() -> None:
    """Use one thread for compiled loops, which a forked process can restart. Numba's other
    threading layers would end it, and more threads would busy-wait."""
    from numba import config

    config.THREADING_LAYER, config.NUMBA_NUM_THREADS = "workqueue", 1


def rehearse(target: Target, ways: Sequence[str]) -> None:
    """Run a valid input once in this process, so that workers need not import and compile again."""
    survive_forks()
    before, ledger = Path.cwd(), os.environ.get("HUSHGRAM_LEDGER")
    with tempfile.TemporaryDirectory(prefix="hushgram-fuzz-") as home:
        try:
            os.chdir(home)
            os.environ["HUSHGRAM_LEDGER"] = str(Path(home, "ledger", "ledger.db"))
            for way in ways:
                run_trial(target, Input(target.seeds()[0], way), Path(home))
        finally:
            os.chdir(before)
            os.environ.pop("HUSHGRAM_LEDGER")
            if ledger is not None:
                os.environ["HUSHGRAM_LEDGER"] = ledger
