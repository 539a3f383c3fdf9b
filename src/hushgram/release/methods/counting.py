"""Counts of rows in ranges, and quantiles and ranks along an axis."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeGuard, cast, overload

from hushgram.answers.answer import Answer, Answers
from hushgram.answers.counting.counts import RangeCounts, counts_of
from hushgram.declare.domain import Domain
from hushgram.errors import QuestionError
from hushgram.release.methods.record import Record

if TYPE_CHECKING:
    from hushgram.answers.counting.along import Where
    from hushgram.answers.counting.quantiles import Quantile, Share
    from hushgram.answers.counting.question import Bound, Question, Range, Value
    from hushgram.answers.tables.tables import RangeTable


class Counting(Record):
    """Counts of rows in ranges, and quantiles and ranks along an axis."""

    @overload
    def count(self, /, *, confidence: float = ..., **axes: Range) -> Answer: ...

    @overload
    def count(
        self, question: Mapping[str, tuple[Bound, Bound] | Value], /, *, confidence: float = ...
    ) -> Answer: ...

    @overload
    def count(self, table: RangeTable, /, *, confidence: float = ...) -> Answers: ...

    @overload
    def count(self, either: Question, /, *, confidence: float = ...) -> Answer | Answers: ...

    def count(
        self,
        table: Question | RangeTable | None = None,
        /,
        *,
        confidence: float = 0.95,
        **axes: Range,
    ) -> Answer | Answers:
        """Count the rows in a range.

        Parameters
        ----------
        table
            Many questions at once: a mapping, pandas, Polars or Arrow table with columns such as
            ``age_lo`` and ``age_hi``. Or one question as a mapping, for axes with odd names:
            ``count({"odd name": (0, 1)})``.
        confidence
            How often the interval contains the true count.
        axes
            One question, ``age=(20, 30), sex="F"``: a range excludes its upper end, a list selects
            several values, and axes that are not named are not restricted.

        Returns
        -------
        Answer or Answers
            `Answers` for a table, otherwise an `Answer`.

        Examples
        --------
        >>> import hushgram as hg
        >>> release = hg.publish(hg.Counts([[10, 20, 30], [40, 50, 60]]), epsilon=10)
        >>> release.count(x0=1, x1=(0, 2)).value
        90.0
        >>> release.count({"x1_lo": [0, 1], "x1_hi": [1, 3]}).values.tolist()
        [50.0, 160.0]
        """
        if table is None:
            return self._counts.one(axes, confidence)
        if axes:
            raise QuestionError("Give either a table of ranges or named axes, not both.")
        if is_single(table, self.domain):
            return self._counts.one(table, confidence)
        return self._counts.many(cast("RangeTable", table), confidence)

    @cached_property
    def _counts(self) -> RangeCounts:
        return counts_of(self.estimate)

    def share(
        self,
        ranges: Question | None = None,
        /,
        *,
        confidence: float = 0.95,
        **axes: Range,
    ) -> Share:
        """The share of all rows that are in a range, written as in `count`.

        Examples
        --------
        >>> import hushgram as hg
        >>> release = hg.publish(hg.Counts([[10, 20, 30], [40, 50, 60]]), epsilon=10)
        >>> round(release.share(x0=1).value, 2)
        0.71
        """
        from hushgram.answers.tables.olap import share_of

        return share_of(self._release, {**(ranges or {}), **axes}, confidence)

    @overload
    def quantile(
        self, axis: str, q: float, *, where: Where = ..., confidence: float = ...
    ) -> Quantile: ...

    @overload
    def quantile(
        self, axis: str, q: Iterable[float], *, where: Where = ..., confidence: float = ...
    ) -> list[Quantile]: ...

    def quantile(
        self,
        axis: str,
        q: float | Iterable[float],
        *,
        where: Where = None,
        confidence: float = 0.95,
    ) -> Quantile | list[Quantile]:
        """The quantile of an axis: the value that a share q of the rows does not exceed.

        Parameters
        ----------
        axis
            A numeric or date axis. Rows that are "other" on it are left out.
        q
            A share from 0 to 1, or several.
        where
            Restricts other axes, as in ``where={"sex": "F"}``.
        confidence
            How often the interval contains the true quantile.

        Returns
        -------
        Quantile or list of Quantile
            Values of the axis's own kind, such as whole numbers or days. A list for several shares.

        Examples
        --------
        >>> import hushgram as hg
        >>> release = hg.publish(hg.Counts([[10, 20, 30], [40, 50, 60]]), epsilon=10)
        >>> [found.value for found in release.quantile("x1", [0.1, 0.9])]
        [0, 2]
        """
        from hushgram.answers.counting.quantiles import quantiles

        if is_list(q):
            return quantiles(self.estimate, axis, q, where=where, confidence=confidence)
        single = cast("float", q)
        return quantiles(self.estimate, axis, [single], where=where, confidence=confidence)[0]

    def median(self, axis: str, *, where: Where = None, confidence: float = 0.95) -> Quantile:
        """The median of an axis: `quantile` with q = 0.5.

        Examples
        --------
        >>> import hushgram as hg
        >>> release = hg.publish(hg.Counts([[10, 20, 30], [40, 50, 60]]), epsilon=10)
        >>> release.median("x1", where={"x0": 0}).value
        1
        """
        return self.quantile(axis, 0.5, where=where, confidence=confidence)

    def max(self, axis: str, *, where: Where = None, confidence: float = 0.95) -> Quantile:
        """The largest value on an axis, as far as rows stand out from the noise.

        A row or two beyond it cannot be distinguished from none, so the interval usually extends to
        the end of the axis.

        Examples
        --------
        >>> import hushgram as hg
        >>> release = hg.publish(hg.Counts([[10, 20, 30], [40, 50, 60]]), epsilon=10)
        >>> release.max("x1").value
        2
        """
        return self.quantile(axis, 1.0, where=where, confidence=confidence)

    def min(self, axis: str, *, where: Where = None, confidence: float = 0.95) -> Quantile:
        """The smallest value on an axis, as far as rows stand out from the noise. See `max`."""
        return self.quantile(axis, 0.0, where=where, confidence=confidence)

    def rank(self, axis: str, x: Value, *, where: Where = None, confidence: float = 0.95) -> Answer:
        """The number of rows below a value, as in ``count(axis=(None, x))``.

        For whole numbers and days, rows with the value itself are included.

        Examples
        --------
        >>> import hushgram as hg
        >>> release = hg.publish(hg.Counts([[10, 20, 30], [40, 50, 60]]), epsilon=10)
        >>> release.rank("x1", 1).value
        120.0
        """
        from hushgram.answers.counting.quantiles import rank

        return rank(self.estimate, axis, x, where=where, confidence=confidence)

    def cdf(self, axis: str, x: Value, *, where: Where = None, confidence: float = 0.95) -> Share:
        """The share of the rows below a value, from 0 to 1. See `rank`.

        Examples
        --------
        >>> import hushgram as hg
        >>> release = hg.publish(hg.Counts([[10, 20, 30], [40, 50, 60]]), epsilon=10)
        >>> round(release.cdf("x1", 1).value, 2)
        0.57
        """
        from hushgram.answers.counting.quantiles import cdf

        return cdf(self.estimate, axis, x, where=where, confidence=confidence)


def is_single(table: Question | RangeTable, domain: Domain) -> TypeGuard[Question]:
    """Whether a mapping is a single query rather than a table of many, which has pairs."""
    if not isinstance(table, Mapping) or not set(table) <= set(domain):
        return False
    return not any(is_list(each) for value in table.values() if is_list(value) for each in value)


def is_list(value: Any) -> TypeGuard[Iterable[Any]]:
    return (
        isinstance(value, Iterable) and not isinstance(value, str) and getattr(value, "ndim", 1) > 0
    )
