"""The main claims of paper 000: range queries better than with wavelets, and medians.
NONPRIVATE."""

from __future__ import annotations

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.mechanisms.privelet import Privelet
from hushgram.mechanisms.sorted import Sorted
from reproduction.findings import Claim, Numbers, PaperFinding, short
from reproduction.judged import Judged, Ratio, Runs, every, format_mean, less, mean, times
from reproduction.line import america, from_new_york
from reproduction.p000_medians import GAPS, advantages, median_errors
from reproduction.p000_ranges import (
    ON_LINE,
    ON_MAP,
    PARTS,
    PROPOSED,
    BySize,
    RowsBelow,
    line_error,
    line_errors,
    map_errors,
    release_counts,
    sorted_curves,
)

MANY = (500, 2_000, 10_000, 40_000, 180_000)
"""Numbers of rows at which the two are compared."""

LARGE = 0.3
"""The range of the comparison by number of rows."""

WHY = (
    "the error of the proposed method grows with the number of rows, while that of wavelets "
    "hardly does. Noise of scale 1 / (k ε) moves the mean of a group along the axis; all rows "
    "around the end of a range move with it: n times that distance, if rows are spread evenly. "
    "With the best group size, about √n, an error of about √n rows remains. The noise of a "
    "wavelet coefficient is a number of rows that does not depend on n. Tested: in the table "
    "below, the order is reversed as n falls, and at the paper's n none of five group sizes helps."
)

WHY_ON_MAP = (
    "on a map it is the other way round. The proposed method is better at small sizes, where the "
    "noise of so many wavelets is large, and worse at large ones, whose sides the curve crosses "
    "in many places: groups near those sides are displaced by about 1 / (k ε) of the curve."
)


def headline(runs: int) -> PaperFinding:
    """Check the claims of the abstract and the introduction."""
    about, many, curve = line_errors("curve", runs)
    _, _, distance = line_errors("distance", runs)
    on_map = map_errors(runs)
    medians = {gap: Ratio.geometric(advantages(median_errors(gap, runs))) for gap in GAPS}
    no_worse = all(one.logarithm <= 1.96 * one.variance**0.5 for one in medians.values())
    return PaperFinding(
        "The headline claims",
        f"Stands in for Twitter: {about}, {many:,} points; ε = 1, replace-one for all. Group sizes "
        "are those of Table 1, and answers come from Voronoi cells, as in the paper; details are "
        "in the sections on Fig. 9 and 10.",
        [
            range_claim("along a Hilbert curve (Fig. 9 a)", curve, ON_LINE),
            range_claim("of distances to New York (the data of Fig. 1)", distance, ON_LINE),
            range_claim("on the map (Fig. 9 b)", on_map, ON_MAP, WHY_ON_MAP),
            Claim("comparable to the smooth-sensitivity method in publishing the median",
                  "comparable",
                  "; ".join(f"error over the other's at local sensitivity {gap}: {ratio}"
                            for gap, ratio in medians.items()),
                  no_worse),
        ],
        [
            Numbers("Mean absolute error of ranges of distances to New York, by size",
                    ("", *map(short, ON_LINE)),
                    [(name, *map(format_mean, y)) for name, y in distance.items()]),
            by_rows(runs),
        ],
    )  # fmt: skip


def range_claim(where: str, found: BySize, sizes: tuple[float, ...], why: str = WHY) -> Claim:
    """Check whether the method is better than wavelets at every size."""
    ours, waves = found[PROPOSED], found["wavelet"]
    judged: list[Judged] = [less(a, b) for a, b in zip(ours, waves, strict=True)]
    shown = [sizes.index(0.01), len(sizes) - 1]
    return Claim(
        f"outperforms the wavelet-based method in range queries {where}, even for ranges with "
        "large sizes",
        "yes",
        f"better {times(judged, 'sizes')}; "
        + "; ".join(f"size {sizes[n]:g}: {format_mean(ours[n])} against {format_mean(waves[n])}"
                    for n in shown),
        every(judged),
        why,
    )  # fmt: skip


def by_rows(runs: int) -> Numbers:
    """Compare both methods on fewer and fewer of the rows."""
    everywhere = from_new_york(america()[1])
    rng = np.random.default_rng(1)
    rows = []
    for many in MANY:
        line = np.sort(rng.choice(everywhere, min(many, len(everywhere)), replace=False))
        paper = sorted_errors(line, Sorted(group_size="paper"), runs)
        tried = {k: sorted_errors(line, Sorted(group_size=k), runs)[0] for k in sizes_for(many)}
        best = min(tried, key=lambda k: mean(tried[k]))
        absolute = sorted_errors(line, Sorted(group_size="paper", regression="absolute"), runs)[0]
        counts = np.histogram(line, bins=1024, range=(0, 1))[0]
        wavelet = [
            line_error(line, RowsBelow.of_bins(release_counts(counts, Privelet(axes="ordered"))),
                       LARGE)
            for _ in range(runs)
        ]  # fmt: skip
        rows.append((f"{len(line):,}", format_mean(paper[0]), format_mean(paper[1]),
                     format_mean(absolute), f"{format_mean(tried[best])} (k = {best})",
                     format_mean(wavelet)))  # fmt: skip
    heads = (
        "n", "proposed, k of Table 1", f"{PARTS}", "by absolute deviations",
        "proposed, the best k of five", "wavelet",
    )  # fmt: skip
    return Numbers(
        f"Tested: mean absolute error of ranges of size {LARGE:g} of distances to New York, by "
        "the number of rows",
        heads,
        rows,
    )


def sizes_for(many: int) -> list[int]:
    """Return group sizes around 2 √n."""
    return sorted({max(1, round(times * many**0.5)) for times in (0.5, 1, 2, 4, 8)})


def sorted_errors(line: Floats, mechanism: Sorted, runs: int) -> tuple[Runs, Runs]:
    """Return errors with Voronoi cells, and with parts between the middles of groups."""
    pairs = [sorted_curves(line, mechanism) for _ in range(runs)]
    cells = [line_error(line, one, LARGE) for one, _ in pairs]
    return cells, [line_error(line, one, LARGE) for _, one in pairs]
