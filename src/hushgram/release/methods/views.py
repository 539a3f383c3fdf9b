"""Views with other axes, and tables of their groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, cast, overload

from hushgram.errors import QuestionError
from hushgram.release.methods.record import Record

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from hushgram.answers.counting.question import Question, Range
    from hushgram.answers.tables.views import Bins, Slicing
    from hushgram.release.release import Release


class Views(Record):
    """Views with other axes, and tables of their groups."""

    def project(self, *axes: str | Sequence[str], bins: Bins = None) -> Release:
        """A view with only these axes, in this order. Counts are added up over the others.

        Views cost nothing and have correct error bars.

        Parameters
        ----------
        axes
            Names of axes.
        bins
            At most this many slices per axis, as a number or a mapping by name, if the parts are
            boxes and several axes are kept. The default is 256 for continuous axes. A view of one
            axis keeps all cuts.

        Examples
        --------
        >>> import hushgram as hg
        >>> release = hg.publish(hg.Counts([[10, 20, 30], [40, 50, 60]]), epsilon=10)
        >>> release.project("x1").to_array().tolist()
        [50.0, 70.0, 90.0]
        """
        from hushgram.answers.tables.views import project

        return project(self._release, axes, bins)

    def slice(
        self, ranges: Question | None = None, /, *, bins: Bins = None, **axes: Range
    ) -> Release:
        """A view of a part of the domain.

        Ranges, values and lists are written as in `count`, but cannot split a declared bin. See
        `project` for ``bins``.

        Examples
        --------
        >>> import hushgram as hg
        >>> release = hg.publish(hg.Counts([[10, 20, 30], [40, 50, 60]]), epsilon=10)
        >>> release.slice(x1=(0, 2)).to_array().tolist()
        [[10.0, 20.0], [40.0, 50.0]]
        """
        from hushgram.answers.tables.views import cut

        return cut(self._release, {**(ranges or {}), **axes}, bins)

    def rollup(
        self,
        slices: Mapping[str, Slicing] | None = None,
        /,
        *,
        bins: Bins = None,
        **axes: Slicing,
    ) -> Release:
        """A view with coarser axes.

        Give a width, ``age=10`` or ``day="1mo"``; edges, ``age=[0, 18, 65]``; or groups,
        ``state={"north": ["NY", "ME"]}``, where the remaining values become "other". See `project`
        for ``bins``.

        Examples
        --------
        >>> import hushgram as hg
        >>> release = hg.publish(hg.Counts([[10, 20, 30], [40, 50, 60]]), epsilon=10)
        >>> release.rollup(x1=[0, 1, 3]).group_by("x1")["value"].tolist()
        [50.0, 160.0]
        """
        from hushgram.answers.tables.views import roll_up

        return roll_up(self._release, {**(slices or {}), **axes}, bins)

    def group_by(
        self,
        *axes: str | Sequence[str],
        confidence: float = 0.95,
        simultaneous: bool = False,
        share: bool = False,
        bins: Bins = None,
        noise: bool = False,
        sum: str | None = None,
        mean: str | None = None,
    ) -> pd.DataFrame:
        """A data frame with a row for each group: each slice of the axes, or combination of slices.

        Parameters
        ----------
        axes
            Names of axes.
        confidence
            How often an interval contains the true value.
        simultaneous
            Widen the intervals so that all rows' intervals hold at the same time.
        share
            Show shares of all rows instead of counts.
        bins
            See `project`.
        noise
            Add columns ``noise_lower`` and ``noise_upper``, intervals for the noise alone.
        sum, mean
            A measured column. Show its sums or means instead of counts; NaN if there are too few
            rows.

        Returns
        -------
        pandas.DataFrame
            Labels, ``value``, ``lower`` and ``upper``.

        Examples
        --------
        >>> import hushgram as hg
        >>> release = hg.publish(hg.Counts([[10, 20, 30], [40, 50, 60]]), epsilon=10)
        >>> release.group_by("x0")["value"].tolist()
        [60.0, 150.0]
        """
        from hushgram.answers.tables.olap import group_by

        if sum is not None or mean is not None:
            from hushgram.answers.tables.magnitudes import group_measured

            if share or (sum is not None and mean is not None):
                raise QuestionError("Use only one of share, sum and mean.")
            name, kind = (sum, "sum") if sum is not None else (cast("str", mean), "mean")
            return group_measured(
                self._release, axes, name, kind, confidence=confidence, simultaneous=simultaneous,
                bins=bins, noise=noise,
            )  # fmt: skip
        return group_by(
            self._release, axes, confidence=confidence, simultaneous=simultaneous, share=share,
            bins=bins, noise=noise,
        )  # fmt: skip

    def top(
        self,
        k: int,
        *axes: str | Sequence[str],
        confidence: float = 0.95,
        simultaneous: bool = True,
        share: bool = False,
        bins: Bins = None,
        noise: bool = False,
        sum: str | None = None,
        mean: str | None = None,
    ) -> pd.DataFrame:
        """The k largest groups of `group_by`, with the same options.

        By default, intervals hold for all groups together, because noise affects which groups are
        the largest.

        Examples
        --------
        >>> import hushgram as hg
        >>> release = hg.publish(hg.Counts([[10, 20, 30], [40, 50, 60]]), epsilon=10)
        >>> release.top(2, "x0", "x1")["value"].tolist()
        [60.0, 50.0]
        """
        from hushgram.answers.tables.olap import top

        return top(
            self._release, k, axes, confidence=confidence, simultaneous=simultaneous, share=share,
            bins=bins, noise=noise, sum=sum, mean=mean,
        )  # fmt: skip

    @overload
    def sql(self, query: str, *, arrow: Literal[False] = ...) -> pd.DataFrame: ...

    @overload
    def sql(self, query: str, *, arrow: Literal[True]) -> pa.Table: ...

    def sql(self, query: str, *, arrow: bool = False) -> pd.DataFrame | pa.Table:
        """Query the release with SQL, ``SELECT … FROM release``.

        Parameters
        ----------
        query
            A single SELECT in DuckDB's SQL. Each row of the view ``release`` represents ``count``
            rows of the table, in the middle of a part: to count rows, use ``sum(count)``, not
            ``count(*)``. See `hushgram.answers.tables.sql`.
        arrow
            Return an Arrow table instead of a data frame.

        Examples
        --------
        >>> import hushgram as hg
        >>> release = hg.publish(hg.Counts([[10, 20, 30], [40, 50, 60]]), epsilon=10)
        >>> release.sql("SELECT sum(count) AS rows FROM release WHERE x0 = 1")["rows"].tolist()
        [150.0]
        """
        from hushgram.answers.tables.sql import ask

        found = ask(self._release, query)
        return found if arrow else found.to_pandas()
