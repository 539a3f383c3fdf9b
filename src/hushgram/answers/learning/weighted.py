"""A release as weighted rows, for any learner that takes weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hushgram.answers.counting.nonnegative import norm_sub
from hushgram.answers.tables.contingency import MAX_CELLS, classes_of
from hushgram.declare.axis import Axis, Category, Date, Floats, Integer
from hushgram.errors import NotAnswerable
from hushgram.geometry.partition import Boxed, Ints

if TYPE_CHECKING:
    from hushgram.release.release import Release


def weighted_rows(release: Release, target: str) -> tuple[Any, Any, Floats]:
    """Convert a release to features, classes and weights, to train any scikit-learn classifier.

    Pass the result to ``fit(X, y, sample_weight)``. After counts are made non-negative (norm-sub),
    there is a row for each part with a positive count; a part that combines categories or classes
    gives a row for each, with equal weights. Numbers and dates are the midpoints of their parts, in
    the units of the axis; "other" is None, and rows whose class is "other" are left out. Features
    are a data frame in the order of the domain.

    Examples
    --------
    >>> import hushgram as hg
    >>> release = hg.publish(hg.Counts([[900, 100], [200, 800]]), epsilon=1)
    >>> X, y, weights = hg.weighted_rows(release, target="x1")
    >>> X["x0"].tolist(), y.tolist(), bool(weights.sum() > 1900)
    ([0, 0, 1, 1], [0, 1, 0, 1], True)
    """
    import pandas as pd

    classes = classes_of(release, target)
    lower, upper, weights = single(release, target)
    place = release.domain.names.index(target)
    declared = lower[:, place] < len(classes)
    lower, upper, weights = lower[declared], upper[declared], weights[declared]
    features = {
        name: middles(axis, lower[:, n], upper[:, n])
        for n, (name, axis) in enumerate(release.domain.items())
        if name != target
    }
    return pd.DataFrame(features), np.array(classes)[lower[:, place]], weights


def single(release: Release, target: str) -> tuple[Ints, Ints, Floats]:
    """Boxes of one class and one category per axis of categories, with their weights."""
    layout = release.estimate.partition
    if not isinstance(layout, Boxed):
        raise NotAnswerable(f"A {layout.kind} layout cannot be converted to weighted rows.")
    weights = norm_sub(release.estimate.values)
    kept = weights > 0
    lower, upper = (side[kept] for side in layout.boxes())
    weights = weights[kept]
    for place, (name, axis) in enumerate(release.domain.items()):
        if name == target or isinstance(axis.whole, Category):
            widths = upper[:, place] - lower[:, place]
            if widths.sum() > MAX_CELLS:
                raise NotAnswerable(
                    f"The release gives more than {MAX_CELLS:,} weighted rows. Sample "
                    "rows from it instead: release.sample(n)."
                )
            rows = np.repeat(np.arange(len(widths)), widths)
            within = np.arange(len(rows)) - np.repeat(np.cumsum(widths) - widths, widths)
            lower, upper, weights = lower[rows], upper[rows], (weights / widths)[rows]
            lower[:, place] += within
            upper[:, place] = lower[:, place] + 1
    return lower, upper, weights


def middles(axis: Axis, lower: Ints, upper: Ints) -> Any:
    """The category of each slice, or the middle of slices of other axes."""
    base = axis.whole
    lower, upper = lower + axis.offset, upper + axis.offset
    if isinstance(base, Category):
        texts = np.array([*base.values, None], dtype=object)
        return texts[lower]
    other = lower == base.bins
    safe = np.where(other, 0, lower)
    if isinstance(base, Integer):
        found = (base.edges_at(safe) + base.edges_at(np.where(other, 0, upper - 1))) / 2
        return plain(found, other)
    ends = base.edges_at(safe), base.edges_at(np.where(other, 1, upper))
    if isinstance(base, Date):
        middle = [a + (b - a) / 2 for a, b in zip(*ends, strict=True)]
        return np.where(other, np.datetime64("NaT"), np.array(middle, dtype="datetime64[us]"))
    return plain((np.asarray(ends[0]) + np.asarray(ends[1])) / 2, other)


def plain(numbers: Floats, other: Any) -> Any:
    """The numbers as integers if all are whole, with NaN for "other"."""
    if other.any():
        return np.where(other, np.nan, numbers)
    whole = (numbers == np.floor(numbers)).all() and (np.abs(numbers) < 2**63).all()
    return numbers.astype(np.int64) if whole else numbers
