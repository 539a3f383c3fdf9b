"""What runs beside the page: simulations in a process of their own, and the server's life."""

from __future__ import annotations

import io
import json
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import hushgram as hg
from hushgram.cli.app import main
from hushgram.web.studio import curves, server, simulate
from hushgram.web.studio.curves import Curves
from hushgram.web.studio.declaration import Declaration
from hushgram.web.studio.problems import Checks
from hushgram.web.studio.publishing import COUNTING, PublishJob
from tests.web.studio_server import form_of, write_visits

ASKED: dict[str, Any] = {
    "domain": [["age", hg.Integer(0, 9).to_json()]],
    "rows": 100,
    "mechanism": "identity",
    "workload": None,
    "unit": "rows",
    "neighbours": "add-remove",
    "measures": ["mean pay 0:9"],
    "share": None,
    "epsilons": ["1", "0.1"],
}


def lines_of(
    asked: dict[str, Any], monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> list[dict[str, Any]]:
    class Input:
        buffer = io.BytesIO(json.dumps(asked).encode() + b"\n")

    monkeypatch.setattr(sys, "stdin", Input)
    monkeypatch.setattr(simulate, "STEP", 0.001)
    simulate.main()
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_a_simulation_writes_a_line_for_each_epsilon(
    monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    lines = lines_of(ASKED, monkeypatch, capsys)
    found = [line["expected"]["epsilon"] for line in lines if "expected" in line]
    assert found == ["1", "0.1"]
    assert all(0 <= line["share"] <= 1 for line in lines if "share" in line)


def test_the_least_epsilon_is_a_line(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    least = {"error": 20, "at": "cell", "kind": "even"}
    lines = lines_of({**ASKED, "least": least}, monkeypatch, capsys)
    assert [float(line["least"]["epsilon"]) < 1 for line in lines if "least" in line] == [True]


def test_what_cannot_be_simulated_is_said(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    lines = lines_of({**ASKED, "rows": 10**16}, monkeypatch, capsys)
    assert [line["kind"] for line in lines if "problem" in line] == ["BadInput"]


def declared(source: Path, **more: Any) -> Declaration:
    found = Declaration.read(form_of(source, **more), Checks())
    assert found is not None
    return found


def test_a_new_declaration_stops_the_simulation_of_the_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = write_visits(tmp_path)
    begun: list[curves.ErrorCurve] = []
    monkeypatch.setattr(curves, "simulate", begun.append)
    known = Curves()
    first = known.ask(declared(source), 100)
    assert known.ask(declared(source), 100) is first
    second = known.ask(declared(source), 200)
    assert (first.stopped, second.stopped) == (True, False)
    assert known.ask(declared(source), 100) is not first  # it goes on from what is known
    known.stop()
    while len(begun) < 3:
        time.sleep(0.01)


def test_a_simulation_that_ends_early_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(curves.sys, "executable", "/bin/true")
    curve = curves.ErrorCurve(ASKED)
    curves.simulate(curve)
    assert curve.to_json()["problem"]["message"] == "The simulation stopped early."
    assert curve.done


def test_the_program_serves_until_it_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    opened: list[str] = []
    ended: list[bool] = []
    monkeypatch.setattr(server.webbrowser, "open", opened.append)

    class Stopped:
        def __init__(self, studio: Any) -> None:
            job = PublishJob("r1", "", stage=COUNTING)
            studio.publishing._jobs["r1"] = job
            job.thread = threading.Thread(target=ended.append, args=[True])
            job.thread.start()

        def run(self, sockets: list[Any]) -> None:
            assert sockets[0].getsockname()[0] == "127.0.0.1"
            raise KeyboardInterrupt

    monkeypatch.setattr(server, "make_server", Stopped)
    with pytest.raises(SystemExit) as stop:
        main(["studio", str(tmp_path)])
    assert stop.value.code == 0
    out = capsys.readouterr().out
    assert "for you alone: http://127.0.0.1:" in out
    assert "Waiting for it" in out
    assert (len(opened), ended) == (1, [True])


def test_a_package_that_is_missing_stops_the_program(
    monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(SystemExit):
        main(["studio"])
    assert 'pip install "uvicorn"' in capsys.readouterr().err
