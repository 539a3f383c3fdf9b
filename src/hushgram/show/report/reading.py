"""The main findings of a release in plain sentences: the number of rows, the largest groups, and
the groups that may be empty."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from hushgram.answers.answer import Answer, format_rows
from hushgram.answers.counting.quantiles import Quantile, format_value
from hushgram.base.text import shorten
from hushgram.show.report.asking import ordered_axis
from hushgram.show.report.html import Html, join_html, listing, tag
from hushgram.show.report.slices import SliceTable

if TYPE_CHECKING:
    from hushgram.release.release import Release

NAMED = 3
"""The number of largest slices to name."""


def reading_section(sentences: list[str]) -> Html:
    """The sentences, and an explanation of margins."""
    margin = (
        "The number after ± is the margin: the true number is within it 19 times out of "
        "20. Margins of the largest groups hold for all groups at once, so they are wider "
        "than those of a single group."
    )
    return join_html([listing(sentences), tag("p", margin, class_="note")])


def sentences_of(release: Release, total: Answer, shown: list[SliceTable]) -> Iterator[str]:
    yield total_sentence(release, total)
    for slices in shown:
        yield from largest_sentences(slices, total)
    if len(release.domain) == 1:
        name = ordered_axis(release)
        if name is not None:
            yield median_sentence(shorten(name, 40), release.median(name))
    yield from uncertain_sentences(shown)


def median_sentence(name: str, median: Quantile) -> str:
    """A sentence with the median of an axis.

    >>> median_sentence("age", Quantile(37, (36, 38), 0.5))
    'The median of age is 37 (36 to 38 with 95 % confidence).'
    """
    value, low, high = map(format_value, (median.value, *median.interval))
    known = "" if low == high else f" ({low} to {high} with 95 % confidence)"
    return f"The median of {name} is {value}{known}."


def total_sentence(release: Release, total: Answer) -> str:
    where = f", only rows where {release.where}" if release.where else ""
    return f"The release counts about {amount(total.value, total.half_width)} rows in total{where}."


def amount(value: float, width: float) -> str:
    """A number with its margin, on one line.

    >>> amount(13489.2, 90.3) == "13,489\u00a0±\u00a090"
    True
    """
    return f"{format_rows(value)}\u00a0±\u00a0{margin_text(width)}"


def margin_text(width: float) -> str:
    """A margin as text, to one digit if it is small.

    >>> margin_text(90.3), margin_text(0.42)
    ('90', '0.4')
    """
    return format_rows(width) if width >= 1 or width == 0 else f"{width:.1g}"


def largest_sentences(slices: SliceTable, total: Answer) -> Iterator[str]:
    """Sentences on the largest groups. Their intervals hold together, since noise influences which
    groups are the largest."""
    places = [place for place in slices.largest(NAMED) if not slices.unsure[place]]
    if len(slices.values) < 2:
        return
    if not places:
        yield f"No single group by {axes_text(slices)} stands out from the noise."
        return
    amounts = [slice_amount(slices, place, total) for place in places]
    yield f"By {axes_text(slices)}, most rows are in {'; then '.join(amounts)}."
    if len(places) > 1:
        first, second = places[:2]
        gap = slices.values[first] - slices.values[second]
        if gap <= np.hypot(slices.widths_together[first], slices.widths_together[second]):
            yield "The difference between the first two is within the margin."


def axes_text(slices: SliceTable) -> str:
    return " and ".join(shorten(name, 40) for name in slices.names)


def slice_amount(slices: SliceTable, place: int, total: Answer) -> str:
    value = float(slices.values[place])
    share = f", {100 * value / total.value:.2g}\u00a0% of the total" if total.value > 0 else ""
    what = ", ".join(slices.texts[place])
    return f"{what} ({amount(value, float(slices.widths_together[place]))}{share})"


def uncertain_sentences(shown: list[SliceTable]) -> Iterator[str]:
    """Sentences on the groups that may be empty."""
    unsure = [slices for slices in shown if slices.unsure.any()]
    if not unsure:
        yield "No margin in the tables below includes zero."
    for slices in unsure:
        yield (
            f"Uncertain: {np.count_nonzero(slices.unsure):,} of the {len(slices.values):,} "
            f"groups by {axes_text(slices)} may be empty: the margin includes zero. Noise "
            "can make such counts negative."
        )
