"""The run of bins that contains the rows, as far as noisy counts can show."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.geometry.partition import Ints
from hushgram.queries import Measurement


@dataclass(frozen=True)
class BinRun:
    """Bins from ``start`` up to ``stop``."""

    start: int
    stop: int

    @property
    def length(self) -> int:
        return self.stop - self.start


def covering_run(counts: Measurement, chance: float, *, reach: bool = False) -> BinRun | None:
    """The bins from the first to the last window whose count cannot be noise alone; None if there
    is no such window.

    With ``reach``, both ends are extended by the size of their window: if it took eight bins to
    detect rows, the rows probably do not end at the eighth. O(n log n).
    """
    found = first_and_last_run(counts, chance)
    if found is None:
        return None
    first, last = found
    before, after = (first.length - 1, last.length - 1) if reach else (0, 0)
    return BinRun(max(first.start - before, 0), min(last.stop + after, len(counts.values)))


def first_and_last_run(counts: Measurement, chance: float) -> tuple[BinRun, BinRun] | None:
    """The first and the last window of bins with more rows than noise can explain.

    The windows have 1, 2, 4, … adjacent bins, to detect rows that are thinly spread over many bins.
    With probability at least ``1 - chance``, no window without rows is detected. The first window
    is the one that ends first, the last the one that starts last, and the shortest of several.
    """
    lengths = [1 << power for power in range(len(counts.values).bit_length())]
    tests = sum(len(counts.values) - length + 1 for length in lengths)
    seen = [
        BinRun(int(start), int(start) + length)
        for length in lengths
        for start in np.flatnonzero(
            window_sums(counts.values, length) >= threshold(counts, length, chance / tests)
        )
    ]
    if not seen:
        return None
    first = min(seen, key=lambda window: (window.stop, window.length))
    last = max(seen, key=lambda window: (window.start, -window.length))
    return first, last


def window_sums(values: Ints, length: int) -> Floats:
    sums = np.append(0.0, np.cumsum(values, dtype=np.float64))
    return np.asarray(sums[length:] - sums[:-length])


SLOPES = np.arange(1, 100) / 100


def threshold(counts: Measurement, length: int, chance: float) -> float:
    """A level that the total noise of ``length`` bins reaches with probability at most ``chance``.

    The tail of one discrete Laplace draw Z of scale b is known, P[Z >= t] = exp(-t/b) / (1 + a)
    for whole t and a = exp(-1/b). For a sum of n of them, Chernoff's bound exp(-st) E[exp(sZ)]^n
    holds for every s below 1/b; the smallest t over a hundred slopes s is taken.
    """
    scale = float(counts.scale)
    a = exp(-1 / scale)
    if length == 1:
        return scale * log(1 / (chance * (1 + a)))
    slopes = SLOPES / scale
    moments = np.log((1 - a) ** 2 / ((1 - a * np.exp(slopes)) * (1 - a * np.exp(-slopes))))
    return float(((length * moments - log(chance)) / slopes).min())


def narrowest_run(counts: Measurement, run: BinRun, widths: Floats, coverage: float) -> BinRun:
    """The narrowest part of a run with the share ``coverage`` of its noisy rows. O(n²)."""
    sums = np.append(0.0, np.cumsum(counts.values[run.start : run.stop], dtype=np.float64))
    places = np.append(0.0, np.cumsum(widths[run.start : run.stop]))
    starts, stops = np.triu_indices(len(sums), 1)
    enough = sums[stops] - sums[starts] >= coverage * sums[-1]
    best = np.argmin(np.where(enough, places[stops] - places[starts], np.inf))
    return BinRun(run.start + int(starts[best]), run.start + int(stops[best]))
