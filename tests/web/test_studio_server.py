"""The Studio as a program: it starts, is killed, and stops."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPException
from pathlib import Path
from typing import Any

import pytest

import hushgram as hg
from hushgram.cli.app import main
from hushgram.errors import BadInput, MissingExtra
from hushgram.web.studio import server
from hushgram.web.studio.server import check_packages, door, listening
from hushgram.web.studio.session import Session
from tests.web.studio_server import Running, form_of, write_visits

SLOW = """
import sys, threading
from hushgram.spending.publish import ReleaseTask
ReleaseTask.run = lambda *_: threading.Event().wait(60)
"""
"""A publish that is charged and does not end."""


class Started:
    """A Studio in a process of its own."""

    def __init__(self, process: subprocess.Popen[str], address: str, folder: Path) -> None:
        self.process = process
        self.address = address
        port = int(address.split(":")[2].split("/")[0])
        self.session = Session(port, folder=address.split("/")[3])
        answer = urllib.request.urlopen(address, timeout=30)
        self.session.cookie = answer.headers["set-cookie"].split(";")[0].split("=")[1]
        self.client = Running(None, self.session, folder)  # type: ignore[arg-type]

    def publish(self, request: str) -> Any:
        form = form_of(self.client.folder / "visits.parquet")
        return self.client.call("publish", {"form": form, "request": request})

    def wait_for(self, request: str, *stages: str) -> Any:
        for _ in range(600):
            found = self.client.call("job", {"request": request})
            if found["stage"] in stages and (found["stage"] != "counting" or found["charged"]):
                return found
            time.sleep(0.05)
        raise AssertionError(f"it never became {stages}")


@contextmanager
def started(folder: Path, before: str = "") -> Iterator[Started]:
    code = f"{before}\nfrom hushgram.cli.app import main\nmain(['studio', '--no-browser'])"
    process = subprocess.Popen(
        [sys.executable, "-c", code], cwd=folder, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    try:
        assert process.stdout is not None
        address = re.search(r"http://\S+", process.stdout.readline())
        assert address is not None
        yield Started(process, address[0], folder)
    finally:
        process.kill()
        process.communicate()


def test_a_studio_that_is_killed_gives_nothing_unpaid_and_nothing_twice(tmp_path: Path) -> None:
    write_visits(tmp_path)
    with started(tmp_path, SLOW) as first:
        first.publish("r1")
        first.wait_for("r1", "counting")
        first.process.send_signal(signal.SIGKILL)
        first.process.wait()
    ledger = hg.Ledger.open()
    assert str(ledger.account("visits").spent) == "1"
    assert ledger.verify() == 2  # opened and charged, and nothing came of it
    with started(tmp_path) as second:
        assert second.client.call("job", {"request": "r1"})["stage"] == "forfeited"
        second.publish("r1")  # the same page, sent again
        found = second.wait_for("r1", "failed")
        assert "did not finish" in found["problem"]["message"]
        second.publish("r2")
        assert "0 left" in second.wait_for("r2", "failed")["problem"]["message"]
        history = second.client.call("account", {"account": "visits"})
        assert [one.get("bought") for one in history["entries"]] == [None, "nothing"]
    assert str(ledger.account("visits").spent) == "1"


DIES = """
import os, signal
from hushgram.spending import task
from hushgram.trusted.ledger import Ledger
def die(*_, **__): os.kill(os.getpid(), signal.SIGKILL)
def dying_after(act):
    def do(*words, **options):
        act(*words, **options)
        die()
    return do
"""

MOMENTS = {
    "as it prepares": ("task.rehearse = die", "unknown", "done", 1),
    "before the charge": ("Ledger.begin = die", "unknown", "done", 1),
    "after the charge": ("Ledger.begin = dying_after(Ledger.begin)", "forfeited", "failed", 0),
    "before it is kept": ("Ledger.commit = die", "forfeited", "failed", 0),
    "after it is kept": ("Ledger.commit = dying_after(Ledger.commit)", "kept", "done", 1),
}
"""How the Studio dies, what the next one says of the request, what comes of it when it is sent
again, and how many releases that makes."""


@pytest.mark.slow
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_studio_that_is_killed_at_any_moment_charges_once(moment: str, tmp_path: Path) -> None:
    how, stage, after, releases = MOMENTS[moment]
    write_visits(tmp_path)
    with started(tmp_path, f"{DIES}{how}") as first:
        with suppress(OSError, HTTPException):  # it may die before it has answered
            first.publish("r1")
        assert first.process.wait(60) == -signal.SIGKILL
    with started(tmp_path) as second:
        assert second.client.call("job", {"request": "r1"})["stage"] == stage
        second.publish("r1")
        second.wait_for("r1", after)
        history = second.client.call("account", {"account": "visits"})["entries"]
    assert sum(len(one.get("releases", ())) for one in history) == releases
    ledger = hg.Ledger.open()
    ledger.verify()
    assert str(ledger.account("visits").spent) == "1"


@pytest.mark.slow
def test_ctrl_c_ends_it_without_a_trace(tmp_path: Path) -> None:
    write_visits(tmp_path)
    with started(tmp_path) as studio:
        studio.publish("r1")
        studio.wait_for("r1", "done")
        studio.process.send_signal(signal.SIGINT)
        out, _ = studio.process.communicate(timeout=30)
        assert studio.process.returncode in (0, 130)
        assert "Traceback" not in out
    with started(tmp_path) as again:
        assert again.client.call("job", {"request": "r1"})["stage"] == "kept"
        again.publish("r1")
        assert again.wait_for("r1", "done")["charged"] is False
    assert str(hg.Ledger.open().account("visits").spent) == "1"


@pytest.mark.slow
def test_ctrl_c_waits_for_what_is_paid_for(tmp_path: Path) -> None:
    write_visits(tmp_path)
    brief = SLOW.replace("lambda *_: threading.Event().wait(60)", "slowed(ReleaseTask.run)")
    slowed = "def slowed(look):\n    import time\n    return lambda *a: time.sleep(3) or look(*a)\n"
    with started(tmp_path, slowed + brief) as studio:
        studio.publish("r1")
        studio.wait_for("r1", "counting")
        studio.process.send_signal(signal.SIGINT)
        out, _ = studio.process.communicate(timeout=60)
    assert "Waiting for it" in out
    assert hg.Ledger.open().verify() == 3  # opened, charged, and kept


def test_the_token_is_no_word_of_the_browsers_command(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(server.webbrowser, "open", opened.append)
    session = Session(1)
    with door(session, browser=True):
        (address,) = opened
        page = Path(address.removeprefix("file://"))
        assert session.address in page.read_text()
        assert page.parent.stat().st_mode & 0o077 == 0
        assert session.address.split("token=")[1] not in address
    assert not page.exists()


def test_a_port_that_is_taken_is_refused() -> None:
    with (
        listening(0) as first,
        pytest.raises(BadInput, match="Leave out --port"),
        listening(first.getsockname()[1]),
    ):
        pass
    with pytest.raises(BadInput, match="Cannot listen"), listening(70_000):
        pass


def test_a_folder_is_needed(tmp_path: Path, capsys: Any) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["studio", str(tmp_path / "none")])
    assert stop.value.code == 2
    assert "is not a folder" in capsys.readouterr().err


@pytest.mark.parametrize("package", ["uvicorn", "starlette"])
def test_a_missing_package_is_named(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtra, match=f'pip install "{package}"'):
        check_packages()
