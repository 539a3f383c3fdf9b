"""Servers that end with the tests, also with tests that are killed and can stop nothing."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

PATIENCE = 120.0
"""Seconds that a server has to start, or to end."""

_WATCHED = """
signal=$1
shift
exec 3<&0
"$@" 3<&- &
server=$!
{ cat <&3 >/dev/null; kill -$signal $server; } &
wait $server
kill -KILL 0
"""
"""Runs the server until its input ends, and then nothing is left of its process group."""


def start(
    command: Sequence[str | Path], signal: str, log: Path, **options: Any
) -> subprocess.Popen[bytes]:
    """The leader of a new process group; the signal, by its name, will stop the server."""
    with log.open("ab") as stream:
        return subprocess.Popen(
            ["sh", "-c", _WATCHED, "sh", signal, *command],
            stdin=subprocess.PIPE, stdout=stream, stderr=stream, start_new_session=True, **options,
        )  # fmt: skip


def stop(process: subprocess.Popen[bytes]) -> None:
    """As if the tests had ended."""
    assert process.stdin is not None
    process.stdin.close()
    process.wait(PATIENCE)
