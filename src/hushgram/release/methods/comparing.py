"""Counts by area, and changes between two releases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hushgram.release.methods.record import Record

if TYPE_CHECKING:
    from hushgram.answers.counting.question import Question
    from hushgram.answers.tables.views import Bins
    from hushgram.release.areas import AreaCounts
    from hushgram.release.comparison import Comparison
    from hushgram.release.release import Release


class Comparing(Record):
    """Counts by area, and changes between two releases."""

    def areas(
        self,
        polygons: Any,
        *,
        name: str | None = None,
        population: str | None = None,
        per: float = 1000.0,
        on: tuple[str, str] | None = None,
        where: Question | None = None,
        confidence: float = 0.95,
        simultaneous: bool = False,
    ) -> AreaCounts:
        """Count the rows in each of several polygons, such as districts.

        Parameters
        ----------
        polygons
            A file (GeoJSON, GeoParquet, Shapefile, GeoPackage), GeoJSON, a GeoDataFrame, a mapping
            from names to polygons, or a list of polygons.
        name, population
            Columns of the polygons: their names, and the population for rates.
        per
            Rates are per this many inhabitants.
        on
            The two axes of the polygons, the horizontal one first. By default longitude and
            latitude, or x and y.
        where
            Restricts other axes of the release, as in `count`.
        confidence
            How often an interval contains the true count.
        simultaneous
            Widen the intervals so that those of all areas hold at the same time.
        """
        from hushgram.release.areas import count_areas

        return count_areas(
            self._release, polygons, name=name, population=population, per=per, on=on, where=where,
            confidence=confidence, simultaneous=simultaneous,
        )  # fmt: skip

    def compare(
        self,
        other: Release,
        /,
        *axes: str | Sequence[str],
        confidence: float = 0.95,
        simultaneous: bool = False,
        bins: Bins = None,
    ) -> Comparison:
        """Show what changed from this release to another, by group: ``other`` minus this one.

        Groups are the combinations of slices of these axes, or of all axes that both have. They end
        where slices of both releases end; a continuous axis that the two divide differently is
        divided into ``bins`` equal slices.

        Each difference has an interval and a p-value; ``significant`` says which groups changed, at
        a confidence that holds for all of them together. ``changed`` and ``p_value`` test whether
        the two tables hold the same number of rows in every group: false alarms are at most as
        frequent as stated, provided that the intervals of both releases hold. The test allows for
        noise but not for sampling: the ups and downs of an ordinary month are changes, too. If
        people have more rows than are counted, each release chooses again which rows count, which
        can look like a change.

        Examples
        --------
        >>> import hushgram as hg
        >>> before = hg.publish(hg.Counts([500, 700]), epsilon=1)
        >>> after = hg.publish(hg.Counts([500, 950]), epsilon=1)
        >>> before.compare(after).significant.tolist()
        [False, True]
        """
        from hushgram.release.comparison import compare

        return compare(
            self._release, other, axes, confidence=confidence, simultaneous=simultaneous, bins=bins
        )
