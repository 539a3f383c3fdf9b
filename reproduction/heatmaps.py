"""Draw small tables of counts next to each other, on one scale."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.show.charts.canvas import COLOURS, new_figure, plain
from reproduction.findings import LABEL


def heatmaps(tables: Mapping[str, Floats], x: str, y: str, *, colour: str) -> Any:
    """Draw a panel for each table. Shades follow the square roots of counts; negative counts count
    as zero."""
    columns = min(2, len(tables))
    rows = -(-len(tables) // columns)
    figure = new_figure(4.2 * columns + 0.6, 2.2 * rows + 0.5)
    top = max(float(np.quantile(values, 0.998)) for values in tables.values())
    panels = []
    for place, (title, values) in enumerate(tables.items()):
        axes = figure.add_subplot(rows, columns, place + 1)
        shown = np.sqrt(np.clip(values, 0, top))
        image = axes.imshow(
            shown.T, origin="lower", aspect="auto", cmap=COLOURS, vmin=0, vmax=top**0.5,
            interpolation="nearest",
        )  # fmt: skip
        axes.set_title(plain(title), fontsize="small")
        axes.set_xlabel(x)
        axes.set_ylabel(y)
        panels.append(axes)
    ticks = np.linspace(0, top**0.5, 5)
    bar = figure.colorbar(image, ax=panels, ticks=ticks, shrink=0.8)
    bar.ax.set_xlabel(colour, fontsize="small")
    bar.ax.set_yticklabels([f"{tick**2:.0f}" for tick in ticks])
    figure.suptitle(f"{LABEL}: true counts among them", x=0.01, ha="left", fontsize="small")
    return figure
