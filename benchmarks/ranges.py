"""Range counts with error bars on a 256 x 256 release, beside a plain summed-area table in numpy.

    python benchmarks/ranges.py

Goal: at least a million a second.
"""

from __future__ import annotations

import numpy as np
from report import cpu, save

import hushgram as hg

QUESTIONS = 1_000_000


def main() -> None:
    rng = np.random.default_rng(2)
    release = hg.publish(hg.Counts(rng.poisson(20, (256, 256))), epsilon=1)
    ends = np.sort(rng.integers(0, 257, (2, QUESTIONS, 2)), axis=2)
    cuts = np.sort(rng.random((2, QUESTIONS, 2)) * 256, axis=2)
    aligned = {f"x{a}_{end}": ends[a, :, i] for a in range(2) for i, end in enumerate(("lo", "hi"))}
    real = hg.Domain(x0=hg.Regular(256, 0, 256), x1=hg.Regular(256, 0, 256))
    smooth = regular(release, real)
    partly = {f"x{a}_{end}": cuts[a, :, i] for a in range(2) for i, end in enumerate(("lo", "hi"))}
    for release_, table in ((release, aligned), (smooth, partly)):
        release_.count({name: column[:10] for name, column in table.items()})
    seconds = {
        "hushgram, on cell edges": cpu(lambda: release.count(aligned)),
        "hushgram, through cells": cpu(lambda: smooth.count(partly)),
        "numpy, on cell edges, no error bars": cpu(lambda: plain(release.to_array(), ends)),
    }
    save("ranges", [{"what": k, "counts/s": round(QUESTIONS / v)} for k, v in seconds.items()])


def regular(release: hg.Release, domain: hg.Domain) -> hg.Release:
    """The same numbers on an axis of real numbers, where ranges can cut through cells."""
    import dataclasses

    from hushgram.estimate import Estimate, Measurement
    from hushgram.partition import Grid

    one = release.estimate.measurements[0]
    moved = Measurement(Grid.of_cells(domain), one.values, one.variance, one.scale)
    return dataclasses.replace(release, estimate=Estimate.direct(moved))


def plain(values: np.ndarray, ends: np.ndarray) -> np.ndarray:
    table = np.zeros((257, 257))
    table[1:, 1:] = values.cumsum(0).cumsum(1)
    (a, b), (c, d) = ends[0].T, ends[1].T
    return table[b, d] - table[a, d] - table[b, c] + table[a, c]


if __name__ == "__main__":
    main()
