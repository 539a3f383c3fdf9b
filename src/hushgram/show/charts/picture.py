"""The common options of pictures: the text around them, scale, colours, and file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hushgram.show.charts.canvas import check_ending, room_of, save
from hushgram.show.charts.style import Theme, theme_of
from hushgram.show.charts.words import LETTERS, add_footer, add_title, lines_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Picture:
    """The common options of pictures of releases and of areas. Checks the file name immediately."""

    path: str | Path | None = None
    title: str | None = None
    rows: str = "rows"
    """The name of the rows: people, stops."""
    log: bool | None = None
    """A logarithmic or linear scale; None chooses by the numbers."""
    source: str | None = None
    date: str | None = None
    dark: bool = False
    ax: Axes | None = None
    """The matplotlib axes to draw on, or None for a new figure with a footer."""
    overwrite: bool = False

    def __post_init__(self) -> None:
        from hushgram.base.files import check_writable

        if self.path is not None:
            check_ending(self.path)
            check_writable(Path(self.path), overwrite=self.overwrite)

    @property
    def theme(self) -> Theme:
        return theme_of(dark=self.dark)

    def finish(self, figure: Figure, heading: str, footer: str) -> Figure:
        """Add title and footer, or only a title on a caller's axes, and write the file."""
        heading = heading if self.title is None else self.title
        if self.ax is None:
            add_title(figure, heading)
            add_footer(figure, footer, self.theme)
        else:
            wide, _ = room_of(self.ax, 0, 0)
            self.ax.set_title(lines_of(heading, LETTERS * wide, 3), loc="left", pad=20)
        if self.path is not None:
            save(figure, self.path, overwrite=self.overwrite)
        return figure
