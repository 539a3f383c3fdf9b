"""Table 2 and Fig. 6 to 8 of paper 000: densities on a map. NONPRIVATE."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

import hushgram as hg
from hushgram.declare.axis import Floats
from hushgram.geometry.partition import Ints
from hushgram.mechanisms.sorted import Sorted
from reproduction import p000_ranges
from reproduction.drawing import Panel, lines
from reproduction.findings import Claim, Numbers, PaperFinding, Picture
from reproduction.judged import Judged, Runs, every, format_mean, less, mean
from reproduction.line import NEW_YORK, america, people
from reproduction.maps import density_maps
from reproduction.p000_ranges import (
    BINS,
    PARTS,
    PROPOSED,
    adjust_total,
    counts_on,
    map_values,
    publish_replaced,
    release_counts,
    voronoi_cells,
)
from reproduction.points import road

REFERENCES = (40, 128, 512)
"""Bins per side of the grids on which densities are compared."""

AROUND = 0.04
"""Half the side of the view of New York."""

FEW = 60_000
"""Points of each set in Fig. 8, as in the paper."""

WIDTHS = (5, 10, 20, 28, 40, 56, 80, 112, 160, 320)
"""Bins per side of Fig. 8."""

NORMS = ("l1", "l2")

Pairs = Sequence[tuple[float, float]]
"""l1 and l2 distances for each run."""


def table_two(runs: int) -> PaperFinding:
    """Table 2: statistical differences of densities."""
    about, points, values = map_values(runs)
    side = p000_ranges.SIDE
    methods = (PROPOSED, PARTS, "equi-width")
    found = {name: [apart(points, one, side) for one in values[name]] for name in methods}
    one, two = ({name: [pair[n] for pair in pairs] for name, pairs in found.items()}
                for n in (0, 1))  # fmt: skip
    return PaperFinding(
        "Table 2: densities on a map",
        f"Stands in for Twitter: {about}, {len(points):,} points; ε = 1, replace-one for all. The "
        "proposed method's density is that of the Voronoi cells of its points, as in the paper; "
        f"equi-width has {BINS} x {BINS} bins. The paper does not say which grid it uses for the "
        f"comparison. Here it is {side} x {side} cells, and distances are between shares of the "
        "rows.",
        [
            density_claim("l1", "1.13 < 1.23", one),
            density_claim("l2", "0.20 < 0.25", two),
        ],
        [by_reference(points, values), without_noise(points, runs)],
    )


def density_claim(norm: str, printed: str, found: Mapping[str, Runs]) -> Claim:
    return Claim(
        f"{norm} distance of densities: proposed below equi-width",
        printed,
        f"{format_mean(found[PROPOSED])}, {format_mean(found['equi-width'])}",
        less(found[PROPOSED], found["equi-width"]),
        "the noise on a group's mean moves its rows by about 1 / (k ε) along the curve, in any "
        "direction on the map. Tested: without noise, the same groups come closer than the "
        "equi-width histogram, which hardly changes, whatever grid the densities are compared "
        "on. Voronoi cells lose less than parts between the middles of groups. Groups that "
        "isotonic regression pooled are at one place: parts keep all their rows in one small "
        "box, while a Voronoi cell spreads them.",
    )


def by_reference(points: Floats, values: Mapping[str, Sequence[Floats]]) -> Numbers:
    rows = []
    for name in (PROPOSED, PARTS, "equi-width"):
        cells: list[str] = []
        for side in REFERENCES:
            pairs = [apart(points, one, side) for one in values[name]]
            cells += map(format_mean, zip(*pairs, strict=True))
        rows.append((name, *cells))
    heads = [f"{norm}, {side} x {side}" for side in REFERENCES for norm in ("l1", "l2")]
    return Numbers("Distances of densities by the grid of comparison", ("", *heads), rows)


def without_noise(points: Floats, runs: int) -> Numbers:
    """Return Table 2 with and without noise, and with the measured group size."""
    side = p000_ranges.SIDE
    fine, coarse = counts_on(points, side), counts_on(points, BINS)
    rows = []
    for name, group, cells in (
        ("proposed, groups of 177", 177, True),
        ("proposed, groups of 849 (the measured rule)", 849, True),
        ("groups of 849, between middles", 849, False),
        (f"equi-width, {BINS} x {BINS}", 0, False),
    ):
        found: list[str] = []
        for epsilon, many in (("1", runs), ("1000000", 1)):
            pairs = [apart(points, map_of(fine, coarse, group, epsilon, cells), side)
                     for _ in range(many)]  # fmt: skip
            found += map(format_mean, zip(*pairs, strict=True))
        rows.append((name, *found))
    heads = ("", "l1, ε = 1", "l2, ε = 1", "l1, without noise", "l2, without noise")
    return Numbers("Tested: distances of densities with noise and without (ε = 10⁶)", heads, rows)


def map_of(fine: Ints, coarse: Ints, group: int, epsilon: str, cells: bool) -> Floats:
    """Publish one map: of sorted groups of this size, or of equal bins."""
    if not group:
        return release_counts(coarse, "identity", epsilon)
    release = publish_replaced(fine, Sorted(group_size=group), epsilon)
    return voronoi_cells(release) if cells else adjust_total(release, int(fine.sum()))


def apart(points: Floats, values: Floats, side: int) -> tuple[float, float]:
    """Return l1 and l2 distances of shares on a grid with this many cells per side."""
    off = shares_on(values, side, len(points)) - counts_on(points, side) / len(points)
    return float(np.abs(off).sum()), float(np.sqrt((off**2).sum()))


def shares_on(values: Floats, side: int, many: int) -> Floats:
    """Return a map's rows on another grid, as shares of a total."""
    spread = overlap(side, len(values))
    return np.asarray(spread @ values @ spread.T / many)


def overlap(fine: int, coarse: int) -> Floats:
    """Return the share of each coarse slice of the unit interval in each fine one.

    >>> overlap(3, 2).round(2).tolist()
    [[0.67, 0.0], [0.33, 0.33], [0.0, 0.67]]
    """
    edges, ends = np.linspace(0, 1, fine + 1), np.linspace(0, 1, coarse + 1)
    low = np.maximum.outer(edges[:-1], ends[:-1])
    high = np.minimum.outer(edges[1:], ends[1:])
    return np.asarray(np.maximum(high - low, 0) * coarse)


# Fig. 6 and 7 -------------------------------------------------------------------------------------


def figures_six_and_seven(runs: int) -> PaperFinding:
    """Fig. 6 and 7: the densities, and their accuracy around New York."""
    about, points, values = map_values(runs)
    side = p000_ranges.SIDE
    release = publish_replaced(counts_on(points, side), Sorted(group_size="paper"))
    cells = release.density(cells="voronoi")
    near = {name: [near_new_york(points, one, side) for one in values[name]]
            for name in (PROPOSED, "equi-width")}  # fmt: skip
    draw = partial(density_maps, cells, values["equi-width"][0], points)
    low, high = zip(*((middle - AROUND, middle + AROUND) for middle in NEW_YORK), strict=True)
    return PaperFinding(
        "Fig. 6 and 7: what the densities look like",
        f"Stands in for Twitter: {about}. Voronoi cells of one release next to the bins of "
        "another; the dots are one in a hundred of the points.",
        [
            Claim("around New York the proposed density captures the finer details", "Fig. 7",
                  f"l1 distance there, of shares of its rows: {format_mean(near[PROPOSED])} and "
                  f"{format_mean(near['equi-width'])} for equi-width",
                  less(near[PROPOSED], near["equi-width"]),
                  "noise moves points by about 1 / (k ε) of the curve, and isotonic regression "
                  "pools groups, so few distinct points are left. Where points are dense, cells "
                  "are smaller than elsewhere, but not smaller than the other histogram's bins, "
                  "as the line on their sizes shows."),
            sizes_claim(release, points),
        ],
        pictures=[
            Picture("000-fig6", "Fig. 6: rows per unit of area by equi-width bins and by Voronoi "
                    "cells of the reconstructed points.", partial(draw, (0.0, 0.0), (1.0, 1.0))),
            Picture("000-fig7", "Fig. 7: the same around New York.", partial(draw, low, high)),
        ],
    )  # fmt: skip


def sizes_claim(release: hg.Release, points: Floats) -> Claim:
    """Check whether cells are small where rows are dense."""
    side = p000_ranges.SIDE
    counts = counts_on(points, BINS)
    cells = release.density(cells="voronoi")
    at = np.minimum((release.points().positions / side * BINS).astype(int), BINS - 1)
    dense = counts[at[:, 0], at[:, 1]] > np.quantile(counts[counts > 0], 0.9)
    small, large = (float(np.median(cells.volumes[where])) for where in (dense, ~dense))
    return Claim(
        "cells are of variable size, smaller in denser regions",
        "yes",
        f"{len(cells):,} cells; the median one in the densest tenth of the {BINS} x {BINS} bins is "
        f"as large as {small / side**2 * BINS**2:.2g} of them, elsewhere as "
        f"{large / side**2 * BINS**2:.2g}",
        small < large,
    )


def near_new_york(points: Floats, values: Floats, side: int) -> float:
    """Return the l1 distance in the view of New York, divided by the rows there."""
    ends = [slice(round((m - AROUND) * side), round((m + AROUND) * side)) for m in NEW_YORK]
    here = (shares_on(values, side, 1))[ends[0], ends[1]]
    true = counts_on(points, side)[ends[0], ends[1]]
    return float(np.abs(here - true).sum() / max(true.sum(), 1))


# Fig. 8 -------------------------------------------------------------------------------------------


def figure_eight(runs: int) -> PaperFinding:
    """Fig. 8: the best bin width of three sets of points."""
    about, sets = three_sets()
    found = {name: [bin_errors(points, bins, runs) for bins in WIDTHS]
             for name, points in sets.items()}  # fmt: skip
    claims = [width_claim(norm, by_norm(found, place)) for place, norm in enumerate(NORMS)]
    panels = [
        Panel(f"ε = 1, n = {FEW:,}", "bins per side", f"{norm} distance",
              {name: (WIDTHS, [mean(one) for one in by])
               for name, by in by_norm(found, place).items()}, log_y=place == 1)
        for place, norm in enumerate(NORMS)
    ]  # fmt: skip
    side = p000_ranges.SIDE
    return PaperFinding(
        "Fig. 8: the best bin width",
        f"{FEW:,} points of each of three sets, drawn with replacement: {about}. The distance of "
        f"shares on {side} x {side} cells, ε = 1, replace-one. The paper does not name its sets.",
        claims,
        [
            Numbers(f"{norm} distance by bins per side", ("", *(f"{bins}" for bins in WIDTHS)),
                    [(name, *map(format_mean, by)) for name, by in by_norm(found, place).items()])
            for place, norm in enumerate(NORMS)
        ],
        [Picture("000-fig8", "Fig. 8: distance of an equi-width histogram by its bins.",
                 partial(lines, panels))],
    )  # fmt: skip


def by_norm(found: Mapping[str, Sequence[Pairs]], place: int) -> dict[str, list[Runs]]:
    """Return one of the two distances, for each set and width."""
    return {name: [[pair[place] for pair in one] for one in by] for name, by in found.items()}


def width_claim(norm: str, found: Mapping[str, Sequence[Runs]]) -> Claim:
    """Check whether the best width differs between sets."""
    best = {name: int(np.argmin([mean(one) for one in by])) for name, by in found.items()}
    judged: list[Judged] = [
        less(by[best[name]], by[best[other]])
        for name, by in found.items() for other in found if best[other] != best[name]
    ]  # fmt: skip
    return Claim(
        f"the best bin width of an equi-width histogram differs significantly between three sets "
        f"({norm})",
        "yes",
        "bins per side: " + ", ".join(f"{name} {WIDTHS[n]}" for name, n in best.items()),
        every(judged) if len(set(best.values())) == len(best) else False,
        "two of our three sets have the same best width among those we tried.",
    )


def three_sets() -> tuple[str, dict[str, Floats]]:
    """Return a description of three sets of points in the unit square, and the sets by name."""
    rng = np.random.default_rng(8)
    (on_map, towns), (in_space, cube), (on_roads, nodes) = america(), people(), road()
    low, high = nodes.min(axis=0), nodes.max(axis=0)
    sets = {"Twitter": towns, "Kaluža": cube[:, :2], "roads": (nodes - low) / (high - low)}
    about = f"Twitter: {on_map}; Kaluža: {in_space}, seen from above; roads: {on_roads}"
    return about, {name: one[rng.integers(0, len(one), FEW)] for name, one in sets.items()}


def bin_errors(points: Floats, bins: int, runs: int) -> Pairs:
    counts = counts_on(points, bins)
    side = p000_ranges.SIDE
    return [apart(points, release_counts(counts, "identity"), side) for _ in range(runs)]
