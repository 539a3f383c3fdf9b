"""Changes in each area from one release to another: a table, files and a picture."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hushgram.answers.answer import Widths
from hushgram.declare.axis import Floats
from hushgram.release.area_files import AreaTable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from hushgram.release.areas import AreaCounts, AreaMeasure


@dataclass(frozen=True, eq=False)
class AreaDifferences(AreaTable):
    """The changes in each area from one release to another."""

    areas: AreaCounts
    before: AreaMeasure
    after: AreaMeasure
    confidence: float

    @property
    def values(self) -> Floats:
        return np.asarray(self.after.values - self.before.values)

    @cached_property
    def widths(self) -> Widths:
        """Half the widths of the intervals. The errors of two releases are independent, so the
        squares of their widths add up."""
        pairs = zip(self.before.widths, self.after.widths, strict=True)
        return Widths(*(np.hypot(*pair) for pair in pairs))

    @property
    def significant(self) -> Any:
        """Which differences have intervals without zero."""
        return np.abs(self.values) > self.widths.truth

    @property
    def _located(self) -> AreaCounts:
        return self.areas

    def columns(self) -> dict[str, Any]:
        """The columns: ``name``, ``before``, ``after``, ``difference``, ``lower``, ``upper`` and
        ``significant``."""
        width = self.widths.truth
        return {
            "name": self.areas.names,
            "before": self.before.values,
            "after": self.after.values,
            "difference": self.values,
            "lower": self.values - width,
            "upper": self.values + width,
            "significant": self.significant,
        }

    def plot(self, path: str | Path | None = None, **options: Any) -> Figure:
        """A map of the differences, hatched where they are not significant; see
        `AreaCounts.plot`."""
        from hushgram.show.charts.choropleth import plot_differences
        from hushgram.show.charts.picture import Picture

        return plot_differences(self, Picture(path, **options))

    def __repr__(self) -> str:
        return (
            f"<Differences of {len(self.areas):,} areas, {int(self.significant.sum()):,} "
            "of them significant>"
        )
