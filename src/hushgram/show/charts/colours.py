"""Colour scales, chosen by quantiles of the drawn amounts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.show.charts.canvas import decades, numbers

TOP = 0.995
"""The share of the amounts below the strongest colour."""

CALM = 2
"""The number of standard deviations of noise up to which colours are linear, and so faint that
noise is not conspicuous."""

WIDE = 8
"""If the top is more than this multiple of the median amount, colours are logarithmic."""

REACH = 1000
"""The largest ratio of the top to the smallest distinguishable amount on a logarithmic scale."""


class ColourScale(NamedTuple):
    """A mapping of amounts to colours."""

    norm: Any
    over: bool
    """Whether some amounts are above the top."""


def scale_of(drawn: Sequence[Floats], noise: float, log: bool | None) -> ColourScale:
    """The common scale of several pictures: zero is the background, and the top is a high quantile
    of all amounts. ``noise`` is the standard deviation of a typical amount."""
    from matplotlib.colors import AsinhNorm, Normalize

    amounts = np.concatenate([np.ravel(one) for one in drawn])
    seen = amounts[amounts > noise] if (amounts > noise).any() else amounts[amounts > 0]
    if not len(seen):
        return ColourScale(Normalize(0, max(CALM * noise, 1.0)), False)
    middle, top = (float(np.quantile(seen, share)) for share in (0.5, TOP))
    over = bool(amounts.max() > top * (1 + 1e-9))
    if log or (log is None and top > WIDE * middle):
        least = min(max(CALM * noise, top / REACH), top / 5)
        return ColourScale(AsinhNorm(least, vmin=0, vmax=top), over)
    return ColourScale(Normalize(0, max(top, CALM * noise)), over)


def scale_of_means(means: Floats) -> ColourScale:
    """A scale from the lowest to the highest mean, without a special role of 0."""
    from matplotlib.colors import Normalize

    known = means[~np.isnan(means)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    return ColourScale(Normalize(low, high if high > low else low + (abs(low) or 1.0)), False)


def add_colour_bar(panels: Any, drawn: Any, scale: ColourScale, label: str) -> None:
    """Add a colour bar next to one or several pictures."""
    first = np.ravel(np.array(panels, dtype=object))[0]
    ends = ("max" if scale.norm.vmin >= 0 else "both") if scale.over else "neither"
    bar = first.figure.colorbar(drawn, ax=panels, shrink=0.75, aspect=28, pad=0.02, extend=ends)
    linear = getattr(scale.norm, "linear_width", None)
    top = scale.norm.vmax
    ticks = list(bar.get_ticks()) if linear is None else decades(linear, top)
    shown = [float(tick) for tick in ticks if scale.norm.vmin <= tick <= top]
    bar.set_ticks(shown, labels=numbers(shown))
    bar.minorticks_off()
    bar.set_label(label)
    bar.outline.set_visible(False)
