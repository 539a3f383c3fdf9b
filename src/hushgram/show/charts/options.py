"""How a picture should look: what a caller may choose."""

from __future__ import annotations

from dataclasses import dataclass

from hushgram.show.charts.style import LIGHT, Theme

Box = tuple[float, float, float, float]
"""The left, lower, right and upper end of a window: west, south, east, north on a map."""


@dataclass(frozen=True)
class PictureOptions:
    """What the drawing functions share."""

    theme: Theme = LIGHT
    rows: str = "rows"
    """What a row is: people, stops, …"""
    log: bool | None = None
    """A logarithmic scale, a linear one, or None for the one that suits the numbers."""
    coastlines: bool | None = None
    """Coastlines and borders; None draws them where they are fine enough."""
    uncertain: bool = False
    """Whether to hatch what may be zero."""
    sort: bool = False
    """Whether the largest category comes first."""
    bbox: Box | None = None
    """The window that is drawn; None for everything."""
