"""Technical details, collapsed at the end of the page."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any

from hushgram.base.exact import format_number
from hushgram.base.text import shorten
from hushgram.declare.axis import OTHER, Axis, Category, Date, Integer
from hushgram.declare.axis.date import MICROSECOND
from hushgram.declare.axis.text import kind_text
from hushgram.mechanisms import MECHANISMS
from hushgram.show.report.html import Html, join_html, table, tag

if TYPE_CHECKING:
    from hushgram.release.release import Release

LISTED = 12
"""The most categories to list."""

OUTSIDE = {
    "drop": "are left out",
    "clamp": "are moved to the nearest bin",
    "other": "are counted as “other”",
}


def technical_details(release: Release) -> Html:
    axes = [axis_row(name, axis) for name, axis in release.domain.items()]
    heads = ("Axis", "Kind", "Values", "Rows that do not fit")
    return tag(
        "details",
        tag("summary", "Mechanism, parameters, axes and receipt"),
        join_html(
            [
                table((), facts(release), caption="How it was made"),
                table(heads, axes, caption="Axes"),
                tag("p", "Bounds, bins and categories were declared beforehand and are public.",
                    class_="note"),
            ]
        ),
    )  # fmt: skip


def facts(release: Release) -> Iterator[tuple[Any, ...]]:
    yield "Mechanism", mechanism(release)
    if release.why:
        yield "Chosen because", release.why
    if release.parameters:
        yield (
            "Parameters",
            ", ".join(f"{k} = {parameter_text(v)}" for k, v in release.parameters.items()),
        )
    yield "Privacy budget", f"ε = {format_number(release.epsilon)}"
    yield "Protects", f"{release.unit}; neighbouring tables: {release.neighbours}"
    if release.where:
        yield "Rows counted", release.where
    if release.measured:
        yield "Measured", "; ".join(one.measure.described for one in release.measured)
    yield "Parts with a noisy count", f"{release.estimate.partition.size:,}"
    if release.receipt is None:
        yield "Receipt", "none: no permanent ledger was charged"
    else:
        for name, value in release.receipt.items():
            yield f"Receipt: {name}", tag("code", value)


def mechanism(release: Release) -> Html:
    known = MECHANISMS.find(release.mechanism)
    return tag("span", tag("strong", release.mechanism), f" – {known.summary()}" if known else "")


def parameter_text(value: Any) -> str:
    return "chosen by the mechanism" if value is None else str(value)


def axis_row(name: str, axis: Axis) -> tuple[Any, ...]:
    return tag("code", name), kind_text(axis), values(axis), OUTSIDE[axis.outside]


def moment(axis: Date, value: datetime) -> str:
    """A day, or a time to the second, as text."""
    return str(value.date() if axis.whole_days else value.replace(microsecond=0))


def values(axis: Axis) -> str:
    """The values of an axis, as text."""
    whole, inside = axis.whole, axis.declared
    if not inside:
        return OTHER
    if isinstance(whole, Category):
        listed = (shorten(str(axis.edge(n)), 40) for n in range(min(inside, LISTED)))
        more = f", … ({inside:,} in all)" if inside > LISTED else ""
        return ", ".join(listed) + more
    first, last = axis.edge(0), axis.edge(inside)
    if isinstance(whole, Integer):
        return f"{first:,} to {axis.edge(inside - 1):,}, {inside:,} whole numbers"
    if isinstance(whole, Date):
        start_and_end = (moment(whole, end) for end in (first, last - MICROSECOND))
        return f"{' to '.join(start_and_end)}, {inside:,} bins in steps of {whole.step}"
    bins = "continuous" if axis.continuous else f"{inside:,} bins"
    return f"{first:,.10g} to {last:,.10g}, {bins}"
