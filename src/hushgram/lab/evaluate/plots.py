"""Error against ε, a line per mechanism and a panel per data set and workload. NONPRIVATE.

Lines differ by marker and by dashes, not only by shade, so that they can be distinguished in print
and without colour vision.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import numpy as np

from hushgram.errors import BadInput
from hushgram.lab.evaluate.measures import ALL, NO_ERROR
from hushgram.lab.evaluate.tables import SummaryLine
from hushgram.show.charts.canvas import COLOURS, GREY, check_ending, new_figure, number, plain, save

MARKERS = "osD^vPX<>*p"
DASHES = ("-", "--", ":", "-.")
ACROSS = 3
"""The number of panels per row."""

Panel = tuple[str, int, str, str]


def plot(
    lines: Sequence[SummaryLine], path: str | Path | None = None, measure: str = "scaled"
) -> Any:
    """Draw the means of a measure with their intervals, and save the figure if a path is given."""
    if path is not None:
        check_ending(path)
    shown = [line for line in lines if line.measure == measure and line.size == ALL]
    if not shown:
        raise BadInput(f"The results contain no {measure} to draw.")
    panels = list(dict.fromkeys(panel_of(line) for line in shown))
    styles = styles_of(list(dict.fromkeys(line.mechanism for line in shown)))
    columns = min(len(panels), ACROSS)
    rows = -(-len(panels) // columns)
    figure = new_figure(3.6 * columns + 0.6, 3.0 * rows + 1.1)
    for place, panel in enumerate(panels):
        axes = figure.add_subplot(rows, columns, place + 1)
        draw(axes, [line for line in shown if panel_of(line) == panel], styles)
        data, many, shape, workload = panel
        title = f"{plain(data)}: {workload}\n{many:,} rows, {shape} cells"
        axes.set_title(title, fontsize="small")
        if place % columns == 0:
            axes.set_ylabel(measure)
    figure.suptitle(
        "NONPRIVATE: errors computed from true counts", x=0.01, ha="left", fontsize="medium"
    )
    handles, names = every(figure)
    figure.legend(
        handles, names, loc="outside lower center", ncols=4, frameon=False, fontsize="small"
    )
    if path is not None:
        save(figure, path, overwrite=True)
    return figure


def panel_of(line: SummaryLine) -> Panel:
    setting = line.setting
    return setting.data, setting.rows, setting.shape, setting.workload


def styles_of(mechanisms: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return a shade from dark to light, a marker and dashes for each mechanism. 44 combinations of
    marker and dashes differ."""
    from matplotlib import colormaps

    shades = colormaps[COLOURS](np.linspace(0, 0.85, len(mechanisms)))
    marks = zip(cycle(MARKERS), cycle(DASHES), strict=False)
    return {
        name: {"color": tuple(shade), "marker": marker, "linestyle": dash}
        for name, shade, (marker, dash) in zip(
            mechanisms, shades, islice(marks, len(mechanisms)), strict=True
        )
    }


def draw(axes: Any, lines: Sequence[SummaryLine], styles: dict[str, dict[str, Any]]) -> None:
    """Draw the means of each mechanism at every ε, slightly shifted so that they do not overlap."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter, NullLocator

    names = list(dict.fromkeys(line.mechanism for line in lines))
    epsilons = sorted({line.setting.epsilon for line in lines})
    for turn, name in enumerate(names):
        mine = sorted((one for one in lines if one.mechanism == name), key=lambda x: x.setting)
        apart = 1.06 ** (turn - (len(names) - 1) / 2)
        means = np.array([line.mean for line in mine])
        ends = np.array([[line.low, line.high] for line in mine])
        bars = np.nan_to_num(np.abs(ends.T - means))
        at = [line.setting.epsilon * apart for line in mine]
        axes.errorbar(
            at, means, bars, label=plain(name), markersize=5, linewidth=1.2, capsize=2,
            markeredgecolor="black", markeredgewidth=0.4, **styles[name],
        )  # fmt: skip
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(FixedLocator(epsilons))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: number(value)))
    axes.set_xlabel("ε")
    if lines[0].measure not in NO_ERROR and min(line.mean for line in lines) > 0:
        axes.set_yscale("log")
        axes.yaxis.set_minor_formatter(NullFormatter())
    axes.grid(visible=True, color=GREY, alpha=0.3, linewidth=0.5)


def every(figure: Any) -> tuple[list[Any], list[str]]:
    """Return one legend entry for each mechanism in any panel."""
    found: dict[str, Any] = {}
    for axes in figure.axes:
        handles, labels = axes.get_legend_handles_labels()
        found.update(zip(labels, handles, strict=True))
    return list(found.values()), list(found)
