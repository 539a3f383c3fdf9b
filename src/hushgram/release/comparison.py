"""Changes from one release to another: the differences of groups, and a test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hushgram.answers.answer import Answer, Widths, format_confidence, format_rows
from hushgram.answers.counting.intervals import as_confidence
from hushgram.answers.notebook import table_html
from hushgram.answers.tables.common_groups import common_groups
from hushgram.answers.tables.differences import Differences, GroupCounts, adjust_p_values
from hushgram.answers.tables.views import Bins, Names
from hushgram.base.text import align_columns
from hushgram.declare.axis import Floats
from hushgram.errors import QuestionError
from hushgram.geometry.labels import label_columns
from hushgram.queries import Measurement
from hushgram.release.export import write_csv_table

if TYPE_CHECKING:
    import pandas as pd

    from hushgram.release.release import Release

COLUMNS = (
    "before",
    "after",
    "difference",
    "lower",
    "upper",
    "p_value",
    "p_adjusted",
    "significant",
)
"""The columns of a comparison that are not labels."""

SHOWN = 10
"""The most changed groups that are printed."""

WHOLE = "mostly because a release has no exact total of these rows"
"""The reason shown for a wide margin of a total."""


@dataclass(frozen=True, eq=False)
class Comparison:
    """What changed between two releases, returned by `Release.compare`.

    ``significant`` marks the groups that changed, at a confidence that holds for all groups
    together. Intervals of differences hold for each group on its own, or for all together with
    ``simultaneous=True``.

    Examples
    --------
    >>> import hushgram as hg
    >>> before = hg.publish(hg.Counts([500, 700]), epsilon=1)
    >>> after = hg.publish(hg.Counts([500, 950]), epsilon=1)
    >>> before.compare(after).to_pandas().columns.tolist()[:4]
    ['x0', 'before', 'after', 'difference']
    """

    before: Release
    """The first release, as counts of the groups."""
    after: Release
    confidence: float = 0.95
    simultaneous: bool = False

    @property
    def values(self) -> Floats:
        """The difference of each group: after minus before."""
        return self._groups.values

    @property
    def lower(self) -> Floats:
        return np.asarray(self.values - self.widths.truth)

    @property
    def upper(self) -> Floats:
        return np.asarray(self.values + self.widths.truth)

    @cached_property
    def widths(self) -> Widths:
        """Half the widths of the intervals."""
        error = 1 - self.confidence
        return self._groups.widths(1 - error / (len(self) if self.simultaneous else 1))

    @cached_property
    def total(self) -> Answer:
        """The difference of the totals."""
        noise, truth = (float(width[0]) for width in self._total.widths(self.confidence))
        value = float(self._total.values[0])
        return Answer.of(value, (noise, truth), self.confidence, 0.0, WHOLE)

    @cached_property
    def p_values(self) -> Floats:
        """An upper bound of the p-value of "this group did not change"."""
        error = 1 - self.confidence
        return self._groups.p_values((error, error / len(self), error / (2 * len(self))))

    @cached_property
    def p_adjusted(self) -> Floats:
        """The p-values, adjusted for the number of groups (Holm)."""
        return adjust_p_values(self.p_values)

    @cached_property
    def p_value(self) -> float:
        """An upper bound of the p-value of "nothing changed": neither the total nor any group."""
        error = 1 - self.confidence
        total = float(self._total.p_values((error, error / 2))[0])
        least = float(self.p_values.min())
        if len(self) == 1:
            return least
        return min(1.0, 2 * min(total, len(self) * least))

    @property
    def changed(self) -> bool:
        """Whether "nothing changed" is rejected at the stated confidence."""
        return self.p_value <= (1 - self.confidence) * (1 + 1e-9)

    @property
    def significant(self) -> Any:
        """Which groups changed, at a confidence that holds for all of them together."""
        return self.p_adjusted <= (1 - self.confidence) * (1 + 1e-9)

    def __len__(self) -> int:
        return len(self.before.estimate.values)

    def to_pandas(self) -> pd.DataFrame:
        """A row for each group: labels, ``before``, ``after``, ``difference``, ``lower``,
        ``upper``, ``p_value``, ``p_adjusted``, ``significant``."""
        import pandas as pd

        return pd.DataFrame({**self._labels(), **dict(zip(COLUMNS, self._columns(), strict=True))})

    def to_csv(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the table as CSV, with labels that spreadsheets do not interpret as formulas."""
        import pyarrow as pa

        columns = self.to_pandas().items()
        table = pa.table(
            {name: pa.array(list(column), from_pandas=True) for name, column in columns}
        )
        write_csv_table(table, Path(path), overwrite=overwrite)

    def to_json(self) -> dict[str, Any]:
        """The verdict and the total, as JSON."""
        return {
            "changed": self.changed,
            "p_value": self.p_value,
            "confidence": self.confidence,
            "groups": len(self),
            "significant": int(self.significant.sum()),
            "total": {"difference": self.total.value, "interval": list(self.total.interval)},
        }

    def __str__(self) -> str:
        changed = int(self.significant.sum())
        verdict = "Something changed" if self.changed else "No change found"
        lines = [
            f"{verdict}: p {p_text(self.p_value)} if none of {len(self):,} groups changed.",
            f"Total: {sign_text(self.total.value)} ± {format_rows(self.total.half_width)} "
            f"({format_confidence(self.confidence)}).",
            f"{changed:,} of {len(self):,} groups changed "
            f"({format_confidence(self.confidence)} for all groups together)"
            f"{':' if changed else '.'}",
        ]
        if changed:
            table = self.to_pandas()[self.significant]
            by_size = table.difference.abs().sort_values(ascending=False, kind="stable").index
            shown = table.loc[by_size].head(SHOWN)
            lines.append(self._text_of(shown))
            if changed > SHOWN:
                lines.append(f"… and {changed - SHOWN:,} more: to_pandas().")
        return "\n".join(lines)

    __repr__ = __str__

    def _text_of(self, table: pd.DataFrame) -> str:
        labels = [name for name in table.columns if name not in COLUMNS]
        lines = [
            (
                *(str(row[name]) for name in labels),
                format_rows(row["before"]),
                format_rows(row["after"]),
                f"{sign_text(row['difference'])} ± {format_rows(row['upper'] - row['difference'])}",
                p_text(row["p_adjusted"]),
            )
            for row in table.to_dict("records")
        ]
        return align_columns(lines, heads=(*labels, "before", "after", "difference", "p"))

    def _repr_html_(self) -> str:
        first = str(self).split("\n")[:2]
        return f"<p>{'<br>'.join(first)}</p>{table_html(self.to_pandas(), len(self), 'groups')}"

    @cached_property
    def _groups(self) -> Differences:
        return Differences(
            *(GroupCounts.of_groups(one.estimate) for one in (self.before, self.after))
        )

    @cached_property
    def _total(self) -> Differences:
        return Differences(
            *(GroupCounts.of_total(one.estimate) for one in (self.before, self.after))
        )

    def _columns(self) -> list[Any]:
        first, second = self._groups.before.values, self._groups.after.values
        numbers = [first, second, self.values, self.lower, self.upper]
        return [*numbers, self.p_values, self.p_adjusted, self.significant]

    def _labels(self) -> dict[str, Any]:
        labels = label_columns(self.before.estimate.partition).items()
        return {
            f"{name}_axis" if name in COLUMNS else name: column.to_pandas()
            for name, column in labels
        }


def compare(
    before: Release,
    after: Release,
    axes: Names,
    *,
    confidence: float = 0.95,
    simultaneous: bool = False,
    bins: Bins = None,
) -> Comparison:
    """The changes from one release to another; see `Release.compare`."""
    level = as_confidence(confidence)
    if not isinstance(after, type(before)):
        raise QuestionError(
            f"A release can only be compared with another release. Found {type(after).__name__}."
        )
    check_independent(before, after)
    if before.unit != after.unit:
        raise QuestionError(
            f"The releases count different rows: {before.unit}, and {after.unit}. Compare "
            "releases of the same unit."
        )
    return Comparison(*common_groups(before, after, axes, bins), level, simultaneous)


def check_independent(before: Release, after: Release) -> None:
    """Raise for two views of the same release, which share their noise."""
    first, second = before.estimate.measurements, after.estimate.measurements
    paid = [one.receipt and one.receipt.get("id") for one in (before, after)]
    if first is second or (paid[0] is not None and paid[0] == paid[1] and same(first, second)):
        raise QuestionError(
            "Both are the same release, or views of it. Compare releases that were published "
            "separately; for groups of one release, see group_by()."
        )


def same(first: Sequence[Measurement], second: Sequence[Measurement]) -> bool:
    """Whether the noisy numbers are equal: the releases of a plan have the same receipt, but
    different noise."""
    return len(first) == len(second) and all(
        np.array_equal(one.values, other.values) for one, other in zip(first, second, strict=True)
    )


def sign_text(number: float) -> str:
    """A difference with its sign, as text.

    >>> sign_text(1234.2), sign_text(-5.1), sign_text(0.2)
    ('+1,234', '-5', '0')
    """
    text = format_rows(number)
    return f"+{text}" if number > 0 and text != "0" else text


def p_text(p_value: float) -> str:
    """An upper bound of a p-value, as text.

    >>> p_text(0.025), p_text(1.0), p_text(2e-8)
    ('≤ 0.025', '= 1', '≤ 2e-08')
    """
    return "= 1" if p_value >= 1 else f"≤ {p_value:.2g}"
