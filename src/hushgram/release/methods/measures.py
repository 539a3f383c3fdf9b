"""Sums and means of measured columns and of numeric axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hushgram.release.methods.record import Record

if TYPE_CHECKING:
    from hushgram.answers.counting.question import Question, Range
    from hushgram.answers.tables.olap import NumericAnswer


class Measures(Record):
    """Sums and means of measured columns and of numeric axes."""

    def sum(
        self,
        column: str,
        ranges: Question | None = None,
        /,
        *,
        confidence: float = 0.95,
        **axes: Range,
    ) -> NumericAnswer:
        """The sum of a measured column over the rows in a range, written as in `count`.

        Also works for a numeric axis: rows are assumed to be in the middle of their part, and the
        interval accounts for where they can be.

        Examples
        --------
        >>> import hushgram as hg
        >>> release = hg.publish(hg.Counts([[10, 20, 30], [40, 50, 60]]), epsilon=10)
        >>> round(release.sum("x1").value)
        250
        """
        from hushgram.answers.tables.magnitudes import is_measured, sum_measured
        from hushgram.answers.tables.olap import sum_of

        found = sum_measured if is_measured(self._release, column) else sum_of
        return found(self._release, column, {**(ranges or {}), **axes}, confidence)

    def mean(
        self,
        column: str,
        ranges: Question | None = None,
        /,
        *,
        confidence: float = 0.95,
        **axes: Range,
    ) -> NumericAnswer:
        """The mean of a measured column or a numeric axis over the rows in a range. See `sum`.

        Examples
        --------
        >>> import hushgram as hg
        >>> release = hg.publish(hg.Counts([[10, 20, 30], [40, 50, 60]]), epsilon=10)
        >>> round(release.mean("x1", x0=1).value, 2)
        1.13
        """
        from hushgram.answers.tables.magnitudes import is_measured, mean_measured
        from hushgram.answers.tables.olap import average_of

        found = mean_measured if is_measured(self._release, column) else average_of
        return found(self._release, column, {**(ranges or {}), **axes}, confidence)

    def average(
        self,
        column: str,
        ranges: Question | None = None,
        /,
        *,
        confidence: float = 0.95,
        **axes: Range,
    ) -> NumericAnswer:
        """The same as `mean`."""
        return self.mean(column, ranges, confidence=confidence, **axes)
