"""Draw densities on a map, in bins and in Voronoi cells. NONPRIVATE."""

from __future__ import annotations

from typing import Any

import numpy as np

from hushgram.answers.learning.density import Density
from hushgram.declare.axis import Floats
from hushgram.show.charts.canvas import COLOURS, new_figure
from reproduction.findings import LABEL

SHOWN = 100
"""One in this many points is drawn."""


def density_maps(
    cells: Density,
    bins: Floats,
    points: Floats,
    low: tuple[float, float],
    high: tuple[float, float],
) -> Any:
    """Draw equal bins on the left and Voronoi cells on the right, with some of the points, between
    two corners in the unit square."""
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import LogNorm

    side = float(cells.domain.axes[0].bins)
    per_area = bins * len(bins) ** 2 / len(points)
    by_cell = cells.values * side**2 / len(points)
    scale = LogNorm(vmin=0.05, vmax=float(max(by_cell.max(), per_area.max())), clip=True)
    figure = new_figure(9.4, 5.0)
    edges = np.linspace(0, 1, len(bins) + 1)
    left, right = (figure.add_subplot(1, 2, place) for place in (1, 2))
    left.pcolormesh(edges, edges, np.maximum(per_area.T, 0.05), norm=scale, cmap=COLOURS)
    polygons = PolyCollection([one / side for one in cells.polygons()], norm=scale, cmap=COLOURS,
                              linewidths=0.2, edgecolors="0.4")  # fmt: skip
    polygons.set_array(by_cell)
    right.add_collection(polygons)
    for axes, title in ((left, f"equi-width, {len(bins)} x {len(bins)} bins"),
                        (right, f"Voronoi cells of {len(cells):,} points")):  # fmt: skip
        axes.plot(*points[::SHOWN].T, ".", color="red", markersize=1.2, alpha=0.6)
        axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), xlabel="x", ylabel="y")
        axes.set_title(title, fontsize="small")
    figure.colorbar(polygons, ax=[left, right], orientation="horizontal", aspect=50,
                    label="density; 1 is the mean of the map")  # fmt: skip
    figure.suptitle(f"{LABEL}: points of a public table", x=0.01, ha="left", fontsize="small")
    return figure
