"""Every one-dimensional mechanism at 4,096, 65,536 and a million cells: seconds and growth.

    python benchmarks/mechanisms.py            all of them
    python benchmarks/mechanisms.py hb ahp     some

CPU seconds of one publish, the least of three, on clustered counts; the growth exponent is the
slope of log(seconds) over log(cells) from 65,536 to a million, where fixed costs have faded. A
size that a mechanism refuses is shown with the first words of its refusal.
"""

from __future__ import annotations

import math
import sys

import numpy as np
from report import cpu, save

import hushgram as hg
from hushgram.declare.axis import Integer
from hushgram.declare.domain import Domain
from hushgram.errors import DomainError

SIZES = (4096, 65_536, 1_000_000)


def main(names: list[str]) -> None:
    save("mechanisms", [row(name) for name in names or one_dimensional()])


def one_dimensional() -> list[str]:
    """The mechanisms that publish one axis of a few cells."""
    return [name for name, cls in hg.MECHANISMS.items() if accepts(cls(), 8)]


def accepts(mechanism: object, cells: int) -> bool:
    try:
        mechanism.check(Domain(x=Integer(0, cells - 1)))
    except DomainError:
        return False
    return True


def row(name: str) -> dict:
    seconds = {size: timed(name, size) for size in SIZES}
    found = {"mechanism": name, **{f"{size:,} cells": taken for size, taken in seconds.items()}}
    small, large = (seconds[size] for size in SIZES[1:])
    timed_both = isinstance(small, float) and isinstance(large, float)
    steps = math.log(SIZES[2] / SIZES[1])
    found["growth exponent"] = math.log(large / small) / steps if timed_both else ""
    print(found, flush=True)
    return found


def timed(name: str, size: int) -> float | str:
    source = hg.Counts(clustered(size))
    try:
        hg.publish(source, epsilon=1, mechanism=name)  # compiles
        return cpu(lambda: hg.publish(source, epsilon=1, mechanism=name))
    except DomainError as refusal:
        return f"refused: {str(refusal).partition('.')[0]}"


def clustered(size: int) -> np.ndarray:
    """Bumps of many widths, and half of the cells nearly empty."""
    rng = np.random.default_rng(size)
    places = np.arange(size) / size
    heights = np.zeros(size)
    for _ in range(20):
        centre, width = rng.uniform(0, 0.5), 10 ** rng.uniform(-3, -1)
        heights += rng.uniform(5, 500) * np.exp(-(((places - centre) / width) ** 2))
    return rng.poisson(heights + 0.1)


if __name__ == "__main__":
    main(sys.argv[1:])
