"""Fig. 9 of paper 000: range queries on a line and a map. NONPRIVATE."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

import hushgram as hg
from hushgram.answers.learning.density import BoxDensity
from hushgram.declare.axis import Floats
from hushgram.geometry.partition import Ints
from hushgram.mechanisms.privelet import Privelet
from hushgram.mechanisms.sorted import Sorted
from reproduction.drawing import Panel, lines
from reproduction.findings import Claim, Numbers, PaperFinding, Picture, short
from reproduction.judged import Runs, every, format_mean, less, mean
from reproduction.line import america, from_new_york, on_curve
from reproduction.points import inside

WIDE = 1 << 16
"""Cells of the sorted axis."""

SIDE = 512
"""Cells per side of the sorted map, and of the paper's wavelets."""

BINS = 40
"""Bins per side of the equi-width histogram of the map, as in the paper."""

QUESTIONS = 1000
ON_LINE = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3)
ON_MAP = (0.01, 0.03, 0.1, 0.3)

PROPOSED = "proposed"
PARTS = "proposed, between middles of groups"
"""What Hushgram answers by default: lines between the middles of consecutive groups, not Voronoi
cells around them."""

BySize = dict[str, list[Runs]]
"""Errors of each method at each size, for each run."""


class RowsBelow(NamedTuple):
    """The number of rows below places of the unit interval, with linear interpolation."""

    places: Floats
    rows: Floats

    @classmethod
    def of_bins(cls, values: Floats) -> RowsBelow:
        return cls(np.linspace(0, 1, len(values) + 1), np.concatenate([[0.0], np.cumsum(values)]))

    @classmethod
    def of_cells(cls, density: BoxDensity, axis: int) -> RowsBelow:
        """Create from consecutive cells along an axis."""
        places = np.append(density.lower[:, 0], density.upper[-1:, 0]) / axis
        return cls(places, np.concatenate([[0.0], np.cumsum(density.counts)]))

    def between(self, low: Floats, high: Floats) -> Floats:
        return np.interp(high, *self) - np.interp(low, *self)


def publish_replaced(counts: Ints, mechanism: Any, epsilon: str = "1") -> hg.Release:
    """Publish under replace-one, as in the paper: a count then has sensitivity 2, and n is
    public."""
    return hg.publish(
        hg.Counts(counts),
        epsilon=epsilon,
        mechanism=mechanism,
        neighbours="replace-one",
        ledger=hg.Ledger.in_memory(allow_large=True),
    )


def adjust_total(release: hg.Release, total: int) -> Floats:
    """Return the values of all cells, adjusted evenly to a public number of rows."""
    values = np.asarray(release.to_array(), dtype=np.float64)
    return np.asarray(values + (total - values.sum()) / values.size)


def release_counts(counts: Ints, mechanism: Any, epsilon: str = "1") -> Floats:
    return adjust_total(publish_replaced(counts, mechanism, epsilon), int(counts.sum()))


@cache
def line_errors(name: str, runs: int) -> tuple[str, int, BySize]:
    """Return a description of the points, their number, and each method's errors on them:
    ``"curve"`` is the map along a Hilbert curve, ``"distance"`` the distances of its points from
    New York."""
    about, points = america()
    line = np.sort(on_curve(points) if name == "curve" else from_new_york(points))
    found: BySize = {PROPOSED: [], PARTS: [], "equi-width": [], "wavelet": []}
    curves: dict[str, list[RowsBelow]] = {name: [] for name in found}
    for _ in range(runs):
        cells, parts = sorted_curves(line, Sorted(group_size="paper"))
        curves[PROPOSED].append(cells)
        curves[PARTS].append(parts)
        for method, bins, mechanism in (
            ("equi-width", 1000, "identity"),
            ("wavelet", 1024, Privelet(axes="ordered")),
        ):
            counts = np.histogram(line, bins=bins, range=(0, 1))[0]
            curves[method].append(RowsBelow.of_bins(release_counts(counts, mechanism)))
    for method, each in curves.items():
        found[method] = [[line_error(line, one, size) for one in each] for size in ON_LINE]
    return about, len(line), found


def sorted_curves(line: Floats, mechanism: Sorted) -> tuple[RowsBelow, RowsBelow]:
    """Publish sorted rows once, and read them by the paper's cells and by Hushgram's parts."""
    counts = np.histogram(line, bins=WIDE, range=(0, 1))[0]
    release = publish_replaced(counts, mechanism)
    cells = release.density(cells="voronoi")
    assert isinstance(cells, BoxDensity)
    parts = RowsBelow.of_bins(adjust_total(release, len(line)))
    return RowsBelow.of_cells(cells, WIDE), parts


def line_error(line: Floats, curve: RowsBelow, size: float) -> float:
    low = np.random.default_rng(9).uniform(0, 1 - size, QUESTIONS)
    true = np.diff(np.searchsorted(line, [low, low + size]), axis=0)[0]
    return float(np.abs(curve.between(low, low + size) - true).mean())


def ranges_on_line(runs: int) -> PaperFinding:
    """Fig. 9 (a)."""
    about, many, found = line_errors("curve", runs)
    return PaperFinding(
        "Fig. 9 (a): range queries on a line",
        f"Stands in for 1-D Twitter: {about}, {many:,} points along a Hilbert curve; ε = 1, "
        f"replace-one for all, {QUESTIONS:,} ranges of each size. The proposed method answers "
        "from the Voronoi cells of its points, as in the paper. Its error comes from the rows at "
        "the two ends of a range, whatever the size of the range, but it is large: noise moves a "
        "group by about 1 / (k ε) of the axis.",
        [wavelet_claim(found, ON_LINE), steady_claim(found)],
        [range_table(found, ON_LINE)],
        [range_picture("000-fig9a", "Fig. 9 (a): mean absolute error of range counts on a line.",
                       found, ON_LINE)],
    )  # fmt: skip


@cache
def map_values(runs: int) -> tuple[str, Floats, dict[str, list[Floats]]]:
    """Return a description of the points, the points, and each method's values of all cells for
    each run."""
    about, points = america()
    fine, coarse = counts_on(points, SIDE), counts_on(points, BINS)
    found: dict[str, list[Floats]] = {PROPOSED: [], PARTS: [], "equi-width": [], "wavelet": []}
    for _ in range(runs):
        release = publish_replaced(fine, Sorted(group_size="paper"))
        found[PROPOSED].append(voronoi_cells(release))
        found[PARTS].append(adjust_total(release, len(points)))
        found["equi-width"].append(release_counts(coarse, "identity"))
        found["wavelet"].append(release_counts(fine, Privelet(axes="ordered")))
    return about, points, found


def voronoi_cells(release: hg.Release) -> Floats:
    """Return the rows of each cell of the map by the density of Voronoi cells, sampled at four
    places of each cell."""
    density = release.density(cells="voronoi")
    quarters = np.arange(2 * SIDE) / 2 + 0.25
    places = np.stack(np.meshgrid(quarters, quarters, indexing="ij"), -1).reshape(-1, 2)
    values = density.values[density.cell_of(places)].reshape(SIDE, 2, SIDE, 2).mean(axis=(1, 3))
    return np.asarray(values * (density.counts.sum() / values.sum()))


@cache
def map_errors(runs: int) -> BySize:
    _, points, values = map_values(runs)
    by_x = points[np.argsort(points[:, 0])]
    found: BySize = {name: [] for name in values}
    for size in ON_MAP:
        asked = squares(size)
        true = np.array([inside(by_x, *box) for box in asked])
        for name, each in values.items():
            found[name].append([float(np.abs(in_squares(v, asked) - true).mean()) for v in each])
    return found


def ranges_on_map(runs: int) -> PaperFinding:
    """Fig. 9 (b)."""
    about, points, _ = map_values(runs)
    found = map_errors(runs)
    return PaperFinding(
        "Fig. 9 (b): range queries on a map",
        f"Stands in for Twitter: {about}, {len(points):,} points; ε = 1, replace-one for all. "
        f"Equi-width has {BINS} x {BINS} bins, wavelets and the sorted curve {SIDE} x {SIDE} "
        "cells, as in the paper.",
        [wavelet_claim(found, ON_MAP)],
        [range_table(found, ON_MAP)],
        [range_picture("000-fig9b", "Fig. 9 (b): mean absolute error of square counts on a map.",
                       found, ON_MAP)],
    )  # fmt: skip


def counts_on(points: Floats, side: int) -> Ints:
    found, *_ = np.histogram2d(points[:, 0], points[:, 1], bins=side, range=((0, 1), (0, 1)))
    return found.astype(np.int64)


def squares(size: float) -> Floats:
    """Draw random squares inside the unit square: questions x axes x (lo, hi)."""
    low = np.random.default_rng(9).uniform(0, 1 - size, (QUESTIONS, 2))
    return np.stack([low, low + size], axis=2)


def in_squares(values: Floats, boxes: Floats) -> Floats:
    """Return the rows in boxes, assuming that rows are evenly spread in each cell: by sums from the
    corner, which are bilinear in a cell."""
    side = len(values)
    below = np.zeros((side + 1, side + 1))
    below[1:, 1:] = values.cumsum(axis=0).cumsum(axis=1)
    ends = boxes * side
    first = np.minimum(ends.astype(int), side - 1)
    part = ends - first

    def to(x: int, y: int) -> Floats:
        i, j, u, v = first[:, 0, x], first[:, 1, y], part[:, 0, x], part[:, 1, y]
        return np.asarray(
            (1 - u) * (1 - v) * below[i, j]
            + u * (1 - v) * below[i + 1, j]
            + (1 - u) * v * below[i, j + 1]
            + u * v * below[i + 1, j + 1]
        )

    return to(1, 1) - to(0, 1) - to(1, 0) + to(0, 0)


def wavelet_claim(found: BySize, sizes: Sequence[float]) -> Claim:
    bins, waves = found["equi-width"], found["wavelet"]
    return Claim(
        "wavelets beat equi-width on large ranges and lose on small ones",
        "yes",
        f"size {sizes[0]:g}: {format_mean(waves[0])} and {format_mean(bins[0])}; "
        f"{sizes[-1]:g}: {format_mean(waves[-1])} and {format_mean(bins[-1])}",
        every([less(bins[0], waves[0]), less(waves[-1], bins[-1])]),
    )


def steady_claim(found: BySize) -> Claim:
    wide = [place for place, size in enumerate(ON_LINE) if size >= 0.01]
    ours, bins = (
        [max(run) / min(run) for run in zip(*(found[name][n] for n in wide), strict=True)]
        for name in (PROPOSED, "equi-width")
    )
    return Claim(
        "the proposed method depends less on the size than equi-width, sizes from 0.01",
        "yes",
        f"largest over smallest error of a run: {format_mean(ours)} and {format_mean(bins)}",
        less(ours, bins),
    )


def range_table(found: BySize, sizes: Sequence[float]) -> Numbers:
    rows = [(name, *map(format_mean, y)) for name, y in found.items()]
    return Numbers("Mean absolute error by range size", ("", *map(short, sizes)), rows)


def range_picture(name: str, caption: str, found: BySize, sizes: Sequence[float]) -> Picture:
    drawn = {one: (sizes, [mean(runs) for runs in y]) for one, y in found.items()}
    return Picture(name, caption, partial(lines, [Panel("ε = 1", "range size", "error", drawn)]))
