"""``hg.suggest``: the errors to expect at several values of epsilon, and what each one means."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from hushgram.answers.answer import format_digits
from hushgram.answers.notebook import table_html
from hushgram.base.exact import Number, format_number, short_repr
from hushgram.base.text import align_columns
from hushgram.declare.domain import AxisOption, Domain
from hushgram.declare.epsilon import as_epsilon
from hushgram.declare.measure import Measure, as_measures
from hushgram.declare.unit import Neighbours, UnitOption, as_neighbours, as_unit
from hushgram.declare.workload import Workload
from hushgram.errors import BadInput
from hushgram.expect.expected import Expected, LowHigh, expect_errors
from hushgram.expect.magnitudes import ExpectedMagnitude, expect_magnitudes
from hushgram.mechanisms.base import Mechanism
from hushgram.mechanisms.measured import Measuring
from hushgram.mechanisms.registry import as_mechanism

if TYPE_CHECKING:
    import pandas as pd

EPSILONS = ("0.01", "0.1", "0.3", "1")
"""The default budgets to compare."""


@dataclass(frozen=True)
class Suggestion:
    """Expected errors at several values of epsilon, returned by `hushgram.suggest`.

    It prints as tables. ``to_pandas()`` has a row for each epsilon and each size of range.
    """

    rows: int
    expected: tuple[Expected, ...]
    """The expected errors at each epsilon, the smallest first."""
    magnitudes: tuple[ExpectedMagnitude, ...] = ()
    """The expected errors of sums and means, if measures were given."""

    @property
    def epsilons(self) -> tuple[Fraction, ...]:
        return tuple(one.epsilon for one in self.expected)

    def to_json(self) -> dict[str, Any]:
        """The numbers, and what each epsilon means, as JSON."""
        listed = [{**one.to_json(), "meaning": meaning(one.epsilon)} for one in self.expected]
        found: dict[str, Any] = {"rows": self.rows, "expected": listed}
        if self.magnitudes:
            found["measures"] = [one.to_json() for one in self.magnitudes]
        return found

    def to_pandas(self) -> pd.DataFrame:
        """A data frame with a row for each epsilon and each size of range.

        ``error_low`` to ``error_high`` is the expected mean error in rows; ``margin_low`` to
        ``margin_high`` is the margin that answers will show after the ±, at 95 % confidence.
        """
        import pandas as pd

        return pd.DataFrame(
            [
                {
                    "epsilon": format_number(one.epsilon),
                    "mechanism": " or ".join(one.mechanisms),
                    "covers": size,
                    "error_low": one.errors[size][0],
                    "error_high": one.errors[size][1],
                    "margin_low": one.half_widths[size][0],
                    "margin_high": one.half_widths[size][1],
                }
                for one in self.expected
                for size in one.errors
            ]
        )

    def __str__(self) -> str:
        return "\n".join(
            [
                f"Expected errors of counts, simulated for {self.rows:,} rows.",
                "",
                "Mean error in rows, by the share of the domain that a range covers:",
                self._align("errors"),
                "",
                "Margin that answers will show (± rows, 95 % confidence):",
                self._align("half_widths"),
                "",
                self._example(),
                *self._joined_lines(),
                *self._magnitude_lines(),
                "",
                "What epsilon means for one person:",
                *(f"  {format_number(one)}: {meaning(one)}" for one in self.epsilons),
                "",
                "No table was opened and nothing was spent. The simulated tables range from evenly "
                "spread to highly",
                "clustered. On real tables, about nine in ten mean errors fell in these ranges.",
            ]
        )

    __repr__ = __str__

    def _repr_html_(self) -> str:
        titles = {
            "errors": "Mean error in rows, by the share of the domain that a range covers",
            "half_widths": "Margin that answers will show (± rows, 95 % confidence)",
        }
        tables = [f"<p>{title}</p>{self._table(column)}" for column, title in titles.items()]
        return f"{''.join(tables)}<p>{self._example()}</p>"

    def _table(self, column: str) -> str:
        import pandas as pd

        heads, lines = self._cells(column)
        return table_html(pd.DataFrame(lines, columns=list(heads)), len(lines), "budgets")

    def _align(self, column: str) -> str:
        heads, lines = self._cells(column)
        return align_columns(lines, heads=heads)

    def _cells(self, column: str) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Return the heads, and a line for each ε with a cell for each size of range."""
        sizes = tuple(getattr(self.expected[0], column))
        lines = [
            (
                format_number(one.epsilon),
                " or ".join(one.mechanisms),
                *(range_text(getattr(one, column)[size]) for size in sizes),
            )
            for one in self.expected
        ]
        return ("epsilon", "mechanism", *sizes), lines

    def _example(self) -> str:
        """Describe one cell of each table in a sentence."""
        one = self.expected[len(self.expected) // 2]
        size = "10 %" if "10 %" in one.errors else "all"
        covered = "all of the domain" if size == "all" else f"{size} of the domain"
        return (
            f"At epsilon {format_number(one.epsilon)}, expect an error of "
            f"{range_text(one.errors[size])} rows on ranges that cover {covered},\n"
            f"and a margin of ± {range_text(one.half_widths[size])} rows."
        )

    def _magnitude_lines(self) -> list[str]:
        """Return the table of margins of means, if there are measures."""
        if not self.magnitudes:
            return []
        sizes = tuple(self.magnitudes[0].means)
        lines = [
            (
                format_number(one.epsilon),
                str(one.measure),
                *(format_digits(one.means[size], 2) for size in sizes),
            )
            for one in self.magnitudes
        ]
        heads = ("epsilon", "measure", *sizes)
        title = "Margin of means (±, 95 % confidence), if rows are evenly spread:"
        return ["", title, align_columns(lines, heads=heads)]

    def _joined_lines(self) -> list[str]:
        """Return how the simulation was simplified, if it was."""
        joined = self.expected[0].joined
        if joined == 1:
            return []
        return [
            f"The table has too many cells to simulate, so {joined:,} neighbouring cells were "
            "treated as one.",
            "Errors of larger ranges can be larger than shown, unless the mechanism merges cells "
            "itself.",
        ]


def suggest(
    rows: int,
    domain: Domain | Mapping[str, AxisOption],
    *,
    epsilon: Number | Iterable[Number] = EPSILONS,
    mechanism: str | Mechanism = "auto",
    unit: UnitOption = "rows",
    neighbours: Neighbours = "add-remove",
    workload: Workload | None = None,
    measures: Sequence[Measure] | Measure = (),
    share: Number | None = None,
    spread: float | None = None,
) -> Suggestion:
    """Estimate the errors of counts at several values of epsilon, before you spend anything.

    The mechanism publishes simulated tables of that size and shape, from evenly spread to highly
    clustered, and its answers are compared with the truth. Your table is not opened.

    Parameters
    ----------
    rows
        The approximate number of rows in the table.
    domain
        The axes that will be published, as for `publish`.
    epsilon
        One budget, or several to compare.
    mechanism, unit, neighbours, workload
        As for `publish`.
    measures, share
        Sums and means, and their share of epsilon, as for `publish`. Their margins are predicted
        for evenly spread rows, so that a range has its share of them.
    spread
        A public guess of how far means of ranges are from the middle of the bounds, in the column's
        unit. The default is a quarter of the distance between the bounds.

    Examples
    --------
    >>> import hushgram as hg
    >>> found = hg.suggest(5_000, {"age": hg.Integer(0, 99)}, epsilon=[0.1, 1])
    >>> len(found.expected), list(found.expected[0].errors)
    (2, ['a cell', '1 %', '10 %', 'half', 'all'])
    """
    if isinstance(rows, bool) or not isinstance(rows, int | np.integer):
        raise BadInput(
            f"rows must be a whole number: the approximate size of the table. Found "
            f"{short_repr(rows)}."
        )
    public = domain if isinstance(domain, Domain) else Domain(domain)
    who, difference, budgets = as_unit(unit), as_neighbours(neighbours), as_budgets(epsilon)
    measuring = Measuring.of(as_measures(measures), share, rows=who.rows)
    recipe = as_mechanism(mechanism, workload)
    found = expect_errors(recipe, public, int(rows), budgets, who, difference, measuring)
    magnitudes = expect_magnitudes(
        recipe, public, int(rows), budgets, measuring, spread, who, difference
    )
    return Suggestion(int(rows), tuple(found), tuple(magnitudes))


def as_budgets(epsilon: Number | Iterable[Number]) -> Sequence[Fraction]:
    """Return the distinct budgets in ascending order.

    >>> as_budgets([1, "0.5", 1])
    [Fraction(1, 2), Fraction(1, 1)]
    """
    several = isinstance(epsilon, Iterable) and not isinstance(epsilon, str)
    budgets = sorted({as_epsilon(one) for one in (epsilon if several else [epsilon])})  # type: ignore[union-attr]
    if not budgets:
        raise BadInput("epsilon is empty. Give one budget or several, such as [0.1, 1].")
    return budgets


def range_text(ends: LowHigh) -> str:
    """Format a range of errors with two digits each.

    >>> range_text((1.234, 56789.0)), range_text((0.0, 0.01)), range_text((130.2, 130.4))
    ('1.2 to 57,000', '0', '130')
    """
    low, high = map(digits, ends)
    return low if low == high else f"{low} to {high}"


def digits(value: float) -> str:
    rounded = float(f"{value:.2g}")
    return f"{rounded:,.1f}".replace(".0", "") if rounded < 10 else f"{rounded:,.0f}"


def meaning(epsilon: Fraction) -> str:
    """Explain what a budget means for one person, in two sentences."""
    from hushgram.show.report.privacy import odds, percent, surest

    size = float(epsilon)
    return (
        f"the odds that they are in the table change by a factor of at most {odds(size)}. Someone "
        f"who thought it 50 % likely can become at most {percent(surest(0.5, size))} sure."
    )
