"""The common columns of exports: labels of the parts, counts with margins, and optionally whole
numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hushgram.base.exact import format_number

if TYPE_CHECKING:
    import pyarrow as pa

    from hushgram.release.release import Release

WHOLE = "count_whole"

MEANINGS = {
    "count": (
        "Estimated number of rows, with noise added for privacy. Unbiased: single counts may "
        "be negative or fractional, and errors cancel out in sums. Use this column for "
        "calculations."
    ),
    "lower": "Lower end of the interval that contains the true number with 95 % confidence.",
    "upper": "Upper end of that interval.",
    WHOLE: (
        "The count as a non-negative whole number. Totals agree exactly. Biased: groups of "
        "nearly empty parts are too large, crowded ones slightly too small. For display, "
        "not for statistics."
    ),
}
"""Descriptions of the columns for readers who only have the file."""


def with_margins(release: Release, *, whole: bool = False) -> pa.Table:
    """Labels, ``count``, ``lower`` and ``upper`` of all parts, and optionally `WHOLE` numbers."""
    import pyarrow as pa

    from hushgram.answers.tables.olap import counts_and_widths
    from hushgram.geometry.labels import label_columns

    estimate = release.estimate
    values, widths = counts_and_widths(estimate, 0.95)
    labels = {
        f"{name}_axis" if name in MEANINGS else name: column
        for name, column in label_columns(estimate.partition).items()
    }
    numbers = {
        "count": pa.array(estimate.values),
        "lower": pa.array(values - widths.truth),
        "upper": pa.array(values + widths.truth),
    }
    return with_whole(release, pa.table({**labels, **numbers}), whole)


def with_whole(release: Release, table: pa.Table, wanted: bool) -> pa.Table:
    """The table of all parts, with a column of whole numbers if wanted."""
    if not wanted:
        return table
    import pyarrow as pa

    from hushgram.answers.counting.whole import whole_counts

    return table.append_column(WHOLE, pa.array(whole_counts(release.estimate)))


def facts(release: Release) -> dict[str, Any]:
    """What readers of an export should know about the release, one line each."""
    return {
        "content": f"Counts by {', '.join(release.domain.names)}, noise added for privacy",
        **release.about.texts,
        **({"rows counted": release.where} if release.where else {}),
        "privacy": f"differential privacy, epsilon = {format_number(release.epsilon)}",
        "protects": f"{release.unit}, {release.neighbours}",
        "mechanism": release.mechanism,
        "receipt": release.receipt["id"] if release.receipt else "none",
    }
