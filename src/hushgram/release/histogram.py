"""Conversion to scikit-hep's hist."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hushgram.answers.tables.units import check_moderate
from hushgram.errors import MissingExtra
from hushgram.release.uhi import plottable

if TYPE_CHECKING:
    from hushgram.release.release import Release


def to_hist(release: Release) -> Any:
    """A ``hist.Hist`` with the same axes and values, and the variances of the noise. A histogram
    cannot store more: cells that share one value, and bins that are cut, have larger errors, which
    `Release.group_by` and `Release.count` include."""
    try:
        import hist
    except ImportError:
        raise MissingExtra("hist", "hist", "to_hist()") from None
    grid = release.grid
    for name, axis in release.domain.items():
        check_moderate(axis, name)
    axes = [hist_axis(hist, plottable(grid, place)) for place in range(len(release.domain))]
    histogram = hist.Hist(*axes, storage=hist.storage.Weight())
    view = histogram.view()
    view.value = release.values()
    view.variance = release.variances()
    return histogram


def hist_axis(hist: Any, axis: Any) -> Any:
    if not axis.traits.discrete:
        edges = [axis[0][0], *(high for _, high in axis)]
        numbers = [
            edge.timestamp() if hasattr(edge, "timestamp") else ordinal(edge) for edge in edges
        ]
        return hist.axis.Variable(numbers, name=axis.name, flow=False)
    if all(type(value) is int and abs(value) < 2**31 - 1 for value in axis):
        return hist.axis.Integer(axis[0], axis[0] + len(axis), name=axis.name, flow=False)
    return hist.axis.StrCategory([str(value) for value in axis], name=axis.name, flow=False)


def ordinal(edge: Any) -> float:
    """A number, or the day number of a date."""
    return float(edge.toordinal() if hasattr(edge, "toordinal") else edge)
