"""A process of its own that simulates one declaration: it reads a request from its input, and
writes a line for each epsilon.

Simulating keeps a processor busy for up to a minute. In a process it can be stopped at once, and
the page stays quick.
"""

from __future__ import annotations

import json
import sys
import threading
from fractions import Fraction
from typing import Any

from hushgram.base.progress import Share, observe
from hushgram.declare.axis import axis_from_json
from hushgram.declare.domain import Domain
from hushgram.declare.measure import Sum
from hushgram.declare.measure_grammar import parse_measure
from hushgram.declare.unit import as_neighbours, as_unit
from hushgram.errors import HushgramError
from hushgram.expect.expected import expect_errors
from hushgram.expect.least import LeastEpsilon, least_epsilon
from hushgram.mechanisms.measured import Measuring
from hushgram.mechanisms.registry import as_mechanism
from hushgram.release import load

STEP = 0.5
"""Seconds between two reports of progress."""


def main() -> None:
    asked = json.loads(sys.stdin.buffer.readline())
    done = threading.Event()
    share: list[Share] = []
    threading.Thread(target=report, args=(share, done), daemon=True).start()
    try:
        with observe(lambda _, how_much: share.append(how_much) if how_much else None):
            run(asked, share)
    except HushgramError as error:
        write({"problem": str(error), "kind": type(error).__name__})
    except BrokenPipeError:  # the Studio has ended
        sys.exit(1)
    finally:
        done.set()


def run(asked: dict[str, Any], share: list[Share]) -> None:
    domain = Domain({name: axis_from_json(axis) for name, axis in asked["domain"]})
    if "least" in asked:
        write({"least": find_least(asked, domain).to_json()})
        return
    for epsilon in asked["epsilons"]:
        (found,) = expect_errors(
            as_mechanism(asked["mechanism"], asked["workload"]),
            domain,
            asked["rows"],
            [Fraction(epsilon)],
            as_unit(asked["unit"]),
            as_neighbours(asked["neighbours"]),
            Measuring.of(measures_of(asked), asked["share"]),
        )
        share.clear()
        write({"expected": found.to_json()})


def find_least(asked: dict[str, Any], domain: Domain) -> LeastEpsilon:
    like = asked["least"].pop("like", None)
    return least_epsilon(
        asked["rows"],
        domain,
        **asked["least"],
        like=None if like is None else load(like),
        mechanism=as_mechanism(asked["mechanism"], asked["workload"]),
        unit=as_unit(asked["unit"]),
        neighbours=as_neighbours(asked["neighbours"]),
        measures=measures_of(asked),
        share=asked["share"],
    )


def measures_of(asked: dict[str, Any]) -> list[Sum]:
    return [parse_measure(text) for text in asked["measures"]]


def report(share: list[Share], done: threading.Event) -> None:
    while not done.wait(STEP):
        for how_much in share[-1:]:
            write({"share": how_much()})


def write(line: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
