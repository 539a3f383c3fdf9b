"""Range counts with intervals, one or many at a time."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from hushgram.answers.intervals import Spread, half_width
from hushgram.answers.question import check_names, ends, weights
from hushgram.axis import Axis, Floats
from hushgram.errors import QuestionError
from hushgram.estimate import Answer, Answers, Direct, Estimate
from hushgram.partition import Lattice


class GridCounts:
    """Answers about an estimate of a grid's cells. Parts that are cut count in proportion."""

    def __init__(self, estimate: Estimate, grid: Lattice) -> None:
        self.estimate = estimate
        self.grid = grid
        self.values = estimate.values.reshape(grid.shape)

    def one(self, question: Mapping[str, Any], confidence: float = 0.95) -> Answer:
        """One count: O(cells that it touches)."""
        shares = weights(self.grid, question)
        value = contract(self.values, shares)
        whole = contract(self.values, [np.floor(share) for share in shares])
        width = float(half_width(self._spread(shares), confidence))
        return Answer(value, (value - width, value + width), confidence, value - whole)

    def _spread(self, shares: list[Floats]) -> Spread:
        if isinstance(self.estimate.inference, Direct):
            squares, fourths = (np.prod([(share**n).sum() for share in shares]) for n in (2, 4))
            largest = np.prod([share.max() for share in shares])
            whole = all(((share == 0) | (share == 1)).all() for share in shares)
            return self._separable(squares, fourths, largest, whole)
        product = shares[0]
        for share in shares[1:]:
            product = np.multiply.outer(product, share)
        return Spread(*self.estimate.moments(product.ravel()))

    def _separable(self, squares: Any, fourths: Any, largest: Any, whole: Any) -> Spread:
        """The spread where every cell has the same noise, from sums of powers: O(axes)."""
        # An empty range has no noise, and 0 / 0 is no kurtosis.
        kurtosis = np.minimum(3 * fourths / np.maximum(squares, 1e-100) ** 2, 3.0)
        return Spread(squares * self.estimate.measurements[0].variance, kurtosis, largest, whole)

    def many(self, table: Any, confidence: float = 0.95) -> Answers:
        """A count per row of a table of ranges (see `bounds_of`), in constant time each."""
        from hushgram.answers.summed import box_sums

        starts, stops = self._boxes(table)
        values = box_sums(self._summed, starts, stops)
        width = half_width(self._spreads(starts, stops), confidence)
        partial = values - self._uncut(starts, stops, values)
        return Answers(values, values - width, values + width, confidence, partial)

    def _uncut(self, starts: Floats, stops: Floats, values: Floats) -> Floats:
        """The part of each box's sum that comes from cells which it covers wholly."""
        from hushgram.answers.summed import box_sums

        first = np.ceil(starts)
        if (first == starts).all() and (np.floor(stops) == stops).all():
            return values
        return box_sums(self._summed, first, np.maximum(np.floor(stops), first))

    @cached_property
    def _summed(self) -> Any:
        from hushgram.answers.summed import summed

        return summed(self.values)

    def _boxes(self, table: Any) -> tuple[Floats, Floats]:
        """Where each row's box starts and stops, in units of slices."""
        domain = self.grid.domain
        columns = as_columns(table)
        check_names(domain, unknown(columns, domain))
        ranges = {name: bounds_of(columns, name, domain) for name in domain}
        starts, stops = np.empty((2, rows_of(ranges), len(ranges)))
        for place, (name, axis) in enumerate(domain.items()):
            starts[:, place], stops[:, place] = self._side(place, axis, ranges[name], name)
        return starts, stops

    def _side(
        self, place: int, axis: Axis, pair: tuple[Any, Any] | None, name: str
    ) -> tuple[Any, Any]:
        if pair is None:
            return 0.0, float(self.grid.shape[place])
        start, stop = ends(axis, name, *pair)
        if self.grid.slices[place] == axis.bins:
            return start, stop
        cuts = self.grid.cuts(place)
        slices = np.arange(len(cuts))
        return np.interp(start, cuts, slices), np.interp(stop, cuts, slices)

    def _spreads(self, starts: Floats, stops: Floats) -> Spread:
        if not isinstance(self.estimate.inference, Direct):
            return self._each_spread(starts, stops)
        first, last = np.floor(starts), np.floor(stops)
        inner = last - first - 1
        head, tail = first + 1 - starts, stops - last
        within = stops - starts

        def powers(n: int) -> Any:
            return np.where(inner < 0, within**n, head**n + inner + tail**n).prod(axis=1)

        across = np.maximum(np.maximum(head, tail), inner > 0)
        largest = np.where(inner < 0, within, across).prod(axis=1)
        whole = ((starts == first) & (stops == last)).all(axis=1)
        return self._separable(powers(2), powers(4), largest, whole)

    def _each_spread(self, starts: Floats, stops: Floats) -> Spread:
        """One box after another, where an inference ties the cells together: O(cells) each."""
        sizes = [np.arange(length) for length in self.grid.shape]
        found = [
            self._spread([np.clip(np.minimum(b - n, 1) - np.maximum(a - n, 0), 0, 1)
                          for n, a, b in zip(sizes, start, stop, strict=True)])
            for start, stop in zip(starts, stops, strict=True)
        ]  # fmt: skip
        return Spread(
            np.array([spread.variance for spread in found]),
            np.array([spread.kurtosis for spread in found]),
        )


def contract(values: Any, shares: list[Floats]) -> float:
    """The sum of values weighted by a product of shares per axis, over the cells touched."""
    touched = [np.flatnonzero(share) for share in shares]
    if any(len(t) == 0 for t in touched):
        return 0.0
    inside = values[tuple(slice(t[0], t[-1] + 1) for t in touched)]
    for share, t in zip(reversed(shares), reversed(touched), strict=True):
        inside = inside @ share[t[0] : t[-1] + 1]
    return float(inside)


def as_columns(table: Any) -> dict[str, Any]:
    """Columns by name from a mapping, or a pandas, Polars or Arrow table."""
    if isinstance(table, Mapping):
        return {str(name): table[name] for name in table}
    if hasattr(table, "column_names"):
        return {name: arrow_column(table[name]) for name in table.column_names}
    if hasattr(table, "columns") and hasattr(table, "to_numpy"):
        return {str(name): frame_column(table[name]) for name in table.columns}
    raise QuestionError(
        f"a table of ranges is a mapping or a data frame, not a {type(table).__name__}."
    )


def arrow_column(column: Any) -> Any:
    """An Arrow column; NULL is an open end, which an array of numbers could not tell from NaN."""
    return column.to_pylist() if column.null_count else column.to_numpy(zero_copy_only=False)


def frame_column(column: Any) -> Any:
    """A column of pandas or Polars; the latter tells NULL from NaN as well."""
    nulls = getattr(column, "null_count", lambda: 0)()
    return column.to_list() if nulls else column.to_numpy()


def bounds_of(columns: Mapping[str, Any], name: str, names: Any) -> tuple[Any, Any] | None:
    """The bounds of one axis: columns ``name_lo`` and ``name_hi``, or pairs in one column.

    A column that is left out is an open end. One that bears another axis's name is that axis's.
    """
    low, high = (
        columns.get(key) if key not in names else None for key in (f"{name}_lo", f"{name}_hi")
    )
    if name in columns:
        if low is not None or high is not None:
            raise QuestionError(f"give either {name!r} or {name}_lo and {name}_hi, not both.")
        return unpaired(columns[name], name)
    if low is None and high is None:
        return None
    given = [bounds for bounds in (low, high) if bounds is not None]
    if any(np.ndim(bounds) != 1 for bounds in given):
        raise QuestionError(f"{name}_lo and {name}_hi hold one bound per row, as lists.")
    open_ends = [None] * len(given[0])
    return open_ends if low is None else low, open_ends if high is None else high


def unpaired(pairs: Any, name: str) -> tuple[Any, Any]:
    """The lows and the highs of a column of pairs, or of a tuple of two columns."""
    if isinstance(pairs, tuple) and len(pairs) == 2:
        return np.atleast_1d(pairs[0]), np.atleast_1d(pairs[1])
    if isinstance(pairs, np.ndarray) and pairs.ndim == 2 and pairs.shape[1] == 2:
        return pairs[:, 0], pairs[:, 1]
    found = [tuple(pair) for pair in pairs if np.ndim(pair) == 1 and len(pair) == 2]
    if len(found) != len(pairs):
        raise QuestionError(
            f"the column {name!r} of a table of ranges holds pairs (lo, hi). For single values "
            f"ask one question at a time, count({name}=…)."
        )
    return [pair[0] for pair in found], [pair[1] for pair in found]


def rows_of(ranges: Mapping[str, tuple[Any, Any] | None]) -> int:
    """How many questions a table has."""
    lengths = {len(bounds) for pair in ranges.values() if pair for bounds in pair}
    if not lengths:
        some = next(iter(ranges))
        raise QuestionError(
            f"a table of ranges has, for some axis, columns such as {some}_lo and {some}_hi."
        )
    if len(lengths) > 1:
        listed = " and ".join(map(str, sorted(lengths)))
        raise QuestionError(f"the columns of a table of ranges have {listed} rows, not as many.")
    return lengths.pop()


def unknown(columns: Mapping[str, Any], names: Any) -> list[str]:
    """The columns that belong to no axis."""
    known = {f"{name}{end}" for name in names for end in ("", "_lo", "_hi")}
    return [str(column) for column in columns if str(column) not in known]


def counts_of(estimate: Estimate) -> GridCounts:
    """What answers counts for the estimate's layout."""
    partition = estimate.partition
    if isinstance(partition, Lattice):
        return GridCounts(estimate, partition)
    raise QuestionError(f"no counts can be asked of a {partition.kind} layout.")
