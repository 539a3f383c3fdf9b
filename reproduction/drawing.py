"""Pictures of papers: lines, candlesticks and bars, distinguished by markers and not only by
shades."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.lab.evaluate.plots import every, styles_of
from hushgram.show.charts.canvas import COLOURS, GREY, new_figure, number, plain
from reproduction.findings import LABEL

TAIL = 0.95
"""The quantile at which a candlestick ends."""

HATCHES = ("", "///", "...", "\\\\\\", "xx")

Values = Mapping[str, tuple[Sequence[float], Sequence[float]]]
"""Positions and heights of each line."""


@dataclass(frozen=True)
class Panel:
    """One pair of axes."""

    title: str
    x: str
    y: str
    lines: Values
    log_x: bool = True
    log_y: bool = True
    ticks: bool = True
    """Whether every position of a line gets a tick."""


def lines(panels: Sequence[Panel], *, across: int = 3) -> Any:
    """Draw a line for each method. All panels share a legend."""
    names = list(dict.fromkeys(name for panel in panels for name in panel.lines))
    styles = styles_of(names)
    columns = min(across, len(panels))
    rows = -(-len(panels) // columns)
    width = max(3.5 * columns + 0.4, 5.4)
    figure = new_figure(width, 2.9 * rows + 0.3 + 0.25 * -(-len(names) // 3))
    for place, panel in enumerate(panels):
        axes = figure.add_subplot(rows, columns, place + 1)
        for name, (x, y) in panel.lines.items():
            axes.plot(
                x, y, label=plain(name), markersize=5, linewidth=1.2, markeredgecolor="black",
                markeredgewidth=0.4, **styles[name],
            )  # fmt: skip
        scale(axes, panel)
    return add_labels(figure, legend=len(names) > 1)


def scale(axes: Any, panel: Panel) -> None:
    from matplotlib.ticker import (
        FixedLocator,
        FuncFormatter,
        LogLocator,
        NullFormatter,
        NullLocator,
    )

    axes.set_title(plain(panel.title), fontsize="small")
    axes.set_xlabel(panel.x)
    axes.set_ylabel(panel.y)
    if panel.log_x:
        axes.set_xscale("log")
    if panel.ticks:
        places = sorted({float(x) for line in panel.lines.values() for x in line[0]})
        axes.xaxis.set_major_locator(FixedLocator(places[:: -(-len(places) // 6)]))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: number(value)))
    if panel.log_y:
        axes.set_yscale("log")
        axes.yaxis.set_minor_formatter(NullFormatter())
        low, high = axes.get_ylim()
        if high < 50 * low:
            axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
            axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: number(value)))
    axes.grid(visible=True, color=GREY, alpha=0.3, linewidth=0.5)


def candles(panels: Mapping[str, Mapping[str, Floats]], y: str, *, log: bool = False) -> Any:
    """Draw candlesticks as in paper 002: the quartiles, the 95 % quantile, and the mean as a
    diamond."""
    columns = min(4, len(panels))
    rows = -(-len(panels) // columns)
    figure = new_figure(3.6 * columns + 0.4, 3.3 * rows + 0.3)
    for place, (title, methods) in enumerate(panels.items()):
        axes = figure.add_subplot(rows, columns, place + 1)
        for x, errors in enumerate(methods.values()):
            candle(axes, x, errors)
        axes.set_xticks(range(len(methods)), [plain(name) for name in methods], rotation=35,
                        ha="right", rotation_mode="anchor", fontsize="small")  # fmt: skip
        axes.set_title(plain(title), fontsize="small")
        if log:
            axes.set_yscale("log")
            axes.set_ylim(bottom=0.7 * min(np.quantile(one, 0.25) for one in methods.values()))
        else:
            shorten(axes, [float(np.quantile(errors, TAIL)) for errors in methods.values()])
        axes.set_ylabel(y)
        axes.grid(visible=True, axis="y", color=GREY, alpha=0.3, linewidth=0.5)
    return add_labels(figure, legend=False)


def shorten(axes: Any, tails: Sequence[float]) -> None:
    """Cut off a candlestick that would make all others unreadable, and write where it ends."""
    *_, second, most = (0.0, *sorted(tails))
    top = 1.15 * (second if most > 1.5 * second > 0 else most)
    axes.set_ylim(0, top)
    for place, tail in enumerate(tails):
        if tail > top:
            axes.text(place + 0.1, 0.98 * top, f"95 %: {tail:.2g}", fontsize="x-small", va="top")


def candle(axes: Any, place: int, errors: Floats) -> None:
    low, middle, high, tail = np.quantile(errors, (0.25, 0.5, 0.75, TAIL))
    axes.vlines(place, high, tail, color="0.3", linewidth=1)
    axes.bar(place, high - low, bottom=low, width=0.5, color="0.85", edgecolor="0.3")
    axes.hlines(middle, place - 0.25, place + 0.25, color="0.1", linewidth=1.5)
    axes.plot(place, errors.mean(), "D", color="black", markersize=5)


def bars(
    panels: Mapping[str, Mapping[str, Sequence[float]]],
    groups: Sequence[str],
    x: str,
    y: str,
    *,
    log: bool,
) -> Any:
    """Draw groups of hatched bars."""
    from matplotlib import colormaps
    from matplotlib.ticker import NullFormatter

    columns = min(2, len(panels))
    rows = -(-len(panels) // columns)
    figure = new_figure(4.2 * columns + 0.4, 2.7 * rows + 0.6)
    for place, (title, series) in enumerate(panels.items()):
        axes = figure.add_subplot(rows, columns, place + 1)
        shades = colormaps[COLOURS](np.linspace(0.1, 0.95, len(series)))
        width = 0.8 / len(series)
        for turn, (name, heights) in enumerate(series.items()):
            at = np.arange(len(groups)) + (turn - (len(series) - 1) / 2) * width
            axes.bar(
                at, heights, width, label=plain(name), color=tuple(shades[turn]),
                edgecolor="white" if turn == 0 else "black", linewidth=0.4,
                hatch=HATCHES[turn % len(HATCHES)],
            )  # fmt: skip
        axes.set_xticks(range(len(groups)), groups)
        axes.set_title(plain(title), fontsize="small")
        axes.set_xlabel(x)
        axes.set_ylabel(y)
        if log:
            axes.set_yscale("log")
            axes.set_ylim(bottom=np.nanmin(list(series.values())) / 3)
            axes.yaxis.set_minor_formatter(NullFormatter())
    return add_labels(figure, legend=True)


def add_labels(figure: Any, *, legend: bool) -> Any:
    figure.suptitle(f"{LABEL}: errors beside true counts", x=0.01, ha="left", fontsize="small")
    if legend:
        look = {"loc": "outside lower center", "ncols": 3, "frameon": False, "fontsize": "small"}
        figure.legend(*every(figure), **look)
    return figure
