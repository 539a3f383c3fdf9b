"""Range counts with error bars: on 256 x 256 counts next to a plain summed-area table in numpy, on
an adaptive grid of about 50,000 parts, and on nested counts reconciled by least squares.

    python benchmarks/ranges.py

Goals: a million values a second on counts and trees, 200,000 on the adaptive grid.
"""

from __future__ import annotations

from fractions import Fraction
from operator import attrgetter
from typing import Any

import numpy as np
from report import cpu, save

import hushgram as hg
from hushgram.answers.counting.counts import counts_of
from hushgram.geometry.partition import Grid, Refined
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.inference.tree import Tree
from hushgram.queries import Measurement

QUESTIONS = 1_000_000


def main() -> None:
    rng = np.random.default_rng(2)
    release = hg.publish(hg.Counts(rng.poisson(20, (256, 256))), epsilon=1, mechanism="identity")
    ends = np.sort(rng.integers(0, 257, (2, QUESTIONS, 2)), axis=2)
    cuts = np.sort(rng.random((2, QUESTIONS, 2)), axis=2)
    nested = hg.publish(hg.Counts(rng.poisson(20, 65_536)), epsilon=1, mechanism="hb")
    square = hg.publish(hg.Counts(rng.poisson(20, (256, 256))), epsilon=1, mechanism="hb")
    asked = {
        "hushgram, on cell edges": (release.count, ends),
        "hushgram, through cells": (counts_of(regular(release)).many, 256 * cuts),
        "hushgram, adaptive grid of 50,000 parts": (counts_of(adaptive(rng)).many, cuts),
        "hushgram, hb of 65,536 cells": (nested.count, np.floor(65_537 * cuts[:1])),
        "hushgram, hb of 256 x 256 cells": (square.count, ends),
    }
    rows = [{"what": what, **speeds(*each)} for what, each in asked.items()]
    numpy = QUESTIONS / cpu(lambda: plain(release.to_array(), ends))
    rows.append({"what": "numpy, on cell edges", "counts/s": round(numpy), "with intervals/s": ""})
    save("ranges", rows)


def speeds(count: Any, ends: np.ndarray) -> dict[str, int]:
    """Questions per CPU second once everything is compiled and indexed: values alone, and with
    intervals, which are found when they are asked for."""
    sides = enumerate(("lo", "hi"))
    table = {f"x{a}_{end}": ends[a, :, i] for i, end in sides for a in range(len(ends))}
    some = {name: column[:10] for name, column in table.items()}
    find = {"counts/s": attrgetter("values"), "with intervals/s": attrgetter("widths")}
    found = {}
    for name, ask in find.items():
        ask(count(some))
        found[name] = round(QUESTIONS / cpu(lambda ask=ask: ask(count(table))))
    return found


def regular(release: hg.Release) -> Estimate:
    """The same numbers on an axis of real numbers, where ranges can cut through cells."""
    domain = hg.Domain(x0=hg.Regular(256, 0, 256), x1=hg.Regular(256, 0, 256))
    one = release.estimate.measurements[0]
    return Estimate.direct(Measurement(Grid.of_cells(domain), one.values, one.variance, one.scale))


def adaptive(rng: np.random.Generator) -> Estimate:
    """A grid of 50 x 50 cells, each cut again into 1 x 1 to 9 x 9 or so, as if rows were many."""
    domain = hg.Domain(x0=hg.Interval(0, 1), x1=hg.Interval(0, 1))
    grid = Grid(domain, (50, 50))
    side = np.ceil(rng.lognormal(1.2, 0.5, grid.size)).astype(np.int64)
    fine = Refined(grid, np.stack([side, side], axis=1))
    measured = [
        Measurement(level, rng.poisson(20, level.size), 8.0, Fraction(2)) for level in (grid, fine)
    ]
    return Estimate.infer(fine, measured, Tree.of(measured))


def plain(values: np.ndarray, ends: np.ndarray) -> np.ndarray:
    table = np.zeros((257, 257))
    table[1:, 1:] = values.cumsum(0).cumsum(1)
    (a, b), (c, d) = ends[0].T, ends[1].T
    return table[b, d] - table[a, d] - table[b, c] + table[a, c]


if __name__ == "__main__":
    main()
