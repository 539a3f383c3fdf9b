"""Fig. 9 and Table 2 of paper 000: range queries on a line and a map, densities. NONPRIVATE."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

import hushgram as hg
from hushgram.declare.axis import Floats
from hushgram.geometry.partition import Ints
from hushgram.mechanisms.privelet import Privelet
from hushgram.mechanisms.sorted import Sorted
from reproduction.drawing import Panel, lines
from reproduction.findings import Claim, Numbers, PaperFinding, Picture, short
from reproduction.judged import Runs, every, format_mean, less, mean
from reproduction.line import america, on_curve
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

BySize = dict[str, list[Runs]]
"""Errors of each method at each size, run by run."""


def release_counts(counts: Ints, mechanism: Any, epsilon: str = "1") -> Floats:
    """Under replace-one, as the paper has it: a count then has sensitivity 2, and n is public. The
    values are adjusted to it, evenly."""
    release = hg.publish(
        hg.Counts(counts),
        epsilon=epsilon,
        mechanism=mechanism,
        neighbours="replace-one",
        ledger=hg.Ledger.in_memory(allow_large=True),
    )
    values = np.asarray(release.to_array(), dtype=np.float64)
    return np.asarray(values + (counts.sum() - values.sum()) / values.size)


def ranges_on_line(runs: int) -> PaperFinding:
    """Fig. 9 (a)."""
    about, points = america()
    line = np.sort(on_curve(points))
    found: BySize = {}
    for name, bins, mechanism in (
        ("proposed", WIDE, Sorted(group_size="paper")),
        ("equi-width", 1000, "identity"),
        ("wavelet", 1024, Privelet(axes="ordered")),
    ):
        counts = np.histogram(line, bins=bins, range=(0, 1))[0]
        values = [release_counts(counts, mechanism) for _ in range(runs)]
        found[name] = [[line_error(line, one, size) for one in values] for size in ON_LINE]
    return PaperFinding(
        "Fig. 9 (a): range queries on a line",
        f"Stands in for 1-D Twitter: {about}, {len(line):,} points along a Hilbert curve; ε = 1, "
        f"replace-one for all, {QUESTIONS:,} ranges of each size. The proposed method errs by the "
        "rows at the two ends of a range, whatever its size, but by many: noise moves a group by "
        "about 1 / (k ε) of the axis.",
        [wavelet_claim(found, ON_LINE), steady_claim(found)],
        [range_table(found, ON_LINE)],
        [range_picture("000-fig9a", "Fig. 9 (a): mean absolute error of range counts on a line.",
                       found, ON_LINE)],
    )  # fmt: skip


def line_error(line: Floats, values: Floats, size: float) -> float:
    low = np.random.default_rng(9).uniform(0, 1 - size, QUESTIONS)
    edges = np.linspace(0, 1, len(values) + 1)
    below = np.concatenate([[0.0], np.cumsum(values)])
    here = np.interp(low + size, edges, below) - np.interp(low, edges, below)
    true = np.diff(np.searchsorted(line, [low, low + size]), axis=0)[0]
    return float(np.abs(here - true).mean())


def ranges_on_map(runs: int) -> PaperFinding:
    """Fig. 9 (b) and Table 2."""
    about, points = america()
    asked = {size: squares(size) for size in ON_MAP}
    by_x = points[np.argsort(points[:, 0])]
    true = {size: np.array([inside(by_x, *box) for box in asked[size]]) for size in ON_MAP}
    found: BySize = {}
    norms: dict[str, list[tuple[float, float]]] = {}
    for name, side, mechanism in (
        ("proposed", SIDE, Sorted(group_size="paper")),
        ("equi-width", BINS, "identity"),
        ("wavelet", SIDE, Privelet(axes="ordered")),
    ):
        counts = counts_on(points, side)
        values = [release_counts(counts, mechanism) for _ in range(runs)]
        found[name] = [
            [float(np.abs(in_squares(one, asked[size]) - true[size]).mean()) for one in values]
            for size in ON_MAP
        ]
        norms[name] = [apart(points, one) for one in values]
    one, two = (
        {name: [pair[place] for pair in pairs] for name, pairs in norms.items()} for place in (0, 1)
    )
    return PaperFinding(
        "Fig. 9 (b) and Table 2: range queries and density on a map",
        f"Stands in for Twitter: {about}, {len(points):,} points; ε = 1, replace-one for all. "
        f"Equi-width has {BINS} x {BINS} bins, wavelets and the sorted curve {SIDE} x {SIDE} "
        "cells, as in the paper; densities are compared on the finer grid, as shares of the rows. "
        "The paper does not say on which it compares.",
        [
            density_claim("l1", "1.13 < 1.23", one),
            density_claim("l2", "0.20 < 0.25", two),
            wavelet_claim(found, ON_MAP),
        ],
        [range_table(found, ON_MAP), without_noise(points, runs)],
        [range_picture("000-fig9b", "Fig. 9 (b): mean absolute error of square counts on a map.",
                       found, ON_MAP)],
    )  # fmt: skip


def density_claim(norm: str, printed: str, found: Mapping[str, Runs]) -> Claim:
    return Claim(
        f"{norm} distance of densities: proposed below equi-width",
        printed,
        f"{format_mean(found['proposed'])}, {format_mean(found['equi-width'])}",
        less(found["proposed"], found["equi-width"]),
        "the noise on a group's mean moves its rows by some 1 / (k ε) of the curve, and the curve "
        "leads anywhere near. Tested: without noise the same groups come closer than the "
        "equi-width histogram, and near the printed distance, while the equi-width histogram "
        "hardly changes; it is not that groups blur the many rows in each of few places.",
    )


def without_noise(points: Floats, runs: int) -> Numbers:
    """Table 2 with and without noise, and with the measured group size."""
    rows = []
    for name, side, mechanism in (
        ("proposed, groups of 177", SIDE, Sorted(group_size=177)),
        ("proposed, groups of 849 (the measured rule)", SIDE, Sorted(group_size=849)),
        (f"equi-width, {BINS} x {BINS}", BINS, "identity"),
    ):
        counts = counts_on(points, side)
        cells: list[str] = []
        for epsilon, many in (("1", runs), ("1000000", 1)):
            pairs = [apart(points, release_counts(counts, mechanism, epsilon)) for _ in range(many)]
            cells += map(format_mean, zip(*pairs, strict=True))
        rows.append((name, *cells))
    heads = ("", "l1, ε = 1", "l2, ε = 1", "l1, without noise", "l2, without noise")
    return Numbers("Tested: distances of densities with noise and without (ε = 10⁶)", heads, rows)


def apart(points: Floats, values: Floats) -> tuple[float, float]:
    """l1 and l2 distances of shares on the fine grid."""
    spread = overlap(SIDE, len(values))
    here = spread @ values @ spread.T / len(points)
    off = here - counts_on(points, SIDE) / len(points)
    return float(np.abs(off).sum()), float(np.sqrt((off**2).sum()))


def overlap(fine: int, coarse: int) -> Floats:
    """Which share of each coarse slice of the unit interval lies in each fine one.

    >>> overlap(3, 2).round(2).tolist()
    [[0.67, 0.0], [0.33, 0.33], [0.0, 0.67]]
    """
    edges, ends = np.linspace(0, 1, fine + 1), np.linspace(0, 1, coarse + 1)
    low = np.maximum.outer(edges[:-1], ends[:-1])
    high = np.minimum.outer(edges[1:], ends[1:])
    return np.asarray(np.maximum(high - low, 0) * coarse)


def counts_on(points: Floats, side: int) -> Ints:
    found, *_ = np.histogram2d(points[:, 0], points[:, 1], bins=side, range=((0, 1), (0, 1)))
    return found.astype(np.int64)


def squares(size: float) -> Floats:
    """Random squares inside the unit square: questions x axes x (lo, hi)."""
    low = np.random.default_rng(9).uniform(0, 1 - size, (QUESTIONS, 2))
    return np.stack([low, low + size], axis=2)


def in_squares(values: Floats, boxes: Floats) -> Floats:
    """The rows in boxes, spread evenly in each cell: by sums from the corner, which are bilinear in
    a cell."""
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
        for name in ("proposed", "equi-width")
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
