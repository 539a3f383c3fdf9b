"""Tests that are killed leave no server behind."""

from __future__ import annotations

import os
import select
import subprocess
import sys
from pathlib import Path

import pytest

from tests.servers import watched

ROOT = Path(__file__).parents[2]

SERVER = """
import os, subprocess, sys, time

pipe = int(sys.argv[1])
subprocess.Popen(["sleep", "600"], pass_fds=[pipe])
os.write(pipe, b"started\\n")
time.sleep(600)
"""

TESTS = """
import sys, time
from pathlib import Path
from tests.servers import watched

server, pipe, log = sys.argv[1:]
command = [sys.executable, "-c", server, pipe]
process = watched.start(command, "TERM", Path(log), pass_fds=[int(pipe)])
time.sleep(600)
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL, and no sh")
def test_nothing_is_left(tmp_path: Path) -> None:
    ours, theirs = os.pipe()  # it ends when nobody is left who holds the other end
    words = [sys.executable, "-c", TESTS, SERVER, str(theirs), str(tmp_path / "log")]
    with (
        subprocess.Popen(words, pass_fds=[theirs], cwd=ROOT) as tests,
        os.fdopen(ours, "rb") as pipe,
    ):
        os.close(theirs)
        try:
            assert pipe.readline() == b"started\n"
        finally:
            tests.kill()
        assert select.select([pipe], [], [], watched.PATIENCE)[0]
        assert pipe.read() == b""
