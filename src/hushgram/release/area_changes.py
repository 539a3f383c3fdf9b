"""What changed in each area from one release to another: a table, files and a picture."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hushgram.answers.answer import Widths
from hushgram.declare.axis import Floats
from hushgram.release.area_files import write_features, write_table

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from hushgram.release.areas import AreaCounts, AreaMeasure


@dataclass(frozen=True, eq=False)
class AreaDifferences:
    """What changed in each area from one release to another."""

    areas: AreaCounts
    before: AreaMeasure
    after: AreaMeasure
    confidence: float

    @property
    def values(self) -> Floats:
        return np.asarray(self.after.values - self.before.values)

    @cached_property
    def widths(self) -> Widths:
        """The noise of two releases is independent: half widths add up like the sides of a
        right-angled triangle."""
        pairs = zip(self.before.widths, self.after.widths, strict=True)
        return Widths(*(np.hypot(*pair) for pair in pairs))

    @property
    def significant(self) -> Any:
        """Which differences have intervals without zero."""
        return np.abs(self.values) > self.widths.truth

    def columns(self) -> dict[str, Any]:
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

    def to_pandas(self) -> pd.DataFrame:
        """A row for each area: ``name``, ``before``, ``after``, ``difference``, ``lower``,
        ``upper``, ``significant``."""
        import pandas as pd

        return pd.DataFrame(self.columns())

    def _repr_html_(self) -> str:
        return str(self.to_pandas()._repr_html_())  # type: ignore[operator]

    def to_csv(self, path: str | Path, *, overwrite: bool = False) -> None:
        write_table(self.columns(), Path(path), overwrite=overwrite)

    def to_geojson(self, path: str | Path, *, overwrite: bool = False) -> None:
        write_features(self.areas, self.columns(), Path(path), overwrite=overwrite)

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
