"""The choice of an estimator of unevenness for an estimate."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from hushgram.answers.unevenness.base import Unevenness
from hushgram.answers.unevenness.groups import BlindGroups, GroupUnevenness
from hushgram.answers.unevenness.parts import PartUnevenness
from hushgram.answers.unevenness.ranks import RankUnevenness
from hushgram.answers.unevenness.views import ViewUnevenness
from hushgram.geometry.partition import Boxed
from hushgram.mechanisms.estimate import Estimate

KNOWN: WeakKeyDictionary[Estimate, Unevenness] = WeakKeyDictionary()
"""Cached results, which live as long as the estimates."""


def unevenness_of(estimate: Estimate) -> Unevenness:
    """The effect of unevenly spread rows on an estimate's answers, cached."""
    if estimate not in KNOWN:
        KNOWN[estimate] = find_unevenness(estimate)
    return KNOWN[estimate]


def find_unevenness(estimate: Estimate) -> Unevenness:
    view = estimate.inference.view
    if view is not None:
        viewed = estimate.inference.viewed
        values = viewed.push(estimate.measurements)
        source = Estimate(view.chain[-1].source, values, estimate.measurements, viewed)
        assert isinstance(estimate.partition, Boxed)
        return ViewUnevenness(view, unevenness_of(source), estimate.partition)
    layout = estimate.partition
    assert isinstance(layout, Boxed)
    groups = estimate.inference.groups()
    values = np.asarray(estimate.values, dtype=np.float64)
    if groups is None:
        unbiased, ranks = estimate.inference.unbiased_values(), estimate.inference.sorted_parts()
        if unbiased:
            return PartUnevenness(layout, *unbiased)
        linear = estimate.inference.is_linear
        parts = PartUnevenness(layout, values, estimate.variances(), measured=linear)
        return RankUnevenness(ranks, parts) if ranks else parts
    # The cells of a group have the same value and error: those of their sum over their number.
    labels = groups.labels
    sums = np.asarray(np.bincount(labels, values), dtype=np.float64)
    noise = np.asarray(np.bincount(labels) * np.bincount(labels, estimate.variances()))
    boxes = PartUnevenness(groups.boxes, sums, noise) if groups.boxes else None
    blind = BlindGroups(layout, labels, boxes, sums, noise)
    first = estimate.inference.first_counts(estimate.measurements)
    if first is None:
        return blind
    variances = np.full(layout.size, first.variance)
    cells = PartUnevenness(layout, first.values.astype(np.float64), variances)
    return GroupUnevenness(cells, blind, first)
