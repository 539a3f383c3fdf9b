"""The errors to expect at several budgets, simulated in another process and remembered."""

from __future__ import annotations

import json
import subprocess  # nosec B404 - it runs this package, with words of its own
import sys
import threading
from dataclasses import dataclass, field
from typing import Any

from hushgram.web.studio.declaration import Declaration
from hushgram.web.studio.problems import Problem

EPSILONS = ("1", "0.1", "0.3", "3", "0.03")
"""Points of the curve, in the order in which they are needed."""


@dataclass(eq=False)
class ErrorCurve:
    """Points that are known by now, of one declaration and number of rows."""

    asked: dict[str, Any]
    points: dict[str, Any] = field(default_factory=dict)
    least: dict[str, Any] | None = None
    """The least ε, where that was asked for."""
    share: float | None = None
    problem: Problem | None = None
    process: subprocess.Popen[bytes] | None = None
    done: bool = False
    stopped: bool = False

    def to_json(self) -> dict[str, Any]:
        return {
            "points": sorted(self.points.values(), key=lambda one: float(one["epsilon"])),
            "wanted": len(EPSILONS),
            "least": self.least,
            "share": self.share,
            "done": self.done,
            "problem": self.problem and self.problem.to_json(),
        }

    def stop(self) -> None:
        self.stopped = True
        if self.process is not None:
            self.process.kill()


class Curves:
    """One simulation at a time: that of the latest declaration."""

    def __init__(self) -> None:
        self._known: dict[str, ErrorCurve] = {}
        self._running: ErrorCurve | None = None
        self._lock = threading.Lock()

    def ask(self, what: Declaration, rows: int, least: dict[str, Any] | None = None) -> ErrorCurve:
        """The curve of this declaration, which begins to be simulated if it is new; or the least ε
        of an error."""
        asked = describe(what, rows) | ({} if least is None else {"least": least})
        key = json.dumps(asked, sort_keys=True)
        with self._lock:
            known = self._known.get(key)
            if known is not None and not known.stopped:
                return known
            if self._running is not None and not self._running.done:
                self._running.stop()
            curve = ErrorCurve(asked, dict(known.points) if known else {})
            self._known[key] = self._running = curve
            threading.Thread(target=simulate, args=(curve,), daemon=True).start()
            return curve

    def stop(self) -> None:
        with self._lock:
            if self._running is not None:
                self._running.stop()


def describe(what: Declaration, rows: int) -> dict[str, Any]:
    """All that errors depend on: nothing of it is private."""
    return {
        "domain": [[name, axis.to_json()] for name, axis in what.domain.items()],
        "rows": rows,
        "mechanism": what.mechanism_text,
        "workload": what.workload,
        "unit": what.unit.to_json(),
        "neighbours": what.neighbours,
        "measures": what.measure_texts,
        "share": what.share,
    }


def simulate(curve: ErrorCurve) -> None:
    """Run the process and take its lines."""
    wanted = [one for one in EPSILONS if one not in curve.points]
    words = [sys.executable, "-m", "hushgram.web.studio.simulate"]
    try:
        process = subprocess.Popen(  # nosec B603
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        curve.process = process
        if curve.stopped:
            process.kill()
        assert process.stdin is not None
        assert process.stdout is not None
        with process:
            process.stdin.write(json.dumps({**curve.asked, "epsilons": wanted}).encode() + b"\n")
            process.stdin.close()
            for line in process.stdout:
                take(curve, json.loads(line))
    except OSError:  # it was stopped while it was asked
        pass
    complete = curve.least is not None or len(curve.points) == len(EPSILONS)
    if not complete and not curve.stopped:
        curve.problem = curve.problem or Problem("", "Stopped", "The simulation stopped early.")
    curve.done = True


def take(curve: ErrorCurve, line: dict[str, Any]) -> None:
    if "expected" in line:
        found = line["expected"]
        curve.points[found["epsilon"]] = found
        curve.share = None
    elif "least" in line:
        curve.least = line["least"]
    elif "problem" in line:
        curve.problem = Problem(
            "error" if "least" in curve.asked else "rows", line["kind"], line["problem"]
        )
    else:
        curve.share = line["share"]
