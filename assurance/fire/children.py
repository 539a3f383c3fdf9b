"""Forked processes that do one task each, and may be killed during it."""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

PATIENCE = 1200.0
"""Seconds after which a child without output counts as hanging."""


@dataclass(frozen=True)
class Ended:
    """How a child ended: killed, or with the result of its work."""

    killed: bool
    result: Any
    """What it wrote: its result, or a message before it was killed."""


@dataclass(frozen=True)
class Child:
    """A running child."""

    process: int
    pipe: int

    def end(self, after: float | None = None) -> Ended:
        """Wait for the child; kill it after ``after`` seconds."""
        deadline = time.monotonic() + (PATIENCE if after is None else after)
        written = b""
        while True:
            left = max(deadline - time.monotonic(), 0)
            if not select.select([self.pipe], [], [], left)[0]:
                os.kill(self.process, signal.SIGKILL)
                if after is None:
                    raise AssertionError(f"a process hung: {written!r}")
                break
            piece = os.read(self.pipe, 1 << 16)
            if not piece:
                break
            written += piece
        os.close(self.pipe)
        _, status = os.waitpid(self.process, 0)
        killed = os.WIFSIGNALED(status)
        result = json.loads(written) if written and not killed else written.decode()
        if not killed and os.WEXITSTATUS(status):
            raise AssertionError(f"a process failed: {result}")
        return Ended(killed, result)


def start(work: Callable[[int], Any]) -> Child:
    """Fork a child that runs `work`, which gets the pipe for messages. Its result is sent as
    JSON."""
    ours, theirs = os.pipe()
    sys.stdout.flush()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # other threads only wait
        process = os.fork()
    if process == 0:
        os.close(ours)
        _work(work, theirs)
    os.close(theirs)
    return Child(process, ours)


def _work(work: Callable[[int], Any], pipe: int) -> NoReturn:
    code = 1
    try:
        result = json.dumps(work(pipe))
        code = 0
    except BaseException:
        result = json.dumps(traceback.format_exc())
    try:
        rest = result.encode()
        while rest:
            rest = rest[os.write(pipe, rest) :]
    finally:
        os._exit(code)


def done(work: Callable[..., Any], *given: Any) -> Any:
    """Run work in a child and return its result."""
    return start(lambda pipe: work(*given)).end().result
