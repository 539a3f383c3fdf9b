"""The number of rows within the declared axes, from a release's own noisy counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hushgram.declare.axis import Axis, Category, Date
from hushgram.declare.degrees import LATITUDE, LONGITUDE

if TYPE_CHECKING:
    from hushgram.answers.answer import Answer
    from hushgram.declare.domain import Domain
    from hushgram.release import Release


def rows_inside(release: Release) -> Answer:
    """The count of all rows with declared values on every axis, without "other"."""
    ranges = {name: declared_range(axis) for name, axis in release.domain.items() if axis.other}
    total: Answer = release.count(ranges)
    return total


def declared_range(axis: Axis) -> Any:
    """The range or list of all declared values of an axis, without "other"."""
    if isinstance(axis, Category):
        return list(axis.values)
    return axis.edge(0), axis.edge(axis.bins)


def hardly_any(total: Answer) -> bool:
    """Whether the count could be noise alone."""
    return total.interval[0] <= 0


def usual_causes(domain: Domain) -> list[str]:
    """Common reasons why there are no rows within the declared axes.

    >>> from hushgram.declare.axis import Category, Interval
    >>> from hushgram.declare.domain import Domain
    >>> usual_causes(Domain(sex=Category(["F", "M"])))
    ['categories differ in case or have extra spaces']
    """
    names = {name.lower() for name in domain}
    axes = [axis.whole for axis in domain.axes]
    found = {
        "longitude and latitude are swapped": names & {*LONGITUDE} and names & {*LATITUDE},
        "bounds are in another unit, or text columns use decimal commas (--decimal ,)": any(
            not isinstance(axis, Category | Date) for axis in axes
        ),
        "dates are in another format (--date-format) or in other years": any(
            isinstance(axis, Date) for axis in axes
        ),
        "categories differ in case or have extra spaces": any(
            isinstance(axis, Category) for axis in axes
        ),
    }
    return [cause for cause, possible in found.items() if possible]
