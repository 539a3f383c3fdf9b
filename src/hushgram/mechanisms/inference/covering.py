"""Where the rows are, as far as noisy counts can show: the run of bins that covers them."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.geometry.partition import Ints
from hushgram.queries import Measurement


@dataclass(frozen=True)
class BinRun:
    """Bins from ``start`` to before ``stop``."""

    start: int
    stop: int

    @property
    def length(self) -> int:
        return self.stop - self.start


def covering_run(counts: Measurement, chance: float, *, reach: bool = False) -> BinRun | None:
    """The bins from the first to the last window that noise alone does not explain; None if there
    is none.

    With ``reach``, both ends go on by the other bins of their window: where it took eight bins to
    see anything, the rows do not stop at the eighth. O(n log n).
    """
    found = first_and_last_run(counts, chance)
    if found is None:
        return None
    first, last = found
    before, after = (first.length - 1, last.length - 1) if reach else (0, 0)
    return BinRun(max(first.start - before, 0), min(last.stop + after, len(counts.values)))


def first_and_last_run(counts: Measurement, chance: float) -> tuple[BinRun, BinRun] | None:
    """The first and the last window of bins that have more rows than noise explains.

    Windows of 1, 2, 4, … adjacent bins are looked at, so that rows are seen that lie thinly over
    many bins. With a chance of at least ``1 - chance`` no window without rows is taken for one
    with rows. The first is the one that ends first, the last the one that starts last, and the
    shortest of several.
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
    """What the noise of that many bins together reaches with a chance of at most ``chance``.

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
    """The narrowest part of a run that holds so large a share of its noisy rows. O(n²)."""
    sums = np.append(0.0, np.cumsum(counts.values[run.start : run.stop], dtype=np.float64))
    places = np.append(0.0, np.cumsum(widths[run.start : run.stop]))
    starts, stops = np.triu_indices(len(sums), 1)
    enough = sums[stops] - sums[starts] >= coverage * sums[-1]
    best = np.argmin(np.where(enough, places[stops] - places[starts], np.inf))
    return BinRun(run.start + int(starts[best]), run.start + int(stops[best]))
