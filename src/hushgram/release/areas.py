"""Counts by area, from a release and polygons: a table, files and a picture."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hushgram.answers.answer import COARSE, Answer, Widths
from hushgram.answers.areas.counting import AreaSums, area_weights
from hushgram.answers.areas.magnitudes import magnitudes_of_areas
from hushgram.answers.areas.placing import AreasOnAxes, Plane, place
from hushgram.answers.areas.shapes import Shapes, read_shapes
from hushgram.answers.counting.cutting import Cutting
from hushgram.answers.counting.intervals import as_confidence
from hushgram.answers.counting.question import Question
from hushgram.answers.tables.views import boxed_layout
from hushgram.base.text import did_you_mean, shorten
from hushgram.declare.axis import Floats
from hushgram.errors import QuestionError
from hushgram.mechanisms.measured import Measured
from hushgram.release.area_files import AreaTable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from hushgram.release.area_changes import AreaDifferences
    from hushgram.release.release import Release

MEASURES = ("count", "share", "density", "rate")
"""The measures of areas, in addition to "sum …" and "mean …" of measured columns."""

NAMED = 5
"""The most areas that a note names."""

UNIT = "rows per square unit"


@dataclass(frozen=True, eq=False)
class AreaMeasure:
    """A number for each area, with half the widths of its intervals."""

    column: str
    """The name in tables."""
    label: str
    """A description for people."""
    values: Floats
    widths: Widths
    typical: float = 0.0
    """The value of comparison: areas whose intervals include it are not significantly different."""

    def over(self, sizes: Floats, column: str, label: str) -> AreaMeasure:
        """The measure per unit of a size; NaN if the size is 0 or unknown."""
        known = np.where(sizes > 0, sizes, np.nan)
        widths = Widths(*(np.asarray(width / known) for width in self.widths))
        return AreaMeasure(column, label, np.asarray(self.values / known), widths)

    def columns(self) -> dict[str, Floats]:
        ends = ("lower", "upper") if self.column == "count" else (
            f"{self.column}_lower", f"{self.column}_upper")  # fmt: skip
        width = self.widths.truth
        return {
            self.column: self.values,
            ends[0]: self.values - width,
            ends[1]: self.values + width,
        }


@dataclass(frozen=True, eq=False)
class AreaCounts(AreaTable):
    """The number of rows in each of some areas, with intervals that contain the truth.

    Created by `Release.areas`. ``areas["Mitte"]`` is one count, ``to_pandas()`` a table of all,
    ``plot()`` a map, ``compare()`` the change from one release to another.
    """

    release: Release
    shapes: Shapes
    plane: Plane
    placed: AreasOnAxes
    sums: AreaSums
    confidence: float = 0.95
    simultaneous: bool = False
    population: str | None = None
    per: float = 1000.0

    @property
    def names(self) -> list[str]:
        return self.shapes.names

    @property
    def values(self) -> Floats:
        """The counts; NaN for areas entirely outside the release's axes."""
        return self.measure("count").values

    @property
    def lower(self) -> Floats:
        return np.asarray(self.values - self.measure("count").widths.truth)

    @property
    def upper(self) -> Floats:
        return np.asarray(self.values + self.measure("count").widths.truth)

    @property
    def covered(self) -> Floats:
        """The share of each area that is within the release's axes."""
        return self.placed.covered

    @property
    def sizes(self) -> Floats:
        """The size of each area within the axes, in square kilometres or square units of the
        axes."""
        return self.placed.sizes

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __getitem__(self, area: str | int) -> Answer:
        """The count of one area, by its name or its position."""
        at = self._place_of(area) if isinstance(area, str) else range(len(self))[area]
        found = self.measure("count")
        weights = self.sums.weights[[at]].toarray().reshape(-1)
        partial = Cutting(self.sums.estimate).partial(weights)
        noise, truth = (float(width[at]) for width in found.widths)
        return Answer.of(float(found.values[at]), (noise, truth), self.confidence, partial, COARSE)

    def _place_of(self, name: str) -> int:
        if self.names.count(name) != 1:
            count = self.names.count(name)
            raise QuestionError(
                f"{count} areas are named {name!r}. Select one by its position, such as areas[0]."
                if count
                else f"No area is named {name!r}.{did_you_mean(name, self.names)} Names: "
                f"{shorten(', '.join(map(repr, self.names)))}."
            )
        return self.names.index(name)

    def measure(self, of: str = "count") -> AreaMeasure:
        """The ``count`` of each area, its ``share`` of all rows of the release, its ``density``
        (rows per km² on a map, else per square unit of the axes), or its ``rate`` (rows per ``per``
        inhabitants); or the ``sum`` or the ``mean`` of a measured column, such as ``"mean
        earnings"``, NaN if there are too few rows."""
        known = (*MEASURES, *self._magnitudes)
        if of not in known:
            raise QuestionError(
                f"Unknown measure {of!r}.{did_you_mean(of, known)} Use {', '.join(known)}."
            )
        if of == "rate" and self.population is None:
            raise QuestionError(
                "A rate needs a population. Name the column of the polygons that contains "
                'it: population="inhabitants" (--population inhabitants).'
            )
        return self._measures[of]

    @property
    def _magnitudes(self) -> list[str]:
        """The measures of measured columns."""
        columns = [one.measure.column for one in self.release.measured]
        return [f"{kind} {column}" for column in columns for kind in ("sum", "mean")]

    @cached_property
    def _measures(self) -> dict[str, AreaMeasure]:
        return self._measures_at(self.level)

    @property
    def level(self) -> float:
        """The confidence of each interval."""
        return together(self.confidence, len(self)) if self.simultaneous else self.confidence

    def _measures_at(self, level: float) -> dict[str, AreaMeasure]:
        unknown = np.where(self.covered > 0, 0.0, np.nan)
        shares, share_widths = self.sums.shares(level)
        widths = Widths(*(width + unknown for width in self.sums.widths(level)))
        count = AreaMeasure("count", "rows", self.sums.values + unknown, widths)
        unit = ("per_km2", "rows per km²") if self.plane.degrees else ("per_unit", UNIT)
        found = {
            "count": count,
            "share": AreaMeasure("share", "share of all rows", shares + unknown, share_widths),
            "density": count.over(self.sizes, *unit),
        }
        if self.population is not None:
            column = f"per_{self.per:g}_{self.population}"
            label = f"rows per {self.per:,.10g} of {self.population}"
            people = self.shapes.numbers(self.population) / self.per
            found["rate"] = count.over(people, column, label)
        for measured in self.release.measured:
            for kind in ("sum", "mean"):
                name = f"{kind} {measured.measure.column}"
                found[name] = self._magnitude(measured, kind, level, unknown)
        return found

    def _magnitude(
        self, measured: Measured, kind: str, level: float, unknown: Floats
    ) -> AreaMeasure:
        """The sum or mean of a column. If its interval is asymmetric, the longer side is used."""
        found = magnitudes_of_areas(self.sums, measured, kind, level)
        noise, truth = (
            np.maximum(found.value - lower, upper - found.value) + unknown
            for lower, upper in (
                (found.noise_lower, found.noise_upper), (found.lower, found.upper)
            )
        )  # fmt: skip
        column = measured.measure.column
        values, typical = np.asarray(found.value + unknown), 0.0
        if kind == "mean":
            rows = np.maximum(self.sums.values, 0) * ~np.isnan(values)
            typical = float(np.nan_to_num(values) @ rows / max(float(rows.sum()), 1e-300))
        return AreaMeasure(
            f"{kind}_{column}", f"{kind} of {column}", values, Widths(noise, truth), typical
        )

    @property
    def notes(self) -> list[str]:
        """Notes about areas that readers must know."""
        outside = np.flatnonzero(self.covered == 0)
        partly = np.flatnonzero((self.covered > 0) & (self.covered < 1))
        found = {
            "repaired, because the outline crosses itself": self.shapes.mended,
            "outside the axes, so the counts are unknown": self._names_at(outside),
            "partly outside the axes, so only the part inside is counted": self._names_at(partly),
        }
        return [
            f"{len(names):,} area{'s' if len(names) > 1 else ''} {what}: {some_names(names)}."
            for what, names in found.items()
            if names
        ]

    def _names_at(self, places: Any) -> list[str]:
        return [self.names[place] for place in places]

    @property
    def _located(self) -> AreaCounts:
        return self

    def columns(self) -> dict[str, Any]:
        """The columns: ``name``, ``count``, ``lower``, ``upper``, shares and rates with their
        intervals, the area's size, and the share of it that the release covers."""
        count = self.measure("count")
        size = "area_km2" if self.plane.degrees else "area"
        found: dict[str, Any] = {"name": self.names, **count.columns()}
        found["noise_lower"] = count.values - count.widths.noise
        found["noise_upper"] = count.values + count.widths.noise
        found |= self._measures["share"].columns()
        found |= {size: self.sizes, **self._measures["density"].columns()}
        if self.population is not None:
            found |= {self.population: self.shapes.numbers(self.population)}
            found |= self._measures["rate"].columns()
        for name in self._magnitudes:
            found |= self._measures[name].columns()
        return {**found, "covered": self.covered}

    def plot(
        self, path: str | Path | None = None, *, of: str | None = None, **options: Any
    ) -> Figure:
        """A map with a colour for each area, by density or another measure such as ``of="mean
        earnings"``. Areas are hatched if the interval includes zero, or for means the mean of all
        areas. Options are those of `Release.plot`: ``title``, ``rows``, ``log``, ``source``,
        ``date``, ``dark``, ``ax``, ``overwrite``."""
        from hushgram.show.charts.choropleth import plot_areas
        from hushgram.show.charts.picture import Picture

        return plot_areas(self, of, Picture(path, **options))

    def compare(
        self, other: AreaCounts, *, of: str = "count", simultaneous: bool = False
    ) -> AreaDifferences:
        """The changes from these areas to the same areas of another release: ``other`` minus this.

        A difference is significant if its interval does not include zero. With ``simultaneous``,
        all intervals hold together, so that no area is significant by chance alone."""
        from hushgram.release.area_changes import AreaDifferences

        if self.names != other.names:
            raise QuestionError(
                "The areas of the two releases differ. Use the same polygons for both."
            )
        level = together(self.confidence, len(self)) if simultaneous else self.confidence
        before, after = (one._measures_at(level) for one in (self, other))
        self.measure(of), other.measure(of)  # raises if unknown
        return AreaDifferences(self, before[of], after[of], self.confidence)

    def __repr__(self) -> str:
        return f"<Counts of {len(self):,} areas, from {self.release!r}>"


def count_areas(
    release: Release,
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
    """The number of rows in each polygon; see `Release.areas`."""
    level, layout = as_confidence(confidence), boxed_layout(release)
    plane = Plane.of(release.domain, on)
    shapes = read_shapes(polygons, name=name, degrees=plane.degrees)
    if population is not None:
        shapes.numbers(population)  # raises if unknown
    placed = place(shapes, plane, release.domain)
    weights = area_weights(layout, placed, plane, where or {}, len(shapes))
    sums = AreaSums(release.estimate, weights)
    return AreaCounts(
        release, shapes, plane, placed, sums, level, simultaneous, population, float(per)
    )


def some_names(names: list[str]) -> str:
    """The first few names, and the number of the others.

    >>> some_names(["a", "b"]), some_names(list("abcdefgh"))
    ('a, b', 'a, b, c, d, e and 3 more')
    """
    rest = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    return ", ".join(shorten(name, 40) for name in names[:NAMED]) + rest


def together(confidence: float, count: int) -> float:
    """The confidence of each of ``count`` intervals that hold together (Bonferroni)."""
    return 1 - (1 - confidence) / count
