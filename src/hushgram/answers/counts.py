"""Range counts with intervals, one or many at a time."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from hushgram.answers.intervals import half_width
from hushgram.answers.question import check_names, ends, weights
from hushgram.axis import Axis, Floats
from hushgram.errors import QuestionError
from hushgram.estimate import Answer, Answers, Direct, Estimate
from hushgram.partition import Grid


class GridCounts:
    """Answers about an estimate of a grid's cells. Parts that are cut count in proportion."""

    def __init__(self, estimate: Estimate, grid: Grid) -> None:
        self.estimate = estimate
        self.grid = grid
        self.values = estimate.values.reshape(grid.shape)

    def one(self, question: Mapping[str, Any], confidence: float = 0.95) -> Answer:
        """One count: O(cells that it touches)."""
        shares = weights(self.grid, question)
        value = contract(self.values, shares)
        whole = contract(self.values, [np.floor(share) for share in shares])
        variance, kurtosis = self._moments(shares)
        integral = isinstance(self.estimate.inference, Direct) and all(
            ((share == 0) | (share == 1)).all() for share in shares
        )
        width = float(
            half_width(np.array(variance), np.array(kurtosis), confidence, np.array(integral))
        )
        return Answer(value, (value - width, value + width), confidence, value - whole)

    def _moments(self, shares: list[Floats]) -> tuple[float, float]:
        if isinstance(self.estimate.inference, Direct):
            squares = [float((share**2).sum()) for share in shares]
            fourths = [float((share**4).sum()) for share in shares]
            return self._separable(np.array(squares).prod(), np.array(fourths).prod())
        product = shares[0]
        for share in shares[1:]:
            product = np.multiply.outer(product, share)
        return self.estimate.moments(product.ravel())

    def _separable(self, squares: Any, fourths: Any) -> tuple[Any, Any]:
        """Variance and kurtosis where every cell has the same noise: O(axes)."""
        kurtosis = 3 * fourths / np.maximum(squares, 1e-300) ** 2
        return squares * self.estimate.measurements[0].variance, np.minimum(kurtosis, 3.0)

    def many(self, table: Any, confidence: float = 0.95) -> Answers:
        """A count per row of a table of ranges (see `bounds_of`), in constant time each."""
        from hushgram.answers.summed import box_sums

        starts, stops = self._boxes(table)
        values = box_sums(self._summed, starts, stops)
        variance, kurtosis, whole = self._many_moments(starts, stops)
        width = half_width(variance, kurtosis, confidence, whole)
        return Answers(values, values - width, values + width, confidence)

    @cached_property
    def _summed(self) -> Any:
        from hushgram.answers.summed import summed

        return summed(self.values)

    def _boxes(self, table: Any) -> tuple[Floats, Floats]:
        """Where each row's box starts and stops, in units of slices."""
        columns = as_columns(table)
        ranges = {name: bounds_of(columns, name) for name in self.grid.domain}
        check_names(self.grid.domain, unknown(columns, self.grid.domain))
        rows = {len(lows) for pair in ranges.values() if pair for lows in pair}
        if len(rows) != 1:
            raise QuestionError(
                "a table of ranges has, for some axis, columns such as "
                f"{self.grid.domain.names[0]}_lo and {self.grid.domain.names[0]}_hi."
            )
        count = rows.pop()
        starts, stops = np.empty((2, count, len(ranges)))
        for place, (name, axis) in enumerate(self.grid.domain.items()):
            starts[:, place], stops[:, place] = self._side(place, axis, ranges[name], name)
        return starts, stops

    def _side(
        self, place: int, axis: Axis, pair: tuple[Any, Any] | None, name: str
    ) -> tuple[Any, Any]:
        if pair is None:
            return 0.0, float(self.grid.shape[place])
        start, stop = ends(axis, *pair)
        if (start > stop).any():
            raise QuestionError(f"a range of {name!r} ends before it starts.")
        if self.grid.slices[place] == axis.bins:
            return start, stop
        cuts = self.grid.cuts(place)
        slices = np.arange(len(cuts))
        return np.interp(start, cuts, slices), np.interp(stop, cuts, slices)

    def _many_moments(self, starts: Floats, stops: Floats) -> tuple[Floats, Floats, Floats]:
        if not isinstance(self.estimate.inference, Direct):
            raise QuestionError("this release answers one range at a time.")
        first, last = np.floor(starts), np.floor(stops)
        inner = last - first - 1
        head, tail = first + 1 - starts, stops - last
        within = stops - starts

        def powers(n: int) -> Floats:
            across = head**n + inner + tail**n
            return np.asarray(np.where(inner < 0, within**n, across).prod(axis=1))

        variance, kurtosis = self._separable(powers(2), powers(4))
        whole = ((starts == first) & (stops == last)).all(axis=1)
        return variance, kurtosis, whole


def contract(values: Any, shares: list[Floats]) -> float:
    """The sum of values weighted by a product of shares per axis, over the cells touched."""
    touched = [np.flatnonzero(share) for share in shares]
    if any(len(t) == 0 for t in touched):
        return 0.0
    inside = values[tuple(slice(t[0], t[-1] + 1) for t in touched)]
    for share, t in zip(reversed(shares), reversed(touched), strict=True):
        inside = inside @ share[t[0] : t[-1] + 1]
    return float(inside)


def as_columns(table: Any) -> Mapping[str, Any]:
    """A mapping of columns from a mapping, or a pandas, Polars or Arrow table."""
    if isinstance(table, Mapping):
        return table
    if hasattr(table, "column_names"):
        return {name: table[name].to_numpy(zero_copy_only=False) for name in table.column_names}
    if hasattr(table, "columns"):
        return {str(name): table[name].to_numpy() for name in table.columns}
    raise QuestionError(
        f"a table of ranges is a mapping or a data frame, not a {type(table).__name__}."
    )


def bounds_of(columns: Mapping[str, Any], name: str) -> tuple[Any, Any] | None:
    """The bounds of one axis: columns ``name_lo`` and ``name_hi``, or pairs in one column."""
    low, high = f"{name}_lo", f"{name}_hi"
    if low in columns and high in columns:
        return columns[low], columns[high]
    if name not in columns:
        return None
    pairs = columns[name]
    if isinstance(pairs, tuple) and len(pairs) == 2:
        return np.atleast_1d(pairs[0]), np.atleast_1d(pairs[1])
    pairs = [tuple(pair) for pair in pairs if np.ndim(pair) == 1 and len(pair) == 2]
    if len(pairs) != len(columns[name]):
        raise QuestionError(f"the column {name!r} of a table of ranges holds pairs (lo, hi).")
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


def unknown(columns: Mapping[str, Any], names: Any) -> list[str]:
    """The columns that belong to no axis."""
    known = {f"{name}{end}" for name in names for end in ("", "_lo", "_hi")}
    return [str(column) for column in columns if str(column) not in known]


def counts_of(estimate: Estimate) -> GridCounts:
    """What answers counts for the estimate's layout."""
    partition = estimate.partition
    if isinstance(partition, Grid):
        return GridCounts(estimate, partition)
    raise QuestionError(f"no counts can be asked of a {partition.kind} layout.")
