"""How long a release of a million parts takes to load, and how much longer for being checked.

    python benchmarks/load.py

Each shape is loaded as it is, and with `Estimate.check` left out, alternately; kept is the smallest
CPU time of each and their ratio. A plain Parquet read of the counts is there for comparison.
"""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any
from unittest import mock

import numpy as np
import pyarrow.parquet as pq
from report import save

import hushgram as hg
from hushgram.declare.unit import Rows
from hushgram.geometry.measured.contrasts import Contrasts
from hushgram.geometry.partition import Boxes, Grid, Merged, Raster, Refined
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.inference.even import Even
from hushgram.mechanisms.inference.pooled import Pooled
from hushgram.mechanisms.inference.tree import reconciled
from hushgram.mechanisms.inference.wavelet import Wavelet
from hushgram.queries import Measurement
from hushgram.release.parquet import read

RUNS = 15
SQUARE = hg.Domain(x=hg.Interval(0, 1), y=hg.Interval(0, 1))
LINE = hg.Domain(x=hg.Integer(0, 2**20 - 1))


def main() -> None:
    save("load", [measured(name, written(estimate)) for name, estimate in shapes()])


def shapes() -> Iterator[tuple[str, Estimate]]:
    yield "grid", Estimate.direct(noisy(Grid(SQUARE, (1000, 1000))))
    yield "tree of 11 grids", reconciled([noisy(Grid(SQUARE, (2**k, 2**k))) for k in range(11)])
    yield "tree of 6 lines", reconciled([noisy(Grid(LINE, (16**k,))) for k in range(6)])
    boxes = halves(21)
    yield "boxes", Estimate.direct(noisy(boxes[-1]))
    yield "tree of 5 levels of boxes", reconciled([noisy(level) for level in boxes[4::4]])
    coarse = Grid(SQUARE, (100, 100))
    sizes = np.random.default_rng(1).integers(5, 16, (coarse.size, 2))
    yield "refined grid", reconciled([noisy(coarse), noisy(Refined(coarse, sizes))])
    cells, groups = Grid.of_cells(LINE), np.repeat(np.arange(2**17), 8)
    yield "pooled cells", Estimate.infer(cells, [noisy(cells)], Pooled(cells, groups))
    merged = Merged(cells, groups)
    pooled = Pooled(merged, np.arange(2**17))
    yield "pooled groups", Estimate.infer(cells, [noisy(merged)], pooled)
    contrasts = Contrasts.wavelets(LINE)
    yield "wavelet", Estimate.infer(cells, [noisy(contrasts)], Wavelet(contrasts))
    both = [noisy(boxes[14]), noisy(Grid(SQUARE, (1024, 1024)))]
    yield "even boxes", Estimate.infer(both[1].partition, both, Even.of(both))  # type: ignore[arg-type]


def halves(levels: int) -> list[Boxes]:
    """Boxes, each level of which halves those above along their longer side."""
    found = [Boxes.whole(Raster(SQUARE, (1024, 1024)))]
    while len(found) < levels:
        lower, upper = found[-1].corners
        axes, boxes = np.argmax(upper - lower, axis=1), np.arange(len(lower))
        found.append(found[-1].cut(axes, (lower[boxes, axes] + upper[boxes, axes]) // 2))
    return found


def noisy(partition: Any) -> Measurement:
    counts = np.random.default_rng(2).integers(0, 50, partition.size)
    return Measurement(partition, counts, 2.0, Fraction(1))


def written(estimate: Estimate) -> bytes:
    return hg.Release(
        estimate, "identity", {}, epsilon=Fraction(1), unit=Rows(), neighbours="add-remove"
    ).to_bytes()


def measured(name: str, data: bytes) -> dict[str, Any]:
    def plain() -> None:
        pq.ParquetFile(io.BytesIO(data)).read(columns=["count"])

    def unchecked() -> None:
        with mock.patch.object(Estimate, "check", lambda self: self):
            read(data)

    ways: list[Callable[[], object]] = [plain, unchecked, lambda: read(data)]
    times = [[seconds(way) for way in ways] for _ in range(RUNS)]
    counts, without, whole = np.min(times, axis=0)
    return {
        "shape": name,
        "parts": read(data).estimate.partition.size,
        "counts alone, ms": round(1000 * counts),
        "load, ms": round(1000 * whole),
        "to unchecked": round(whole / without, 2),
    }


def seconds(way: Callable[[], object]) -> float:
    started = time.process_time()
    way()
    return time.process_time() - started


if __name__ == "__main__":
    main()
