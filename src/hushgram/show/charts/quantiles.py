"""A picture of the quantiles of an axis, with their intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hushgram.answers.counting.quantiles import Quantile, quantiles
from hushgram.declare.axis import Date, Floats
from hushgram.errors import NotAnswerable, QuestionError
from hushgram.show.charts.canvas import number, plain
from hushgram.show.charts.options import PictureOptions
from hushgram.show.charts.sides import HIGH, Side
from hushgram.show.charts.style import Theme, add_legend, open_frame

if TYPE_CHECKING:
    from hushgram.release.release import Release

SHARES = (0.01, *(n / 40 for n in range(1, 40)), 0.99)

FEWER = (0.05, 0.1, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9, 0.95)

QUICK = 1 << 16
"""With more parts, fewer quantiles are drawn, because each takes time."""

MARKED = {0.25: "a quarter", 0.5: "half", 0.75: "three quarters"}


def draw_quantiles(
    axes: Any,
    release: Release,
    options: PictureOptions,
    names: Sequence[str] | None = None,
    room: float = 4.2,
) -> str:
    """Draw a line of quantiles in the band of their 95 % intervals, with marked quartiles. Returns
    the title of the axis."""
    name = one_of(names) if names is not None else only_ordered(release)
    few = release.estimate.partition.size > QUICK
    found = quantiles(release.estimate, name, FEWER if few else SHARES)
    side = Side(name, release.domain[name])
    shares = np.array([100 * one.q for one in found])
    low, middle, high = (
        places(side, ends)
        for ends in zip(*((q.interval[0], q.value, q.interval[1]) for q in found), strict=True)
    )
    theme = options.theme
    axes.fill_between(
        shares, low, high, color=theme.band, alpha=0.35, linewidth=0, label="95 % margin"
    )
    axes.plot(shares, middle, color=theme.line, linewidth=1.8, label="quantile")
    for one, place in zip(found, middle, strict=True):
        if one.q in MARKED:
            mark(axes, one, place, theme)
    axes.set_xlim(0, 100)
    axes.margins(y=0.08)
    bottom, top = axes.get_ylim()
    side.write(axes.yaxis, room, side.values(bottom, top, HIGH * room))
    open_frame(axes, theme)
    add_legend(axes)
    axes.set_xlabel(plain(f"share of the {options.rows} up to this value, in %"))
    return side.title


def only_ordered(release: Release) -> str:
    """The name of the only ordered axis. Raises if there is none, or more than one."""
    ordered = [name for name, axis in release.domain.items() if axis.ordered]
    if len(ordered) == 1:
        return ordered[0]
    if not ordered:
        raise NotAnswerable(
            f"The categories of {', '.join(map(repr, release.domain))} have no order, so "
            "there are no quantiles. Leave out kind."
        )
    raise NotAnswerable(
        f"Quantiles need a single axis with an order, but {', '.join(map(repr, ordered))} "
        f"have one. Choose one: plot(kind='quantiles', axes=[{ordered[0]!r}])."
    )


def one_of(names: Sequence[str]) -> str:
    if len(names) == 1:
        return names[0]
    raise QuestionError(f"Quantiles need a single axis. Found {len(names)}. Choose one.")


def places(side: Side, values: Any) -> Floats:
    """The positions of values in the picture: days as numbers, others unchanged."""
    if isinstance(side.whole, Date):
        from matplotlib.dates import date2num

        return np.asarray(date2num(list(values)), dtype=np.float64)
    return np.asarray(values, dtype=np.float64)


def format_quantile(value: Any) -> str:
    """A value as text, with four digits if it is a real number."""
    return number(float(f"{value:.4g}")) if isinstance(value, float) else str(value)


def mark(axes: Any, one: Quantile, place: float, theme: Theme) -> None:
    axes.plot([100 * one.q] * 2, [0, 1], color=theme.faint, linewidth=0.8, linestyle=":",
              transform=axes.get_xaxis_transform(), zorder=0)  # fmt: skip
    axes.plot([100 * one.q], [place], "o", color=theme.line, markersize=5)
    axes.annotate(
        plain(f"{MARKED[one.q]}: {format_quantile(one.value)}"),
        (100 * one.q, place),
        xytext=(-6, 6),
        textcoords="offset points",
        ha="right",
        fontsize="small",
    )
