"""The options of the drawing functions."""

from __future__ import annotations

from dataclasses import dataclass

from hushgram.show.charts.style import LIGHT, Theme

Box = tuple[float, float, float, float]
"""The left, lower, right and upper bound of a window: west, south, east, north on a map."""


@dataclass(frozen=True)
class PictureOptions:
    """The common options of the drawing functions."""

    theme: Theme = LIGHT
    rows: str = "rows"
    """The name of the rows: people, stops, …"""
    log: bool | None = None
    """A logarithmic or linear scale; None chooses by the numbers."""
    coastlines: bool | None = None
    """Coastlines and borders; None draws them if they are accurate enough for the map."""
    uncertain: bool = False
    """Whether to hatch cells that may be zero."""
    sort: bool = False
    """Whether the largest category comes first."""
    bbox: Box | None = None
    """The window to draw; None for everything."""
