"""The common style: colours, fonts and lines of all pictures, on light and on dark background.

Colours range from the background, which is zero, to the strongest contrast with it. Their lightness
changes steadily, so they can be printed in grey and distinguished without colour vision.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from hushgram.errors import MissingExtra


@dataclass(frozen=True)
class Theme:
    """The colours of a picture."""

    paper: str
    """The background, which represents zero."""
    ink: str
    """Titles and values."""
    faint: str
    """Footers, ticks and frames."""
    hair: str
    """Grid lines."""
    outline: str
    """Coastlines and borders."""
    fill: str
    """The area of steps and bars."""
    line: str
    """The upper edge of steps and bars."""
    band: str
    """Margins, visible on the fill and on the background."""
    ramp: tuple[str, ...]
    """Colours from small to large amounts."""

    def colours(self) -> Any:
        """A matplotlib colour map; masked values have the colour of the background."""
        from matplotlib.colors import LinearSegmentedColormap

        made = LinearSegmentedColormap.from_list("hushgram", [self.paper, *self.ramp])
        return made.with_extremes(bad=self.paper)

    def colours_of_means(self) -> Any:
        """A colour map for means, whose lowest colour differs from the background."""
        from matplotlib.colors import LinearSegmentedColormap

        return LinearSegmentedColormap.from_list("hushgram means", self.ramp)

    def text_on(self, colour: tuple[float, ...]) -> str:
        """Black or white, whichever is easier to read on a colour."""
        red, green, blue = colour[:3]
        return "#111111" if 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 else "#ffffff"


LIGHT = Theme(
    paper="#ffffff",
    ink="#1a1a1a",
    faint="#5f6368",
    hair="#e4e6e8",
    outline="#6b6f73",
    fill="#a9c9e6",
    line="#1f5a94",
    band="#d9730d",
    ramp=("#e3f2cf", "#b5dfb9", "#6fc4b8", "#36a1bd", "#2175ae", "#22478f", "#0b1f57"),
)

DARK = Theme(
    paper="#0f141a",
    ink="#f1f3f4",
    faint="#a8b0b8",
    hair="#2a323a",
    outline="#8b949e",
    fill="#2b5c8c",
    line="#8cc2f2",
    band="#ffa94d",
    ramp=("#14314f", "#1c4f80", "#2175ae", "#36a1bd", "#6fc4b8", "#b9e3ab", "#fbfbd0"),
)


def theme_of(*, dark: bool) -> Theme:
    return DARK if dark else LIGHT


@contextmanager
def house_style(theme: Theme = LIGHT) -> Iterator[None]:
    """Use the theme's colours and matplotlib's own fonts within the block."""
    try:
        from matplotlib import rc_context
    except ImportError:
        raise MissingExtra("matplotlib", "plot", "a picture") from None
    settings = {
        "font.family": "DejaVu Sans",
        "font.size": 10,
        "figure.facecolor": theme.paper,
        "savefig.facecolor": "auto",
        "axes.facecolor": theme.paper,
        "axes.edgecolor": theme.faint,
        "axes.linewidth": 0.8,
        "axes.labelcolor": theme.ink,
        "axes.titlecolor": theme.ink,
        "axes.axisbelow": True,
        "text.color": theme.ink,
        "xtick.color": theme.faint,
        "ytick.color": theme.faint,
        "xtick.labelcolor": theme.ink,
        "ytick.labelcolor": theme.ink,
        "grid.color": theme.hair,
        "grid.linewidth": 0.8,
        "hatch.color": theme.faint,
        "hatch.linewidth": 0.5,
    }
    with rc_context(settings):
        yield


def open_frame(axes: Any, theme: Theme, *, across: bool = False) -> None:
    """Keep only the sides with numbers, and draw grid lines for amounts, which are vertical or
    ``across``."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(True, axis="x" if across else "y", color=theme.hair, linewidth=0.8)
    axes.set_axisbelow(True)


def add_legend(axes: Any) -> None:
    """Add a legend above the picture, where it hides nothing."""
    axes.legend(
        loc="lower left", bbox_to_anchor=(0, 1), ncols=3, frameon=False, fontsize=9,
        borderaxespad=0.2, borderpad=0, handlelength=1.4, columnspacing=1.6,
    )  # fmt: skip


def dress(axes: Any, theme: Theme) -> None:
    """Apply the theme to axes that may have been created elsewhere."""
    axes.set_facecolor(theme.paper)
    axes.tick_params(which="both", color=theme.faint, labelcolor=theme.ink)
    for spine in axes.spines.values():
        spine.set_edgecolor(theme.faint)
    for side in (axes.xaxis, axes.yaxis):
        side.label.set_color(theme.ink)
